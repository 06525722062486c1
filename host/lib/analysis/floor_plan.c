/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of wires, and their lengths once floor_arrangement.c has placed the cards. */
#include "extorus/floor_plan.h"
#include "base/number.h"
#include "floor_arrangement.h"

#include <stdlib.h>

static int list_wires(const xt_topology_t *t, xt_floor_plan_t *layout)
{
	unsigned ports = xt_topology_profile(t)->link_ports;

	for (unsigned pass = 0; pass < 2; pass++) {
		layout->wires = 0;
		for (unsigned card = 0; card < layout->cards; card++) {
			for (unsigned port = 0; port < ports; port++) {
				if (xt_topology_lists_link(t, card, port)) {
					xt_peer_t peer = xt_topology_peer(t, card, port);
					xt_wire_t wire = {card, peer.card, (uint8_t)port, (uint8_t)peer.port, 0, 0};

					if (pass) {
						layout->wire[layout->wires] = wire;
					}
					layout->wires++;
				}
			}
		}
		if (!pass && !(layout->wire = calloc(layout->wires + 1, sizeof(*layout->wire)))) {
			return XT_ERR_NOMEM;
		}
	}
	return XT_OK;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Where the cabinet of a card stands. */
static xt_slot_t cabinet_of(const xt_floor_plan_t *l, unsigned card)
{
	xt_slot_t s = l->slot[card];

	return (xt_slot_t){s.column / l->floor.cabinet_columns, s.row / l->floor.cabinet_rows,
		l->floor.cabinet_levels ? s.level / l->floor.cabinet_levels : 0};
}

static uint32_t cabinets_between(const xt_floor_plan_t *l, unsigned card, unsigned peer)
{
	xt_slot_t a = cabinet_of(l, card), b = cabinet_of(l, peer);

	return distance(a.column, b.column) + distance(a.row, b.row) + distance(a.level, b.level);
}

static int measure_wires(xt_floor_plan_t *layout)
{
	for (size_t w = 0; w < layout->wires; w++) {
		xt_wire_t *wire = &layout->wire[w];
		xt_slot_t a = layout->slot[wire->card], b = layout->slot[wire->peer];
		uint32_t across = distance(a.column, b.column), down = distance(a.row, b.row);
		uint32_t up = distance(a.level, b.level), cabinets = cabinets_between(layout, wire->card, wire->peer);

		wire->slots = across + down + up;
		wire->mm = across * layout->floor.column_mm + down * layout->floor.row_mm + up * layout->floor.level_mm;
		layout->longest = wire->slots > layout->longest ? wire->slots : layout->longest;
		layout->longest_mm = wire->mm > layout->longest_mm ? wire->mm : layout->longest_mm;
		layout->total += wire->slots;
		layout->total_mm += wire->mm;
		layout->between_cabinets += cabinets > 0;
		layout->longest_cabinets = cabinets > layout->longest_cabinets ? cabinets : layout->longest_cabinets;
	}
	layout->histogram = calloc((size_t)layout->longest + 1, sizeof(*layout->histogram));
	if (!layout->histogram) {
		return XT_ERR_NOMEM;
	}
	for (size_t w = 0; w < layout->wires; w++) {
		layout->histogram[layout->wire[w].slots]++;
	}
	return XT_OK;
}

static int check_floor(const xt_floor_t *f, xt_diag_t *diag)
{
	if (f->column_mm < 1 || f->row_mm < 1 || f->column_mm > XT_MAX_PITCH_MM || f->row_mm > XT_MAX_PITCH_MM) {
		return xt_fail(diag, XT_ERR_RANGE, "the pitch of slots is %u x %u mm; it can be from 1 to %u mm",
			f->column_mm, f->row_mm, XT_MAX_PITCH_MM);
	}
	if (f->levels > 1 && (f->level_mm < 1 || f->level_mm > XT_MAX_PITCH_MM)) {
		return xt_fail(diag, XT_ERR_RANGE, "the pitch of levels is %u mm; it can be from 1 to %u mm",
			f->level_mm, XT_MAX_PITCH_MM);
	}
	if (f->cabinet_columns < 1 || f->cabinet_rows < 1) {
		return xt_fail(diag, XT_ERR_RANGE, "a cabinet of %u x %u slots; it has one slot or more",
			f->cabinet_columns, f->cabinet_rows);
	}
	if ((unsigned)f->fold >= XT_FOLDS) {
		return xt_fail(diag, XT_ERR_RANGE, "there is no folding %u; xt_fold_t lists them", (unsigned)f->fold);
	}
	return XT_OK;
}

int xt_floor_plan_create(
	const xt_topology_t *topology, const xt_floor_t *floor, bool plain, xt_floor_plan_t **out, xt_diag_t *diag)
{
	int status = check_floor(floor, diag);
	xt_floor_plan_t *layout;

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	if (xt_topology_dimensions(topology) == 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s: cards are placed by their coordinates, and those of a network from a file have none; "
			"name a torus or a mesh",
			xt_topology_spec(topology));
	}
	if (!plain && !xt_floor_folds(topology, floor->fold)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%s cannot be folded like that; twisted tori have more ways",
			xt_topology_spec(topology));
	}
	layout = calloc(1, sizeof(*layout));
	if (layout) {
		layout->floor = *floor;
		layout->cards = xt_topology_cards(topology);
		layout->slot = calloc(layout->cards, sizeof(*layout->slot));
	}
	if (!layout || !layout->slot || list_wires(topology, layout) != XT_OK ||
		xt_floor_arrange(topology, plain, layout) != XT_OK || measure_wires(layout) != XT_OK) {
		xt_floor_plan_free(layout);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the layout");
	}
	*out = layout;
	return XT_OK;
}

