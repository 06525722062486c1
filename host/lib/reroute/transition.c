/* SPDX-License-Identifier: Apache-2.0
 *
 * All mixtures of two images at once. Each TC and destination has a graph of old and new hops. The checks work on the
 * union of the dependencies that packets can make on it. */
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "extorus/profiles.h"
#include "transition_internal.h"

#define NEVER UINT32_MAX

/* What becomes of a packet by the hops of one image. */
typedef struct {
	uint32_t hops; /* to the destination; NEVER: it does not come there */
	uint8_t known, failed, differs;
} fate_t;

typedef struct {
	xt_transition_t *t;
	xt_old_new_hops_t m;
	fate_t *old, *now;          /* [card], of the TC and destination at hand */
	uint32_t *path;             /* [card] */
	uint8_t *lossy, *old_lossy; /* [card]: in any mixture, by old routes */
	uint8_t *broken, *exposed;  /* [source], in some TC */
	uint8_t *rerouted;
	uint8_t *measured; /* [source]: in a lower TC */
	/* [TC], of the destination at hand: what `examine` has added. */
	uint64_t undelivered[XT_MAX_TCS], loops[XT_MAX_TCS];
	uint64_t hops_before, hops_after, measured_pairs;
} job_t;

static bool hop_differs(const xt_place_t *place)
{
	const xt_option_t *a = &place->option[0], *b = &place->option[place->options > 1];

	return a->how != b->how || a->port != b->port || (a->leaves && a->vc != b->vc);
}

/* Follows the old or new hops from a card up to where they are known, and back; the old ones as they were before
 * anything failed. */
static void follow(job_t *j, uint32_t card, bool new)
{
	fate_t *fate = new ? j->now : j->old;
	unsigned length = 0;
	uint32_t at = card;
	fate_t end;

	for (;;) {
		const xt_place_t *place = xt_old_new_hops_place(&j->m, at);
		const xt_option_t *o = &place->option[new && place->options > 1];

		if (fate[at].known) {
			end = fate[at];
			break;
		}
		/* Until it is known better: it goes round. */
		fate[at] = (fate_t){.hops = NEVER, .known = 1};
		if (!o->leaves || (new && o->failed)) {
			fate[at].hops = !o->leaves && o->how == XT_WALK_DELIVERED ? 0 : NEVER;
			fate[at].differs = hop_differs(place);
			end = fate[at];
			break;
		}
		j->path[length++] = at;
		at = o->card;
	}
	while (length-- > 0) {
		end.hops = end.hops == NEVER ? NEVER : end.hops + 1;
		end.differs |= hop_differs(xt_old_new_hops_place(&j->m, j->path[length]));
		end.failed |= xt_old_new_hops_place(&j->m, j->path[length])->option[0].failed;
		fate[j->path[length]] = end;
	}
}

static bool add_dependency(void *context, uint32_t channel, unsigned next)
{
	job_t *j = context;

	j->t->mixed->successors[j->m.tc][channel] |= UINT64_C(1) << next;
	return true;
}

static void add_channel(void *context, uint32_t channel)
{
	job_t *j = context;

	j->t->mixed->used[j->m.tc][channel / j->m.bits] |= UINT64_C(1) << channel % j->m.bits;
}

static void note_loop(job_t *j)
{
	xt_transition_t *t = j->t;

	if (t->loops++ == 0) {
		t->loop.tc = j->m.tc;
		t->loop.dest = j->m.dest;
		t->loop.card = malloc(j->m.loop_length * sizeof(*t->loop.card));
		if (t->loop.card) {
			memcpy(t->loop.card, j->m.loop, j->m.loop_length * sizeof(*t->loop.card));
			t->loop.length = j->m.loop_length;
		}
	}
}

static void compare_pair(job_t *j, unsigned source, uint32_t card)
{
	const fate_t *old, *new;

	follow(j, card, false);
	follow(j, card, true);
	old = &j->old[card];
	new = &j->now[card];
	j->rerouted[source] |= old->failed || old->differs;
	if (!j->measured[source] && old->hops != NEVER && new->hops != NEVER) {
		j->measured[source] = 1;
		j->measured_pairs++;
		j->hops_before += old->hops;
		j->hops_after += new->hops;
	}
	if (old->hops != NEVER && old->hops > j->t->max_hops_before) {
		j->t->max_hops_before = old->hops;
	}
	if (new->hops != NEVER &&new->hops > j->t->max_hops_after) {
		j->t->max_hops_after = new->hops;
	}
}

