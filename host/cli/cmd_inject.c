/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device_options.h"
#include "extorus/random.h"
#include "extorus/registers.h"
#include "monotonic.h"
#include "progress.h"

enum {
	KEY_PACKETS = XT_KEY_COMMAND,
	KEY_CELLS,
	KEY_FROM,
	KEY_TO,
	KEY_TC,
	KEY_SEED,
	KEY_TIMEOUT,
	KEY_ONE_WAY,
	KEY_IN_FLIGHT,
	KEY_UPDATE,
	KEY_LIVE
};

typedef struct {
	xt_target_t target;
	uint64_t packets, cells, from, to, tc, seed, timeout_ms, in_flight;
	int one_from, one_to, one_way;
	const char *update; /* image, or NULL */
	unsigned update_flags;
} inject_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	inject_options_t *o = state->input;

	switch (key) {
	case KEY_PACKETS:
		o->packets = xt_parse_number(state, "packets", arg, 1, UINT32_MAX);
		return 0;
	case KEY_CELLS:
		o->cells = xt_parse_number(state, "cells", arg, 1, 256);
		return 0;
	case KEY_FROM:
		o->from = xt_parse_number(state, "from", arg, 0, UINT16_MAX);
		o->one_from = 1;
		return 0;
	case KEY_TO:
		o->to = xt_parse_number(state, "to", arg, 0, UINT16_MAX);
		o->one_to = 1;
		return 0;
	case KEY_TC:
		o->tc = xt_parse_number(state, "tc", arg, 0, XT_MAX_TCS - 1);
		return 0;
	case KEY_SEED:
		o->seed = xt_parse_number(state, "seed", arg, 0, UINT64_MAX);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ms = xt_parse_number(state, "timeout", arg, 1, 3600000);
		return 0;
	case KEY_IN_FLIGHT:
		o->in_flight = xt_parse_number(state, "in-flight", arg, 1, 1 << 16);
		return 0;
	case KEY_ONE_WAY:
		o->one_way = 1;
		return 0;
	case KEY_UPDATE:
		o->update = arg;
		return 0;
	case KEY_LIVE:
		o->update_flags |= XT_LOAD_LIVE;
		return 0;
	case ARGP_KEY_END:
		if (o->update_flags && !o->update) {
			argp_error(state, "--live is for --update");
		}
		return xt_take_target(key, arg, state, &o->target);
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	{"packets", KEY_PACKETS, "N", 0, "How many (default 1000)", 0},
	{"cells", KEY_CELLS, "N", 0, "Cells of each (default: drawn, from 1 to the longest)", 0},
	{"from", KEY_FROM, "PE", 0, "Only from this PE (default: all in turn)", 0},
	{"to", KEY_TO, "PE", 0, "Only to this PE (default: drawn, not the sender)", 0},
	{"tc", KEY_TC, "TC", 0, "Traffic class (default 0); PE1 of a twin node needs an odd one under TS-DOR", 0},
	{"seed", KEY_SEED, "N", 0, "Of what is drawn (default 1)", 0},
	{"in-flight", KEY_IN_FLIGHT, "N", 0, "Packets that may be under way (default 256)", 0},
	{"timeout", KEY_TIMEOUT, "MS", 0, "How long nothing may arrive (default 2000)", 0},
	{"one-way", KEY_ONE_WAY, 0, 0, "Send only, for `capture` elsewhere", 0},
	{"update", KEY_UPDATE, "FILE", 0, "Boards: load this image when a quarter has been sent, while packets flow",
		0},
	{"live", KEY_LIVE, 0, 0, "With --update: do not hold the cards still for it", 0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp inject_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Sends packets from the PEs of a device and receives them: each must come out once, at its destination, "
	       "whole "
	       "and unchanged. PEs are counted over the NIC ports of all cards.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: all arrived; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus inject --device usb: --packets 10000\n"
	       "  extorus inject --device usb: --packets 10000 --update new.img\n"
	       "  extorus inject --device model:torus:4x4 --image torus.img --from 0 --to 5 --cells 4",
};

/* A packet under way. */
typedef struct {
	uint64_t number;
	uint32_t source, destination; /* PEs */
	uint32_t cells;
	int busy;
} flight_t;

/* A load beside the packets, in a thread of its own. */
typedef struct {
	pthread_t thread;
	xt_device_t *device;
	xt_image_t *image;
	unsigned flags;
	int begun;
	atomic_int over;
	xt_load_counts_t counts;
	int status;
	xt_diag_t diag;
	uint64_t packets; /* that arrived meanwhile */
} update_t;

typedef struct {
	const inject_options_t *o;
	update_t update;
	xt_device_t *device;
	const xt_profile_t *profile;
	unsigned pes, words; /* of a cell */
	uint32_t *address;   /* of each PE */
	uint8_t *tc_of;      /* of each PE */
	flight_t *flights;
	unsigned in_flight;
	uint64_t sent, received, wrong, cells;
	uint32_t *buffer, *expected;
	xt_random_t random;
	xt_diag_t first; /* what was wrong first */
} inject_t;

static void make_packet(const inject_t *j, const flight_t *f, uint32_t *words)
{
	unsigned top = j->profile->cell_bits % 32;
	const xt_packet_header_t header = {.destination = j->address[f->destination],
		.source = j->address[f->source],
		.cells = f->cells,
		.tc = j->tc_of[f->source],
		.tag = f->number};

	for (unsigned w = 0; w < f->cells * j->words; w++) {
		words[w] = (uint32_t)xt_mix64(j->o->seed << 40 ^ f->number << 12 ^ w);
		if (top && w % j->words == j->words - 1) {
			words[w] &= (1u << top) - 1;
		}
	}
	xt_packet_set_header(j->profile, words, &header);
}

static void complain(inject_t *j, const char *what, unsigned pe, const xt_packet_header_t *h)
{
	if (!j->wrong++) {
		xt_fail(&j->first, XT_ERR_MISMATCH, "PE %u received %s: from address %u to %u, %u cells, TC %u", pe,
			what, h->source, h->destination, h->cells, h->tc);
	}
}

/* Finds the packet among those under way: the first that is the same word for word. */
static void check(inject_t *j, unsigned pe, unsigned count, int poisoned)
{
	xt_packet_header_t h = xt_packet_get_header(j->profile, j->buffer);

	j->received++;
	if (poisoned) {
		complain(j, "an incomplete packet", pe, &h);
		return;
	}
	for (unsigned i = 0; i < j->o->in_flight; i++) {
		flight_t *f = &j->flights[i];

		if (!f->busy || f->cells * j->words != count || j->address[f->source] != h.source ||
			j->address[f->destination] != h.destination) {
			continue;
		}
		make_packet(j, f, j->expected);
		if (memcmp(j->buffer, j->expected, count * sizeof(*j->expected)) == 0) {
			f->busy = 0;
			j->in_flight--;
			j->cells += f->cells;
			if (f->destination != pe) {
				complain(j, "a packet for another PE", pe, &h);
			}
			return;
		}
	}
	complain(j, "a packet that was never sent, or was changed", pe, &h);
}

static void *load_beside(void *argument)
{
	update_t *u = argument;

	u->status = xt_device_load_counted(u->device, u->image, u->flags, NULL, NULL, &u->counts, &u->diag);
	u->over = 1;
	return NULL;
}

static int updating(const inject_t *j)
{
	return j->update.begun && !j->update.over;
}

static int begin_update(inject_t *j, xt_diag_t *diag)
{
	j->update.begun = pthread_create(&j->update.thread, NULL, load_beside, &j->update) == 0;
	return j->update.begun ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "no thread");
}

