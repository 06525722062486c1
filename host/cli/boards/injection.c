/* SPDX-License-Identifier: Apache-2.0 */
#include "injection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "options/monotonic.h"
#include "options/progress.h"

enum {
	MOST_TAG_BITS = 48,
	MOST_RUN_BITS = 24,
	SLICE_MS = 100, /* of a wait that a signal is to end */
	MOST_AT_ONCE = 1024,
	QUIET_MS = 30, /* without a packet, until no more are expected */
};

/* The tag has the run's number and the packet's, and decides the payload: a packet of an earlier run shows that it is
 * one. The top of the tag is left to the hardware's stamp. */
static void begin_tags(xt_injection_t *j)
{
	const xt_header_layout_t h = xt_profile_header(j->profile);
	const unsigned bits = h.tag_bits - h.stamp_bits;
	uint32_t run = 0;

	j->tag_bits = bits < MOST_TAG_BITS ? bits : MOST_TAG_BITS;
	j->run_bits = j->tag_bits / 2 < MOST_RUN_BITS ? j->tag_bits / 2 : MOST_RUN_BITS;
	if (getrandom(&run, sizeof(run), GRND_NONBLOCK) != (ssize_t)sizeof(run)) {
		run = (uint32_t)xt_mix64(xt_now_ms() << 20 ^ (uint64_t)getpid());
	}
	j->run = run & ((1u << j->run_bits) - 1);
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
	return value & ((UINT64_C(1) << bits) - 1);
}

static void make_words(const xt_injection_t *j, const xt_packet_header_t *header, uint32_t *words)
{
	unsigned top = j->profile->cell_bits % 32;

	for (unsigned w = 0; w < header->cells * j->words; w++) {
		words[w] = (uint32_t)xt_mix64(header->tag << 12 ^ w);
		if (top && w % j->words == j->words - 1) {
			words[w] &= (1u << top) - 1;
		}
	}
	xt_packet_set_header(j->profile, words, header);
}

static void make_packet(const xt_injection_t *j, const xt_outstanding_t *f, uint32_t *words)
{
	const xt_packet_header_t header = {.destination = j->address[f->destination],
		.source = j->address[f->source],
		.cells = f->cells,
		.tc = j->tc_of[f->source],
		.tag = low_bits(f->number << j->run_bits | j->run, j->tag_bits)};

	make_words(j, &header, words);
}

/* Whether the packet received is one of another run, as that sent it or cut off. */
static int is_leftover(const xt_injection_t *j, const xt_packet_header_t *h, unsigned count, int poisoned)
{
	xt_packet_header_t header = *h;

	header.tag = low_bits(h->tag, j->tag_bits);
	if (low_bits(header.tag, j->run_bits) == j->run || h->cells * j->words != count) {
		return 0;
	}
	make_words(j, &header, j->expected);
	return poisoned || memcmp(j->buffer, j->expected, count * sizeof(*j->expected)) == 0;
}

static void complain(xt_injection_t *j, const char *what, unsigned pe, const xt_packet_header_t *h)
{
	if (!j->wrong++) {
		xt_fail(&j->first, XT_ERR_MISMATCH, "PE %u received %s: from address %u to %u, %u cells, TC %u", pe,
			what, h->source, h->destination, h->cells, h->tc);
	}
}

/* Finds the packet among those under way: the first that is the same word for word. */
static void check(xt_injection_t *j, unsigned pe, unsigned count, int poisoned)
{
	xt_packet_header_t h = xt_packet_get_header(j->profile, j->buffer);

	if (is_leftover(j, &h, count, poisoned)) {
		j->leftover++;
		return;
	}
	j->received++;
	if (poisoned) {
		complain(j, "an incomplete packet", pe, &h);
		return;
	}
	for (unsigned i = 0; i < j->o->in_flight; i++) {
		xt_outstanding_t *f = &j->outstanding[i];

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
	xt_injection_update_t *u = argument;

	u->status = xt_device_load_counted(u->device, u->image, u->flags, NULL, NULL, &u->counts, &u->diag);
	u->over = 1;
	return NULL;
}

static int updating(const xt_injection_t *j)
{
	return j->update.begun && !j->update.over;
}

static int begin_update(xt_injection_t *j, xt_diag_t *diag)
{
	j->update.begun = pthread_create(&j->update.thread, NULL, load_beside, &j->update) == 0;
	return j->update.begun ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "no thread");
}

/* Waits for its end. */
static int end_update(xt_injection_t *j, xt_diag_t *diag)
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

/* Takes what has come; *any: a packet under way had. Others do not count, and no PE keeps the rest waiting: a board may
 * send without end. */
