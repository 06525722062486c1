/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps the RTL and the fast model through the same random cases, and compares them after every cycle. Compared are
 * all link and NIC pins, credits, free cells, stalls, and the calls back of the simulators. With packets under way,
 * every register of one card follows, and the time of its read. The first difference is printed with both sides'
 * state.
 *
 * The RTL runs first and its states are kept; the model is held against them. A model on several threads shows its
 * state only now and then, and is ahead of its calls. These are compared of all cycles. */
#include <argp.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_internal.h"
#include "equivalence.h"
#include "extorus/profiles.h"
#include "extorus/random.h"
#include "extorus/registers.h"

enum { MAX_READS = 20000 };

static void fail(const run_t *run, const xt_diag_t *diag)
{
	fprintf(stderr, "case %" PRIu64 " (%s), %s: %s\n", run->c->number, run->c->text, run->truth ? "model" : "RTL",
		diag->text);
	exit(2);
}

/* ---------------------------------------------------------------- one cycle */

/* After cycle `t`: the next one, or, if several threads are at work, one of the next. The source and the run must stop
 * in their cycles. */
static uint64_t next_look(const run_t *run, uint64_t t)
{
	const case_t *c = run->c;
	uint64_t next = t + 1;

	if (run->threads > 1) {
		next += xt_mix64(c->number << 32 ^ t) % 24;
		next = t < c->stop && next > c->stop ? c->stop : next;
		next = next > c->cycles ? c->cycles : next;
	}
	return next;
}

/* Whether the cell that the RTL sends in a cycle is a repetition, as far as its record says. */
static int is_forgotten(const run_t *run, uint64_t t, unsigned card, unsigned port)
{
	const xt_probe_link_t *link = &run->truth->probes[t * run->cards + card].link[port];
	static const xt_probe_link_t none;

	return memcmp(link->cell, none.cell, sizeof(none.cell)) == 0;
}

static void forget_repetitions(run_t *run, uint64_t t, unsigned card, xt_probe_t *probe)
{
	const xt_frame_layout_t frame = xt_profile_frame(xt_device_profile(run->device));
	const unsigned links = xt_device_profile(run->device)->link_ports;

	for (unsigned p = 0; p < links; p++) {
		xt_probe_link_t *link = &probe->link[p];
		uint32_t *next = &run->next_cell[card * links + p];

		if (link->ctrl && !(link->ctrl == 2 && link->cell_nack)) {
			*next = 0;
		} else if (link->cell_valid) {
			if (run->threads > 1 ? !is_forgotten(run, t, card, p) : link->cell_seq == *next) {
				*next = (*next + 1) & ((UINT32_C(1) << frame.cell_seq_bits) - 1);
			} else {
				memset(link->cell, 0, sizeof(link->cell));
			}
		}
	}
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	run_t *run = context;
	record_t *record = run->record;
	const uint64_t t = state->cycle;
	const size_t ports = (size_t)run->cards * xt_profile_ports(xt_device_profile(run->device));
	uint64_t sum = 0;

	/* Several threads may be ahead of what they tell. */
	if (run->differs) {
		return 1;
	}
	record->moves[t] = state->moves * 2 + (state->quiet != 0);
	if (run->truth && record->moves[t] != run->truth->moves[t]) {
		printf("case %" PRIu64 " (%s)\n  cycle %" PRIu64 ": moves or quiet differ\n", run->c->number,
			run->c->text, t);
		run->differs = 1;
		return 1;
	}
	record->steps = t + 1;
	if (t != run->looks) {
		return 0;
	}
	run->looks = next_look(run, t);
	if (state->settle) {
		state->settle(state->engine);
	}
	for (size_t i = 0; i < ports; i++) {
		sum = xt_mix64(sum ^ state->port_cells[i]);
	}
	record->state[t] = sum;
	if (t == run->c->stop) {
		xt_source_stop(run->source);
	}
	for (unsigned card = 0; card < run->cards; card++) {
		xt_probe_t *probe = &record->probes[t * run->cards + card];

		run->probe(run->engine, card, probe);
		forget_repetitions(run, t, card, probe);
		if (run->truth && memcmp(probe, &run->truth->probes[t * run->cards + card], sizeof(*probe)) != 0) {
			difference_print(run, t, card, &run->truth->probes[t * run->cards + card], probe);
			run->differs = 1;
			return 1;
		}
	}
	if (run->truth && record->state[t] != run->truth->state[t]) {
		printf("case %" PRIu64 " (%s)\n  cycle %" PRIu64 ": cells per port differ\n", run->c->number,
			run->c->text, t);
		run->differs = 1;
		return 1;
	}
	return t >= run->c->cycles;
}

/* ---------------------------------------------------------------- a run */

