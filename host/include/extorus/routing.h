/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing algorithms: from a topology to the tables of every card. */
#ifndef EXTORUS_ROUTING_H
#define EXTORUS_ROUTING_H

#include <stdbool.h>
#include <stddef.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/options_size.h"
#include "extorus/topology.h"

XT_BEGIN_C

typedef enum {
	XT_ALGORITHM_DOR,     /* torus, twisted torus, mesh: dimensions ascending */
	XT_ALGORITHM_TS_DOR,  /* twin torus: PE0's packets ascending, PE1's descending, in different TCs */
	XT_ALGORITHM_DORT,    /* twin torus: everybody ascending, two VCs, more on the internal link */
	XT_ALGORITHM_BUBBLE,  /* these: ascending, one VC, more on the internal link, bubble flow control */
	XT_ALGORITHM_UPDOWN,  /* any network but one-way ones: up/down, one VC */
	XT_ALGORITHM_LAYERED, /* any network: shortest ways, on as many VCs as there are */
	XT_ALGORITHM_DESTRO,  /* tree: up and down by the digits of the destination, one VC */
} xt_algorithm_t;

/* "dor", "ts-dor", "dort", "bubble", "updown", "layered", "destro". */
XT_API int xt_algorithm_parse(const char *name, xt_algorithm_t *out, xt_diag_t *diag);
XT_API const char *xt_algorithm_name(xt_algorithm_t algorithm);
/* Where none is named: dor for tori and twisted tori; for twin tori ts-dor where the wiring allows that, else dort, or
 * layered if no profile has the VCs; destro for trees; layered for all others and with failures. */
XT_API xt_algorithm_t xt_algorithm_usual(const xt_topology_t *topology);
/* The name of the profile that an algorithm is meant for. */
XT_API const char *xt_algorithm_profile(xt_algorithm_t algorithm);
/* Likewise, with adaptive routing. */
XT_API const char *xt_algorithm_adaptive_profile(xt_algorithm_t algorithm);

/* What up/down and layered routing made of a network; cards in service only. In groups of cards no destination is
 * in_layer, since a way to a group and one within it have VCs of their own. Escape then counts those that had its help
 * on either, several the others. */
typedef struct {
	unsigned root;                          /* of up/down */
	unsigned vcs;                           /* layers */
	unsigned destinations;                  /* cards; each is one of these: */
	unsigned in_layer[XT_MAX_VCS_PER_TC];   /* all ways to it on one VC */
	unsigned several;                       /* ways that change to a higher VC */
	unsigned escape;                        /* ways that the escape, up and then down a tree, had to help with */
	unsigned measured;                      /* that these are of: all, in groups at most 16,384 spread evenly: */
	uint64_t hops_on_vc[XT_MAX_VCS_PER_TC]; /* (card, destination) whose hop is on a VC */
	uint64_t detours;                       /* (card, destination) with more links than the shortest way */
	double mean_hops, mean_distance;        /* over ordered pairs of different cards, to those with PEs */
} xt_route_figures_t;

/* Which way round a ring of even radix goes where both are as long. Twisted tori have a rule of their own. In a split
 * dimension of a twin torus TS-DOR takes the port of the source's card; DORT and bubble take the positive port with
 * XT_TIES_POSITIVE, otherwise the port of the card where the tie is met, which saves a crossing. */
typedef enum {
	XT_TIES_DEFAULT,  /* balanced: TS-DOR by source, the others by coordinate; positive with single_tc, and with
			   * fold_vcs but for DORT */
	XT_TIES_POSITIVE, /* the positive port, as the literature writes the algorithms down */
	XT_TIES_BY_COORDINATE, /* the positive port from even coordinates, the negative one from odd ones */
	XT_TIES_BY_SOURCE,     /* TS-DOR: the positive port for packets from PE0, the negative one for those from PE1 */
} xt_ties_t;
/* "positive", "coordinate", "source". */
XT_API int xt_ties_parse(const char *name, xt_ties_t *out, xt_diag_t *diag);
XT_API const char *xt_ties_name(xt_ties_t ties);

typedef struct {
	size_t size; /* sizeof of this struct; see options_size.h */
	xt_algorithm_t algorithm;
	/* TS-DOR with both sources in TC 0, a known way to deadlock: for showing that checks catch it.
	 * See xt_route. */
	bool single_tc;
	/* If not 0, VC v of every route and ring becomes v modulo this, so that most algorithms can
	 * deadlock: for showing that checks catch it. Adaptive VCs stay. The profile then needs no more VCs than this;
	 * layered, and groups of cards, need as many as without. */
	unsigned fold_vcs;
	/* Given only for DOR, TS-DOR, DORT and bubble, and not on twisted tori. */
	xt_ties_t ties;
	/* Candidates in the TCs that have an adaptive VC. See xt_route. */
	bool adaptive;
	/* Up/down with one hop, drawn by `seed`, by which packets that came down go up again and close a cycle
	 * of dependencies: for showing that checks catch it. XT_ERR_UNSUPPORTED where no turn does. */
	bool up_after_down;
	uint64_t seed;
	/* Filled by up/down and layered routing; may be NULL. */
	xt_route_figures_t *figures;
	/* DOR and TS-DOR: the VC of a ring is the upper one exactly where the destination's digit is the greater one,
	 * as the literature has it. Otherwise both VCs of rings of six and more carry alike. Not on meshes and twisted
	 * tori. */
	bool classic_dateline;
	/* DORT with `adaptive`: the internal link is a candidate wherever the other card has a minimal port. See
	 * xt_route. */
	bool free_crossings;
} xt_route_options_t;

