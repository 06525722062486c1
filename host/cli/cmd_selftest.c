/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "boards/selftest.h"
#include "extorus/random.h"
#include "extorus/registers.h"
#include "options/monotonic.h"
#include "options/target_list.h"

typedef struct {
	xt_target_t target;
	int plugs;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_LIST,
	{"plugs", NULL,
		"Loop-back plugs are at all links with pins: also packets through pins and plug, and a bound of the "
		"rate of wrong bits, for each link",
		.mark = XT_AT(options_t, plugs)},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Tests the way to a device and its memories: identity of every card, a register with walking ones, "
	       "every bit of the tables of every input port with two patterns, and how fast words come. The tables and "
	       "registers are as before at the end; packets must not be under way. A board with links at pins and "
	       "traffic generators is tested further: bit errors of its cables, packets at line rate through each of "
	       "these links while it hears itself (the boards at the other ends have to train theirs again: `extorus "
	       "link --retrain`), and from each NIC to itself.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: all passed; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus selftest --device usb:\n"
	       "  extorus selftest --devices boards.txt\n"
	       "  extorus selftest --device usb: --plugs",
};

static int write_register(selftest_t *t, unsigned card, xt_register_id_t id, uint32_t value)
{
	return xt_selftest_write(t, card, xt_register_address(id, 0, 0), value);
}

static int read_register(selftest_t *t, unsigned card, xt_register_id_t id, uint32_t *value)
{
	return xt_selftest_read(t, card, xt_register_address(id, 0, 0), value);
}

static int test_identity(selftest_t *t, unsigned card)
{
	uint32_t magic = 0, hash = 0;
	int status = read_register(t, card, XT_REG_MAGIC, &magic);

	if (status == XT_OK) {
		status = read_register(t, card, XT_REG_PROFILE_HASH, &hash);
	}
	if (status == XT_OK && (magic != XT_REG_MAGIC_VALUE || hash != xt_profile_hash(t->profile))) {
		status = xt_fail(
			&t->diag, XT_ERR_MISMATCH, "MAGIC reads %08" PRIx32 ", PROFILE_HASH %08" PRIx32, magic, hash);
	}
	return status;
}

/* CARD_ID keeps every bit of an address. */
static int test_register(selftest_t *t, unsigned card)
{
	uint32_t old = 0, value = 0;
	int status = read_register(t, card, XT_REG_CARD_ID, &old), restored;

	if (status != XT_OK) {
		return status;
	}
	for (unsigned bit = 0; bit < t->profile->id_bits && status == XT_OK; bit++) {
		status = write_register(t, card, XT_REG_CARD_ID, 1u << bit);
		if (status == XT_OK) {
			status = read_register(t, card, XT_REG_CARD_ID, &value);
		}
		if (status == XT_OK && value != 1u << bit) {
			status = xt_fail(&t->diag, XT_ERR_MISMATCH, "CARD_ID reads %08" PRIx32 ", %08x was written",
				value, 1u << bit);
		}
	}
	xt_selftest_begin_restoring(t);
	restored = write_register(t, card, XT_REG_CARD_ID, old);
	return xt_selftest_end_restoring(t, status, restored);
}

static uint64_t pattern(const selftest_t *t, unsigned index, int inverted)
{
	uint64_t value = xt_mix64(index + 1), valid = 0;

	/* Fields that do not exist in an entry read 0: only those that do are compared, as an image has them. */
	for (unsigned tc = 0; tc < t->profile->tcs; tc++) {
		valid |= (uint64_t)((1u << XT_ENTRY_TC_BITS) - 1) << XT_ENTRY_TC_BITS * tc;
	}
	return (inverted ? ~value : value) & valid;
}

static int compare_tables(selftest_t *t, unsigned card, unsigned port, int inverted)
{
	unsigned grt = 1u << t->profile->grt_bits;
	int status = xt_device_read_tables(t->device, card, port, t->read, t->read + grt, &t->diag);

	t->words += 2ull * t->entries;
	for (unsigned i = 0; i < t->entries && status == XT_OK; i++) {
		if (t->read[i] != pattern(t, i, inverted)) {
			status = xt_fail(&t->diag, XT_ERR_MISMATCH,
				"input %s: %s entry %u reads %016" PRIx64 ", %016" PRIx64 " was written",
				xt_device_port_name(t->device, card, port), i < grt ? "GRT" : "LRT",
				i < grt ? i : i - grt, t->read[i], pattern(t, i, inverted));
		}
	}
	return status;
}

