/* SPDX-License-Identifier: Apache-2.0
 *
 * Credits of one output: how many cells the buffer behind it can still take. A charge or a credit counts two cycles
 * after it came, and the flags of room follow a cycle later. */
#pragma once

#include <string.h>

#include "shape.h"

typedef struct {
	uint16_t used[VCS];     /* charged and not credited */
	uint16_t room[CLASSES]; /* bit per VC */
	uint16_t shared_free;
	uint8_t changed, charged, credited; /* registers of the pipeline */
	uint8_t ample;                      /* there was room for everything when it was looked at last */
	uint8_t charge_vc, charge_cells, credit_vc;
} credits_t;

/* How the cells of the buffer are divided. */
typedef struct {
	unsigned vcs, reserved, shared;
} division_t;

static inline void credits_reset(credits_t *c, division_t d)
{
	memset(c->used, 0, sizeof(c->used));
	c->shared_free = (uint16_t)d.shared;
	c->charged = c->credited = 0;
	c->changed = 1;
}

static inline int credits_busy(const credits_t *c)
{
	return c->changed | c->charged | c->credited;
}

static inline void credits_find_all_room(credits_t *c, division_t d)
{
	for (unsigned k = 0; k < CLASSES; k++) {
		c->room[k] = (uint16_t)((1u << d.vcs) - 1);
	}
	c->ample = 1;
}

/* Less than nothing after a flipped bit has brought a credit to a VC that lent none. */
static inline int credits_used(const credits_t *c, unsigned vc)
{
	return (int16_t)c->used[vc];
}

static inline void credits_find_room(credits_t *c, division_t d)
{
	const unsigned limit = class_cells[CLASSES - 1] + MARGIN;
	const unsigned seen = c->shared_free < limit ? c->shared_free : limit;

	if (d.shared && seen == limit) {
		if (!c->ample) {
			credits_find_all_room(c, d);
		}
		return;
	}
	c->ample = 0;
	for (unsigned k = 0; k < CLASSES; k++) {
		unsigned room = 0, needed = class_cells[k] + MARGIN;

		for (unsigned v = 0; v < d.vcs; v++) {
			int left = (int)d.reserved - credits_used(c, v);
			unsigned own = left > 0 ? (unsigned)left : 0;

			room |= (unsigned)(CREDIT_SUMS ? own + seen >= needed : own >= needed || seen >= needed) << v;
		}
		c->room[k] = (uint16_t)room;
	}
}

static inline unsigned credits_over(const credits_t *c, division_t d, unsigned vc)
{
	int over = credits_used(c, vc) - (int)d.reserved;

	return over > 0 ? (unsigned)over : 0;
}

static inline void credits_count(credits_t *c, division_t d, unsigned vc, int cells)
{
	unsigned over = credits_over(c, d, vc);

	c->used[vc] = (uint16_t)(c->used[vc] + cells);
	c->shared_free = (uint16_t)(c->shared_free + over - credits_over(c, d, vc));
}

/* One cycle. `charge_cells` 0: no packet starts. */
static inline void credits_step(credits_t *c, division_t d, int restart, unsigned charge_cells, unsigned charge_vc,
	int credit, unsigned credit_vc)
{
	if (c->changed) {
		credits_find_room(c, d);
	}
	if (restart) {
		credits_reset(c, d);
	} else {
		/* Of a VC with nothing in use; it would not be known what the credit repays. */
		const int credited = c->credited && !(d.shared && !c->used[c->credit_vc]);

		c->changed = c->charged | c->credited;
		if (c->charged && credited && c->charge_vc == c->credit_vc) {
			credits_count(c, d, c->charge_vc, c->charge_cells - 1);
		} else {
			if (c->charged) {
				credits_count(c, d, c->charge_vc, c->charge_cells);
			}
			if (credited) {
				credits_count(c, d, c->credit_vc, -1);
			}
		}
		c->charged = charge_cells != 0;
		c->credited = (uint8_t)credit;
	}
	c->charge_vc = (uint8_t)charge_vc;
	c->charge_cells = (uint8_t)charge_cells;
	c->credit_vc = (uint8_t)credit_vc;
}
