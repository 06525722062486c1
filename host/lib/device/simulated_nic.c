/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated_nic.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

enum { FIRST_ROOM = 1024, FINISH_CYCLES = 100000 };

/* Packets one after the other: words | poisoned << 16, and the words. */
typedef struct {
	uint32_t *words;
	size_t room, first, end;
} queue_t;

typedef struct {
	queue_t out, in;
	uint64_t sent;      /* words that left `out`, with those of the lengths */
	unsigned left;      /* cells of the packet under way that the network has not accepted */
	uint32_t *packet;   /* that one */
	uint32_t *arriving; /* the packet that comes in, and its words so far */
	unsigned arrived;
} pe_t;

struct xt_exchange {
	xt_device_t *device;
	unsigned pes, cell_words, packet_words;
	pe_t *pe;
	uint64_t *ready_at;
	unsigned under_way; /* packets that the network has accepted a part of */
	int stopping, idle, status;
	uint64_t limit;
	unsigned wanted;
};

static int queue_add(queue_t *q, uint32_t head, const uint32_t *words, unsigned count)
{
	if (q->first == q->end) {
		q->first = q->end = 0;
	}
	if (q->end + count + 1 > q->room) {
		size_t used = q->end - q->first, room = q->room ? q->room : FIRST_ROOM;
		uint32_t *more;

		while (used + count + 1 > room / 2) {
			room *= 2;
		}
		more = malloc(room * sizeof(*more));
		if (!more) {
			return XT_ERR_NOMEM;
		}
		memcpy(more, q->words ? q->words + q->first : more, used * sizeof(*more));
		free(q->words);
		*q = (queue_t){more, room, 0, used};
	}
	q->words[q->end] = head;
	memcpy(q->words + q->end + 1, words, count * sizeof(*words));
	q->end += count + 1;
	return XT_OK;
}

void xt_exchange_free(xt_exchange_t *x)
{
	if (!x) {
		return;
	}
	for (unsigned i = 0; x->pe && i < x->pes; i++) {
		free(x->pe[i].out.words);
		free(x->pe[i].in.words);
		free(x->pe[i].packet);
		free(x->pe[i].arriving);
	}
	free(x->pe);
	free(x->ready_at);
	free(x);
}

int xt_exchange_of(xt_device_t *device, xt_exchange_t **out, xt_diag_t *diag)
{
	xt_exchange_t *x = device->exchange;
	int failed;

	if (x) {
		*out = x;
		return XT_OK;
	}
	if (!device->backend->run) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "this device carries no packets for this program");
	}
	x = calloc(1, sizeof(*x));
	if (!x) {
		return xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
	}
	x->device = device;
	x->pes = xt_device_pes(device);
	x->cell_words = xt_device_cell_words(device);
	x->packet_words = xt_device_packet_words(device);
	x->pe = calloc(x->pes, sizeof(*x->pe));
	x->ready_at = calloc(x->pes, sizeof(*x->ready_at));
	failed = !x->pe || !x->ready_at;
	for (unsigned i = 0; i < x->pes && !failed; i++) {
		x->ready_at[i] = UINT64_MAX;
		x->pe[i].packet = calloc(x->packet_words, sizeof(uint32_t));
		x->pe[i].arriving = calloc(x->packet_words, sizeof(uint32_t));
		failed = !x->pe[i].packet || !x->pe[i].arriving;
	}
	if (failed) {
		xt_exchange_free(x);
		return xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
	}
	x->idle = 1;
	device->exchange = x;
	*out = x;
	return XT_OK;
}

unsigned xt_exchange_queued(const xt_exchange_t *x, unsigned pe)
{
	return (unsigned)(x->pe[pe].out.end - x->pe[pe].out.first);
}

uint64_t xt_exchange_sent(const xt_exchange_t *x, unsigned pe)
{
	return x->pe[pe].sent;
}

unsigned xt_exchange_received(const xt_exchange_t *x, unsigned pe)
{
	return (unsigned)(x->pe[pe].in.end - x->pe[pe].in.first);
}

int xt_exchange_idle(const xt_exchange_t *x)
{
	for (unsigned i = 0; i < x->pes; i++) {
		if (xt_exchange_queued(x, i)) {
			return 0;
		}
	}
	return x->idle;
}

int xt_exchange_put(xt_exchange_t *x, unsigned pe, const uint32_t *words, unsigned count, xt_diag_t *diag)
{
	if (pe >= x->pes || !count || count % x->cell_words || count > x->packet_words) {
		return xt_fail(diag, XT_ERR_RANGE,
			"a packet of %u words for PE %u: packets have whole cells of %u words, at "
			"most %u words, and there are %u PEs",
			count, pe, x->cell_words, x->packet_words, x->pes);
	}
	x->idle = 0;
	return queue_add(&x->pe[pe].out, count, words, count) == XT_OK
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
}

