/* SPDX-License-Identifier: Apache-2.0 */
#include "dependencies.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "routing/acyclic_order.h"

/* Dependencies of others that close a cycle with the routes of a destination. As long as all of them are there, the
 * routes close the cycle again. */
typedef struct {
	xt_dependency_entry_t *entry;
	size_t count;
	xt_mix_t mix;
	bool known;
} block_t;

struct xt_dependencies {
	unsigned tcs, cards, bits, pes;
	/* [channel]: every VC of a link is a port of its own; where it leads, and what comes in there */
	xt_peer_t *peer, *sender;
	xt_acyclic_order_t *order[XT_MAX_TCS];
	uint32_t *users[XT_MAX_TCS]; /* [channel * bits + next] */
	block_t *block;              /* [PE] */
	uint32_t *way;               /* [channel]: the last cycle, backwards */
	size_t way_length;
};

xt_dependencies_t *xt_dependencies_create(const xt_image_t *image)
{
	const xt_profile_t *p = xt_image_profile(image);
	unsigned cards = xt_image_cards(image), stride = xt_profile_vc_stride(p), bits = p->link_ports * stride;
	xt_dependencies_t *d = calloc(1, sizeof(*d));
	bool ok = d != NULL;

	if (ok) {
		d->tcs = p->tcs;
		d->cards = cards;
		d->bits = bits;
		d->peer = calloc((size_t)cards * bits, sizeof(*d->peer));
		d->sender = calloc((size_t)cards * bits, sizeof(*d->sender));
		d->pes = xt_image_pes(image);
		d->block = calloc(d->pes, sizeof(*d->block));
		d->way = calloc((size_t)cards * bits, sizeof(*d->way));
		ok = d->peer && d->sender && d->block && d->way;
	}
	for (unsigned channel = 0; ok && channel < cards * bits; channel++) {
		d->sender[channel].card = XT_NO_CARD;
	}
	for (unsigned channel = 0; ok && channel < cards * bits; channel++) {
		unsigned vc = channel % stride;
		xt_peer_t peer = xt_image_peer(image, channel / bits, channel % bits / stride);

		d->peer[channel] = (xt_peer_t){peer.card, xt_channel_bit(stride, peer.port, vc)};
		if (peer.card != XT_NO_CARD) {
			d->sender[peer.card * bits + d->peer[channel].port] =
				(xt_peer_t){channel / bits, channel % bits};
		}
	}
	for (unsigned tc = 0; ok && tc < d->tcs; tc++) {
		d->order[tc] = xt_acyclic_order_create(d->peer, d->sender, cards, bits);
		d->users[tc] = calloc((size_t)cards * bits * bits, sizeof(*d->users[tc]));
		ok = d->order[tc] && d->users[tc];
	}
	if (!ok) {
		xt_dependencies_free(d);
		return NULL;
	}
	return d;
}

void xt_dependencies_free(xt_dependencies_t *d)
{
	if (d) {
		for (unsigned tc = 0; tc < d->tcs; tc++) {
			xt_acyclic_order_free(d->order[tc]);
			free(d->users[tc]);
		}
		for (unsigned pe = 0; d->block && pe < d->pes; pe++) {
			free(d->block[pe].entry);
		}
		free(d->block);
		free(d->way);
		free(d->peer);
		free(d->sender);
		free(d);
	}
}

bool xt_dependencies_add(xt_dependencies_t *d, xt_dependency_entry_t e)
{
	uint32_t *users = &d->users[e.tc][(size_t)e.channel * d->bits + e.next];

	if (*users == 0 && !xt_acyclic_order_add(d->order[e.tc], e.channel, e.next)) {
		return false;
	}
	++*users;
	return true;
}

void xt_dependencies_remove(xt_dependencies_t *d, xt_dependency_entry_t e)
{
	if (--d->users[e.tc][(size_t)e.channel * d->bits + e.next] == 0) {
		xt_acyclic_order_remove(d->order[e.tc], e.channel, e.next);
	}
}

void xt_dependencies_copy(xt_dependencies_t *d, unsigned from, unsigned to)
{
	xt_acyclic_order_copy(d->order[to], d->order[from]);
	memcpy(d->users[to], d->users[from], (size_t)d->cards * d->bits * d->bits * sizeof(*d->users[to]));
}

typedef struct {
	xt_dependencies_t *d;
	unsigned tc;
	uint64_t done, limit;
} walk_t;

static bool add(void *context, uint32_t channel, unsigned next)
{
	walk_t *w = context;

	if (!xt_dependencies_add(w->d, (xt_dependency_entry_t){channel, (uint8_t)next, (uint8_t)w->tc})) {
		w->d->way_length = xt_acyclic_order_way(w->d->order[w->tc], channel, next, w->d->way);
		return false;
	}
	w->done++;
	return true;
}

static bool take_away(void *context, uint32_t channel, unsigned next)
{
	walk_t *w = context;

	if (w->done == w->limit) {
		return false;
	}
	xt_dependencies_remove(w->d, (xt_dependency_entry_t){channel, (uint8_t)next, (uint8_t)w->tc});
	w->done++;
	return true;
}

static bool has(const xt_dependencies_t *d, xt_dependency_entry_t e)
{
	return d->users[e.tc][(size_t)e.channel * d->bits + e.next] != 0;
}

/* Keeps what others have of the last cycle, now that the routes of `dest` are taken away again. */
static void note_block(xt_dependencies_t *d, unsigned tc, unsigned dest, xt_mix_t mix)
{
	block_t *block = &d->block[dest];

	free(block->entry);
	*block = (block_t){.mix = mix, .entry = calloc(d->way_length, sizeof(*block->entry))};
	for (size_t i = 1; block->entry && i < d->way_length; i++) {
		const xt_dependency_entry_t e = {d->way[i], (uint8_t)(d->way[i - 1] % d->bits), (uint8_t)tc};

		if (has(d, e)) {
			block->entry[block->count++] = e;
		}
	}
	block->known = block->entry != NULL;
}

bool xt_dependencies_blocked(const xt_dependencies_t *d, unsigned dest, xt_mix_t mix)
{
	const block_t *block = &d->block[dest];
	bool there = block->known && block->mix == mix;

	for (size_t i = 0; there && i < block->count; i++) {
		there = has(d, block->entry[i]);
	}
	return there;
}

bool xt_dependencies_add_routes(xt_dependencies_t *d, xt_old_new_hops_t *m, unsigned tc, unsigned dest, xt_mix_t mix)
{
	walk_t w = {.d = d, .tc = tc};

	xt_old_new_hops_select(m, tc, dest);
	xt_old_new_hops_walk(m, mix);
	if (xt_old_new_hops_dependencies(m, mix, add, &w)) {
		return true;
	}
	/* The same ones come in the same order again. */
	w.limit = w.done;
	w.done = 0;
	xt_old_new_hops_dependencies(m, mix, take_away, &w);
	note_block(d, tc, dest, mix);
	return false;
}

void xt_dependencies_remove_routes(xt_dependencies_t *d, xt_old_new_hops_t *m, unsigned tc, unsigned dest, xt_mix_t mix)
{
	walk_t w = {.d = d, .tc = tc, .limit = UINT64_MAX};

	xt_old_new_hops_select(m, tc, dest);
	xt_old_new_hops_walk(m, mix);
	xt_old_new_hops_dependencies(m, mix, take_away, &w);
}