static void copy_lossy(const job_t *j, uint8_t *lossy)
{
	for (uint32_t card = 0; card < j->m.cards; card++) {
		lossy[card] = j->m.lossy[card * XT_PHASES + XT_PHASE_OLD];
	}
}

/* Whether packets can meet more than one hop on some card. */
static bool is_mixed(const job_t *j)
{
	for (uint32_t card = 0; card < j->m.cards; card++) {
		if (j->m.place[card].known && j->m.place[card].options > 1) {
			return true;
		}
	}
	return false;
}

static void examine(job_t *j, unsigned tc, unsigned dest, bool in_service)
{
	const xt_image_t *before = j->m.before, *after = j->m.after;
	xt_transition_t *t = j->t;

	xt_old_new_hops_select(&j->m, tc, dest);
	memset(j->old, 0, j->m.cards * sizeof(*j->old));
	memset(j->now, 0, j->m.cards * sizeof(*j->now));
	xt_old_new_hops_walk(&j->m, XT_MIX_ANY);
	xt_old_new_hops_dependencies(&j->m, XT_MIX_ANY, add_dependency, j);
	xt_old_new_hops_channels(&j->m, XT_MIX_ANY, add_channel, j);
	if (j->m.loop_length) {
		note_loop(j);
	}
	if (!in_service) {
		return;
	}
	t->undelivered += j->m.undelivered;
	copy_lossy(j, j->lossy);
	if (is_mixed(j)) {
		xt_old_new_hops_walk(&j->m, XT_MIX_OLD);
	}
	copy_lossy(j, j->old_lossy);
	for (unsigned source = 0; source < j->m.pes; source++) {
		uint32_t card = xt_image_pe_card(after, source);

		if (source == dest || !xt_image_pe_in_service(after, source) ||
			!(xt_image_pe_tc_mask(before, source) >> tc & xt_image_pe_tc_mask(after, source) >> tc & 1)) {
			continue;
		}
		j->broken[source] |= j->old_lossy[card];
		j->exposed[source] |= j->lossy[card] && !j->old_lossy[card];
		compare_pair(j, source, card);
	}
}

static void examine_destination(job_t *j, unsigned dest)
{
	const xt_image_t *before = j->m.before, *after = j->m.after;
	bool was = xt_image_pe_in_service(before, dest), is = xt_image_pe_in_service(after, dest);
	xt_transition_t *t = j->t;

	memset(j->broken, 0, j->m.pes);
	memset(j->exposed, 0, j->m.pes);
	memset(j->rerouted, 0, j->m.pes);
	memset(j->measured, 0, j->m.pes);
	for (unsigned tc = 0; tc < j->m.profile->tcs; tc++) {
		const unsigned same = j->m.same_as[tc];
		const uint64_t undelivered = t->undelivered, loops = t->loops;

		if (same == tc) {
			examine(j, tc, dest, was && is);
		} else {
			t->undelivered += j->undelivered[same];
			t->loops += j->loops[same];
		}
		j->undelivered[tc] = t->undelivered - undelivered;
		j->loops[tc] = t->loops - loops;
	}
	for (unsigned source = 0; source < j->m.pes; source++) {
		bool both =
			was && is && xt_image_pe_in_service(before, source) && xt_image_pe_in_service(after, source);

		if (source == dest) {
			continue;
		}
		t->pairs += both;
		t->out_of_service += was && xt_image_pe_in_service(before, source) && !both;
		t->broken += j->broken[source];
		t->exposed += j->exposed[source] && !j->broken[source];
		t->rerouted += j->rerouted[source];
	}
}

static void copy_to_equal_tcs(job_t *j)
{
	for (unsigned tc = 0; tc < j->m.profile->tcs; tc++) {
		const unsigned same = j->m.same_as[tc];

		if (same != tc) {
			memcpy(j->t->mixed->used[tc], j->t->mixed->used[same],
				j->m.cards * sizeof(*j->t->mixed->used[tc]));
			memcpy(j->t->mixed->successors[tc], j->t->mixed->successors[same],
				(size_t)j->m.cards * j->m.bits * sizeof(*j->t->mixed->successors[tc]));
		}
	}
}

/* The search of the checker, on the union. Rings are the same in both, or everything stops anyway. */
static int find_cycles(job_t *j)
{
	checker_t c = {.image = j->m.after, .profile = j->m.profile, .result = j->t->mixed};

	c.cards = j->m.cards;
	c.pes = j->m.pes;
	c.bits = j->m.bits;
	c.vc_stride = j->m.vc_stride;
	return xt_check_find_cycles(&c);
}

