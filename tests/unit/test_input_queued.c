/* SPDX-License-Identifier: Apache-2.0
 *
 * A single input-queued switch, whose PEs always have a packet, against known throughputs. */
#include <stdlib.h>

#include "device/backend.h"
#include "extorus/image.h"
#include "extorus/random.h"
#include "support.h"

const xt_backend_t *xt_backend_entry(void);

enum { CYCLES = 20000, MOST = 14 };

typedef struct {
	xt_profile_t profile;
	xt_header_layout_t header;
	unsigned pes, vcs, cells;
	xt_random_t random;
	uint64_t ready_at[MOST];
	uint64_t delivered, sent, of_source[MOST], of_destination[MOST];
	uint32_t words[4 * 4]; /* 4 cells of 128 bits */
	/* The destination of all packets, or `pes`: uniform. */
	unsigned destination;
	uint64_t stop_at;
} load_t;

static void set_field(uint32_t *words, unsigned lsb, unsigned bits, uint32_t value)
{
	for (unsigned i = 0; i < bits; i++) {
		words[(lsb + i) / 32] |= (value >> i & 1) << (lsb + i) % 32;
	}
}

static const uint32_t *fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	load_t *load = context;
	const unsigned to =
		load->destination < load->pes ? load->destination : (unsigned)xt_random_below(&load->random, load->pes);
	const unsigned tc = (unsigned)xt_random_below(&load->random, load->vcs);

	(void)cycle;
	memset(load->words, 0, sizeof(load->words));
	set_field(load->words, load->header.dest_lsb, load->header.dest_bits, to);
	set_field(load->words, load->header.src_lsb, load->header.src_bits, pe);
	set_field(load->words, load->header.len_lsb, load->header.len_bits, load->cells - 1);
	set_field(load->words, load->header.tc_lsb, load->header.tc_bits, tc);
	*cells = load->cells;
	return load->words;
}

static void sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	load_t *load = context;

	(void)pe;
	(void)cycle;
	(void)index;
	load->sent += count;
}

static void received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	load_t *load = context;
	uint32_t source = 0;

	(void)cycle;
	(void)last;
	assert_false(poisoned);
	load->delivered += count;
	load->of_destination[pe] += count;
	for (unsigned i = 0; i < load->header.src_bits; i++) {
		const unsigned bit = load->header.src_lsb + i;

		source |= (cells[bit / 32] >> bit % 32 & 1) << i;
	}
	/* Of packets of one cell; bodies have no header. */
	if (load->cells == 1) {
		load->of_source[source] += count;
	}
}

static int cycle(void *context, const xt_engine_state_t *state)
{
	load_t *load = context;

	/* Then what is within must come out. */
	for (unsigned pe = 0; pe < load->pes && state->cycle == load->stop_at; pe++) {
		load->ready_at[pe] = UINT64_MAX;
	}
	return state->cycle == CYCLES || (state->cycle > load->stop_at && state->quiet);
}

static xt_engine_t *open_switch(load_t *load)
{
	const xt_backend_t *backend = xt_backend_entry();
	xt_profile_t *p = &load->profile;
	uint64_t grt[1] = {0}, lrt[16] = {0};
	xt_engine_t *engine;
	xt_diag_t diag = {""};

	*p = (xt_profile_t){.name = "single",
		.nic_ports = load->pes,
		.tcs = load->vcs,
		.cell_bits = 128,
		.packet_cells = 4,
		.buffer_cells = 64,
		.eject_cells = 64,
		.length_classes = 1,
		.length_class = {4},
		.id_bits = 4,
		.lrt_bits = 4,
		.link_latency = 1};
	for (unsigned tc = 0; tc < load->vcs; tc++) {
		p->tc[tc].vc[0] = XT_VC_DETERMINISTIC;
	}
	for (unsigned to = 0; to < load->pes; to++) {
		for (unsigned tc = 0; tc < load->vcs; tc++) {
			lrt[to] = xt_entry_with_route(lrt[to], tc, (xt_route_t){.valid = 1, .port = (uint8_t)to});
		}
	}
	load->header = xt_profile_header(p);
	const xt_network_t network = {.profile = p, .cards = 1, .link_latency = 1, .port_buffer = 128};

	assert_int_equal(backend->open(&network, &engine, &diag), XT_OK);
	/* All addresses differ from the card's, and the entries are those of the local table. */
	assert_int_equal(backend->backdoor(engine, 0, grt, lrt, &diag), XT_OK);
	return engine;
}