static void open_run(run_t *run, const case_t *c, const char *scheme, unsigned threads)
{
	const xt_profile_t *profile = xt_image_profile(c->image);
	char uri[512], option[32] = "";
	xt_diag_t diag = {""};

	memset(run, 0, sizeof(*run));
	run->c = c;
	run->threads = threads;
	if (c->latency) {
		snprintf(option, sizeof(option), ";latency=%u", c->latency);
	}
	/* Without skipping the model runs the protocol of every link; else only where it makes a difference. */
	snprintf(uri, sizeof(uri), "%s:%s;profile=%s%s%s", scheme, xt_image_topology(c->image), profile->name, option,
		strcmp(scheme, "model") == 0 && c->number % 4 == 0 ? ";evaluate=all" : "");
	if (xt_device_open(uri, &run->device, &diag) != XT_OK ||
		xt_device_load(run->device, c->image, XT_LOAD_BACKDOOR | XT_LOAD_FORCE | XT_LOAD_NO_VERIFY, NULL, NULL,
			&diag) != XT_OK) {
		fail(run, &diag);
	}
	run->backend = xt_device_backend(run->device, &run->engine);
	*(void **)&run->probe = dlsym(run->device->library, "xt_backend_probe");
	if (!run->probe) {
		fprintf(stderr, "%s has no xt_backend_probe\n", scheme);
		exit(2);
	}
	run->cards = xt_device_cards(run->device);
	run->words = (profile->cell_bits + 31) / 32;
	run->header = xt_profile_header(profile);
	run->cells = calloc((size_t)run->cards * profile->nic_ports * profile->packet_cells * run->words, 4);
	run->addresses = calloc((size_t)run->cards * profile->nic_ports, sizeof(*run->addresses));
	run->next_cell = calloc((size_t)run->cards * profile->link_ports, sizeof(*run->next_cell));
	if (xt_source_create(&c->traffic, c->image, &run->source, &diag) != XT_OK) {
		fail(run, &diag);
	}
}

static void close_run(run_t *run)
{
	xt_source_free(run->source);
	xt_device_close(run->device);
	free(run->cells);
	free(run->next_cell);
	free(run->addresses);
}

static void write_registers(run_t *run)
{
	xt_diag_t diag = {""};

	for (unsigned i = 0; i < run->c->write_count; i++) {
		const case_write_t *w = &run->c->writes[i];

		for (unsigned card = 0; card < run->cards; card++) {
			if ((w->card == UINT32_MAX || w->card == card) &&
				xt_device_write(run->device, card, w->address, &w->value, 1, &diag) != XT_OK) {
				fail(run, &diag);
			}
		}
	}
	for (unsigned i = 0; i < run->c->fault_count; i++) {
		if (xt_device_fault(run->device, &run->c->faults[i], &diag) != XT_OK) {
			fail(run, &diag);
		}
	}
}

static void read_register(run_t *run, xt_register_id_t id, unsigned port, unsigned item)
{
	record_t *record = run->record;
	const uint32_t address = xt_register_address(id, port, item);
	uint32_t value;
	xt_diag_t diag = {""};

	if (run->differs) {
		return;
	}
	if (xt_device_read(run->device, run->c->inspected, address, &value, 1, &diag) != XT_OK) {
		value = UINT32_MAX;
	}
	if (record->value_count == MAX_READS) {
		return;
	}
	record->values[record->value_count] = value;
	if (run->truth && value != run->truth->values[record->value_count]) {
		printf("case %" PRIu64
		       " (%s)\n  card %u, register %s port %u item %u, read number %u after the run: RTL "
		       "0x%" PRIx32 ", model 0x%" PRIx32 "\n",
			run->c->number, run->c->text, run->c->inspected, xt_registers[id].name, port, item,
			record->value_count, run->truth->values[record->value_count], value);
		run->differs = 1;
	}
	record->value_count++;
}

/* Every register of the inspected card; that each read takes as long is seen by the values of those that count. All
 * cards take part in the time of a read, so the reads cost more than the run before them. */
static void read_registers(run_t *run)
{
	const xt_profile_t *profile = xt_device_profile(run->device);
	const unsigned ports = xt_profile_ports(profile);

	for (unsigned id = 0; id < XT_REG_COUNT; id++) {
		unsigned groups = 1, items = 1;

		if (!xt_register_present((xt_register_id_t)id, xt_profile_features(profile))) {
			continue;
		}
		switch (xt_registers[id].shape) {
		case XT_SHAPE_PER_TC:
			items = profile->tcs;
			break;
		case XT_SHAPE_PER_PORT:
			groups = ports;
			break;
		case XT_SHAPE_PER_LINK:
			groups = profile->link_ports;
			break;
		case XT_SHAPE_PER_PORT_TC:
			groups = ports;
			items = profile->tcs;
			break;
		case XT_SHAPE_PER_PORT_VC:
			groups = ports;
			items = xt_profile_vcs(profile);
			break;
		case XT_SHAPE_PER_NIC_BIN:
			groups = profile->nic_ports;
			items = XT_REG_LATENCY_BINS;
			break;
		case XT_SHAPE_GRT:
			items = run->c->inspect_tables ? 1u << profile->grt_bits : 1;
			break;
		case XT_SHAPE_LRT:
			items = run->c->inspect_tables ? 2u * run->cards : 2;
			break;
		case XT_SHAPE_SINGLE:
			break;
		}
		for (unsigned group = 0; group < groups; group++) {
			if (run->c->one_port && group != run->c->number % groups) {
				continue;
			}
			for (unsigned item = 0; item < items; item++) {
				read_register(run, (xt_register_id_t)id, group, item);
			}
		}
	}
}

