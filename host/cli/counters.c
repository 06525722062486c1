/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "profiles.h"
#include "registers.h"

static const struct {
	xt_register_id_t id;
	const char *name;
} per_port[] =
	{
		{XT_REG_FREE_CELLS, "free_cells"},
		{XT_REG_ILLEGAL_ROUTES, "illegal_routes"},
		{XT_REG_FRAMING_ERRORS, "framing_errors"},
},
  per_tc[] = {
	  {XT_REG_RX_PACKETS, "rx_packets"},
	  {XT_REG_RX_CELLS, "rx_cells"},
	  {XT_REG_TX_PACKETS, "tx_packets"},
	  {XT_REG_TX_CELLS, "tx_cells"},
};

enum { PER_PORT = sizeof(per_port) / sizeof(per_port[0]), PER_TC = sizeof(per_tc) / sizeof(per_tc[0]) };

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

static int add_port(xt_device_t *device, unsigned card, unsigned port, json_t *object, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	int status = XT_OK;

	for (unsigned i = 0; i < PER_PORT && status == XT_OK; i++) {
		status = add(device, card, port, per_port[i].id, 0, object, per_port[i].name, diag);
	}
	for (unsigned i = 0; i < PER_TC && status == XT_OK; i++) {
		status = add(device, card, port, per_tc[i].id, profile->tcs, object, per_tc[i].name, diag);
	}
	if (status == XT_OK) {
		status = add(device, card, port, XT_REG_CREDITS_USED,
			port < profile->link_ports ? xt_profile_vcs(profile) : 1, object, "credits_used", diag);
	}
	return status;
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

int xt_counters_print(const json_t *counters, FILE *out)
{
	fprintf(out, "%5s %-5s %10s %10s %10s %10s %8s %8s %8s %7s\n", "card", "port", "rx packets", "rx cells",
		"tx packets", "tx cells", "credits", "free", "illegal", "framing");
	for (size_t i = 0; i < json_array_size(counters); i++) {
		const json_t *port = json_array_get(counters, i);
		json_int_t totals[PER_TC];
		json_int_t illegal = json_integer_value(json_object_get(port, "illegal_routes"));
		json_int_t framing = json_integer_value(json_object_get(port, "framing_errors"));
		json_int_t credits = sum(json_object_get(port, "credits_used"));
		json_int_t seen = illegal | framing | credits;

		for (unsigned t = 0; t < PER_TC; t++) {
			totals[t] = sum(json_object_get(port, per_tc[t].name));
			seen |= totals[t];
		}
		if (seen) {
			fprintf(out,
				"%5" JSON_INTEGER_FORMAT " %-5s %10" JSON_INTEGER_FORMAT " %10" JSON_INTEGER_FORMAT
				" %10" JSON_INTEGER_FORMAT " %10" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT
				" %8" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT " %7" JSON_INTEGER_FORMAT "\n",
				json_integer_value(json_object_get(port, "card")),
				json_string_value(json_object_get(port, "port")), totals[0], totals[1], totals[2],
				totals[3], credits, json_integer_value(json_object_get(port, "free_cells")), illegal,
				framing);
		}
	}
	return ferror(out) ? XT_ERR_IO : XT_OK;
}