int xt_exchange_take(xt_exchange_t *x, unsigned pe, uint32_t *words, unsigned *count, int *poisoned)
{
	queue_t *q = &x->pe[pe].in;

	if (q->first == q->end) {
		return 0;
	}
	*count = q->words[q->first] & 0xffff;
	*poisoned = (q->words[q->first] >> 16 & 1) != 0;
	memcpy(words, q->words + q->first + 1, *count * sizeof(*words));
	q->first += *count + 1;
	return 1;
}

/* From now on no PE begins another packet. */
static void stop(xt_exchange_t *x)
{
	x->stopping = 1;
	for (unsigned i = 0; i < x->pes; i++) {
		x->ready_at[i] = UINT64_MAX;
	}
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	xt_exchange_t *x = context;

	x->idle = state->quiet;
	if (!x->stopping && (x->status || state->cycle >= x->limit ||
				    (x->wanted != UINT_MAX && xt_exchange_received(x, x->wanted)) ||
				    (state->quiet && xt_exchange_idle(x)))) {
		stop(x);
	}
	/* The next run knows nothing of what is under way, so the network is emptied. */
	return x->stopping && ((state->quiet && !x->under_way) || state->cycle >= x->limit + FINISH_CYCLES);
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_exchange_t *x = context;
	pe_t *p = &x->pe[pe];
	unsigned count = p->out.words[p->out.first] & 0xffff;

	(void)cycle;
	memcpy(p->packet, p->out.words + p->out.first + 1, count * sizeof(*p->packet));
	p->out.first += count + 1;
	p->sent += count + 1;
	p->left = count / x->cell_words;
	x->under_way++;
	if (p->out.first == p->out.end) {
		x->ready_at[pe] = UINT64_MAX;
	}
	*cells = p->left;
	return p->packet;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_exchange_t *x = context;

	(void)cycle;
	(void)index;
	x->pe[pe].left -= count;
	if (x->pe[pe].left == 0) {
		x->under_way--;
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	xt_exchange_t *x = context;
	pe_t *p = &x->pe[pe];

	(void)cycle;
	for (unsigned i = 0; i < count && p->arrived + x->cell_words <= x->packet_words; i++) {
		memcpy(p->arriving + p->arrived, cells + (size_t)i * x->cell_words, x->cell_words * sizeof(*cells));
		p->arrived += x->cell_words;
	}
	if (last) {
		if (queue_add(&p->in, p->arrived | (uint32_t)(poisoned != 0) << 16, p->arriving, p->arrived)) {
			x->status = XT_ERR_NOMEM;
		}
		p->arrived = 0;
	}
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	(void)context;
	(void)card;
	(void)port;
	(void)vc;
	(void)cycle;
	(void)cell;
}

/* Whether some port of the network is quiesced. */
static int is_held(const xt_exchange_t *x, int *held, xt_diag_t *diag)
{
	int status = XT_OK;

	*held = 0;
	for (unsigned card = 0; card < x->device->cards && status == XT_OK && !*held; card++) {
		uint32_t quiesce = 0;

		status = xt_device_read(x->device, card, xt_register_address(XT_REG_QUIESCE, 0, 0), &quiesce, 1, diag);
		*held = quiesce != 0;
	}
	return status;
}

/* Which PEs may begin a packet. A step has to leave the network empty, and a packet waits before a port that is
 * quiesced, wherever on its way that is: so none begins as long as there is one. */
static int find_ready(xt_exchange_t *x, xt_diag_t *diag)
{
	unsigned waiting = 0;
	int held = 0, status = XT_OK;

	for (unsigned i = 0; i < x->pes; i++) {
		waiting += xt_exchange_queued(x, i) != 0;
	}
	if (waiting) {
		status = is_held(x, &held, diag);
	}
	for (unsigned i = 0; i < x->pes; i++) {
		x->ready_at[i] = xt_exchange_queued(x, i) && !held ? 0 : UINT64_MAX;
	}
	return status;
}

int xt_exchange_step(xt_exchange_t *x, uint64_t cycles, unsigned pe, xt_diag_t *diag)
{
	xt_client_t client = {.context = x,
		.pes = x->pes,
		.ready_at = x->ready_at,
		.cycle = on_cycle,
		.fetch = on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = on_hop};
	int status = find_ready(x, diag);

	if (status != XT_OK) {
		return status;
	}
	x->stopping = 0;
	x->limit = cycles;
	x->wanted = pe;
	status = x->device->backend->run(x->device->engine, &client, diag);
	if (status == XT_OK && x->status) {
		return xt_fail(diag, x->status, "packets: out of memory");
	}
	if (status == XT_OK && (x->under_way || !x->idle)) {
		return xt_fail(diag, XT_ERR_TIMEOUT,
			"a NIC takes no packets: the network stands still; look at its counters, and load its tables");
	}
	return status;
}
