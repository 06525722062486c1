/* SPDX-License-Identifier: Apache-2.0 */
#include "counter_report.h"

#include <string.h>

#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "extorus/run.h"

typedef struct {
	xt_register_id_t id;
	const char *name;
} counter_t;

static const counter_t per_port[] =
	{
		{XT_REG_FREE_CELLS, "free_cells"},
		{XT_REG_HIGH_WATER, "high_water"},
		{XT_REG_ILLEGAL_ROUTES, "illegal_routes"},
		{XT_REG_FRAMING_ERRORS, "framing_errors"},
		{XT_REG_POISONED, "poisoned"},
		{XT_REG_DROPPED, "dropped"},
},
		       per_link[] =
			       {
				       {XT_REG_CRC_ERRORS, "crc_errors"},
				       {XT_REG_NACKS, "nacks"},
				       {XT_REG_REPLAYS, "replays"},
				       {XT_REG_TIMEOUTS, "timeouts"},
				       {XT_REG_RETRAINS, "retrains"},
},
		       per_tc[] = {
			       {XT_REG_RX_PACKETS, "rx_packets"},
			       {XT_REG_RX_CELLS, "rx_cells"},
			       {XT_REG_TX_PACKETS, "tx_packets"},
			       {XT_REG_TX_CELLS, "tx_cells"},
			       {XT_REG_STALLS_CREDIT, "stalls_credit"},
			       {XT_REG_STALLS_GRANT, "stalls_grant"},
};

enum {
	PER_PORT = sizeof(per_port) / sizeof(per_port[0]),
	PER_LINK = sizeof(per_link) / sizeof(per_link[0]),
	PER_TC = sizeof(per_tc) / sizeof(per_tc[0]),
	PRINTED_TC = 4, /* of per_tc, in the table */
};

/* The registers of one port from `id` on as an array, or as a number if count is 0. */
static int add(xt_device_t *device, unsigned card, unsigned port, xt_register_id_t id, unsigned count, json_t *object,
	const char *name, xt_diag_t *diag)
{
	uint32_t values[XT_MAX_VCS];
	int status = xt_device_read(device, card, xt_register_address(id, port, 0), values, count ? count : 1, diag);
	json_t *list;

	if (status != XT_OK) {
		return status;
	}
	if (!count) {
		json_object_set_new(object, name, json_integer(values[0]));
		return XT_OK;
	}
	list = json_array();
	for (unsigned i = 0; i < count; i++) {
		json_array_append_new(list, json_integer(values[i]));
	}
	json_object_set_new(object, name, list);
	return XT_OK;
}

static int add_link(xt_device_t *device, unsigned card, unsigned port, json_t *object, xt_diag_t *diag)
{
	uint32_t value;
	int status = xt_device_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &value, 1, diag);

	if (status == XT_OK) {
		unsigned state = value >> XT_FIELD_LINK_STATE_STATE_LSB & ((1u << XT_FIELD_LINK_STATE_STATE_BITS) - 1);
		unsigned cause = value >> XT_FIELD_LINK_STATE_CAUSE_LSB & ((1u << XT_FIELD_LINK_STATE_CAUSE_BITS) - 1);

		json_object_set_new(object, "link_state", json_string(xt_link_state_name(state)));
		json_object_set_new(object, "link_cause", json_string(xt_link_cause_name(cause)));
	}
	for (unsigned i = 0; i < PER_LINK && status == XT_OK; i++) {
		status = add(device, card, port, per_link[i].id, 0, object, per_link[i].name, diag);
	}
	return status;
}

/* Behind the counters: a counter that wrapped before it was read has set the flag. */
static int add_flags(xt_device_t *device, unsigned card, unsigned port, json_t *object, xt_diag_t *diag)
{
	const uint32_t wrapped = 1u << XT_FIELD_ERROR_FLAGS_WRAPPED_LSB;
	uint32_t value;
	int status = xt_device_read(device, card, xt_register_address(XT_REG_ERROR_FLAGS, port, 0), &value, 1, diag);

	if (status == XT_OK) {
		json_object_set_new(object, "error_flags", json_integer(value & ~wrapped));
		json_object_set_new(object, "wrapped", json_integer((value & wrapped) != 0));
	}
	return status;
}

static int add_port(xt_device_t *device, unsigned card, unsigned port, json_t *object, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	uint32_t features = xt_profile_features(profile);
	int status = XT_OK;

	for (unsigned i = 0; i < PER_PORT && status == XT_OK; i++) {
		if (!xt_register_present(per_port[i].id, features)) {
			continue;
		}
		status = add(device, card, port, per_port[i].id, 0, object, per_port[i].name, diag);
	}
	for (unsigned i = 0; i < PER_TC && status == XT_OK; i++) {
		if (!xt_register_present(per_tc[i].id, features)) {
			continue;
		}
		status = add(device, card, port, per_tc[i].id, profile->tcs, object, per_tc[i].name, diag);
	}
	if (status == XT_OK) {
		status = add(device, card, port, XT_REG_CREDITS_USED,
			port < profile->link_ports ? xt_profile_vcs(profile) : 1, object, "credits_used", diag);
	}
	if (status == XT_OK && port < profile->link_ports && profile->replay_cells) {
		status = add_link(device, card, port, object, diag);
	}
	return status == XT_OK ? add_flags(device, card, port, object, diag) : status;
}