/* When the run is over, all calls have been made. */
static void compare_calls(run_t *run)
{
	for (uint64_t t = 1; run->truth && !run->differs && t < run->record->steps; t++) {
		if (run->record->events[t] != run->truth->events[t]) {
			printf("case %" PRIu64 " (%s)\n  cycle %" PRIu64 ": the calls differ\n", run->c->number,
				run->c->text, t - 1);
			run->differs = 1;
		}
	}
}

static void execute(run_t *run, record_t *record, const record_t *truth)
{
	const case_t *c = run->c;
	xt_client_t client = {
		.context = run,
		.pes = xt_image_pes(c->image),
		.ready_at = xt_source_ready_at(run->source),
		.nic_stall = c->nic_stall,
		.nic_period = c->nic_period,
		.error_rate = c->error_rate,
		.error_seed = c->number,
		.cycle = on_cycle,
		.threads = run->threads,
		.addresses = run->addresses,
	};
	xt_diag_t diag = {""};

	pe_calls_set(&client);
	for (unsigned pe = 0; pe < client.pes; pe++) {
		if (xt_image_pe_in_service(c->image, pe)) {
			run->addresses[client.address_count++] = xt_image_pe_address(c->image, pe);
		}
	}
	run->record = record;
	run->truth = truth;
	write_registers(run);
	if (run->backend->run(run->engine, &client, &diag) != XT_OK) {
		fail(run, &diag);
	}
	compare_calls(run);
	read_registers(run);
}

static void new_record(record_t *record, const case_t *c)
{
	const size_t steps = c->cycles + 1, cards = xt_image_cards(c->image);

	memset(record, 0, sizeof(*record));
	record->probes = calloc(steps * cards, sizeof(*record->probes));
	record->events = calloc(steps, sizeof(*record->events));
	record->state = calloc(steps, sizeof(*record->state));
	record->moves = calloc(steps, sizeof(*record->moves));
	record->values = calloc(MAX_READS, sizeof(*record->values));
	if (!record->probes || !record->events || !record->state || !record->moves || !record->values) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
}

static void free_record(record_t *record)
{
	free(record->probes);
	free(record->events);
	free(record->state);
	free(record->moves);
	free(record->values);
}

/* Nonzero if they differ. */
static int compare_model(const case_t *c, const record_t *truth, unsigned threads)
{
	record_t record;
	run_t run;

	new_record(&record, c);
	open_run(&run, c, "model", threads);
	execute(&run, &record, truth);
	close_run(&run);
	free_record(&record);
	return run.differs;
}

static int compare(const case_t *c, uint64_t *card_cycles)
{
	record_t rtl;
	run_t run;
	int differs;

	new_record(&rtl, c);
	open_run(&run, c, "sim", 1);
	execute(&run, &rtl, NULL);
	*card_cycles += rtl.steps * run.cards;
	close_run(&run);
	differs = compare_model(c, &rtl, 1) || compare_model(c, &rtl, 2 + (unsigned)(c->number % 3));
	free_record(&rtl);
	return differs;
}

/* ---------------------------------------------------------------- command line */

typedef struct {
	uint64_t first, count;
	const char *profile;
	int brief, verbose, stop;
} options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	options_t *o = state->input;

	switch (key) {
	case 'b':
		o->brief = 1;
		return 0;
	case 'f':
		o->first = strtoull(arg, NULL, 10);
		return 0;
	case 'n':
		o->count = strtoull(arg, NULL, 10);
		return 0;
	case 'p':
		o->profile = arg;
		return 0;
	case 's':
		o->stop = 1;
		return 0;
	case 'v':
		o->verbose = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp_option option_list[] = {
		{"brief", 'b', 0, 0, "Of the registers of ports, read those of one port, another in each case", 0},
		{"first", 'f', "N", 0, "Number of the first case (default 1)", 0},
		{"cases", 'n', "N", 0, "How many cases (default 20)", 0},
		{"profile", 'p', "NAME", 0, "Only cases of this profile", 0},
		{"stop", 's', 0, 0, "Stop after the first case that differs", 0},
		{"verbose", 'v', 0, 0, "Say what every case is", 0},
		{0},
	};
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.doc = "Steps the RTL and the fast model through random cases and compares them cycle by cycle.",
	};
	options_t o = {.first = 1, .count = 20};
	uint64_t differing = 0, card_cycles = 0, done = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (uint64_t number = o.first; number < o.first + o.count; number++) {
		case_t c;

		case_make(number, o.profile, &c);
		c.one_port = o.brief;
		if (o.verbose) {
			printf("case %" PRIu64 ": %s\n", number, c.text);
			fflush(stdout);
		}
		differing += compare(&c, &card_cycles) != 0;
		case_free(&c);
		done++;
		if (o.stop && differing) {
			break;
		}
	}
	printf("%" PRIu64 " cases, %" PRIu64 " card-cycles in lock-step, %" PRIu64 " cases differ\n", done, card_cycles,
		differing);
	return differing != 0;
}
