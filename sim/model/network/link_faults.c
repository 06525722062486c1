/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors of links, and faults that are asked for. */
#include <stdlib.h>

#include "network_internal.h"

/* ---------------------------------------------------------------- errors of links */

int faults_make_troubles(xt_engine_t *network)
{
	if (!network->troubles) {
		network->troubles = calloc((size_t)network->cards * LINKS, sizeof(*network->troubles));
		network->common.packets.failed |= !network->troubles;
		for (unsigned i = 0; network->troubles && i < network->cards * LINKS; i++) {
			network->troubles[i].down_since = UINT64_MAX;
		}
	}
	return network->troubles != NULL;
}

static unsigned below(trouble_t *out, unsigned n)
{
	return xt_random_below(&out->random, n);
}

/* The first and the last bit of a burst are wrong. */
static void garble(trouble_t *out, frame_t *frame)
{
	unsigned length = 1 + below(out, EXTORUS_FRAME_BITS < 32 ? EXTORUS_FRAME_BITS : 32);

	(void)below(out, EXTORUS_FRAME_BITS - length + 1);
	(void)xt_random_next(&out->random);
	frame->broken = 1;
}

int faults_spoil(xt_engine_t *network, trouble_t *out, double rate, frame_t *frame)
{
	if (network->cycle < out->burst_end) {
		network->errors++;
		garble(out, frame);
		return 1;
	}
	if (xt_random_unit(&out->random) >= rate) {
		return 1;
	}
	network->errors++;
	switch (below(out, 3)) {
	case 0: {
		unsigned bits[3], count = 1 + below(out, 3), wrong = 0;

		for (unsigned i = 0; i < count; i++) {
			bits[i] = below(out, EXTORUS_FRAME_BITS);
		}
		/* Two flips of a bit undo each other. */
		for (unsigned i = 0; i < count; i++) {
			unsigned same = 0;

			for (unsigned k = 0; k < count; k++) {
				same += bits[k] == bits[i];
			}
			wrong += same & 1;
		}
		frame->broken |= wrong != 0;
		return 1;
	}
	case 1:
		return 0;
	default:
		garble(out, frame);
		if (below(out, 4) == 0) {
			out->burst_end = network->cycle + 2 + below(out, 4);
		}
		return 1;
	}
}

/* ---------------------------------------------------------------- faults */

int network_add_fault(xt_engine_t *network, const xt_fault_t *fault, xt_diag_t *diag)
{
	fault_t *more = realloc(network->faults, (network->fault_count + 1) * sizeof(*more));

	if (!more) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for a fault");
	}
	network->faults = more;
	more[network->fault_count++] = (fault_t){*fault, 0, 0};
	return XT_OK;
}

unsigned network_faults_waiting(const xt_engine_t *network)
{
	unsigned waiting = 0;

	for (unsigned i = 0; i < network->fault_count; i++) {
		waiting += !network->faults[i].done;
	}
	return waiting;
}

void faults_spoil_cell(xt_engine_t *network, unsigned card, unsigned port, frame_t *frame)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->what.kind == XT_FAULT_FLIP_BIT && f->what.card == card && f->what.port == port && !f->done &&
			network->cycle >= f->what.n) {
			f->done = 1;
			frame->broken = 1;
			if (!LINK_LAYER) {
				frame->cell_ack = (uint16_t)f->what.bit;
			}
			return;
		}
	}
}

void faults_alter_cells(xt_engine_t *network, arrivals_t *arrivals)
{
	for (unsigned rest = arrivals->frames; rest; rest &= rest - 1) {
		frame_t *frame = &arrivals->frame[lowest(rest)];
		uint32_t packet = token_packet(frame->cell);

		if (frame->broken && packet) {
			packet_t *p = &network->common.packets.packets[packet];

			p->words[token_index(frame->cell) * CELL_WORDS + frame->cell_ack / 32] ^=
				UINT32_C(1) << frame->cell_ack % 32;
			packets_decode(&network->common.packets, packet);
		}
		frame->broken = 0;
	}
}

int faults_lose_credit(xt_engine_t *network, unsigned card, unsigned port)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->what.kind == XT_FAULT_DROP_CREDIT && f->what.card == card && f->what.port == port && !f->done &&
			f->seen++ == f->what.n) {
			f->done = 1;
			return 1;
		}
	}
	return 0;
}

void faults_start(xt_engine_t *network)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->done || network->cycle < f->what.n) {
			continue;
		}
		if (f->what.kind == XT_FAULT_BLOCK_NIC) {
			network->blocked_nics[f->what.card] |= 1u << (f->what.port - LINKS);
			f->done = 1;
		} else if (f->what.kind == XT_FAULT_KILL_LINK) {
			unsigned at = f->what.card * LINKS + f->what.port;
			xt_peer_t peer = network->peers[at];

			network->outgoing[at].dead = 1;
			network->outgoing[peer.card * LINKS + peer.port].dead = 1;
			f->done = 1;
		}
	}
}