json_t *xt_counters_json(xt_device_t *device, unsigned first_card, unsigned end_card, xt_diag_t *diag)
{
	json_t *list = json_array();

	for (unsigned card = first_card; card < end_card; card++) {
		for (unsigned port = 0; port < xt_profile_ports(xt_device_profile(device)); port++) {
			json_t *object = json_pack(
				"{s:i, s:s}", "card", (int)card, "port", xt_device_port_name(device, card, port));

			json_array_append_new(list, object);
			if (add_port(device, card, port, object, diag) != XT_OK) {
				json_decref(list);
				return NULL;
			}
		}
	}
	return list;
}

static json_int_t sum(const json_t *list)
{
	json_int_t total = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		total += json_integer_value(json_array_get(list, i));
	}
	return total;
}

static json_int_t number(const json_t *port, const char *name)
{
	return json_integer_value(json_object_get(port, name));
}

static void print_traffic(const json_t *port, FILE *out)
{
	json_int_t totals[PRINTED_TC];
	json_int_t illegal = number(port, "illegal_routes"), framing = number(port, "framing_errors");
	json_int_t credits = sum(json_object_get(port, "credits_used"));
	json_int_t seen = illegal | framing | credits;

	for (unsigned t = 0; t < PRINTED_TC; t++) {
		totals[t] = sum(json_object_get(port, per_tc[t].name));
		seen |= totals[t];
	}
	if (seen) {
		fprintf(out,
			"%5" JSON_INTEGER_FORMAT " %-5s %10" JSON_INTEGER_FORMAT " %10" JSON_INTEGER_FORMAT
			" %10" JSON_INTEGER_FORMAT " %10" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT
			" %8" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT " %7" JSON_INTEGER_FORMAT "\n",
			number(port, "card"), json_string_value(json_object_get(port, "port")), totals[0], totals[1],
			totals[2], totals[3], credits, number(port, "free_cells"), illegal, framing);
	}
}

/* Whether anything went wrong there: an error, or a link that is down and not because nothing is connected. */
static int has_error(const json_t *port)
{
	const char *state = json_string_value(json_object_get(port, "link_state"));
	const char *cause = json_string_value(json_object_get(port, "link_cause"));

	return number(port, "error_flags") || number(port, "poisoned") || number(port, "dropped") ||
	       number(port, "crc_errors") || number(port, "nacks") || number(port, "replays") ||
	       number(port, "timeouts") ||
	       (state && strcmp(state, xt_link_state_name(XT_LINK_UP)) != 0 &&
		       strcmp(cause, xt_link_cause_name(XT_CAUSE_DISABLED)) != 0);
}

static void print_error(const json_t *port, FILE *out)
{
	const json_t *state = json_object_get(port, "link_state"), *cause = json_object_get(port, "link_cause");

	fprintf(out, "%5" JSON_INTEGER_FORMAT " %-5s %-5s %-9s", number(port, "card"),
		json_string_value(json_object_get(port, "port")), state ? json_string_value(state) : "-",
		cause ? json_string_value(cause) : "-");
	for (unsigned i = 0; i < PER_LINK; i++) {
		fprintf(out, " %10" JSON_INTEGER_FORMAT, number(port, per_link[i].name));
	}
	fprintf(out, " %8" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT " %#5x\n", number(port, "poisoned"),
		number(port, "dropped"), (unsigned)number(port, "error_flags"));
}

int xt_counters_print(const json_t *counters, FILE *out)
{
	size_t i;
	json_t *port;
	int errors = 0, wrapped = 0;

	fprintf(out, "%5s %-5s %10s %10s %10s %10s %8s %8s %8s %7s\n", "card", "port", "rx packets", "rx cells",
		"tx packets", "tx cells", "credits", "free", "illegal", "framing");
	json_array_foreach(counters, i, port)
	{
		print_traffic(port, out);
		errors |= has_error(port);
		wrapped += (int)number(port, "wrapped");
	}
	if (errors) {
		fprintf(out, "%5s %-5s %-5s %-9s %10s %10s %10s %10s %10s %8s %8s %5s\n", "card", "port", "link",
			"cause", "crc errors", "nacks", "replays", "timeouts", "retrains", "poisoned", "dropped",
			"flags");
	}
	json_array_foreach(counters, i, port)
	{
		if (has_error(port)) {
			print_error(port, out);
		}
	}
	if (wrapped) {
		fprintf(out,
			"counters of %d %s may have passed 2^32: figures are modulo 2^32; `extorus watch` adds them "
			"up\n",
			wrapped, wrapped == 1 ? "port" : "ports");
	}
	return ferror(out) ? XT_ERR_IO : XT_OK;
}
