/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the cards of a network stand, and the wires between them. The floor is a grid of slots, a card each, in
 * columns, rows and levels; a cabinet is a box of slots. A wire runs along columns, rows and levels: its length is
 * the sum of the three distances, in slots or, by the pitches, in mm. */
#ifndef EXTORUS_FLOOR_PLAN_H
#define EXTORUS_FLOOR_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/topology.h"

XT_BEGIN_C

typedef enum {
	XT_FOLD_BEST, /* of the others */
	XT_FOLD_RINGS,
	XT_FOLD_TRELLIS, /* RTT and PTT */
	XT_FOLD_BLOCKS,  /* RTT, PTT and PDTT */
	XT_FOLDS,
} xt_fold_t;

typedef struct {
	unsigned column_mm, row_mm;             /* from one slot to the next, 1 to XT_MAX_PITCH_MM */
	unsigned cabinet_columns, cabinet_rows; /* slots of a cabinet, at least 1 */
	unsigned levels;                        /* one above the other, at most; 0: one */
	unsigned level_mm;                      /* from one to the next; of no meaning where there is one */
	unsigned cabinet_levels;                /* 0: all */
	xt_fold_t fold;                         /* of layouts that are not plain */
} xt_floor_t;

enum { XT_MAX_PITCH_MM = 10000 };

typedef struct {
	uint32_t column, row, level;
} xt_slot_t;

/* One link. */
typedef struct {
	uint32_t card, peer;
	uint8_t port, peer_port;
	uint32_t slots, mm;
} xt_wire_t;

typedef struct {
	xt_floor_t floor;
	const char *method; /* constant text */
	unsigned columns, rows, levels;
	unsigned cabinets_across, cabinets_down, cabinets_up;
	unsigned cards;
	xt_slot_t *slot; /* [card] */
	size_t wires;
	xt_wire_t *wire;              /* each link once; see xt_topology_lists_link */
	uint32_t longest, longest_mm; /* 0 without wires */
	uint64_t total, total_mm;
	size_t between_cabinets; /* wires that leave their cabinet */
	uint32_t
		longest_cabinets; /* cabinets from end to end of a wire, along the three axes; 0: none leaves its own */
	uint64_t *histogram;      /* [longest + 1]: wires of that many slots */
} xt_floor_plan_t;

/* Plain: cards in the order of their coordinates.
 *
 * Folded: each ring is laid out there and back, 0 k-1 1 k-2 ..., so that neighbours are at most 2 places apart.
 * Twisted tori are folded in whichever of these ways gives the shortest longest wire, then the least total:
 * - trellis-folded (RTT, PTT): an RTT of 2a x a is a square torus that stands on its corner: with u = x + y and
 *   v = x - y, both modulo 2a, every link changes both u and v by one. The rings of u and v are folded, which leaves
 *   two cards at each of a x a places; they stand side by side. No wire of an RTT is longer than 3 slots.
 * - folded by blocks: x modulo a is a folded ring, the cards x and x + a stand side by side. The two halves of the
 *   network lie one in the other, and the twist is a step between the two.
 * - like a plain torus.
 * The two cards of a node of a twin torus stand side by side.
 *
 * Dimensions share columns, rows and levels, one within the other; all orders and all axes are tried, and the one
 * with the shortest longest wire (in mm), then the least total is taken. With a level for each place of a third
 * dimension every ring of a torus has an axis of its own. Boxes of 2 x 2 x 2 slots are then the modules of the
 * folding in three dimensions: no wire goes beyond the next module.
 *
 * XT_ERR_UNSUPPORTED for a network from a file, which has no coordinates, and a folding that is not of the network;
 * XT_ERR_RANGE for a floor out of range; XT_ERR_NOMEM. *out is freed with xt_floor_plan_free. */
XT_API int xt_floor_plan_create(
	const xt_topology_t *topology, const xt_floor_t *floor, bool plain, xt_floor_plan_t **out, xt_diag_t *diag);
XT_API void xt_floor_plan_free(xt_floor_plan_t *layout); /* NULL is allowed */

/* Cabinets are numbered from 0, rows of cabinets one after the other, then levels; so are the slots of a cabinet. */
XT_API unsigned xt_floor_plan_cabinet(const xt_floor_plan_t *layout, unsigned card);
XT_API unsigned xt_floor_plan_cabinet_slot(const xt_floor_plan_t *layout, unsigned card);

/* The list of wires, CSV with a header, both ends with port, cabinet, slot in the cabinet, column and row; the levels
 * of both ends are the last two fields. */
XT_API void xt_floor_plan_write_csv(const xt_topology_t *topology, const xt_floor_plan_t *layout, FILE *out);
/* The floor for Graphviz (neato -n2), wires coloured by length. */
XT_API void xt_floor_plan_write_dot(const xt_topology_t *topology, const xt_floor_plan_t *layout, FILE *out);

XT_END_C
#endif