static int receive(xt_injection_t *j, int *any, xt_diag_t *diag)
{
	unsigned wait_ms = xt_device_board(j->device, NULL) ? 0 : 1;
	const unsigned begin = j->in_flight;

	*any = 0;
	for (unsigned pe = 0; pe < j->pes; pe++) {
		for (unsigned count = 1, taken = 0; count && taken < MOST_AT_ONCE; taken++) {
			int poisoned;
			int status = xt_device_receive(j->device, pe, j->buffer, xt_device_packet_words(j->device),
				&count, &poisoned, wait_ms, diag);

			if (status != XT_OK) {
				return status;
			}
			if (count) {
				j->update.packets += (uint64_t)updating(j);
				check(j, pe, count, poisoned);
			}
		}
	}
	*any = j->in_flight < begin;
	return XT_OK;
}

/* The first port that has dropped packets for which its table had no legal route; 0: there is none. */
static uint32_t dropped_at(const xt_injection_t *j, unsigned *card, unsigned *port)
{
	const unsigned ports = j->profile->link_ports + j->profile->nic_ports;

	for (unsigned i = 0; i < xt_device_cards(j->device) * ports; i++) {
		uint32_t dropped = 0;

		*card = i / ports;
		*port = i % ports;
		if (xt_device_read(j->device, *card, xt_register_address(XT_REG_ILLEGAL_ROUTES, *port, 0), &dropped, 1,
			    NULL) == XT_OK &&
			dropped) {
			return dropped;
		}
	}
	return 0;
}

/* Nothing arrives any more: names a link that is down, or a port that drops packets, if there is one. */
static int not_arrived(xt_injection_t *j, xt_diag_t *diag)
{
	unsigned at, port_at;
	uint32_t dropped;
	const unsigned links = j->profile->replay_cells ? j->profile->link_ports : 0;

	for (unsigned i = 0; i < xt_device_cards(j->device) * links; i++) {
		const unsigned card = i / links, port = i % links;
		uint32_t state = 0;

		if (xt_device_read(j->device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &state, 1, NULL) ==
				XT_OK &&
			xt_link_state_of(state) == XT_LINK_DOWN && xt_link_cause_of(state) != XT_CAUSE_DISABLED) {
			return xt_fail(diag, XT_ERR_MISMATCH,
				"%u packets did not arrive for %" PRIu64
				" ms; the link of card %u port %s is down (%s): `extorus link --retrain` trains it "
				"again",
				j->in_flight, j->o->timeout_ms, card, xt_device_port_name(j->device, card, port),
				xt_link_cause_name(xt_link_cause_of(state)));
		}
	}
	dropped = dropped_at(j, &at, &port_at);
	if (dropped) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"%u packets did not arrive for %" PRIu64 " ms; card %u port %s has dropped %" PRIu32
			" without a legal route; load an image first (`--image FILE` or `extorus load`), or find the "
			"wrong entry by `extorus verify`",
			j->in_flight, j->o->timeout_ms, at, xt_device_port_name(j->device, at, port_at), dropped);
	}
	return xt_fail(diag, XT_ERR_MISMATCH,
		"%u packets did not arrive for %" PRIu64 " ms; look at the counters, or allow more by --timeout",
		j->in_flight, j->o->timeout_ms);
}

/* Receives until at most `most` are under way; nothing for the time-out: what is left is lost. Cards that are held
 * still for an update have no time-out. */
static int receive_until(xt_injection_t *j, unsigned most, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + j->o->timeout_ms;
	int status = XT_OK, any;

	while (j->in_flight > most && status == XT_OK) {
		status = receive(j, &any, diag);
		if (any || updating(j)) {
			end = xt_now_ms() + j->o->timeout_ms;
		} else if (xt_now_ms() >= end) {
			return not_arrived(j, diag);
		}
		if (!any && xt_device_board(j->device, NULL)) {
			nanosleep(&(struct timespec){0, 500000}, NULL);
		}
	}
	return status;
}

