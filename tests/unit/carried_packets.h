/* SPDX-License-Identifier: Apache-2.0
 *
 * A scoreboard over torus:4x4, and packets that a test carries from PE to PE by hand. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "measure/scoreboard.h"
#include "support.h"

enum { MAX_WORDS = 4, MAX_CELLS = 32 };

static const char *const profile_names[] = {"extoll", "mini"};

/* A packet that the test holds between its PEs. */
typedef struct {
	xt_packet_t packet;
	uint32_t cells[MAX_CELLS][MAX_WORDS];
} carried_t;

typedef struct {
	xt_image_t *image;
	xt_scoreboard_t *scoreboard;
	xt_violations_t findings;
	unsigned words;
	unsigned longest; /* packet that these tests send, in cells */
	uint64_t cycle;
	uint32_t sequence[16];
	uint64_t cells, packets, latency; /* delivered */
	uint64_t cell_latencies;          /* their sum */
} fixture_t;

static inline void on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent,
	uint64_t delivered, unsigned count, int last)
{
	fixture_t *f = context;

	assert_true(head_sent <= sent && sent < delivered);
	assert_true(packet->generated <= head_sent);
	f->cells += count;
	f->cell_latencies += count * (delivered - sent);
	f->packets += (uint64_t)last;
	f->latency = delivered + count - 1 - head_sent;
}

static inline void create(fixture_t *f)
{
	assert_int_equal(xt_scoreboard_create(f->image, xt_image_peers(f->image, 0), &f->findings, on_delivery, f,
				 &f->scoreboard, NULL),
		XT_OK);
}

static inline void open_on(fixture_t *f, const char *profile)
{
	memset(f, 0, sizeof(*f));
	f->image = make_profile_image("torus:4x4", profile, 0);
	f->words = (xt_profile_find(profile)->cell_bits + 31) / 32;
	f->longest = xt_profile_find(profile)->packet_cells < 8 ? xt_profile_find(profile)->packet_cells : 8;
	f->cycle = 100;
	create(f);
}

static inline void close_it(fixture_t *f)
{
	xt_scoreboard_free(f->scoreboard);
	xt_violations_free(&f->findings);
	xt_image_free(f->image);
}

static inline carried_t send_in_tc(fixture_t *f, unsigned from, unsigned to, unsigned cells, unsigned tc)
{
	carried_t c = {.packet = {.generated = f->cycle,
			       .source = from,
			       .destination = to,
			       .cells = (uint16_t)cells,
			       .tc = (uint8_t)tc}};
	const uint32_t *words;

	c.packet.sequence = f->sequence[from]++;
	words = xt_scoreboard_send(f->scoreboard, &c.packet);
	assert_non_null(words);
	for (unsigned i = 0; i < cells; i++) {
		memcpy(c.cells[i], words + i * f->words, f->words * sizeof(*words));
		xt_scoreboard_sent(f->scoreboard, from, f->cycle++, i, 1);
	}
	return c;
}

static inline carried_t send(fixture_t *f, unsigned from, unsigned to, unsigned cells)
{
	return send_in_tc(f, from, to, cells, 0);
}

/* The head leaves the card by a link. */
static inline void hop(fixture_t *f, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	xt_scoreboard_hop(f->scoreboard, card, port, vc, cycle, cell);
	xt_scoreboard_settle(f->scoreboard);
}

static inline void deliver_marked(fixture_t *f, const carried_t *c, unsigned at, unsigned cells, int poisoned)
{
	for (unsigned i = 0; i < cells; i++) {
		xt_scoreboard_received(
			f->scoreboard, at, f->cycle++, c->cells[i], 1, i + 1 == cells, i + 1 == cells && poisoned);
	}
}

static inline void deliver_cells(fixture_t *f, const carried_t *c, unsigned at, unsigned cells)
{
	deliver_marked(f, c, at, cells, 0);
}

static inline void deliver(fixture_t *f, const carried_t *c, unsigned at)
{
	deliver_cells(f, c, at, c->packet.cells);
}

/* Exactly the findings named, each once; the report mentions `text`. */
static inline void expect(fixture_t *f, const xt_finding_t *kinds, unsigned count, const char *text)
{
	int told = count == 0;

	for (unsigned k = 0; k < XT_FINDINGS; k++) {
		uint64_t wanted = 0;

		for (unsigned i = 0; i < count; i++) {
			wanted += kinds[i] == k;
		}
		if (f->findings.counts[k] != wanted) {
			for (unsigned i = 0; i < f->findings.report_count; i++) {
				print_message("%s\n", f->findings.reports[i]);
			}
			fail_msg("%s: %u found, %u expected", xt_finding_name(k), (unsigned)f->findings.counts[k],
				(unsigned)wanted);
		}
	}
	for (unsigned i = 0; i < f->findings.report_count; i++) {
		told |= strstr(f->findings.reports[i], text) != NULL;
	}
	assert_true(told);
}

#define EXPECT(f, text, ...)                                              \
	do {                                                              \
		const xt_finding_t kinds[] = {__VA_ARGS__};               \
		expect(f, kinds, sizeof(kinds) / sizeof(kinds[0]), text); \
	} while (0)
