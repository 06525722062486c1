/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets, and places in buffers, get other numbers in the process that reads a checkpoint. Here is every name of one.
 */
#pragma once

#include "saved_state.h"

/* By the number in the part that is read: that here, 0 if there is none. `used`: by the number here, whether the own
 * cards name the packet. */
typedef struct {
	uint32_t *packets, packet_room;
	uint32_t *places, place_room;
	uint8_t *used;
} renumbering_t;

static inline void renumber_packet(const renumbering_t *r, uint32_t *packet)
{
	*packet = *packet < r->packet_room ? r->packets[*packet] : 0;
	r->used[*packet] = 1;
}

static inline void renumber_place(const renumbering_t *r, uint32_t *place)
{
	*place = *place < r->place_room ? r->places[*place] : 0;
}

static inline void renumber_token(const renumbering_t *r, token_t *token)
{
	uint32_t packet = token_packet(*token);

	renumber_packet(r, &packet);
	*token = (*token & ~token_of(MAX_PACKETS - 1, 0)) | token_of(packet, 0);
}

static inline void renumber_input(const renumbering_t *r, input_t *in)
{
	renumber_place(r, &in->arriving);
	renumber_place(r, &in->e_packet);
	renumber_place(r, &in->stream);
	renumber_place(r, &in->again);
	renumber_token(r, &in->x_cell);
	for (unsigned q = 0; q < QUEUES; q++) {
		renumber_place(r, &in->last[q]);
	}
}

static inline void renumber_card(const renumbering_t *r, card_t *card)
{
	for (unsigned p = 0; p < PORTS; p++) {
		renumber_token(r, &card->in_cell[p]);
		renumber_token(r, &card->crossing_cell[p]);
		renumber_token(r, &card->out_cell[p]);
		renumber_input(r, &card->input[p]);
	}
	for (unsigned p = 0; p < LINKS; p++) {
		renumber_token(r, &card->sent_cell[p]);
		renumber_token(r, &card->leaving_cell[p]);
	}
	for (unsigned p = 0; p < sizeof(card->early_cell) / sizeof(card->early_cell[0]); p++) {
		renumber_token(r, &card->early_cell[p]);
	}
	for (unsigned n = 0; n < NICS; n++) {
		renumber_token(r, &card->inject[n].data);
		for (unsigned k = 0; k < EXTORUS_EJECT_CELLS; k++) {
			renumber_token(r, &card->eject[n].cells[k]);
		}
	}
}

static inline void renumber_link(const renumbering_t *r, link_t *link)
{
	renumber_token(r, &link->in.cell);
	renumber_token(r, &link->body.cell);
	renumber_token(r, &link->out.cell);
}

static inline void renumber_buffers(const renumbering_t *r, link_buffers_t *buffers)
{
#if EXTORUS_FRAME_LAYER
	for (unsigned k = 0; k < EXTORUS_REPLAY_CELLS; k++) {
		renumber_token(r, &buffers->cells[k].cell);
	}
#else
	(void)r;
	(void)buffers;
#endif
}

static inline void renumber_event_card(const renumbering_t *r, event_card_t *f)
{
	for (unsigned n = 0; n < NICS; n++) {
		renumber_packet(r, &f->nic[n].packet);
	}
}