/* Waits for its end. */
static int end_update(inject_t *j, xt_diag_t *diag)
{
	if (!j->update.begun) {
		return XT_OK;
	}
	pthread_join(j->update.thread, NULL);
	if (j->update.status != XT_OK) {
		*diag = j->update.diag;
	}
	return j->update.status;
}

/* Takes what has come; *any: something had. */
static int receive(inject_t *j, int *any, xt_diag_t *diag)
{
	unsigned wait_ms = xt_device_board(j->device, NULL) ? 0 : 1;

	*any = 0;
	for (unsigned pe = 0; pe < j->pes; pe++) {
		for (unsigned count = 1; count;) {
			int poisoned;
			int status = xt_device_receive(j->device, pe, j->buffer, xt_device_packet_words(j->device),
				&count, &poisoned, wait_ms, diag);

			if (status != XT_OK) {
				return status;
			}
			if (count) {
				*any = 1;
				j->update.packets += (uint64_t)updating(j);
				check(j, pe, count, poisoned);
			}
		}
	}
	return XT_OK;
}

/* Receives until at most `most` are under way; nothing for the time-out: what is left is lost. Cards that are held
 * still for an update have no time-out. */
static int receive_until(inject_t *j, unsigned most, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + j->o->timeout_ms;
	int status = XT_OK, any;

	while (j->in_flight > most && status == XT_OK) {
		status = receive(j, &any, diag);
		if (any || updating(j)) {
			end = xt_now_ms() + j->o->timeout_ms;
		} else if (xt_now_ms() >= end) {
			return xt_fail(diag, XT_ERR_MISMATCH,
				"%u packets did not arrive for %" PRIu64
				" ms; look at the counters, or allow more by --timeout",
				j->in_flight, j->o->timeout_ms);
		}
		if (!any && xt_device_board(j->device, NULL)) {
			nanosleep(&(struct timespec){0, 500000}, NULL);
		}
	}
	return status;
}