static int allocate(job_t *j, xt_diag_t *diag)
{
	unsigned cards = j->m.cards, pes = j->m.pes;
	xt_check_t *mixed = j->t->mixed = calloc(1, sizeof(*mixed));
	bool ok = mixed != NULL;

	for (unsigned tc = 0; ok && tc < j->m.profile->tcs; tc++) {
		mixed->tcs = j->m.profile->tcs;
		mixed->vc_stride = j->m.vc_stride;
		mixed->used[tc] = calloc(cards, sizeof(*mixed->used[tc]));
		mixed->successors[tc] = calloc((size_t)cards * j->m.bits, sizeof(*mixed->successors[tc]));
		ok = mixed->used[tc] && mixed->successors[tc];
	}
	j->old = calloc(cards, sizeof(*j->old));
	j->now = calloc(cards, sizeof(*j->now));
	j->path = calloc(cards, sizeof(*j->path));
	j->lossy = calloc(cards, 1);
	j->old_lossy = calloc(cards, 1);
	j->broken = calloc(pes, 1);
	j->exposed = calloc(pes, 1);
	j->rerouted = calloc(pes, 1);
	j->measured = calloc(pes, 1);
	return ok && j->old && j->now && j->path && j->lossy && j->old_lossy && j->broken && j->exposed &&
			       j->rerouted && j->measured
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_NOMEM, "out of memory for the transition of %u cards", cards);
}

static void free_job(job_t *j)
{
	xt_old_new_hops_free(&j->m);
	free(j->old);
	free(j->now);
	free(j->path);
	free(j->lossy);
	free(j->old_lossy);
	free(j->broken);
	free(j->exposed);
	free(j->rerouted);
	free(j->measured);
}

static int check_same_network(const xt_image_t *a, const xt_image_t *b, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_image_profile(a);

	if (p != xt_image_profile(b) || xt_image_cards(a) != xt_image_cards(b) || xt_image_pes(a) != xt_image_pes(b)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"there is no transition from %u cards of profile %s to %u of %s; use images of the same cards",
			xt_image_cards(a), p->name, xt_image_cards(b), xt_image_profile(b)->name);
	}
	for (unsigned pe = 0; pe < xt_image_pes(a); pe++) {
		if (xt_image_pe_address(a, pe) != xt_image_pe_address(b, pe)) {
			return xt_fail(diag, XT_ERR_MISMATCH,
				"PE %u has another address in each of the images of %.80s and %.80s; use images of the "
				"same network",
				pe, xt_image_topology(a), xt_image_topology(b));
		}
	}
	for (unsigned end = 0; end < xt_image_cards(a) * p->link_ports; end++) {
		unsigned card = end / p->link_ports, port = end % p->link_ports;
		xt_peer_t x = xt_image_peer(a, card, port), y = xt_image_peer(b, card, port);

		if (x.card != XT_NO_CARD && y.card != XT_NO_CARD && (x.card != y.card || x.port != y.port)) {
			return xt_fail(diag, XT_ERR_MISMATCH,
				"the cable at card %u port %s leads elsewhere in %.80s than in %.80s; use images of "
				"the "
				"same network",
				card, xt_image_port_name(a, card, port), xt_image_topology(b), xt_image_topology(a));
		}
	}
	return XT_OK;
}

int xt_check_safe(const xt_image_t *image, xt_diag_t *diag)
{
	xt_check_t *check;
	int status = xt_check_image(image, &check, diag);

	if (status == XT_OK) {
		status = xt_check_verdict(image, check, diag);
		xt_check_free(check);
	}
	return status;
}

static bool any_order_is_safe(const xt_transition_t *t)
{
	for (size_t i = 0; i < t->rewrites; i++) {
		if (t->rewrite[i].word == XT_WORD_RING || t->rewrite[i].word == XT_WORD_VC_RING_FROM) {
			return false;
		}
	}
	return t->loops == 0 && t->undelivered == 0 && t->exposed == 0 && t->mixed->cyclic_tcs == 0 &&
	       t->mixed->ring_merges == 0;
}

static int one_step(xt_transition_t *t, xt_diag_t *diag)
{
	xt_transition_phase_t *phase;

	if (t->rewrites == 0) {
		return XT_OK;
	}
	phase = xt_add_phase(t);
	if (!phase) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	phase->first_step = phase->steps = 1;
	phase->rewrites = t->rewrites;
	phase->destinations = t->destinations;
	return XT_OK;
}

