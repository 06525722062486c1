/* SPDX-License-Identifier: Apache-2.0
 *
 * Wiring as a list, where no rule gives it: networks from a file, trees, and networks with failures. */
#pragma once

#include "extorus/topology.h"

typedef struct {
	unsigned cards, ports;   /* link ports of a card */
	xt_peer_t *peer;         /* [card][port] */
	uint8_t *failed;         /* [card]: 1 if it is out of service; it has no links then */
	uint8_t *pes;            /* [card]: how many of its NIC ports have a PE, the lowest ones */
	xt_failed_link_t *links; /* those that failed on their own or at random, in order */
	unsigned failed_links, failed_cards;
} xt_wiring_t;

/* `cards` cards of the profile without links, each with a PE at every NIC port; XT_ERR_NOMEM. */
int xt_wiring_create(unsigned cards, const xt_profile_t *profile, xt_wiring_t **out, xt_diag_t *diag);
/* Joins two ports. */
void xt_wiring_link(xt_wiring_t *wiring, xt_peer_t a, xt_peer_t b);
void xt_wiring_free(xt_wiring_t *wiring); /* NULL is allowed */

/* Where the failures of a spec begin, "~5:d0+~7~random=3:1", or its end. */
const char *xt_failures_of(const char *spec);
/* Takes the failures of `spec` from the wiring of `topology`, which gives the names of the ports. `text`
 * gets them in canonical form. */
int xt_wiring_fail(
	xt_wiring_t *wiring, const xt_topology_t *topology, const char *spec, char *text, size_t size, xt_diag_t *diag);
/* XT_OK if every card in service reaches every other one and some card has a PE, otherwise XT_ERR_INVALID with the
 * cards that are cut off; `spec` is for the message. */
int xt_wiring_check(const xt_wiring_t *wiring, const char *spec, xt_diag_t *diag);
