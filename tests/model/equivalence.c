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

#include "case.h"
#include "device/device_internal.h"
#include "extorus/profiles.h"
#include "extorus/random.h"
#include "extorus/registers.h"
#include "probe.h"
#include "traffic/packet_generator.h"

enum { MAX_READS = 20000 };

/* What is kept of a run. */
typedef struct {
	xt_probe_t *probes; /* [cycle * cards + card] */
	uint64_t *events;   /* [cycle + 1]: checksum of the calls of a cycle, whatever their order */
	uint64_t *state;    /* [cycle]: of what the simulator says of itself */
	uint64_t *moves;    /* [cycle]: likewise, of what it always knows */
	uint32_t *values;   /* of the registers that were read */
	unsigned value_count;
	uint64_t steps; /* probes, events and state that there are */
} record_t;

typedef struct {
	const case_t *c;
	xt_device_t *device;
	const xt_backend_t *backend;
	xt_engine_t *engine;
	xt_backend_probe_t probe;
	xt_source_t *source;
	xt_header_layout_t header;
	unsigned cards, words;
	uint32_t *cells; /* by PE, of its packet */
	record_t *record;
	const record_t *truth; /* NULL: this is the run that makes it */
	/* Of each link: the sequence number of the next cell that is no repetition; the contents of others are not
	 * kept by the model. */
	uint32_t *next_cell;
	uint32_t *addresses; /* by PE */
	unsigned threads;
	uint64_t looks; /* the cycle in which the state is looked at next */
	int differs;
} run_t;

static void fail(const run_t *run, const xt_diag_t *diag)
{
	fprintf(stderr, "case %" PRIu64 " (%s), %s: %s\n", run->c->number, run->c->text, run->truth ? "model" : "RTL",
		diag->text);
	exit(2);
}

/* ---------------------------------------------------------------- differences */

typedef struct {
	const char *name;
	size_t offset;
	unsigned count;
} field_t;

#define LINK_FIELD(name, count)                               \
	{                                                     \
#name, offsetof(xt_probe_link_t, name), count \
	}
static const field_t link_fields[] = {
	LINK_FIELD(valid, 1),
	LINK_FIELD(ctrl, 1),
	LINK_FIELD(cell_valid, 1),
	LINK_FIELD(cell_seq, 1),
	LINK_FIELD(vc, 1),
	LINK_FIELD(poison, 1),
	LINK_FIELD(cell, XT_PROBE_CELL_WORDS),
	LINK_FIELD(credit_valid, 1),
	LINK_FIELD(credit_seq, 1),
	LINK_FIELD(credit_vc, 1),
	LINK_FIELD(cell_ack, 1),
	LINK_FIELD(cell_nack, 1),
	LINK_FIELD(credit_ack, 1),
	LINK_FIELD(credit_nack, 1),
	{NULL, 0, 0},
};
#define NIC_FIELD(name, count)                               \
	{                                                    \
#name, offsetof(xt_probe_nic_t, name), count \
	}
static const field_t nic_fields[] = {
	NIC_FIELD(accepts, 1),
	NIC_FIELD(valid, 1),
	NIC_FIELD(last, 1),
	NIC_FIELD(poisoned, 1),
	NIC_FIELD(cell, XT_PROBE_CELL_WORDS),
	{NULL, 0, 0},
};

static unsigned print_fields(const field_t *fields, const void *a, const void *b)
{
	unsigned differences = 0;

	for (; fields->name; fields++) {
		for (unsigned i = 0; i < fields->count; i++) {
			uint32_t x, y;

			memcpy(&x, (const char *)a + fields->offset + i * sizeof(x), sizeof(x));
			memcpy(&y, (const char *)b + fields->offset + i * sizeof(y), sizeof(y));
			if (x != y) {
				printf(" %s[%u] RTL %" PRIx32 " model %" PRIx32 ";", fields->name, i, x, y);
				differences++;
			}
		}
	}
	return differences;
}

static void print_word(const char *name, unsigned port, unsigned item, uint32_t rtl, uint32_t model)
{
	if (rtl != model) {
		printf("    port %u %s[%u]: RTL %" PRIu32 ", model %" PRIu32 "\n", port, name, item, rtl, model);
	}
}