static xt_outstanding_t *begin_packet(xt_injection_t *j)
{
	const xt_inject_options_t *o = j->o;
	xt_outstanding_t *f = j->outstanding;

	while (f->busy) {
		f++;
	}
	*f = (xt_outstanding_t){.number = j->sent, .busy = 1};
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
static int send_one(xt_injection_t *j, const xt_outstanding_t *f, xt_diag_t *diag)
{
	const int board = xt_device_board(j->device, NULL);
	unsigned wait_ms = !j->o->one_way ? 0 : board ? SLICE_MS : (unsigned)j->o->timeout_ms;
	uint64_t end = xt_now_ms() + j->o->timeout_ms;

	for (;;) {
		xt_diag_t failed;
		int status, taken, any = 0;

		make_packet(j, f, j->expected);
		status = xt_device_inject(j->device, f->source, j->expected, f->cells * j->words, wait_ms, diag);
		if (status != XT_ERR_TIMEOUT || (j->o->one_way && !board) || (xt_now_ms() >= end && !updating(j))) {
			return status;
		}
		if (j->o->one_way) {
			continue;
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

static int send_all(xt_injection_t *j, xt_progress_bar_t *bar, xt_diag_t *diag)
{
	int status = XT_OK;

	while (j->sent < j->o->packets && status == XT_OK) {
		xt_outstanding_t *f;

		if (j->update.image && !j->update.begun && j->sent >= j->o->packets / 4) {
			status = begin_update(j, diag);
			continue;
		}
		f = begin_packet(j);
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

static int check_ranges(const xt_injection_t *j, xt_diag_t *diag)
{
	const struct {
		const char *option;
		uint64_t given;
		unsigned most;
	} ranges[] = {
		{"from", j->o->one_from ? j->o->from : 0, j->pes - 1},
		{"to", j->o->one_to ? j->o->to : 0, j->pes - 1},
		{"tc", j->o->tc, j->profile->tcs - 1},
		{"cells", j->o->cells, j->profile->packet_cells},
	};

	for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (ranges[i].given > ranges[i].most) {
			return xt_fail(diag, XT_ERR_RANGE,
				"--%s %" PRIu64 ": this device has up to %u; name a lower number", ranges[i].option,
				ranges[i].given, ranges[i].most);
		}
	}
	return XT_OK;
}

/* Addresses and TCs of all PEs. */
static int prepare(xt_injection_t *j, xt_diag_t *diag)
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
	return status == XT_OK ? check_ranges(j, diag) : status;
}

/* Packets that are there before the first one is sent are not of this run, whatever they hold. */
static int drop_leftovers(xt_injection_t *j, xt_diag_t *diag)
{
	const uint64_t end = xt_now_ms() + j->o->timeout_ms;
	uint64_t quiet = xt_now_ms() + QUIET_MS;
	int status = XT_OK;

	if (j->o->one_way || !xt_device_board(j->device, NULL)) {
		return XT_OK;
	}
	while (status == XT_OK && xt_now_ms() < quiet && xt_now_ms() < end) {
		for (unsigned pe = 0; pe < j->pes && status == XT_OK; pe++) {
			unsigned count = 0;
			int poisoned;

			status = xt_device_receive(j->device, pe, j->buffer, xt_device_packet_words(j->device), &count,
				&poisoned, 0, diag);
			if (count) {
				j->leftover++;
				quiet = xt_now_ms() + QUIET_MS;
			}
		}
	}
	return status;
}

static int read_update(xt_injection_t *j, xt_diag_t *diag)
{
	if (!xt_device_board(j->device, NULL)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"--update is for boards; `extorus serve` makes one of a simulated network");
	}
	return xt_image_read(j->o->update, &j->update.image, diag);
}

int xt_injection_begin(xt_injection_t *j, const xt_inject_options_t *o, xt_diag_t *diag)
{
	xt_device_t *device = o->target.device;
	unsigned words = xt_device_packet_words(device);
	int status;

	*j = (xt_injection_t){.o = o,
		.device = device,
		.profile = xt_device_profile(device),
		.pes = xt_device_pes(device),
		.words = xt_device_cell_words(device)};
	j->update.device = device;
	j->update.flags = o->target.flags | o->update_flags;
	xt_random_seed(&j->random, o->seed, 0);
	j->address = calloc(j->pes, sizeof(*j->address));
	j->tc_of = calloc(j->pes, sizeof(*j->tc_of));
	j->outstanding = calloc(o->in_flight + 1, sizeof(*j->outstanding));
	j->buffer = calloc(words, sizeof(*j->buffer));
	j->expected = calloc(words, sizeof(*j->expected));
	if (!j->address || !j->tc_of || !j->outstanding || !j->buffer || !j->expected) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	begin_tags(j);
	status = prepare(j, diag);
	if (status == XT_OK) {
		status = drop_leftovers(j, diag);
	}
	return status == XT_OK && o->update ? read_update(j, diag) : status;
}

int xt_injection_run(xt_injection_t *j, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	xt_diag_t failed = {""};
	int status, updated;

	xt_progress_begin(&bar, "packets");
	status = send_all(j, &bar, diag);
	updated = end_update(j, &failed);
	xt_progress_end(&bar);
	if (updated != XT_OK) {
		*diag = failed;
		return updated;
	}
	return status;
}

void xt_injection_end(xt_injection_t *j)
{
	xt_image_free(j->update.image);
	free(j->address);
	free(j->tc_of);
	free(j->outstanding);
	free(j->buffer);
	free(j->expected);
}