static flight_t *begin_flight(inject_t *j)
{
	const inject_options_t *o = j->o;
	flight_t *f = j->flights;

	while (f->busy) {
		f++;
	}
	*f = (flight_t){.number = j->sent, .busy = 1};
	f->source = o->one_from ? (uint32_t)o->from : (uint32_t)(j->sent % j->pes);
	f->destination = (uint32_t)o->to;
	if (!o->one_to) {
		f->destination = xt_random_below(&j->random, j->pes > 1 ? j->pes - 1 : 1);
		f->destination += j->pes > 1 && f->destination >= f->source;
	}
	f->cells = o->cells ? (uint32_t)o->cells : 1 + xt_random_below(&j->random, j->profile->packet_cells);
	return f;
}

/* A queue that is full may wait for packets to be taken at the other end, so that is done meanwhile. */
static int send_one(inject_t *j, const flight_t *f, xt_diag_t *diag)
{
	unsigned wait_ms = j->o->one_way ? (unsigned)j->o->timeout_ms : 0;
	uint64_t end = xt_now_ms() + j->o->timeout_ms;

	for (;;) {
		xt_diag_t failed;
		int status, taken, any = 0;

		make_packet(j, f, j->expected);
		status = xt_device_inject(j->device, f->source, j->expected, f->cells * j->words, wait_ms, diag);
		if (status != XT_ERR_TIMEOUT || j->o->one_way || (xt_now_ms() >= end && !updating(j))) {
			return status;
		}
		taken = receive(j, &any, &failed);
		if (taken != XT_OK) {
			*diag = failed;
			return taken;
		}
		if (any || updating(j)) {
			end = xt_now_ms() + j->o->timeout_ms;
		}
	}
}

static int send_all(inject_t *j, xt_progress_bar_t *bar, xt_diag_t *diag)
{
	int status = XT_OK;

	while (j->sent < j->o->packets && status == XT_OK) {
		flight_t *f;

		if (j->update.image && !j->update.begun && j->sent >= j->o->packets / 4) {
			status = begin_update(j, diag);
			continue;
		}
		f = begin_flight(j);
		status = send_one(j, f, diag);
		if (status != XT_OK) {
			f->busy = 0;
			break;
		}
		j->sent++;
		j->in_flight++;
		if (j->o->one_way) {
			f->busy = 0;
			j->in_flight--;
		} else if (j->in_flight == j->o->in_flight) {
			status = receive_until(j, (unsigned)j->o->in_flight / 2, diag);
		}
		xt_progress_step(bar, j->sent, j->o->packets);
	}
	if (status == XT_OK) {
		status = xt_device_flush(j->device, diag);
	}
	return status == XT_OK ? receive_until(j, 0, diag) : status;
}

/* Addresses and TCs of all PEs. */
static int prepare(inject_t *j, xt_diag_t *diag)
{
	const xt_image_t *image = j->o->target.image;
	unsigned nics = j->profile->nic_ports;
	int status = XT_OK;

	for (unsigned pe = 0; pe < j->pes && status == XT_OK; pe++) {
		unsigned mask = image ? xt_image_pe_tc_mask(image, pe) : 0, tc = (unsigned)j->o->tc;
		uint32_t address;

		status = xt_device_read(
			j->device, pe / nics, xt_register_address(XT_REG_CARD_ID, 0, 0), &address, 1, diag);
		j->address[pe] = address + pe % nics;
		/* The image says which TCs a PE may use. */
		while (mask && !(mask >> tc & 1)) {
			tc = (tc + 1) % j->profile->tcs;
		}
		j->tc_of[pe] = (uint8_t)tc;
	}
	if (status == XT_OK &&
		(j->o->tc >= j->profile->tcs || j->o->cells > j->profile->packet_cells ||
			(j->o->one_from && j->o->from >= j->pes) || (j->o->one_to && j->o->to >= j->pes))) {
		return xt_fail(diag, XT_ERR_RANGE, "the device has %u PEs, %u TCs, and packets of up to %u cells",
			j->pes, j->profile->tcs, j->profile->packet_cells);
	}
	return status;
}

