/* SPDX-License-Identifier: Apache-2.0
 *
 * The wiring of a network of cards. Node = mixed radix number of the coordinates, dimension 0 the fastest digit.
 * Card = node in a torus, and 2 * node + side in a twin torus, where the internal link joins the two cards of a
 * node. A network file numbers its cards itself. PE = card * NIC ports + unit: one PE per function unit of a card. */
#ifndef EXTORUS_TOPOLOGY_H
#define EXTORUS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/profile.h"

XT_BEGIN_C

typedef struct xt_topology xt_topology_t;

#define XT_NO_CARD UINT32_MAX

/* Where a port leads. card == XT_NO_CARD: nothing is connected. */
typedef struct {
	uint32_t card;
	uint32_t port;
} xt_peer_t;

typedef enum {
	XT_TOPOLOGY_TORUS,
	XT_TOPOLOGY_TWIN,
	XT_TOPOLOGY_MESH,
	XT_TOPOLOGY_RTT, /* twisted tori */
	XT_TOPOLOGY_PTT,
	XT_TOPOLOGY_PDTT,
	XT_TOPOLOGY_PRUNED,
	XT_TOPOLOGY_MANHATTAN, /* directed */
	XT_TOPOLOGY_PRUNED_DIRECTED,
	XT_TOPOLOGY_FILE, /* no dimensions */
	XT_TOPOLOGY_TREE, /* likewise */
} xt_topology_kind_t;

enum {
	XT_MAX_DIMENSIONS = 7, /* twin: dimensions + 1 link ports, torus: two for each */
	XT_MAX_CARDS = 1 << 16,
	XT_TWIN_CONFIGS = 10,    /* A to J, of a 3D twin torus */
	XT_SPEC_SIZE = 256,      /* of a spec in canonical form, with its end */
	XT_MAX_WIDE_PORTS = 254, /* of a card, of either kind, that is only measured */
};

/* `spec` is a family and the radix of each dimension, from 1 on, dimension 0 first:
 *   torus:8x8x4               a ring in every dimension
 *   mesh:8x8x4                no wrap-around links
 *   twin:4x4x2x2x2            twin torus; ",config=" and "best" (the default: the lower dimensions on card 0, with
 *                             n odd the middle one split, d- on card 0), the ports of card 0 ("d0-d0+d1-") or, with
 *                             three dimensions, a letter A to J chooses which ports are on which card
 *   rtt:8x4                   2a x a, the wrap-around of dimension 1 twisted by a steps in dimension 0
 *   ptt:8x4x4, pdtt:8x4x4     2a x a x a, the wrap-around of dimension 1, or of 1 and 2, twisted by a
 *   pruned:8x8x8              dimension i > 0 has links only where a0 = i - 1 modulo n - 1
 *   manhattan:8x8x8           each ring in one direction, by the parity of the other coordinates; radices even
 *   pruned-directed:8x8x8     both
 *   tree:k=4,n=5              k-ary n-tree, k^n PEs; ",cards=2,links=1" makes each switch of two or more cards with as
 *                             many links between each two, ",ports=apart" puts all down ports on one, all up ports on
 *                             the other
 *   file:net.json             any connected network, {"cards": 3, "links": [[0, 0, 1, 0], [1, 1, 2, 0]]}: a link is
 *                             [card, port, other card, its port], cards and link ports counted from 0; "switches":
 *                             [3, 4] lists cards without a PE. Or a dump of ibnetdiscover, BookSim's anynet, GraphML,
 *                             DOT, topology.conf of Slurm, or a list of edges
 *
 * The format of a file is told by the end of its name or by its text. In a spec a path begins with ~/ for the home
 * directory, and may have %20 for a space, which the canonical form has. Failures follow any of these but one-way
 * networks: "torus:8x8~5:d0+~7~random=3:1" is a torus in which the link at port d0+ of card 5, card 7 with all its
 * links, and 3 more links drawn with seed 1 have failed; "~5:nic" leaves card 5 without a PE. A port is a name or a
 * number. The other cards must remain connected.
 *
 * XT_ERR_INVALID for a malformed one, a shape that the family does not have, or cards that are cut off, which it
 * names; XT_ERR_RANGE if the profile's cards have too few ports or PE ids for it; XT_ERR_IO if the file cannot be
 * read. What is wrong in a file is told with its line or the link's place in the list. *out is freed with
 * xt_topology_free. */
