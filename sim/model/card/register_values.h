/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers that exist once and registers of a port: what a write changes and a read returns. `hit` becomes 0 where
 * this profile has no such register. */
#pragma once

#include "register_address.h"

/* What the registers see of the card in a cycle. */
typedef struct {
	uint16_t port_idle;
	uint8_t error[PORTS]; /* events */
} card_status_t;

void register_write_single(registers_t *r, settings_t *s, const place_t *place, int *hit);
void register_write_port(registers_t *r, settings_t *s, const place_t *place, int *hit);
uint32_t register_read_single(const card_t *card, const place_t *place, const card_status_t *status, int *hit);
uint32_t register_read_port(const card_t *card, const place_t *place, uint64_t now, int *hit);
