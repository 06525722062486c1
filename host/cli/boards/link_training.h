/* SPDX-License-Identifier: Apache-2.0
 *
 * Links between boards: the ports in a state, and training. */
#pragma once

#include "options/board_list.h"

enum { XT_MOST_BOARD_CARDS = 255 };

/* Of a board; bit per port. */
typedef struct {
	uint32_t of_card[XT_MOST_BOARD_CARDS];
} xt_link_ports_t;

int xt_register_read(xt_device_t *device, unsigned card, uint32_t address, uint32_t *value, xt_diag_t *diag);
/* A register beside the card's own, which a board has for its pins: `without` of one that has no pins. */
int xt_pins_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t without, uint32_t *value, xt_diag_t *diag);
/* The register LINK_STATE. */
int xt_link_read_state(xt_device_t *device, unsigned card, unsigned port, uint32_t *state, xt_diag_t *diag);
/* ports[board]: those whose link is in `state`. */
int xt_links_find(const xt_boards_t *boards, unsigned state, xt_link_ports_t *ports, xt_diag_t *diag);
/* Trains links that are down: those of only[board], or all. Where a board fails the others are trained all the same;
 * the first failure is returned. */
int xt_links_train(const xt_boards_t *boards, const xt_link_ports_t *only, xt_diag_t *diag);
/* xt_device_shield of all. */
void xt_boards_shield(const xt_boards_t *boards, int shielded);
