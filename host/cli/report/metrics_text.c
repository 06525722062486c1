/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "extorus/link_state.h"
#include "extorus/profiles.h"

typedef struct {
	const char *name, *type;
	const char *key;   /* in the JSON */
	const char *label; /* of the places of a list: tc or vc; NULL: a number */
	const char *help;
} family_t;

static const family_t families[] = {
	{"extorus_rx_packets_total", "counter", "rx_packets", "tc", "Packets that came in at a port."},
	{"extorus_rx_cells_total", "counter", "rx_cells", "tc", "Cells that came in at a port."},
	{"extorus_tx_packets_total", "counter", "tx_packets", "tc", "Packets that left by a port."},
	{"extorus_tx_cells_total", "counter", "tx_cells", "tc", "Cells that left by a port."},
	{"extorus_credit_stalls_total", "counter", "stalls_credit", "tc",
		"Cycles in which a packet waited for credits."},
	{"extorus_grant_stalls_total", "counter", "stalls_grant", "tc",
		"Cycles in which a packet waited for the output."},
	{"extorus_illegal_routes_total", "counter", "illegal_routes", NULL, "Packets without a legal route."},
	{"extorus_framing_errors_total", "counter", "framing_errors", NULL, "Packets of a wrong length."},
	{"extorus_poisoned_total", "counter", "poisoned", NULL, "Packets that were marked as damaged."},
	{"extorus_dropped_total", "counter", "dropped", NULL, "Packets that were thrown away."},
	{"extorus_link_crc_errors_total", "counter", "crc_errors", NULL, "Frames with a wrong checksum."},
	{"extorus_link_nacks_total", "counter", "nacks", NULL, "Requests for retransmission."},
	{"extorus_link_replays_total", "counter", "replays", NULL, "Retransmissions."},
	{"extorus_link_timeouts_total", "counter", "timeouts", NULL,
		"Retransmissions because no acknowledgement came."},
	{"extorus_link_retrains_total", "counter", "retrains", NULL, "Times that a link was trained again."},
	{"extorus_credits_used", "gauge", "credits_used", "vc", "Cells that are under way to the next buffer."},
	{"extorus_free_cells", "gauge", "free_cells", NULL, "Free cells of the input buffer."},
	{"extorus_high_water_cells", "gauge", "high_water", NULL, "Most cells that the input buffer has held."},
	{"extorus_error_flags", "gauge", "error_flags", NULL, "Bits of register ERROR_FLAGS; 0 is no error."},
	{"extorus_counters_wrapped", "gauge", "wrapped", NULL,
		"1 if a counter of the port may have passed 2^32, so that its totals are modulo 2^32."},
};

static void begin_family(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The value of a label, with the signs escaped that end it. */
static void write_label(const char *value, FILE *out)
{
	for (const char *c = value; *c; c++) {
		if (*c == '\n') {
			fputs("\\n", out);
		} else {
			fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
		}
	}
}

/* NAME{card="0",port="d0+" */
static void begin_sample(const char *name, const json_t *port, FILE *out)
{
	fprintf(out, "%s{card=\"%" JSON_INTEGER_FORMAT "\",port=\"", name,
		json_integer_value(json_object_get(port, "card")));
	write_label(json_string_value(json_object_get(port, "port")), out);
	fputc('"', out);
}

static void write_family(const family_t *family, const json_t *counters, FILE *out)
{
	bool begun = false;
	json_t *port;
	size_t i;

	json_array_foreach(counters, i, port)
	{
		const json_t *value = json_object_get(port, family->key);

		if (!value) {
			continue;
		}
		if (!begun) {
			begin_family(family->name, family->type, family->help, out);
			begun = true;
		}
		for (size_t at = 0; at < (family->label ? json_array_size(value) : 1); at++) {
			begin_sample(family->name, port, out);
			if (family->label) {
				fprintf(out, ",%s=\"%zu\"", family->label, at);
			}
			fprintf(out, "} %" JSON_INTEGER_FORMAT "\n",
				json_integer_value(family->label ? json_array_get(value, at) : value));
		}
	}
}

static bool has_state(const json_t *port)
{
	return json_object_get(port, "link_state") != NULL;
}

static bool is(const json_t *port, const char *key, const char *word)
{
	const char *value = json_string_value(json_object_get(port, key));

	return value && strcmp(value, word) == 0;
}

static bool is_up(const json_t *port)
{
	return is(port, "link_state", xt_link_state_name(XT_LINK_UP));
}

/* A link that is down because nothing is connected needs nobody. */
static bool needs_a_look(const json_t *port)
{
	return has_state(port) && !is_up(port) && !is(port, "link_cause", xt_link_cause_name(XT_CAUSE_DISABLED));
}

static bool has_retried(const json_t *port)
{
	static const char *const keys[] = {"crc_errors", "nacks", "replays", "timeouts"};
	json_int_t seen = 0;

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		seen |= json_integer_value(json_object_get(port, keys[i]));
	}
	return seen != 0;
}

/* 1 or 0 for each link. */
static void write_links(
	const char *name, const char *help, bool (*holds)(const json_t *port), const json_t *counters, FILE *out)
{
	json_t *port;
	size_t i;

	begin_family(name, "gauge", help, out);
	json_array_foreach(counters, i, port)
	{
		if (has_state(port)) {
			begin_sample(name, port, out);
			fprintf(out, "} %d\n", holds(port));
		}
	}
}

void xt_metrics_write(const xt_profile_t *profile, unsigned cards, const json_t *counters, FILE *out)
{
	begin_family("extorus_device_info", "gauge", "The profile of the cards; always 1.", out);
	fprintf(out, "extorus_device_info{profile=\"%s\",cards=\"%u\"} 1\n", profile->name, cards);
	for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		write_family(&families[i], counters, out);
	}
	if (profile->replay_cells) {
		write_links("extorus_link_up", "Whether a link carries packets.", is_up, counters, out);
		write_links("extorus_link_alert_down",
			"Whether a link is down that is connected and not disabled. Alert if it is 1.", needs_a_look,
			counters, out);
		write_links("extorus_link_alert_retry",
			"Whether a link has had errors or retransmissions since its counters were cleared. Alert if it "
			"is 1, or "
			"on the rate of extorus_link_replays_total.",
			has_retried, counters, out);
	}
}
