/* SPDX-License-Identifier: Apache-2.0
 *
 * What `extorus doctor` says of a board. Nothing but the self-test writes. */
#include <inttypes.h>
#include <string.h>

#include "doctor.h"
#include "extorus/link_state.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "link_training.h"
#include "report/counter_report.h"
#include "selftest.h"

enum { MOST_DIFFERENCES = 8 }; /* of the tables, that are named */

typedef struct {
	xt_doctor_t *d;
	const char *uri;
	xt_device_t *device;
	json_t *facts; /* of the board */
	unsigned differences;
	xt_diag_t diag;
} look_t;

static void find(look_t *l, const char *problem, const char *remedy)
{
	xt_doctor_find(l->d, l->uri, problem, remedy);
}

static int read_register(look_t *l, unsigned card, xt_register_id_t id, uint32_t *value)
{
	return xt_register_read(l->device, card, xt_register_address(id, 0, 0), value, &l->diag);
}

static void look_at_board(look_t *l)
{
	xt_board_info_t board = {0};
	char serial[24], hash[16], text[160];

	(void)xt_device_board(l->device, &board);
	snprintf(serial, sizeof(serial), "%016" PRIx64, board.serial);
	snprintf(hash, sizeof(hash), "%08" PRIx32, board.profile_hash);
	json_object_update_new(
		l->facts, json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:i, s:I}", "serial", serial, "profile",
				  board.profile, "profile_hash", hash, "protocol", (int)board.protocol, "clock_khz",
				  (json_int_t)board.clock_khz, "build", (json_int_t)board.build, "cards",
				  (int)board.cards, "dropped", (json_int_t)board.dropped));
	if (xt_device_check_released(l->device, &l->diag) == XT_ERR_MISMATCH) {
		find(l, l->diag.text, NULL);
	}
	if (board.damaged || board.repeated) {
		snprintf(text, sizeof(text),
			"on the way from the board %" PRIu64 " frames came damaged, %" PRIu64 " requests were repeated",
			board.damaged, board.repeated);
		find(l, text,
			"take another cable and another port of the host, without a hub; at a UART a lower baud=");
	}
}

static int look_at_card(look_t *l, unsigned card)
{
	static const char *const kinds[] = {
		"error", "illegal route", "timeout", "poison", "table error", "error", "error", "error"};
	const uint32_t features = xt_profile_features(xt_device_profile(l->device));
	uint32_t state = 0, source = 0, low = 0, high = 0, corrected = 0;
	char text[160];
	int status = read_register(l, card, XT_REG_STATUS, &state);

	if (status == XT_OK && xt_register_present(XT_REG_TABLE_ERRORS, features)) {
		status = read_register(l, card, XT_REG_TABLE_ERRORS, &corrected);
	}
	if (status == XT_OK && xt_register_present(XT_REG_ERROR_SOURCE, features)) {
		status = read_register(l, card, XT_REG_ERROR_SOURCE, &source);
	}
	if (status == XT_OK && source >> XT_FIELD_ERROR_SOURCE_VALID_LSB & 1) {
		status = read_register(l, card, XT_REG_ERROR_HEADER_LOW, &low);
		if (status == XT_OK) {
			status = read_register(l, card, XT_REG_ERROR_HEADER_HIGH, &high);
		}
		snprintf(text, sizeof(text),
			"card %u: captured %s at port %s, header of the packet %08" PRIx32 "%08" PRIx32, card,
			kinds[source >> XT_FIELD_ERROR_SOURCE_KIND_LSB & 7],
			xt_device_port_name(l->device, card, source >> XT_FIELD_ERROR_SOURCE_PORT_LSB & 15), high, low);
		find(l, text, "load the image again; `extorus diff IMAGE` lists entries that differ");
	}
	if (status == XT_OK && !(state >> XT_FIELD_STATUS_READY_LSB & 1)) {
		snprintf(text, sizeof(text), "card %u is not ready: its tables are not initialised", card);
		find(l, text, "reset the board (extorus reset)");
	}
	if (corrected) {
		snprintf(text, sizeof(text), "card %u: %" PRIu32 " table entries had a wrong bit when read", card,
			corrected);
		find(l, text, "load the image again; if the number grows, the board's memory is bad");
	}
	return status;
}

static const char *remedy_for_link(unsigned cause, int has_pins, int aligned)
{
	if (has_pins && !aligned) {
		return "plug the cable in at both ends, pins 1 to 4 to pins 7 to 10, and train it: extorus link "
		       "--retrain";
	}
	return cause == XT_CAUSE_RETRIES
		       ? "take a shorter cable, join the grounds, and train the link again: extorus link --retrain"
	       : cause == XT_CAUSE_REMOTE ? "look at the board at the other end, and train both: extorus link --retrain"
					  : "is the board at the other end on? Train both ends: extorus link --retrain";
}

