/* SPDX-License-Identifier: Apache-2.0
 *
 * The wiring of a network of cards. Node = mixed radix number of the coordinates, dimension 0 the
 * fastest digit; card = node in a torus, 2 * node + side in a twin torus, where the two cards of a node
 * are joined by the internal link; in a network from a file the file numbers the cards. PE = card * NIC
 * ports + unit: one PE per function unit of a card. */
#ifndef EXTORUS_TOPOLOGY_H
#define EXTORUS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/image.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xt_topology xt_topology_t;

typedef enum {
	XT_TOPOLOGY_TORUS,
	XT_TOPOLOGY_TWIN,
	XT_TOPOLOGY_FILE, /* no dimensions */
} xt_topology_kind_t;

enum {
	XT_MAX_DIMENSIONS = 5, /* twin: dimensions + 1 link ports */
	XT_MAX_CARDS = 1 << 16,
	XT_SPEC_SIZE = 256, /* of a spec in canonical form, with its end */
};

/* `spec` is "torus:8x8x4" or "twin:4x4x2x2x2"; radices from 1 on. XT_ERR_INVALID for a malformed one,
 * XT_ERR_RANGE if the profile's cards have too few ports or PE ids for it. *out is freed with
 * xt_topology_free.
 *
 * "file:net.json" is any connected network, {"cards": 3, "links": [[0, 0, 1, 0], [1, 1, 2, 0]]}: a link is
 * [card, port, other card, its port], cards and link ports counted from 0. XT_ERR_IO if the file cannot be
 * read; XT_ERR_INVALID or XT_ERR_RANGE with its line, or the link's place in the list, for anything else.
 *
 * Failures follow any of these: "torus:8x8~5:d0+~7~random=3:1" is a torus in which the link at port d0+ of
 * card 5, card 7 with all its links, and 3 more links drawn with seed 1 have failed. A port is a name or a
 * number. The other cards must remain connected; XT_ERR_INVALID names those that do not. */
int xt_topology_parse(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag);
void xt_topology_free(xt_topology_t *topology); /* NULL is allowed */
/* Whether a text begins like a spec; otherwise it may be the name of an image. */
bool xt_topology_is_spec(const char *text);

const char *xt_topology_spec(const xt_topology_t *topology); /* without leading zeros; names of failed ports */
xt_topology_kind_t xt_topology_kind(const xt_topology_t *topology);
const xt_profile_t *xt_topology_profile(const xt_topology_t *topology);
unsigned xt_topology_dimensions(const xt_topology_t *topology);
unsigned xt_topology_radix(const xt_topology_t *topology, unsigned dimension);
unsigned xt_topology_cards(const xt_topology_t *topology);
unsigned xt_topology_pes(const xt_topology_t *topology);
unsigned xt_topology_cards_per_node(const xt_topology_t *topology);
/* Coordinate of the node that `card` belongs to. */
unsigned xt_topology_coordinate(const xt_topology_t *topology, unsigned card, unsigned dimension);
/* The dimension whose two ports are on different cards, or -1: (n - 1) / 2 of a twin torus with n odd. */
int xt_topology_split_dimension(const xt_topology_t *topology);

/* Peer and name of a port; for ports that lead nowhere the card is XT_NO_CARD. A name lives as long
 * as the topology. */
xt_peer_t xt_topology_peer(const xt_topology_t *topology, unsigned card, unsigned port);
const char *xt_topology_port_name(const xt_topology_t *topology, unsigned card, unsigned port);
/* The port of `card` to the next (direction 1) or previous (direction 0) node of a dimension, or -1 if
 * it is on the other card of the node. */
int xt_topology_dimension_port(const xt_topology_t *topology, unsigned card, unsigned dimension, unsigned direction);
/* -1 in a torus. */
int xt_topology_internal_port(const xt_topology_t *topology);
/* -1 for the internal link, NIC ports and ports that are not used. */
int xt_topology_port_dimension(const xt_topology_t *topology, unsigned card, unsigned port);

/* The wiring is as the family's rule says: not from a file, and nothing has failed. */
bool xt_topology_is_regular(const xt_topology_t *topology);
/* A failed card keeps its number and PEs, but has no links. */
bool xt_topology_card_failed(const xt_topology_t *topology, unsigned card);
unsigned xt_topology_failed_cards(const xt_topology_t *topology);

typedef struct {
	unsigned card, port, peer, peer_port;
} xt_failed_link_t;

/* How many links have failed on their own, not with a card; *links (may be NULL) lives as long as the
 * topology. */
unsigned xt_topology_failed_links(const xt_topology_t *topology, const xt_failed_link_t **links);

typedef struct {
	unsigned cards, pes;            /* failed ones counted; they have no distances */
	unsigned links;                 /* each joins two ports; internal ones counted */
	unsigned degree;                /* most links of a card */
	unsigned diameter;              /* in links, internal ones counted */
	double mean_distance;           /* over ordered pairs of different cards; 0 if there is one card */
	double mean_distance_with_self; /* over all ordered pairs */
	/* Mean over all ordered pairs of the links of a dimension on a shortest path: that of a ring. Only
	 * of a regular topology. */
	double dimension_distance[XT_MAX_DIMENSIONS];
	int64_t bisection;            /* links cut when the cards are halved, or -1: not known */
	const char *bisection_method; /* where the number comes from or why there is none */
} xt_topology_metrics_t;

/* Distances by breadth-first search over the cards. */
int xt_topology_metrics(const xt_topology_t *topology, xt_topology_metrics_t *metrics, xt_diag_t *diag);

/* Drawing for Graphviz (neato -n2): cards on a grid, even dimensions to the right, odd ones down, a
 * higher dimension as blocks of the lower ones, those from a file on a circle; positions and curves are in the file.
 * `load` may be NULL; otherwise load[card * link_ports + port], 0 .. 1, colours each direction of each link. Write
 * errors stay in the stream. */
void xt_topology_write_dot(const xt_topology_t *topology, const double *load, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
