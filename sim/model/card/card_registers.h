/* SPDX-License-Identifier: Apache-2.0
 *
 * The AXI4-Lite registers of a card. */
#pragma once

#include "register_values.h"

void registers_reset(card_t *card);
int registers_active(const card_t *card);
int registers_wait(const card_t *card);
unsigned registers_table_read(const card_t *card);
/* `settings` are those of the next cycle. */
void registers_step(card_t *card, common_t *common, uint32_t number, const card_status_t *status,
	const arrivals_t *arrivals, settings_t *settings);
/* A cycle of a card at rest (card_t.rest) in which only an access goes on: a step leaves all else as it is. 0: more
 * goes on, and nothing was done. */
int registers_step_alone(
	card_t *card, common_t *common, uint32_t number, const arrivals_t *arrivals, const pe_pins_t *pes);