static int look_at_links(look_t *l, unsigned card)
{
	const xt_profile_t *profile = xt_device_profile(l->device);
	uint32_t window = 0, pins = 0, value = 0;
	char text[160];
	int status = xt_pins_read(l->device, card, XT_FRAME_REG_WINDOW, 0, &window, &l->diag);

	if (status == XT_OK) {
		status = xt_pins_read(l->device, card, XT_FRAME_REG_LINK_PINS, 0, &pins, &l->diag);
	}
	for (unsigned port = 0; port < profile->link_ports && profile->replay_cells && status == XT_OK; port++) {
		status = xt_link_read_state(l->device, card, port, &value, &l->diag);
		if (status == XT_OK && xt_link_state_of(value) != XT_LINK_UP &&
			xt_link_cause_of(value) != XT_CAUSE_DISABLED) {
			snprintf(text, sizeof(text), "card %u link %s is %s (cause: %s)", card,
				xt_device_port_name(l->device, card, port), xt_link_state_name(xt_link_state_of(value)),
				xt_link_cause_name(xt_link_cause_of(value)));
			find(l, text,
				remedy_for_link(xt_link_cause_of(value), window >> port & 1, pins >> (port + 8) & 1));
		}
	}
	return status;
}

static int look_at_counters(look_t *l, unsigned card)
{
	static const struct {
		const char *name, *problem, *remedy;
	} bad[] = {
		{"illegal_routes", "packets without a route", "load the image again, of the network as it is wired"},
		{"framing_errors", "packets whose cells were out of order",
			"reset all boards of the network together (extorus reset), then load"},
		{"poisoned", "packets that came incomplete", "see the links above; send again what was lost"},
		{"dropped", "packets dropped because the link was down", "see the links above; train them again"},
		{"crc_errors", "damaged frames, which the link repeats",
			"if the number grows, take a shorter cable and join the grounds"},
	};
	json_t *counters = xt_counters_json(l->device, card, card + 1, &l->diag), *port;
	char text[160];
	size_t i;

	if (!counters) {
		return XT_ERR_PROTOCOL;
	}
	json_array_foreach(counters, i, port)
	{
		for (unsigned k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
			json_int_t number = json_integer_value(json_object_get(port, bad[k].name));

			if (number) {
				snprintf(text, sizeof(text), "card %u port %s: %" JSON_INTEGER_FORMAT " %s", card,
					json_string_value(json_object_get(port, "port")), number, bad[k].problem);
				find(l, text, bad[k].remedy);
			}
		}
	}
	json_array_extend(json_object_get(l->facts, "counters"), counters);
	json_decref(counters);
	return XT_OK;
}

static void note_difference(void *context, const xt_table_difference_t *difference)
{
	look_t *l = context;
	char text[200];

	if (l->differences++ < MOST_DIFFERENCES) {
		snprintf(text, sizeof(text), "card %u %s %u%s%s holds %016" PRIx64 ", the image has %016" PRIx64,
			difference->card, difference->table, difference->index, *difference->input ? " of input " : "",
			difference->input, difference->held, difference->wanted);
		find(l, text, "load the image again; if the entry changes again, the board's memory is bad");
	}
}

static int look_at_tables(look_t *l, const xt_image_t *image)
{
	int status = xt_device_compare(l->device, image, note_difference, l, NULL, NULL, &l->diag);

	json_object_set_new(l->facts, "differences", json_integer(l->differences));
	return status;
}

static void take_selftest(void *context, const xt_selftest_said_t *said)
{
	look_t *l = context;
	char text[640];

	json_array_append_new(json_object_get(l->facts, "selftest"),
		json_pack("{s:i, s:s?, s:b, s:s?, s:s?}", "card", (int)said->card, "test", said->test, "ok",
			!said->problem, "problem", said->problem, "found", said->found));
	if (said->problem) {
		snprintf(text, sizeof(text), "card %u: selftest: %s%s%s", said->card, said->test ? said->test : "",
			said->test ? ": " : "", said->problem);
		find(l, text, said->remedy);
	}
}

static int run_selftest(look_t *l)
{
	selftest_t t = {.uri = l->uri, .device = l->device, .tell = take_selftest, .context = l};

	json_object_set_new(l->facts, "selftest", json_array());
	return xt_selftest(&t, 0, &l->diag);
}

int xt_doctor_look_at_board(xt_doctor_t *d, const char *uri, xt_device_t *device, const xt_doctor_orders_t *orders)
{
	look_t l = {.d = d, .uri = uri, .device = device};
	int status = XT_OK, (*const looks[])(look_t *, unsigned) = {look_at_card, look_at_links, look_at_counters};

	l.facts = json_pack("{s:s, s:[]}", "device", uri, "counters");
	json_array_append_new(json_object_get(d->facts, "boards"), l.facts);
	look_at_board(&l);
	for (unsigned card = 0; card < xt_device_cards(device); card++) {
		for (unsigned i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
			const int one = looks[i](&l, card);

			if (one != XT_OK) {
				find(&l, l.diag.text, NULL);
				status = one;
				break;
			}
		}
		if (status == XT_ERR_INTERRUPTED || status == XT_ERR_GONE) {
			return status;
		}
	}
	if (orders->image && (status = look_at_tables(&l, orders->image)) != XT_OK) {
		find(&l, l.diag.text, NULL);
	}
	if (orders->selftest && (status = run_selftest(&l)) != XT_OK) {
		find(&l, l.diag.text, NULL);
	}
	return status;
}
