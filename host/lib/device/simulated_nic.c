/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated_nic.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

enum { FIRST_ROOM = 1024, FINISH_CYCLES = 100000, IN_WORDS = 1 << 12 };

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

struct xt_simulated_nic {
	xt_device_t *device;
	unsigned pes, cell_words, packet_words;
	pe_t *pe;
	uint64_t *ready_at;
	uint8_t *deaf;      /* by PE: has enough */
	unsigned under_way; /* packets that the network has accepted a part of */
	int goes_on, stopping, idle, status;
	uint64_t moves; /* of the last step */
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

void xt_simulated_nic_free(xt_simulated_nic_t *nic)
{
	if (!nic) {
		return;
	}
	for (unsigned i = 0; nic->pe && i < nic->pes; i++) {
		free(nic->pe[i].out.words);
		free(nic->pe[i].in.words);
		free(nic->pe[i].packet);
		free(nic->pe[i].arriving);
	}
	free(nic->pe);
	free(nic->ready_at);
	free(nic->deaf);
	free(nic);
}

int xt_simulated_nic_of(xt_device_t *device, xt_simulated_nic_t **out, xt_diag_t *diag)
{
	xt_simulated_nic_t *nic = device->nic;
	int failed;

	if (nic) {
		*out = nic;
		return XT_OK;
	}
	if (!device->backend->run) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "this device carries no packets for this program");
	}
	failed = xt_device_need_all(device, "packets", diag);
	if (failed) {
		return failed;
	}
	nic = calloc(1, sizeof(*nic));
	if (!nic) {
		return xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
	}
	nic->device = device;
	nic->pes = xt_device_pes(device);
	nic->cell_words = xt_device_cell_words(device);
	nic->packet_words = xt_device_packet_words(device);
	nic->pe = calloc(nic->pes, sizeof(*nic->pe));
	nic->ready_at = calloc(nic->pes, sizeof(*nic->ready_at));
	nic->deaf = calloc(nic->pes, sizeof(*nic->deaf));
	failed = !nic->pe || !nic->ready_at || !nic->deaf;
	for (unsigned i = 0; i < nic->pes && !failed; i++) {
		nic->ready_at[i] = UINT64_MAX;
		nic->pe[i].packet = calloc(nic->packet_words, sizeof(uint32_t));
		nic->pe[i].arriving = calloc(nic->packet_words, sizeof(uint32_t));
		failed = !nic->pe[i].packet || !nic->pe[i].arriving;
	}
	if (failed) {
		xt_simulated_nic_free(nic);
		return xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
	}
	nic->idle = 1;
	device->nic = nic;
	*out = nic;
	return XT_OK;
}

unsigned xt_simulated_nic_queued(const xt_simulated_nic_t *nic, unsigned pe)
{
	return (unsigned)(nic->pe[pe].out.end - nic->pe[pe].out.first);
}

uint64_t xt_simulated_nic_sent(const xt_simulated_nic_t *nic, unsigned pe)
{
	return nic->pe[pe].sent;
}

static unsigned received(const xt_simulated_nic_t *nic, unsigned pe)
{
	return (unsigned)(nic->pe[pe].in.end - nic->pe[pe].in.first);
}

int xt_simulated_nic_idle(const xt_simulated_nic_t *nic)
{
	for (unsigned i = 0; i < nic->pes; i++) {
		if (xt_simulated_nic_queued(nic, i)) {
			return 0;
		}
	}
	return nic->idle;
}

int xt_simulated_nic_put(xt_simulated_nic_t *nic, unsigned pe, const uint32_t *words, unsigned count, xt_diag_t *diag)
{
	if (pe >= nic->pes || !count || count % nic->cell_words || count > nic->packet_words) {
		return xt_fail(diag, XT_ERR_RANGE,
			"a packet of %u words for PE %u: packets have whole cells of %u words, at "
			"most %u words, and there are %u PEs",
			count, pe, nic->cell_words, nic->packet_words, nic->pes);
	}
	nic->idle = 0;
	return queue_add(&nic->pe[pe].out, count, words, count) == XT_OK
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_NOMEM, "packets: out of memory");
}

int xt_simulated_nic_take(xt_simulated_nic_t *nic, unsigned pe, uint32_t *words, unsigned *count, int *poisoned)
{
	queue_t *q = &nic->pe[pe].in;

	if (q->first == q->end) {
		return 0;
	}
	*count = q->words[q->first] & 0xffff;
	*poisoned = (q->words[q->first] >> 16 & 1) != 0;
	memcpy(words, q->words + q->first + 1, *count * sizeof(*words));
	q->first += *count + 1;
	return 1;
}

void xt_simulated_nic_wake(xt_simulated_nic_t *nic)
{
	nic->idle = 0;
}

void xt_simulated_nic_clear(xt_simulated_nic_t *nic, unsigned pe)
{
	queue_t *out = &nic->pe[pe].out, *in = &nic->pe[pe].in;

	out->first = out->end = in->first = in->end = 0;
}

