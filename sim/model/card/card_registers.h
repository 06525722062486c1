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
