/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "transition_internal.h"

static const char *const word_names[] = {
	[XT_WORD_GRT] = "GRT",
	[XT_WORD_LRT] = "LRT",
	[XT_WORD_ROUTE_ORDER] = "ROUTE_ORDER",
	[XT_WORD_MATCH_MASK] = "MATCH_MASK",
	[XT_WORD_RING] = "RING",
	[XT_WORD_VC_RING_FROM] = "VC_RING_FROM",
	[XT_WORD_ADAPTIVE_PORTS] = "ADAPTIVE_PORTS",
};

const char *xt_word_name(xt_word_t word)
{
	return word_names[word];
}

typedef struct {
	xt_transition_t *t;
	size_t room;
	uint32_t card;
	bool out_of_memory;
} list_t;

static void compare(list_t *list, xt_word_t word, uint32_t index, uint64_t before, uint64_t after)
{
	xt_transition_t *t = list->t;

	if (before == after || list->out_of_memory) {
		return;
	}
	if (t->rewrites == list->room) {
		size_t room = 2 * list->room + 256;
		xt_rewrite_t *more = realloc(t->rewrite, room * sizeof(*more));

		if (!more) {
			list->out_of_memory = true;
			return;
		}
		t->rewrite = more;
		list->room = room;
	}
	t->rewrite[t->rewrites++] = (xt_rewrite_t){1, list->card, word, index, before, after};
	t->entries += word == XT_WORD_GRT || word == XT_WORD_LRT;
}

static void compare_card(list_t *list, const xt_image_t *a, const xt_image_t *b, uint32_t card)
{
	const xt_profile_t *p = xt_image_profile(a);

	for (unsigned i = 0; i < 1u << p->grt_bits; i++) {
		compare(list, XT_WORD_GRT, i, xt_image_grt(a, card)[i], xt_image_grt(b, card)[i]);
	}
	for (unsigned i = 0; i < 1u << p->lrt_bits; i++) {
		compare(list, XT_WORD_LRT, i, xt_image_lrt(a, card)[i], xt_image_lrt(b, card)[i]);
	}
	compare(list, XT_WORD_ROUTE_ORDER, 0, xt_image_route_order(a, card), xt_image_route_order(b, card));
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		compare(list, XT_WORD_MATCH_MASK, tc, xt_image_match_mask(a, card, tc),
			xt_image_match_mask(b, card, tc));
	}
	for (unsigned port = 0; port < p->link_ports; port++) {
		compare(list, XT_WORD_RING, port, xt_image_ring(a, card, port), xt_image_ring(b, card, port));
		compare(list, XT_WORD_VC_RING_FROM, port, xt_image_vc_ring_from(a, card, port),
			xt_image_vc_ring_from(b, card, port));
	}
	compare(list, XT_WORD_ADAPTIVE_PORTS, 0, xt_image_adaptive_ports(a, card), xt_image_adaptive_ports(b, card));
}

/* PEs with a changed LRT entry; those that share one, with different upper parts, all count. */
static unsigned count_destinations(const xt_image_t *image, const xt_transition_t *t)
{
	unsigned bits = xt_image_profile(image)->lrt_bits, count = 0;
	uint8_t *changed = calloc((size_t)1 << bits, 1);

	for (size_t i = 0; changed && i < t->rewrites; i++) {
		if (t->rewrite[i].word == XT_WORD_LRT) {
			changed[t->rewrite[i].index] = 1;
		}
	}
	for (unsigned pe = 0; changed && pe < xt_image_pes(image); pe++) {
		count += changed[xt_image_pe_address(image, pe) & ((1u << bits) - 1)];
	}
	free(changed);
	return count;
}

int xt_table_diff_find(const xt_image_t *before, const xt_image_t *after, xt_transition_t *t, xt_diag_t *diag)
{
	list_t list = {.t = t};

	for (list.card = 0; list.card < xt_image_cards(after); list.card++) {
		size_t until = t->rewrites;

		compare_card(&list, before, after, list.card);
		t->cards += t->rewrites > until;
	}
	if (list.out_of_memory) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the list of rewrites");
	}
	t->destinations = count_destinations(after, t);
	return XT_OK;
}

static int compare_rewrites(const void *left, const void *right)
{
	const xt_rewrite_t *a = left, *b = right;

	if (a->step != b->step) {
		return a->step < b->step ? -1 : 1;
	}
	if (a->card != b->card) {
		return a->card < b->card ? -1 : 1;
	}
	if (a->word != b->word) {
		return a->word < b->word ? -1 : 1;
	}
	return (a->index > b->index) - (a->index < b->index);
}

void xt_table_diff_sort(xt_transition_t *t)
{
	if (t->rewrites) {
		qsort(t->rewrite, t->rewrites, sizeof(*t->rewrite), compare_rewrites);
	}
}

void xt_transition_write_csv(const xt_transition_t *t, FILE *out)
{
	fprintf(out, "step,card,table,index,before,after\n");
	for (size_t i = 0; i < t->rewrites; i++) {
		const xt_rewrite_t *r = &t->rewrite[i];

		fprintf(out, "%u,%u,%s,%u,%016" PRIx64 ",%016" PRIx64 "\n", (unsigned)r->step, (unsigned)r->card,
			xt_word_name(r->word), (unsigned)r->index, r->before, r->after);
	}
}

xt_transition_phase_t *xt_add_phase(xt_transition_t *t)
{
	xt_transition_phase_t *more = realloc(t->phase, (t->phases + 1) * sizeof(*more));

	if (!more) {
		return NULL;
	}
	t->phase = more;
	memset(&more[t->phases], 0, sizeof(*more));
	return &more[t->phases++];
}
