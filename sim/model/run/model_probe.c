/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <string.h>

#include "cell_state.h"
#include "model/event/event_types.h"
#include "model/network/fast_links.h"

/* What the cells of packets come from. */
typedef struct {
	const packets_t *packets;
	const xt_client_t *client; /* of a run by events, whose packets may keep their heads alone */
} cells_t;

static void copy_cell(const cells_t *cells, token_t token, uint32_t *cell)
{
	const packet_t *packet = &cells->packets->packets[token_packet(token)];
	const uint32_t *words = packets_cell(cells->packets, token);
	uint32_t room[PACKET_CELLS * CELL_WORDS];

	if (cells->client && token_index(token) >= packet->kept && token_index(token) < packet->cells &&
		packet->words) {
		words = packets_words(packet, cells->client->remake, cells->client->context, room) +
			(size_t)token_index(token) * CELL_WORDS;
	}

	for (unsigned w = 0; w < CELL_WORDS && w < XT_PROBE_CELL_WORDS; w++) {
		cell[w] = words[w];
	}
}

static void probe_link(const cells_t *cells, const frame_t *frame, xt_probe_link_t *link)
{
	link->valid = 1;
	link->ctrl = frame->ctrl;
	link->cell_valid = frame->cell_valid;
	if (frame->cell_valid) {
		link->cell_seq = frame->cell_seq;
		link->vc = frame->vc;
		link->poison = frame->cell >> 31;
		copy_cell(cells, frame->cell, link->cell);
	}
	link->credit_valid = frame->credit_valid;
	if (frame->credit_valid) {
		link->credit_seq = frame->credit_seq;
		link->credit_vc = frame->credit_vc;
	}
	link->cell_ack = frame->cell_ack;
	link->cell_nack = frame->cell_nack;
	link->credit_ack = frame->credit_ack;
	link->credit_nack = frame->credit_nack;
}

static void probe_nic(const card_t *card, const cells_t *cells, unsigned n, xt_probe_nic_t *nic)
{
	const eject_t *e = &card->eject[n];

	nic->accepts = (uint32_t)card_nic_ready(card, cells->packets, n);
	nic->valid = e->valid;
	if (e->valid) {
		token_t cell = e->cells[e->read % EXTORUS_EJECT_CELLS];

		nic->last = e->in_packet ? e->left == 1 : packets_header(cells->packets, cell).len == 0;
		nic->poisoned = nic->last && (cell & TOKEN_POISON);
		copy_cell(cells, cell, nic->cell);
	}
}

void xt_backend_probe(const xt_engine_t *asked, unsigned number, xt_probe_t *probe)
{
	/* What is worked out for the probe is kept apart: it changes nothing. */
	const xt_engine_t *engine = network_cell_by_cell((xt_engine_t *)(uintptr_t)asked);
	const card_t *card;
	cells_t cells;
	frame_t frames[LINKS];
	unsigned sends;

	memset(probe, 0, sizeof(*probe));
	if (!engine) {
		return;
	}
	card = &engine->card[number];
	cells = (cells_t){&engine->common.packets, asked->event_run ? asked->event_run->client : NULL};
	sends = card_frames(card, frames);
	/* A card whose fast links have a frame at its pins is not idle, though it need not know that yet. */
	probe->idle = card_idle(card) && !fast_links_wake(engine, number);
	probe->quiet_cycles = card->traffic_quiet;
	for (unsigned fast = card->fast; fast; fast &= fast - 1) {
		link_t link;

		fast_links_link(engine, number, lowest(fast), &link);
		if (link.out_valid) {
			frames[lowest(fast)] = link.out;
			sends |= 1u << lowest(fast);
		}
	}
	for (; sends; sends &= sends - 1) {
		probe_link(&cells, &frames[lowest(sends)], &probe->link[lowest(sends)]);
	}
	for (unsigned n = 0; n < NICS; n++) {
		probe_nic(card, &cells, n, &probe->nic[n]);
	}
	for (unsigned p = 0; p < PORTS; p++) {
		probe->free_cells[p] = card->input[p].free;
		for (unsigned v = 0; v < (p < LINKS ? VCS : 1); v++) {
			probe->used[p][v] = card->credits[p].used[v];
		}
		if (MONITORS) {
			probe->stalls_credit[p] = card->stalls[p] & 0xff;
			probe->stalls_grant[p] = card->stalls[p] >> 8;
		}
	}
}