static int read_update(inject_t *j, xt_diag_t *diag)
{
	if (!xt_device_board(j->device, NULL)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"--update is for boards; `extorus serve` makes one of a simulated network");
	}
	return xt_image_read(j->o->update, &j->update.image, diag);
}

static int report(const inject_t *j, int status, double seconds, const xt_diag_t *diag)
{
	double megabytes = (double)j->cells * j->profile->cell_bits / 8e6;
	int good = status == XT_OK && !j->wrong;
	const update_t *u = &j->update;

	if (j->o->target.json) {
		json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:f, s:b, s:s?}", "sent", (json_int_t)j->sent,
			"received", (json_int_t)j->received, "lost", (json_int_t)j->in_flight, "wrong",
			(json_int_t)j->wrong, "seconds", seconds, "ok", good, "problem",
			good       ? NULL
			: j->wrong ? j->first.text
				   : diag->text);
		int printed;

		if (object && u->begun) {
			json_object_set_new(object, "update",
				json_pack("{s:I, s:I, s:I}", "entries_written", (json_int_t)u->counts.changed,
					"registers_written", (json_int_t)u->counts.settings, "packets_meanwhile",
					(json_int_t)u->packets));
		}
		printed = xt_print_json("inject", object);
		if (printed != XT_EXIT_OK) {
			return printed;
		}
	} else {
		printf("%" PRIu64 " packets sent, %" PRIu64 " received, %u lost, %" PRIu64
		       " wrong; %.2f MB in %.2f s\n",
			j->sent, j->received, j->in_flight, j->wrong, megabytes, seconds);
		if (u->begun) {
			printf("update: %" PRIu64 " entries and %" PRIu64 " registers written while %" PRIu64
			       " packets arrived\n",
				u->counts.changed, u->counts.settings, u->packets);
		}
	}
	if (status != XT_OK) {
		return xt_report("inject", status, diag);
	}
	return good ? XT_EXIT_OK : xt_report("inject", XT_ERR_MISMATCH, &j->first);
}

static int inject(const inject_options_t *o)
{
	xt_device_t *device = o->target.device;
	inject_t j = {.o = o,
		.device = device,
		.profile = xt_device_profile(device),
		.pes = xt_device_pes(device),
		.words = xt_device_cell_words(device)};
	uint64_t start = xt_now_ms();
	xt_progress_bar_t bar;
	xt_diag_t diag = {""}, failed;
	int status, result, updated;

	j.update.device = device;
	j.update.flags = o->target.flags | o->update_flags;
	xt_random_seed(&j.random, o->seed, 0);
	j.address = calloc(j.pes, sizeof(*j.address));
	j.tc_of = calloc(j.pes, sizeof(*j.tc_of));
	j.flights = calloc(o->in_flight + 1, sizeof(*j.flights));
	j.buffer = calloc(xt_device_packet_words(device), sizeof(*j.buffer));
	j.expected = calloc(xt_device_packet_words(device), sizeof(*j.expected));
	status = j.address && j.tc_of && j.flights && j.buffer && j.expected
			 ? prepare(&j, &diag)
			 : xt_fail(&diag, XT_ERR_NOMEM, "out of memory");
	if (status == XT_OK && o->update) {
		status = read_update(&j, &diag);
	}
	if (status == XT_OK) {
		xt_progress_begin(&bar, "packets");
		status = send_all(&j, &bar, &diag);
		updated = end_update(&j, &failed);
		xt_progress_end(&bar);
		if (updated != XT_OK) {
			status = updated;
			diag = failed;
		}
		result = report(&j, status, (double)(xt_now_ms() - start) / 1000, &diag);
	} else {
		result = xt_report("inject", status, &diag);
	}
	xt_image_free(j.update.image);
	free(j.address);
	free(j.tc_of);
	free(j.flights);
	free(j.buffer);
	free(j.expected);
	return result;
}

static int run(int argc, char **argv)
{
	inject_options_t o = {.packets = 1000, .seed = 1, .timeout_ms = 2000, .in_flight = 256};
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&inject_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	result = status == XT_OK ? inject(&o) : xt_report("inject", status, &diag);
	xt_target_close(&o.target);
	return result;
}

extern const xt_command_t xt_command_inject;
const xt_command_t xt_command_inject = {"inject", "send packets through a device and check them", run};