/* Makes the image. XT_ERR_UNSUPPORTED if the algorithm does not go with the topology (layered: any; up/down: not one
 * of one-way links; the others: a torus, a twin torus, or a twisted torus, without failures, DOR a mesh too; TS-DOR:
 * see below) or the profile has too few TCs or VCs, XT_ERR_RANGE if the PE addresses do not fit GRT and LRT. *out is
 * freed with xt_image_free.
 *
 * Up/down: a spanning tree from a card of smallest eccentricity, the first of these, gives every link an
 * upper end: the one nearer to the root, at the same distance the one with the lower number. A packet goes
 * down where downward links alone lead to its destination, otherwise up. That needs one VC, VC 0, and works
 * in every connected network (Schroeder et al., Autonet, 1991). Above 16,384 cards only every n-th is tried as root.
 *
 * Layered: see routing_layered.c. A packet starts on one of the deterministic VCs and may change to a higher one,
 * never back; each VC has an acyclic graph of dependencies. Ways are shortest while that lasts. If some card
 * finds no way to some destination with all VCs free, all are made again after a spanning tree has got its
 * dependencies on the highest VC, and a card that finds no way then goes up and down the tree. In a one-way network
 * the ways to the root and those from it may use the same links, and get a VC each, the two highest: layered needs two
 * VCs there.
 *
 * DOR on a mesh needs one VC. Packets spread over the deterministic VCs that every TC has: in each dimension a packet
 * takes the VC whose number is the destination's coordinate modulo their number.
 *
 * DESTRO: a k-ary n-tree without failures. At level l the packet takes the up or down port whose number is digit l of
 * the destination, and goes up until the destination is below. One VC, since no packet goes up again.
 *
 * DOR and bubble on a twisted torus: see routing_twisted.h. All ways are shortest. The dimensions that the twist
 * couples must fit the LRT together, XT_ERR_RANGE otherwise.
 *
 * Up/down and layered use the same routes in all TCs, and an LRT entry for each PE. Where the LRT has fewer entries,
 * they divide the network into groups of cards that are connected within. A GRT entry leads to a group on the lower
 * half of the VCs, an LRT entry within the group on the upper half. That needs two VCs in each TC, in a one-way network
 * four (XT_ERR_UNSUPPORTED). It also needs a division that fits GRT and LRT (XT_ERR_RANGE). The algorithm's name ends
 * in -in-groups.
 *
 * These two are the only ones that route a network with failures or from a file. adaptive: candidates are all
 * ports to cards nearer to the destination.
 *
 * single_tc: a table holds one route per (card, TC, destination), so where both sources' packets to
 * one destination meet on a card they cannot be told apart. The cards of side 0 therefore route
 * everything ascending, those of side 1 everything descending: what TS-DOR would do with a packet
 * that is still on its source's side of the nodes. Each packet arrives: side 0 crosses to side 1 only
 * when side 1 has a port that brings the packet nearer, and the other way round, so that at least
 * every second link is a minimal one of a dimension.
 *
 * DORT and bubble: any port configuration. Each kind of crossing of the internal link has VCs of its own, in this
 * order: to the ports of dimensions that are not split, one VC for each run of such dimensions on one card; for each
 * split dimension two VCs, or one with bubble; to the PE, one. Where no dimension is split, or all one that there is,
 * some of the first four, with bubble three, are left out. With three dimensions DORT needs 4 VCs where one is
 * split and 7 where all are, bubble 3 and 4. Bubble needs a profile with `vc_rings` where several are split.
 *
 * TS-DOR: a port configuration with the lower dimensions on one card, the upper ones on the other, and at most one
 * dimension split, which is between them. PEs of the card that has the lower dimensions go ascending. In others two VCs
 * are too few.
 *
 * adaptive: the candidates are the minimal ports of the card (both at a tie; of the split dimension only
 * the one that the card has), and the internal link exactly where the deterministic port is that link.
 * A table entry only knows its own part of the address: an LRT entry names candidates in the dimensions
 * of the local part, a GRT entry in those of the global part. Nothing is lost while one table holds all
 * dimensions, with profile extoll up to 1024 PEs; beyond, the dimensions of the other part are offered
 * when those of the part that decides are done.
 *
 * free_crossings: the internal link is also a candidate wherever the other card has a minimal port. Both cards may then
 * name it. No card takes a candidate back by the link of arrival, so that between two other candidates a packet
 * crosses once at most, and every other candidate is a hop of a minimal way. An update of such tables stops
 * the traffic, since its plan knows the card of a packet only.
 *
 * DORT and bubble are escapes from every card as they are: their routes do not depend on the source, and every card
 * has a PE.
 *
 * An adaptive hop in the split dimension can take a TS-DOR packet to the other card of a node before the
 * dimensions of its first card are done, where no deterministic packet of its TC ever is. Its escape from
 * there goes back over the internal link on the VC that the other packets of that TC use in this direction
 * only before the wrap-around of the split dimension (lower from card 0 to card 1, upper from card 1 to
 * card 0); on the VC of a card change in the usual direction the escape channels would be cyclic. */
XT_API int xt_route(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t **out, xt_diag_t *diag);

/* The topology for such routes, on the profile that the algorithm is meant for; where that lacks ports, VCs or else
 * what the routes need, on the first to try after it that does not (xt_profile_next). If none has all, on the
 * algorithm's own, of which xt_route then tells what is missing. See xt_topology_parse. */
XT_API int xt_route_parse(const char *spec, const xt_route_options_t *options, xt_topology_t **out, xt_diag_t *diag);

XT_END_C
#endif