XT_API int xt_topology_parse(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag);
/* Likewise, for measuring and drawing alone: the cards of a network from a file may have more ports, and more ids, than
 * those of any profile. The profile of such a topology is named "none" and has the ports that are needed. */
XT_API int xt_topology_parse_wide(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag);
/* Likewise on the first profile of those to try after `preferred` that has the ports; see xt_profile_next. What is
 * wrong otherwise is told of `preferred`. */
XT_API int xt_topology_parse_any(const char *spec, const xt_profile_t *preferred, xt_topology_t **out, xt_diag_t *diag);
XT_API void xt_topology_free(xt_topology_t *topology); /* NULL is allowed */
/* Whether a text begins like a spec; otherwise it may be the name of an image. */
XT_API bool xt_topology_is_spec(const char *text);

/* What a network file calls a card, as a host's name; NULL: the card has a number alone. UTF-8 without control
 * characters; lives as long as the topology. */
XT_API const char *xt_topology_card_name(const xt_topology_t *topology, unsigned card);

XT_API const char *xt_topology_spec(const xt_topology_t *topology); /* without leading zeros; names of failed ports */
XT_API xt_topology_kind_t xt_topology_kind(const xt_topology_t *topology);
XT_API const xt_profile_t *xt_topology_profile(const xt_topology_t *topology);
XT_API unsigned xt_topology_dimensions(const xt_topology_t *topology);
XT_API unsigned xt_topology_radix(const xt_topology_t *topology, unsigned dimension);
XT_API unsigned xt_topology_cards(const xt_topology_t *topology);
/* Numbers of PEs, which NIC ports without a PE have as well. */
XT_API unsigned xt_topology_pes(const xt_topology_t *topology);
/* How many NIC ports of a card have a PE, the lowest ones; 0 for a card that only switches. Failed cards keep theirs.
 */
XT_API unsigned xt_topology_card_pes(const xt_topology_t *topology, unsigned card);
XT_API unsigned xt_topology_cards_per_node(const xt_topology_t *topology);
/* Coordinate of the node that `card` belongs to. */
XT_API unsigned xt_topology_coordinate(const xt_topology_t *topology, unsigned card, unsigned dimension);
/* "(1,0,2)" or, without coordinates, "", into text[0 .. size - 1]. */
XT_API void xt_topology_write_coordinates(const xt_topology_t *topology, unsigned card, char *text, size_t size);
/* The only dimension whose two ports are on different cards, or -1 for none or several: (n - 1) / 2 of a twin
 * torus with n odd and the default wiring. */
XT_API int xt_topology_split_dimension(const xt_topology_t *topology);

/* Where a packet arrives that is sent on a port: another card's port. The card is XT_NO_CARD if the port
 * leads nowhere or, in a directed network, only receives. */
XT_API xt_peer_t xt_topology_peer(const xt_topology_t *topology, unsigned card, unsigned port);
/* Where the packets come from that a port receives; the card is XT_NO_CARD if there are none. The same as the
 * peer unless the network is directed: sender(peer(x)) = x. */
XT_API xt_peer_t xt_topology_sender(const xt_topology_t *topology, unsigned card, unsigned port);
/* Whether each link has one direction only: of its two ports one sends and one receives. */
XT_API bool xt_topology_directed(const xt_topology_t *topology);
/* Whether a list that has each link once has it at this end: the positive port of a dimension, the lower card of
 * other links, the sender of a one-way link. */
XT_API bool xt_topology_lists_link(const xt_topology_t *topology, unsigned card, unsigned port);
/* Lives as long as the topology. */
XT_API const char *xt_topology_port_name(const xt_topology_t *topology, unsigned card, unsigned port);
/* The port of `card` to the next (direction 1) or previous (direction 0) node of a dimension, or -1 if
 * it is on the other card of the node. */
XT_API int xt_topology_dimension_port(
	const xt_topology_t *topology, unsigned card, unsigned dimension, unsigned direction);