/* From now on no PE begins another packet. */
static void stop(xt_simulated_nic_t *nic)
{
	nic->stopping = 1;
	for (unsigned i = 0; i < nic->pes; i++) {
		nic->ready_at[i] = UINT64_MAX;
	}
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	xt_simulated_nic_t *nic = context;

	nic->idle = state->quiet;
	nic->moves = state->moves;
	if (nic->goes_on) {
		return nic->status || state->cycle >= nic->limit || (state->quiet && xt_simulated_nic_idle(nic));
	}
	if (!nic->stopping &&
		(nic->status || state->cycle >= nic->limit || (nic->wanted != UINT_MAX && received(nic, nic->wanted)) ||
			(state->quiet && xt_simulated_nic_idle(nic)))) {
		stop(nic);
	}
	/* The next run knows nothing of what is under way, so the network is emptied. */
	return nic->stopping && ((state->quiet && !nic->under_way) || state->cycle >= nic->limit + FINISH_CYCLES);
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_simulated_nic_t *nic = context;
	pe_t *p = &nic->pe[pe];
	unsigned count = p->out.words[p->out.first] & 0xffff;

	(void)cycle;
	memcpy(p->packet, p->out.words + p->out.first + 1, count * sizeof(*p->packet));
	p->out.first += count + 1;
	p->sent += count + 1;
	p->left = count / nic->cell_words;
	nic->under_way++;
	if (p->out.first == p->out.end) {
		nic->ready_at[pe] = UINT64_MAX;
	}
	*cells = p->left;
	return p->packet;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_simulated_nic_t *nic = context;

	(void)cycle;
	(void)index;
	assert(count <= nic->pe[pe].left);
	nic->pe[pe].left -= count;
	if (nic->pe[pe].left == 0) {
		nic->under_way--;
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	xt_simulated_nic_t *nic = context;
	pe_t *p = &nic->pe[pe];

	(void)cycle;
	for (unsigned i = 0; i < count && p->arrived + nic->cell_words <= nic->packet_words; i++) {
		memcpy(p->arriving + p->arrived, cells + (size_t)i * nic->cell_words, nic->cell_words * sizeof(*cells));
		p->arrived += nic->cell_words;
	}
	if (last) {
		if (queue_add(&p->in, p->arrived | (uint32_t)(poisoned != 0) << 16, p->arriving, p->arrived)) {
			nic->status = XT_ERR_NOMEM;
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
static int is_held(const xt_simulated_nic_t *nic, int *held, xt_diag_t *diag)
{
	int status = XT_OK;

	*held = 0;
	for (unsigned card = 0; card < nic->device->cards && status == XT_OK && !*held; card++) {
		uint32_t quiesce = 0;

		status =
			xt_device_read(nic->device, card, xt_register_address(XT_REG_QUIESCE, 0, 0), &quiesce, 1, diag);
		*held = quiesce != 0;
	}
	return status;
}

/* Which PEs may begin a packet. A step has to leave the network empty, and a packet waits before a port that is
 * quiesced, wherever on its way that is: so none begins as long as there is one. */
static int find_ready(xt_simulated_nic_t *nic, xt_diag_t *diag)
{
	unsigned waiting = 0;
	int held = 0, status = XT_OK;

	for (unsigned i = 0; i < nic->pes; i++) {
		waiting += xt_simulated_nic_queued(nic, i) != 0;
	}
	if (waiting) {
		status = is_held(nic, &held, diag);
	}
	for (unsigned i = 0; i < nic->pes; i++) {
		nic->ready_at[i] = xt_simulated_nic_queued(nic, i) && !held ? 0 : UINT64_MAX;
	}
	return status;
}

static int run(xt_simulated_nic_t *nic, uint64_t cycles, unsigned pe, xt_diag_t *diag)
{
	const xt_client_t client = {.context = nic,
		.pes = nic->pes,
		.ready_at = nic->ready_at,
		.goes_on = nic->goes_on,
		.deaf = nic->goes_on ? nic->deaf : NULL,
		.cycle = on_cycle,
		.fetch = on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = on_hop};
	int status;

	nic->stopping = 0;
	nic->limit = cycles;
	nic->wanted = pe;
	status = nic->device->backend->run(nic->device->engine, &client, diag);
	if (status == XT_OK && nic->status) {
		return xt_fail(diag, nic->status, "packets: out of memory");
	}
	return status;
}

int xt_simulated_nic_step(xt_simulated_nic_t *nic, uint64_t cycles, unsigned pe, xt_diag_t *diag)
{
	int status = find_ready(nic, diag);

	if (status == XT_OK) {
		nic->goes_on = 0;
		status = run(nic, cycles, pe, diag);
	}
	if (status == XT_OK && (nic->under_way || !nic->idle)) {
		return xt_fail(diag, XT_ERR_TIMEOUT,
			"a NIC takes no packets: the network stands still; look at its counters, and load its tables");
	}
	return status;
}

int xt_simulated_nic_go_on(xt_simulated_nic_t *nic, uint64_t cycles, int *moved, xt_diag_t *diag)
{
	int status;

	*moved = 0;
	if (!nic->device->backend->goes_on) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "this simulator cannot leave packets under way");
	}
	for (unsigned i = 0; i < nic->pes; i++) {
		nic->ready_at[i] = xt_simulated_nic_queued(nic, i) ? 0 : UINT64_MAX;
		nic->deaf[i] = received(nic, i) >= IN_WORDS;
	}
	nic->goes_on = 1;
	status = run(nic, cycles, UINT_MAX, diag);
	*moved = nic->moves != 0;
	return status;
}
