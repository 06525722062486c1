/* SPDX-License-Identifier: Apache-2.0
 *
 * The self-test of a device, card by card: identity, a register, the tables, and what else a board has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "extorus/random.h"
#include "extorus/registers.h"
#include "selftest.h"

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
	t->kept_whole = status == XT_OK;
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

/* An entry that the card held before the test, and that leads to `port`; -1: none. */
static int find_route_to(const selftest_t *t, unsigned port)
{
	const size_t entries = (size_t)xt_profile_ports(t->profile) * t->entries;

	for (size_t i = 0; i < entries; i++) {
		for (unsigned tc = 0; tc < t->profile->tcs; tc++) {
			const xt_route_t route = xt_entry_route(t->kept[i], tc);

			if (route.valid && route.port == port) {
				return (int)(i % t->entries);
			}
		}
	}
	return -1;
}

/* The tables lead to no port without a link: packets to it would wait for ever. */
static int test_wiring(selftest_t *t, unsigned card)
{
	xt_told_peer_t peers[XT_MAX_LINK_PORTS];
	const unsigned grt = 1u << t->profile->grt_bits;
	unsigned inside = t->profile->link_ports;
	int status = xt_device_told_peers(t->device, card, peers, &t->diag);

	for (unsigned port = 0; port < t->profile->link_ports && status == XT_OK; port++) {
		inside = peers[port].inside ? port : inside;
	}
	for (unsigned port = 0; port < t->profile->link_ports && status == XT_OK && t->kept_whole; port++) {
		const int entry =
			peers[port].told && !peers[port].inside && !peers[port].pins ? find_route_to(t, port) : -1;

		if (entry >= 0) {
			status = xt_fail(&t->diag, XT_ERR_MISMATCH,
				"port %u: %s entry %u leads there, and the board has no link there%s", port,
				(unsigned)entry < grt ? "GRT" : "LRT",
				(unsigned)entry < grt ? (unsigned)entry : (unsigned)entry - grt,
				inside < t->profile->link_ports ? ", its internal link is at another port" : "");
		}
	}
	if (status == XT_OK && inside < t->profile->link_ports) {
		snprintf(t->found, sizeof(t->found), "internal link at port %u, to card %u port %u", inside,
			peers[inside].peer.card, peers[inside].peer.port);
	}
	return status;
}

/* A card that is not as it was stays marked, for the next command to see. */
static int end_card(selftest_t *t, unsigned card)
{
	return t->unrestored ? xt_fail(&t->diag, XT_ERR_MISMATCH,
				       "the card does not have its tables and registers back; load an image")
			     : xt_device_end_test(t->device, card, &t->diag);
}

typedef struct {
	const char *name;
	int (*test)(selftest_t *t, unsigned card);
	const char *remedy;
	int of_board; /* and only if all passed before */
} part_t;

static void run_one(selftest_t *t, const part_t *part, unsigned card)
{
	xt_selftest_said_t said = {.card = card, .test = part->name};
	int status;

	t->found[0] = '\0';
	status = part->test(t, card);
	t->failed |= status != XT_OK;
	t->over |= status == XT_ERR_INTERRUPTED || status == XT_ERR_GONE;
	if (status == XT_OK) {
		said.found = t->found[0] ? t->found : NULL;
	} else {
		said.problem = t->diag.text;
		said.remedy = t->over ? NULL : part->remedy;
	}
	t->tell(t->context, &said);
}

static void test_plugs(selftest_t *t, unsigned card)
{
	uint32_t pins = xt_selftest_pins(t, card);
	char name[24];
	const part_t part = {name, xt_selftest_plug,
		"press the plug in, or try it at another link: if the error stays, the board's pins or their driver "
		"are bad, else the plug is",
		1};

	for (t->port = 0; t->port < t->profile->link_ports && !t->over; t->port++) {
		if (pins >> t->port & 1) {
			snprintf(name, sizeof(name), "plug %s", xt_device_port_name(t->device, card, t->port));
			run_one(t, &part, card);
			t->plugs++;
		}
	}
}

#define LOAD_AGAIN "load the bitstream again (make program); if it stays, build it anew and meet its clocks"

static const part_t parts[] = {
	{"identity", test_identity, "load a bitstream of this version of extorus (make bitstream, make program)", 0},
	{"registers", test_register, LOAD_AGAIN, 0},
	{"tables", test_tables, LOAD_AGAIN, 0},
	{"wiring", test_wiring, "load an image with the board's internal port, which `extorus load` checks", 0},
	{"clock", xt_selftest_clock,
		"compare the oscillator of the board with the PLL in its top, and build the bitstream anew", 1},
	{"bits", xt_selftest_bits, "press the cable in, take a shorter one, and join the boards' grounds", 1},
	{"loops", xt_selftest_loops, LOAD_AGAIN, 1},
	{"traffic", xt_selftest_traffic, LOAD_AGAIN, 1},
};

/* How bytes come, once for the whole device. */
static void test_way(selftest_t *t)
{
	const part_t part = {xt_selftest_way_name(t), xt_selftest_way,
		"take another cable and another port of the host, without a hub; at a UART a lower baud= too", 0};

	if (xt_device_board(t->device, NULL) && !t->over) {
		run_one(t, &part, 0);
	}
}

static void test_card(selftest_t *t, unsigned card, int plugs)
{
	int status = xt_device_begin_test(t->device, card, &t->diag), has_board = -1;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == XT_OK && !t->over; i++) {
		if (parts[i].of_board && has_board < 0) {
			has_board = !t->failed && xt_selftest_has_board(t, card);
		}
		if (!parts[i].of_board || has_board) {
			run_one(t, &parts[i], card);
		}
	}
	if (plugs && has_board > 0 && status == XT_OK) {
		test_plugs(t, card);
	}
	if (status != XT_OK || end_card(t, card) != XT_OK) {
		const xt_selftest_said_t said = {.card = card, .problem = t->diag.text};

		t->failed = 1;
		t->tell(t->context, &said);
	}
}

int xt_selftest(selftest_t *t, int plugs, xt_diag_t *diag)
{
	t->profile = xt_device_profile(t->device);
	t->entries = (1u << t->profile->grt_bits) + (1u << t->profile->lrt_bits);
	t->kept = malloc((size_t)xt_profile_ports(t->profile) * t->entries * sizeof(*t->kept));
	t->read = malloc((size_t)t->entries * sizeof(*t->read));
	if (!t->kept || !t->read) {
		free(t->kept);
		free(t->read);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned card = 0; card < xt_device_cards(t->device) && !t->over; card++) {
		test_card(t, card, plugs);
	}
	test_way(t);
	free(t->kept);
	free(t->read);
	return XT_OK;
}