/* -1 in a torus. */
XT_API int xt_topology_internal_port(const xt_topology_t *topology);
/* -1 for the internal link, NIC ports and ports that are not used. */
XT_API int xt_topology_port_dimension(const xt_topology_t *topology, unsigned card, unsigned port);

/* A torus, or a twin torus whose ports are where config=best puts them; nothing has failed. */
XT_API bool xt_topology_default_wiring(const xt_topology_t *topology);

/* The wiring is as the family's rule says: not from a file, and nothing has failed. */
XT_API bool xt_topology_is_regular(const xt_topology_t *topology);
/* A failed card keeps its number and PEs, but has no links. */
XT_API bool xt_topology_card_failed(const xt_topology_t *topology, unsigned card);
XT_API unsigned xt_topology_failed_cards(const xt_topology_t *topology);

typedef struct {
	unsigned card, port, peer, peer_port;
} xt_failed_link_t;

/* How many links have failed on their own, not with a card; *links (may be NULL) lives as long as the
 * topology. */
XT_API unsigned xt_topology_failed_links(const xt_topology_t *topology, const xt_failed_link_t **links);

/* Distances are in links between cards, internal ones counted. "With self" is over all ordered pairs, as the
 * closed forms for tori are; without, over those of different cards. */
typedef struct {
	unsigned cards, pes; /* failed ones counted; they have no distances */
	unsigned links;      /* each joins two ports; internal ones counted, one-way ones as one */
	unsigned degree;     /* most links on which a card sends */
	unsigned diameter;
	double mean_distance; /* 0 if there is one card */
	double mean_distance_with_self;
	/* Mean over all ordered pairs, self included, of the links of a dimension on a shortest path. In a twin
	 * torus that of the dimension's ring. Only of a regular topology. */
	double dimension_distance[XT_MAX_DIMENSIONS];
	/* Uniform traffic, each packet's destination any other card, divided evenly over all shortest paths: cells per
	 * cycle and card at which the busiest link is full. 0: no links, or too many cards to
	 * search from (a mesh of more than 2048). */
	double uniform_limit;
	double link_balance; /* mean load of a link by that of the busiest; 1: all are alike. 0 as above */
	/* Least number of links that lead from one half of the cards to the other (one direction counted; with an
	 * odd number of cards one half has one more), or an upper bound: see bisection_method. Of the cards in
	 * service. */
	int64_t bisection;
	int64_t bisection_at_least;   /* a lower bound; equal to bisection where that is exact */
	const char *bisection_method; /* closed form, exhaustive, or which bound; constant text */
	/* Links, one direction counted, of a cut that would be full at the same uniform load as the busiest link. The
	 * bisection where that limits the load, otherwise less; a lower bound to it. 0 as for uniform_limit. */
	double effective_bisection;
} xt_topology_metrics_t;

/* Pairs of a port that packets come in by and another that they leave by, in all switches: from below up, from below
 * down again, and from above down. */
typedef struct {
	uint64_t forward, turnaround, backward;
} xt_connections_t;

typedef struct {
	xt_connections_t all, used; /* used: by DESTRO */
	xt_connections_t internal;  /* of these, those between cards of a switch */
} xt_tree_connections_t;

/* False, and all 0, if the topology is no tree or has failures. */
XT_API bool xt_topology_tree_connections(const xt_topology_t *topology, xt_tree_connections_t *connections);

/* By breadth-first search over the directed links; from every card that is not like another by a shift of the
 * network. XT_ERR_INVALID if a card cannot be reached from another, XT_ERR_NOMEM. */
XT_API int xt_topology_metrics(const xt_topology_t *topology, xt_topology_metrics_t *metrics, xt_diag_t *diag);

/* Drawing for Graphviz (neato -n2): cards on a grid, even dimensions to the right, odd ones down, a
 * higher dimension as blocks of the lower ones, those from a file on a circle; positions and curves are in the file.
 * `load` may be NULL; otherwise load[card * link_ports + port], 0 .. 1, colours each direction of each link. Write
 * errors stay in the stream. */
XT_API void xt_topology_write_dot(const xt_topology_t *topology, const double *load, FILE *out);

XT_END_C
#endif