static int examine_all(job_t *j, xt_diag_t *diag)
{
	xt_transition_t *t = j->t;
	int status;

	if ((status = allocate(j, diag)) != XT_OK ||
		(status = xt_table_diff_find(j->m.before, j->m.after, t, diag)) != XT_OK) {
		return status;
	}
	for (unsigned dest = 0; dest < j->m.pes; dest++) {
		examine_destination(j, dest);
	}
	copy_to_equal_tcs(j);
	if (t->loops && !t->loop.card) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (j->measured_pairs) {
		t->mean_hops_before = (double)j->hops_before / (double)j->measured_pairs;
		t->mean_hops_after = (double)j->hops_after / (double)j->measured_pairs;
	}
	if ((status = find_cycles(j)) != XT_OK) {
		return xt_fail(diag, status, "out of memory for the dependencies of %u cards", j->m.cards);
	}
	if (any_order_is_safe(t)) {
		return one_step(t, diag);
	}
	return xt_transition_order(&j->m, t, diag);
}

int xt_check_transition(const xt_image_t *before, const xt_image_t *after, xt_transition_t **out, xt_diag_t *diag)
{
	job_t job = {0};
	int status;

	*out = NULL;
	if ((status = check_same_network(before, after, diag)) != XT_OK ||
		(status = xt_check_safe(after, diag)) != XT_OK) {
		return status;
	}
	job.t = calloc(1, sizeof(*job.t));
	if (!job.t) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if ((status = xt_old_new_hops_create(&job.m, before, after, diag)) == XT_OK) {
		status = examine_all(&job, diag);
	}
	free_job(&job);
	if (status != XT_OK) {
		xt_transition_free(job.t);
		return status;
	}
	xt_table_diff_sort(job.t);
	*out = job.t;
	return XT_OK;
}

void xt_transition_free(xt_transition_t *t)
{
	if (t) {
		for (size_t i = 0; i < t->phases; i++) {
			free(t->phase[i].stopped);
		}
		free(t->phase);
		free(t->rewrite);
		free(t->loop.card);
		xt_check_free(t->mixed);
		free(t);
	}
}

int xt_transition_verdict(const xt_image_t *after, const xt_transition_t *t, xt_diag_t *diag)
{
	if (t->how == XT_TRANSITION_ANY_ORDER) {
		return XT_OK;
	}
	if (t->loops) {
		return xt_fail(diag, XT_ERR_UNSAFE,
			"not safe in any order: packets of TC %u to PE %u can go round %zu cards (%llu such loops in "
			"all)",
			t->loop.tc, t->loop.dest, t->loop.length, (unsigned long long)t->loops);
	}
	if (t->undelivered) {
		return xt_fail(diag, XT_ERR_UNSAFE,
			"not safe in any order: at %llu places a mixture of old and new words does not deliver",
			(unsigned long long)t->undelivered);
	}
	if (t->exposed) {
		return xt_fail(diag, XT_ERR_UNSAFE,
			"not safe in any order: %llu pairs whose old routes work would lose packets at failed links",
			(unsigned long long)t->exposed);
	}
	for (unsigned tc = 0; tc < t->mixed->tcs; tc++) {
		if (t->mixed->cyclic_tcs >> tc & 1) {
			const xt_channel_t *c = &t->mixed->cycle[tc][0];

			return xt_fail(diag, XT_ERR_UNSAFE,
				"not safe in any order: TC %u can deadlock while old and new routes are mixed, in a "
				"cycle of "
				"%zu links, one of them card %u %s VC %u",
				tc, t->mixed->cycle_length[tc], (unsigned)c->card,
				xt_image_port_name(after, c->card, c->port), c->vc);
		}
	}
	return xt_fail(diag, XT_ERR_UNSAFE, "not safe in any order: registers RING have to change with the routes");
}

void xt_transition_print_findings(const xt_image_t *after, const xt_transition_t *t, FILE *out)
{
	if (t->loops) {
		fprintf(out, "TC %u to PE %u: loop of %zu cards, each sends to the next and the last to the first:\n ",
			t->loop.tc, t->loop.dest, t->loop.length);
		for (size_t i = 0; i < t->loop.length; i++) {
			fprintf(out, " %u", (unsigned)t->loop.card[i]);
		}
		fprintf(out, "\n");
	}
	xt_check_print_cycles(after, t->mixed, out);
}
