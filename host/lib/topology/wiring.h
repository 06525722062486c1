/* SPDX-License-Identifier: Apache-2.0
 *
 * Wiring as a list, where no rule gives it: networks from a file, trees, and networks with failures. */
#pragma once

#include "extorus/topology.h"

/* What a network file says of a card beyond its links. */
typedef struct {
	char *name;
	uint64_t guid; /* of a dump of InfiniBand, or 0 */
	uint32_t lid;
	bool host; /* an end node of InfiniBand */
} xt_card_label_t;

typedef struct {
	unsigned cards, ports;   /* link ports of a card */
	unsigned terminals;      /* most end nodes of a card that a file tells of, or 0 */
	xt_peer_t *peer;         /* [card][port] */
	uint8_t *failed;         /* [card]: 1 if it is out of service; it has no links then */
	uint8_t *pes;            /* [card]: how many of its NIC ports have a PE, the lowest ones */
	xt_failed_link_t *links; /* those that failed on their own or at random, in order */
	unsigned failed_links, failed_cards;
	xt_card_label_t *labels; /* [card], or NULL: the cards have numbers alone */
	uint16_t *port_number;   /* [card][port]: of the file, 0 without; with labels */
} xt_wiring_t;

/* `cards` cards of the profile without links, each with a PE at every NIC port; XT_ERR_NOMEM. */
int xt_wiring_create(unsigned cards, const xt_profile_t *profile, xt_wiring_t **out, xt_diag_t *diag);
/* Joins two ports. */
void xt_wiring_link(xt_wiring_t *wiring, xt_peer_t a, xt_peer_t b);
void xt_wiring_free(xt_wiring_t *wiring); /* NULL is allowed */

/* Where the failures of a spec begin, "~5:d0+~7~random=3:1", or its end. */
const char *xt_failures_of(const char *spec);
/* Takes `failures`, the end of `spec`, from the wiring of `topology`, which gives the names of the ports. `text` gets
 * them in canonical form. */
int xt_wiring_fail(xt_wiring_t *wiring, const xt_topology_t *topology, const char *spec, const char *failures,
	char *text, size_t size, xt_diag_t *diag);
/* XT_OK if every card in service reaches every other one and some card has a PE, otherwise XT_ERR_INVALID with the
 * cards that are cut off; `spec` is for the message. */
int xt_wiring_check(const xt_wiring_t *wiring, const char *spec, xt_diag_t *diag);

/* The network of an image: as `spec` says and with `failures` after it, "~5:d0+~7". The wiring of a network from a file
 * is that of `peer`, [card][port], and its PEs are those of `pes`, [card]; the file may be gone. */
int xt_topology_rewire(const char *spec, const char *failures, const xt_profile_t *profile, unsigned cards,
	const xt_peer_t *peer, const uint8_t *pes, xt_topology_t **out, xt_diag_t *diag);
/* NULL: the wiring is by the rule of a family. */
const xt_wiring_t *xt_topology_wiring(const xt_topology_t *topology);