void xt_floor_plan_free(xt_floor_plan_t *layout)
{
	if (layout) {
		free(layout->slot);
		free(layout->wire);
		free(layout->histogram);
		free(layout);
	}
}

unsigned xt_floor_plan_cabinet(const xt_floor_plan_t *l, unsigned card)
{
	xt_slot_t at = cabinet_of(l, card);

	return (at.level * l->cabinets_down + at.row) * l->cabinets_across + at.column;
}

unsigned xt_floor_plan_cabinet_slot(const xt_floor_plan_t *l, unsigned card)
{
	const xt_floor_t *f = &l->floor;
	xt_slot_t at = l->slot[card];

	return ((f->cabinet_levels ? at.level % f->cabinet_levels : at.level) * f->cabinet_rows +
		       at.row % f->cabinet_rows) *
		       f->cabinet_columns +
	       at.column % f->cabinet_columns;
}

static void write_end(const xt_topology_t *t, const xt_floor_plan_t *l, unsigned card, unsigned port, FILE *out)
{
	fprintf(out, "%u,%s,%u,%u,%u,%u,", card, xt_topology_port_name(t, card, port), xt_floor_plan_cabinet(l, card),
		xt_floor_plan_cabinet_slot(l, card), l->slot[card].column, l->slot[card].row);
}

void xt_floor_plan_write_csv(const xt_topology_t *t, const xt_floor_plan_t *l, FILE *out)
{
	XT_POINT_IN_FRACTIONS;
	fprintf(out, "card,port,cabinet,slot,column,row,"
		     "peer_card,peer_port,peer_cabinet,peer_slot,peer_column,peer_row,slots,metres,level,peer_level\n");
	for (size_t w = 0; w < l->wires; w++) {
		const xt_wire_t *wire = &l->wire[w];

		write_end(t, l, wire->card, wire->port, out);
		write_end(t, l, wire->peer, wire->peer_port, out);
		fprintf(out, "%u,%.3f,%u,%u\n", wire->slots, wire->mm / 1000.0, l->slot[wire->card].level,
			l->slot[wire->peer].level);
	}
}
