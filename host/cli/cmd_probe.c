/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "options/device_options.h"

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.doc = "Says what a device is and how its cards and links are; changes nothing. Without --device: the board on "
	       "USB.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus probe\n"
	       "  extorus probe --device usb:serial=0123 --json",
};

static json_t *board_json(const xt_board_info_t *b)
{
	char serial[24], hash[16];

	snprintf(serial, sizeof(serial), "%016" PRIx64, b->serial);
	snprintf(hash, sizeof(hash), "%08" PRIx32, b->profile_hash);
	return json_pack("{s:s, s:i, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I}", "serial", serial, "protocol",
		(int)b->protocol, "profile_hash", hash, "window", (int)b->window, "inject_words", (int)b->inject_words,
		"receive_words", (int)b->receive_words, "clock_khz", (json_int_t)b->clock_khz, "build",
		(json_int_t)b->build, "dropped", (json_int_t)b->dropped, "repeated", (json_int_t)b->repeated);
}

/* One card; NULL after a failure. */
static json_t *card_json(xt_device_t *device, unsigned card, int *status, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	uint32_t state = 0, address = 0, quiesce = 0, link = 0;
	json_t *object, *links = json_object();

	*status = xt_device_read(device, card, xt_register_address(XT_REG_STATUS, 0, 0), &state, 1, diag);
	if (*status == XT_OK) {
		*status = xt_device_read(device, card, xt_register_address(XT_REG_CARD_ID, 0, 0), &address, 1, diag);
	}
	if (*status == XT_OK) {
		*status = xt_device_read(device, card, xt_register_address(XT_REG_QUIESCE, 0, 0), &quiesce, 1, diag);
	}
	for (unsigned port = 0; port < profile->link_ports && profile->replay_cells && *status == XT_OK; port++) {
		*status = xt_device_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &link, 1, diag);
		json_object_set_new(links, xt_device_port_name(device, card, port),
			json_string(xt_link_state_name(xt_link_state_of(link))));
	}
	object = json_pack("{s:i, s:I, s:b, s:b, s:I, s:o}", "card", (int)card, "address", (json_int_t)address, "ready",
		(int)(state >> XT_FIELD_STATUS_READY_LSB & 1), "idle", (int)(state >> XT_FIELD_STATUS_IDLE_LSB & 1),
		"quiesce", (json_int_t)quiesce, "links", links);
	if (*status != XT_OK) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static void print_card(const json_t *card)
{
	const json_t *link;
	const char *name;

	printf("card %d: address %d, %s, %s", (int)json_integer_value(json_object_get(card, "card")),
		(int)json_integer_value(json_object_get(card, "address")),
		json_is_true(json_object_get(card, "ready")) ? "ready" : "not ready",
		json_is_true(json_object_get(card, "idle")) ? "idle" : "carries packets");
	if (json_integer_value(json_object_get(card, "quiesce"))) {
		printf(", quiesced (ports 0x%x)", (unsigned)json_integer_value(json_object_get(card, "quiesce")));
	}
	json_object_foreach(json_object_get(card, "links"), name, link)
	{
		printf("%s %s %s",
			name == json_object_iter_key(json_object_iter(json_object_get(card, "links"))) ? "; links:"
												       : ",",
			name, json_string_value(link));
	}
	printf("\n");
}

static void print_board(const xt_board_info_t *b)
{
	printf("board %016" PRIx64 ": protocol version %u, %u requests under way, queues of %u and %u words\n",
		b->serial, b->protocol, b->window, b->inject_words, b->receive_words);
	if (b->clock_khz) {
		printf("clock %u.%03u MHz, build %u\n", b->clock_khz / 1000, b->clock_khz % 1000, b->build);
	}
	if (b->dropped || b->repeated || b->damaged) {
		printf("on the way: %u damaged frames to the board, %" PRIu64 " from it, %" PRIu64
		       " requests repeated\n",
			b->dropped, b->damaged, b->repeated);
	}
}

static int probe(void *options)
{
	const xt_target_t *target = options;
	xt_device_t *device = target->device;
	const xt_profile_t *profile = xt_device_profile(device);
	json_t *cards = json_array();
	xt_board_info_t board;
	xt_diag_t diag = {""};
	int status = XT_OK, is_board;

	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		json_t *object = card_json(device, card, &status, &diag);

		if (object) {
			json_array_append_new(cards, object);
		}
	}
	if (status != XT_OK) {
		json_decref(cards);
		return xt_report("probe", status, &diag);
	}
	is_board = xt_device_board(device, &board);
	if (target->json) {
		json_t *all = json_pack("{s:s, s:s, s:b, s:o}", "device", target->uri, "profile", profile->name,
			"load_interrupted", xt_device_interrupted(device), "cards", cards);

		if (is_board) {
			json_object_set_new(all, "board", board_json(&board));
		}
		return xt_print_json("probe", all);
	}
	if (is_board) {
		print_board(&board);
	}
	printf("%u cards of profile %s: %s\n", xt_device_cards(device), profile->name, profile->summary);
	for (size_t i = 0; i < json_array_size(cards); i++) {
		print_card(json_array_get(cards, i));
	}
	json_decref(cards);
	return XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	xt_target_t target = {.uri = "usb:"};

	return xt_target_run("probe", &syntax, argc, argv, &target, probe);
}

XT_COMMAND(probe, "say what a device is and how its links are", run);