static int test_tables(selftest_t *t, unsigned card)
{
	unsigned ports = xt_profile_ports(t->profile), grt = 1u << t->profile->grt_bits, saved = 0;
	uint32_t old = 0, all = (1u << ports) - 1;
	int status = read_register(t, card, XT_REG_QUIESCE, &old), restored;

	for (; saved < ports && status == XT_OK; saved++) {
		uint64_t *kept = t->kept + (size_t)saved * t->entries;

		status = xt_device_read_tables(t->device, card, saved, kept, kept + grt, &t->diag);
		t->words += 2ull * t->entries;
	}
	if (status != XT_OK) {
		return status;
	}
	status = write_register(t, card, XT_REG_QUIESCE, old | all);
	for (int inverted = 0; inverted < 2 && status == XT_OK; inverted++) {
		for (unsigned i = 0; i < t->entries; i++) {
			t->read[i] = pattern(t, i, inverted);
		}
		status = xt_selftest_write_tables(t, card, all, t->read);
		for (unsigned port = 0; port < ports && status == XT_OK; port++) {
			status = compare_tables(t, card, port, inverted);
		}
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_restore_tables(t, card);
	if (restored == XT_OK) {
		restored = write_register(t, card, XT_REG_QUIESCE, old);
	}
	return xt_selftest_end_restoring(t, status, restored);
}

/* A card that is not as it was stays marked, for the next command to see. */
static int end_card(selftest_t *t, unsigned card)
{
	return t->unrestored ? xt_fail(&t->diag, XT_ERR_MISMATCH,
				       "the card does not have its tables and registers back; load an image")
			     : xt_device_end_test(t->device, card, &t->diag);
}

static void run_one(selftest_t *t, const char *name, int (*test)(selftest_t *, unsigned), unsigned card, int json)
{
	int status;

	t->found[0] = '\0';
	status = test(t, card);
	t->failed |= status != XT_OK;
	if (status != XT_OK) {
		t->found[0] = '\0';
	}
	t->over |= status == XT_ERR_INTERRUPTED || status == XT_ERR_GONE;
	if (json) {
		json_array_append_new(
			t->list, json_pack("{s:i, s:s, s:b, s:s?, s:s?}", "card", (int)card, "test", name, "ok",
					 status == XT_OK, "problem", status == XT_OK ? NULL : t->diag.text, "found",
					 t->found[0] ? t->found : NULL));
	} else {
		printf("card %u %-10s %s%s%s\n", card, name,
			status == XT_OK ? "ok" : "FAILED: ", t->found[0] ? ": " : "",
			status == XT_OK ? t->found : t->diag.text);
		fflush(stdout);
	}
}

static void test_plugs(selftest_t *t, unsigned card, int json)
{
	uint32_t pins = xt_selftest_pins(t, card);
	char name[24];

	for (t->port = 0; t->port < t->profile->link_ports && !t->over; t->port++) {
		if (pins >> t->port & 1) {
			snprintf(name, sizeof(name), "plug %s", xt_device_port_name(t->device, card, t->port));
			run_one(t, name, xt_selftest_plug, card, json);
			t->plugs++;
		}
	}
}

static void test_card(selftest_t *t, unsigned card, int plugs, int json)
{
	static const struct {
		const char *name;
		int (*test)(selftest_t *t, unsigned card);
		int of_board; /* and only if all passed before */
	} tests[] = {
		{"identity", test_identity, 0},
		{"registers", test_register, 0},
		{"tables", test_tables, 0},
		{"bits", xt_selftest_bits, 1},
		{"loops", xt_selftest_loops, 1},
		{"traffic", xt_selftest_traffic, 1},
	};
	int status = xt_device_begin_test(t->device, card, &t->diag), has_board = -1;

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]) && status == XT_OK && !t->over; i++) {
		if (tests[i].of_board && has_board < 0) {
			has_board = !t->failed && xt_selftest_has_board(t, card);
		}
		if (!tests[i].of_board || has_board) {
			run_one(t, tests[i].name, tests[i].test, card, json);
		}
	}
	if (plugs && has_board > 0 && status == XT_OK) {
		test_plugs(t, card, json);
	}
	if (status != XT_OK || end_card(t, card) != XT_OK) {
		t->failed = 1;
		fprintf(stderr, "extorus %s: card %u: %s\n", t->where, card, t->diag.text);
	}
}

static int selftest(void *options)
{
	const xt_target_t *target = options; /* the first member of options_t */
	xt_device_t *device = target->device;
	selftest_t t = {
		.where = target->where, .device = device, .profile = xt_device_profile(device), .list = json_array()};
	double seconds = xt_now_s();

	t.entries = (1u << t.profile->grt_bits) + (1u << t.profile->lrt_bits);
	t.kept = malloc((size_t)xt_profile_ports(t.profile) * t.entries * sizeof(*t.kept));
	t.read = malloc((size_t)t.entries * sizeof(*t.read));
	if (!t.kept || !t.read) {
		free(t.kept);
		free(t.read);
		json_decref(t.list);
		return xt_target_report(target, XT_ERR_NOMEM, NULL);
	}
	if (!target->json) {
		xt_target_print_name(target, "\n");
	}
	for (unsigned card = 0; card < xt_device_cards(device) && !t.over; card++) {
		test_card(&t, card, ((const options_t *)options)->plugs, target->json);
	}
	if (((const options_t *)options)->plugs && t.plugs == 0 && !t.failed) {
		t.failed = 1;
		fprintf(stderr,
			"extorus %s: no link of this device has pins for a plug; leave --plugs out, or load a "
			"bitstream whose links are at pins\n",
			target->where);
	}
	seconds = xt_now_s() - seconds;
	free(t.kept);
	free(t.read);
	if (target->json) {
		int printed = xt_target_print_json(target,
			json_pack("{s:b, s:o, s:I, s:f}", "ok", !t.failed, "tests", t.list, "words",
				(json_int_t)t.words, "seconds", seconds),
			NULL);

		return printed != XT_EXIT_OK ? printed : t.failed ? XT_EXIT_WRONG : XT_EXIT_OK;
	}
	json_decref(t.list);
	printf("%" PRIu64 " words in %.2f s\n", t.words, seconds);
	return t.failed ? XT_EXIT_WRONG : XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	options_t options = {0};

	return xt_target_list_run("selftest", &syntax, argc, argv, &options, selftest);
}

XT_COMMAND(selftest, "test a device: the way to it, memories, links", run);