/* Cells per cycle and PE; each of `pes` PEs always has packets of `cells` cells in `vcs` classes, each with a FIFO. */
static double throughput(load_t *load, unsigned pes, unsigned vcs, unsigned cells, unsigned destination)
{
	const xt_backend_t *backend = xt_backend_entry();
	xt_engine_t *engine;
	xt_diag_t diag = {""};

	*load = (load_t){.pes = pes, .vcs = vcs, .cells = cells, .destination = destination, .stop_at = UINT64_MAX};
	xt_random_seed(&load->random, 1, pes);
	engine = open_switch(load);

	const xt_client_t client = {.context = load,
		.pes = pes,
		.ready_at = load->ready_at,
		.cycle = cycle,
		.fetch = fetch,
		.sent = sent,
		.received = received};

	assert_int_equal(backend->run(engine, &client, &diag), XT_OK);
	backend->close(engine);
	return (double)load->delivered / CYCLES / pes;
}

TEST(a_queue_without_rivals_gives_a_cell_per_cycle)
{
	load_t load;

	for (unsigned cells = 1; cells <= 4; cells++) {
		assert_true(throughput(&load, 1, 1, cells, 0) > 0.999);
	}
}

TEST(all_to_one_fills_one_output_and_is_fair)
{
	load_t load;

	for (unsigned pes = 2; pes <= MOST; pes += 3) {
		const double share = throughput(&load, pes, 1, 1, 1) * pes;

		assert_true(share > 0.999 && share <= 1.0);
		for (unsigned pe = 0; pe < pes; pe++) {
			assert_true(load.of_source[pe] + 1 >= load.delivered / pes);
			assert_true(load.of_source[pe] <= load.delivered / pes + 1);
		}
	}
}

/* Karol, Hluchyj and Morgan, "Input versus output queueing on a space-division packet switch", 1987, table I. */
TEST(head_of_line_blocking_limits_uniform_traffic)
{
	static const struct {
		unsigned pes;
		double limit;
	} known[] = {{2, 0.7500}, {3, 0.6825}, {4, 0.6553}, {5, 0.6399}, {6, 0.6302}, {7, 0.6234}, {8, 0.6184}};
	double before = 1.0;
	load_t load;

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const double found = throughput(&load, known[i].pes, 1, 1, known[i].pes);

		assert_true(found > known[i].limit - 0.006 && found < known[i].limit + 0.006);
		assert_true(found < before);
		before = found;
	}
	/* Many ports: 2 - sqrt(2) = 0.586 from above. */
	before = throughput(&load, MOST, 1, 1, MOST);
	assert_true(before > 0.586 && before < 0.6184);
}

/* Of packets of one cell, an input asks for the same VC until granted. Longer ones keep outputs busy, and the input
 * asks for others. */
TEST(more_fifos_block_less)
{
	load_t load;
	const double one = throughput(&load, 8, 1, 4, 8);
	double before = one;

	for (unsigned vcs = 2; vcs <= 4; vcs++) {
		const double found = throughput(&load, 8, vcs, 4, 8);

		assert_true(found > before + 0.02);
		before = found;
	}
}

TEST(what_enters_comes_out)
{
	const xt_backend_t *backend = xt_backend_entry();
	load_t load = {.pes = 5, .vcs = 3, .cells = 3, .destination = 5, .stop_at = 1000};
	xt_diag_t diag = {""};
	xt_engine_t *engine;

	xt_random_seed(&load.random, 7, 0);
	engine = open_switch(&load);

	const xt_client_t client = {.context = &load,
		.pes = load.pes,
		.ready_at = load.ready_at,
		.cycle = cycle,
		.fetch = fetch,
		.sent = sent,
		.received = received};

	assert_int_equal(backend->run(engine, &client, &diag), XT_OK);
	assert_true(load.sent > 1000 && load.sent == load.delivered);
	backend->close(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_without_rivals_gives_a_cell_per_cycle),
		cmocka_unit_test(all_to_one_fills_one_output_and_is_fair),
		cmocka_unit_test(head_of_line_blocking_limits_uniform_traffic),
		cmocka_unit_test(more_fifos_block_less),
		cmocka_unit_test(what_enters_comes_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