static void print_difference(
	const run_t *run, uint64_t cycle, unsigned card, const xt_probe_t *rtl, const xt_probe_t *model)
{
	const xt_profile_t *profile = xt_device_profile(run->device);

	printf("case %" PRIu64 " (%s)\n  card %u, cycle %" PRIu64 ":\n", run->c->number, run->c->text, card, cycle);
	print_word("idle", 0, 0, rtl->idle, model->idle);
	print_word("quiet cycles", 0, 0, rtl->quiet_cycles, model->quiet_cycles);
	for (unsigned p = 0; p < profile->link_ports; p++) {
		if (memcmp(&rtl->link[p], &model->link[p], sizeof(rtl->link[p])) != 0) {
			printf("    port %u (%s) link:", p, xt_device_port_name(run->device, card, p));
			print_fields(link_fields, &rtl->link[p], &model->link[p]);
			printf("\n");
		}
	}
	for (unsigned n = 0; n < profile->nic_ports; n++) {
		if (memcmp(&rtl->nic[n], &model->nic[n], sizeof(rtl->nic[n])) != 0) {
			printf("    port %u NIC:", profile->link_ports + n);
			print_fields(nic_fields, &rtl->nic[n], &model->nic[n]);
			printf("\n");
		}
	}
	for (unsigned p = 0; p < xt_profile_ports(profile); p++) {
		print_word("free cells", p, 0, rtl->free_cells[p], model->free_cells[p]);
		for (unsigned v = 0; v < XT_MAX_VCS; v++) {
			print_word("credits used", p, v, rtl->used[p][v], model->used[p][v]);
		}
		print_word("stalls for credit", p, 0, rtl->stalls_credit[p], model->stalls_credit[p]);
		print_word("stalls for grant", p, 0, rtl->stalls_grant[p], model->stalls_grant[p]);
	}
}

/* ---------------------------------------------------------------- the PEs */

static void put_bits(uint32_t *words, unsigned lsb, unsigned bits, uint32_t value)
{
	for (unsigned b = 0; b < bits; b++) {
		uint32_t mask = UINT32_C(1) << (lsb + b) % 32;

		words[(lsb + b) / 32] = (words[(lsb + b) / 32] & ~mask) | (value >> b & 1 ? mask : 0);
	}
}

/* In cycle `cycle`, which may be over or still to come: a simulator may tell of several cells at once. */
static void happen(run_t *run, uint64_t cycle, uint64_t kind, uint64_t a, uint64_t b, const uint32_t *cell)
{
	uint64_t mix = xt_mix64(kind ^ a << 8 ^ b << 40);

	for (unsigned w = 0; cell && w < run->words; w++) {
		mix = xt_mix64(mix ^ cell[w]);
	}
	if (cycle < run->c->cycles) {
		run->record->events[cycle + 1] += mix;
	}
}

static uint32_t *cells_of(const run_t *run, unsigned pe)
{
	return run->cells + (size_t)pe * xt_device_profile(run->device)->packet_cells * run->words;
}

/* The first cells of a packet. */
static const uint32_t *make(const run_t *run, const xt_packet_t *packet, unsigned cells, uint32_t *words)
{
	const xt_profile_t *profile = xt_device_profile(run->device);

	for (unsigned w = 0; w < cells * run->words; w++) {
		words[w] = (uint32_t)xt_mix64((uint64_t)packet->source << 48 ^ (uint64_t)packet->sequence << 16 ^ w);
		if (profile->cell_bits % 32 && w % run->words == run->words - 1) {
			words[w] &= (UINT32_C(1) << profile->cell_bits % 32) - 1;
		}
	}
	put_bits(words, run->header.dest_lsb, run->header.dest_bits,
		xt_image_pe_address(run->c->image, packet->destination));
	put_bits(words, run->header.len_lsb, run->header.len_bits, packet->cells - 1u);
	put_bits(words, run->header.tc_lsb, run->header.tc_bits, packet->tc);
	return words;
}

static const uint32_t *on_make(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells)
{
	const run_t *run = context;

	xt_source_take(run->source, pe, packet);
	*cells = packet->cells;
	packet->message = (uint32_t)cycle;
	return make(run, packet, packet->cells, cells_of(run, pe));
}

/* The PE may have got on since: the cell is made again. */
static void on_begin(void *context, const xt_packet_t *packet)
{
	uint32_t words[XT_MAX_CELL_BITS / 32];

	happen(context, packet->message, 1, packet->source, packet->message, make(context, packet, 1, words));
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = on_make(context, pe, cycle, &packet, cells);

	on_begin(context, &packet);
	return words;
}

static uint64_t on_until(void *context)
{
	const run_t *run = context;

	return run->looks;
}

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

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		happen(context, cycle + i, 2, pe, (cycle + i) << 8 | (index + i), NULL);
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	run_t *run = context;

	for (unsigned i = 0; i < count; i++) {
		const int ends = last && i + 1 == count;

		happen(run, cycle + i, (uint64_t)(3 + ends * 2 + (ends && poisoned) * 4), pe, cycle + i,
			cells + (size_t)i * run->words);
	}
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	happen(context, cycle, 16 + port, card, cycle << 8 | vc, cell);
}

/* ---------------------------------------------------------------- one cycle */

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
			print_difference(run, t, card, &run->truth->probes[t * run->cards + card], probe);
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

/* Every register of the inspected card; that each read takes as long is seen by the values of those that count. */
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
		.fetch = on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = on_hop,
		.threads = run->threads,
		.addresses = run->addresses,
		.make = on_make,
		.begin = on_begin,
		.until = on_until,
	};
	xt_diag_t diag = {""};

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
	int verbose, stop;
} options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	options_t *o = state->input;

	switch (key) {
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
