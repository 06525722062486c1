/* SPDX-License-Identifier: Apache-2.0
 *
 * A card as the network sees it: reset, one cycle, and what leaves it. */
#pragma once

#include "card_state.h"
#include "fast_link.h"

void card_reset(card_t *card, link_t *link);
/* One cycle. */
void card_step(card_t *card, common_t *common, uint32_t number, const arrivals_t *arrivals, const pe_pins_t *pes);
/* What fast links bring in the cycle that is about to be done; returns how many cells and credits. */
unsigned card_take_fast_links(card_t *card, unsigned came, const fast_link_item_t *items);
/* Its outputs, from registers. card_frames returns a bit per link that sends one. */
int card_idle(const card_t *card);
int card_nic_ready(const card_t *card, const packets_t *packets, unsigned nic);
unsigned card_frames(const card_t *card, frame_t *frames);
