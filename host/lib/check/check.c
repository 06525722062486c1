/* SPDX-License-Identifier: Apache-2.0
 *
 * First all destinations are walked in batches, then those by themselves which the batches could not
 * settle. Threads have results of their own, which are put together at the end: what is found does not
 * depend on how many there are. */
#include <stdlib.h>
#include <string.h>

#include "base/options_take.h"
#include "check_batch.h"
#include "checker.h"
#include "extorus/profiles.h"
#include "extorus/thread_pool.h"

static const char *const walk_names[] = {
	[XT_WALK_DELIVERED] = "delivered",
	[XT_WALK_LIVELOCK] = "livelock",
	[XT_WALK_MISDELIVERED] = "misdelivered",
	[XT_WALK_ILLEGAL] = "illegal route",
	[XT_WALK_UNCONNECTED] = "unconnected port",
};

const char *xt_walk_name(xt_walk_t how)
{
	return walk_names[how];
}

/* What all threads work on. */
typedef struct {
	checker_t *checker; /* [worker] */
	uint8_t *in_service;
	xt_peer_t *sender;
	xt_plan_t plan;
	const xt_group_t *group; /* the one that is being walked */
	xt_tally_t *tally;       /* [PE] */
	uint32_t *left;          /* destinations to be checked one by one */
	uint32_t lefts;
	unsigned threads;
	const xt_check_options_t *options;
	uint64_t done, total; /* destinations, of all groups */
} checking_t;

static xt_check_t *new_result(const checker_t *c)
{
	xt_check_t *r = calloc(1, sizeof(*r));

	if (!r) {
		return NULL;
	}
	r->tcs = c->profile->tcs;
	r->vc_stride = c->vc_stride;
	for (unsigned tc = 0; tc < r->tcs; tc++) {
		r->used[tc] = calloc(c->cards, sizeof(*r->used[tc]));
		r->successors[tc] = calloc((size_t)c->cards * c->bits, sizeof(*r->successors[tc]));
		if (!r->used[tc] || !r->successors[tc]) {
			xt_check_free(r);
			return NULL;
		}
	}
	return r;
}

static int allocate_checker(checker_t *c, bool adaptive)
{
	c->result = new_result(c);
	c->step = calloc(c->cards, sizeof(*c->step));
	c->path = calloc(c->cards, sizeof(*c->path));
	c->order = calloc(c->cards, sizeof(*c->order));
	c->distance = calloc(c->cards, sizeof(*c->distance));
	c->pair_hops = calloc(c->pes, sizeof(*c->pair_hops));
	c->pair_how = calloc(c->pes, 1);
	c->pair_longer = calloc(c->pes, 1);
	c->part = calloc(c->cards, 1);
	c->batch = xt_check_batch_new(c->cards);
	c->reach = adaptive ? xt_check_reach_new(c->cards, c->profile->link_ports) : NULL;
	return c->result && c->step && c->path && c->order && c->distance && c->pair_hops && c->pair_how &&
			       c->pair_longer && c->part && c->batch && (c->reach || !adaptive)
		       ? XT_OK
		       : XT_ERR_NOMEM;
}

static void free_checker(checker_t *c)
{
	xt_check_free(c->result);
	free(c->step);
	free(c->path);
	free(c->order);
	free(c->distance);
	free(c->pair_hops);
	free(c->pair_how);
	free(c->pair_longer);
	free(c->part);
	xt_check_batch_free(c->batch);
	xt_check_reach_free(c->reach);
}

static void show_progress(checking_t *k, uint64_t done)
{
	if (k->options->progress) {
		k->options->progress(k->options->context, k->done + done, k->total);
	}
}

static void work_on_batch(void *context, unsigned worker, uint32_t item)
{
	checking_t *k = context;

	xt_batch_check(&k->checker[worker], k->group, item, k->tally);
}

static void batch_done(void *context, uint32_t done)
{
	checking_t *k = context;

	show_progress(k, k->group->first[done]);
}

static void work_on_destination(void *context, unsigned worker, uint32_t item)
{
	checking_t *k = context;

	xt_check_destination(&k->checker[worker], k->left[item]);
}

static void destination_done(void *context, uint32_t done)
{
	show_progress(context, done);
}

static void walk_everything(checking_t *k)
{
	unsigned pes = k->checker->pes;
	uint64_t in_service = pes - k->checker->result->out_of_service;

	k->total = k->plan.count ? in_service * k->plan.count : in_service;
	for (unsigned i = 0; i < k->plan.count; i++) {
		k->group = &k->plan.group[i];
		xt_parallel(k->threads, k->group->batches, work_on_batch, batch_done, k);
		k->done += in_service;
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		if (k->in_service[pe] && (k->plan.count == 0 || k->tally[pe].left)) {
			k->left[k->lefts++] = pe;
		}
	}
	k->total = k->done + k->lefts;
	xt_parallel(k->threads, k->lefts, work_on_destination, destination_done, k);
}

/* `from` is of another thread; a thread's first failure is that with its least destination. */
static void merge(const checker_t *c, xt_check_t *to, const xt_check_t *from)
{
	if (from->failure.how != XT_WALK_DELIVERED &&
		(to->failure.how == XT_WALK_DELIVERED || from->failure.dest < to->failure.dest)) {
		to->failure = from->failure;
	}
	if (from->adaptive_faults &&
		(to->adaptive_faults == 0 || from->adaptive_failure.dest < to->adaptive_failure.dest)) {
		to->adaptive_failure = from->adaptive_failure;
	}
	to->pairs += from->pairs;
	to->unreachable += from->unreachable;
	to->livelock += from->livelock;
	to->misdelivered += from->misdelivered;
	to->illegal += from->illegal;
	to->unconnected += from->unconnected;
	to->non_minimal += from->non_minimal;
	to->adaptive_tcs |= from->adaptive_tcs;
	to->adaptive_candidates += from->adaptive_candidates;
	to->escapes += from->escapes;
	to->adaptive_faults += from->adaptive_faults;
	to->max_hops = from->max_hops > to->max_hops ? from->max_hops : to->max_hops;
	to->adaptive_max_hops =
		from->adaptive_max_hops > to->adaptive_max_hops ? from->adaptive_max_hops : to->adaptive_max_hops;
	for (unsigned tc = 0; tc < to->tcs; tc++) {
		for (size_t i = 0; i < c->cards; i++) {
			to->used[tc][i] |= from->used[tc][i];
		}
		for (size_t i = 0; i < (size_t)c->cards * c->bits; i++) {
			to->successors[tc][i] |= from->successors[tc][i];
		}
	}
}

/* The destinations that the batches have settled. */
static void add_tallies(const checking_t *k, checker_t *c)
{
	unsigned others = c->pes - c->result->out_of_service - 1;
	xt_check_t *r = c->result;

	for (unsigned pe = 0; pe < c->pes && k->plan.count; pe++) {
		const xt_tally_t *t = &k->tally[pe];

		if (!k->in_service[pe] || t->left) {
			continue;
		}
		r->pairs += others;
		c->total_hops += t->hops;
		r->non_minimal += t->non_minimal;
		r->max_hops = t->max_hops > r->max_hops ? t->max_hops : r->max_hops;
		r->adaptive_tcs |= t->adaptive_tcs;
		r->adaptive_candidates += t->candidates;
		r->escapes += t->escapes;
		r->adaptive_max_hops = t->longest > r->adaptive_max_hops ? t->longest : r->adaptive_max_hops;
	}
}

/* What the walks in one TC have used, they would have used in those that are alike. */
static void copy_channels(checker_t *c, const xt_pass_t *pass)
{
	xt_check_t *r = c->result;

	for (unsigned rest = pass->alike & (pass->alike - 1); rest; rest &= rest - 1) {
		unsigned tc = (unsigned)__builtin_ctz(rest);

		memcpy(r->used[tc], r->used[pass->tc], c->cards * sizeof(*r->used[tc]));
		memcpy(r->successors[tc], r->successors[pass->tc],
			(size_t)c->cards * c->bits * sizeof(*r->successors[tc]));
	}
}

/* Everything into the result of the first thread. */
static void put_together(const checking_t *k)
{
	checker_t *c = &k->checker[0];
	xt_check_t *r = c->result;

	for (unsigned i = 1; i < k->threads; i++) {
		merge(c, r, k->checker[i].result);
		c->total_hops += k->checker[i].total_hops;
	}
	add_tallies(k, c);
	for (unsigned i = 0; i < k->plan.count; i++) {
		for (unsigned j = 0; j < k->plan.group[i].passes; j++) {
			copy_channels(c, &k->plan.group[i].pass[j]);
		}
	}
	if (r->pairs > r->unreachable) {
		r->mean_hops = (double)c->total_hops / (double)(r->pairs - r->unreachable);
	}
}

/* A one-way link has a port that only sends and one that only receives. */
static bool find_senders(checking_t *k, const xt_image_t *image)
{
	unsigned ports = xt_image_profile(image)->link_ports, cards = xt_image_cards(image);

	k->sender = malloc((size_t)cards * ports * sizeof(*k->sender));
	if (!k->sender) {
		return false;
	}
	memset(k->sender, 0xff, (size_t)cards * ports * sizeof(*k->sender));
	for (uint32_t card = 0; card < cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_image_peer(image, card, port);

			if (peer.card != XT_NO_CARD) {
				k->sender[(size_t)peer.card * ports + peer.port] = (xt_peer_t){card, port};
			}
		}
	}
	return true;
}

static int prepare(checking_t *k, const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);
	bool adaptive = xt_image_is_adaptive(image);
	unsigned pes = xt_image_pes(image), out_of_service = 0;

	k->checker = calloc(k->threads, sizeof(*k->checker));
	k->in_service = calloc(pes, sizeof(*k->in_service));
	k->tally = calloc(pes, sizeof(*k->tally));
	k->left = calloc(pes, sizeof(*k->left));
	if (!k->checker || !k->in_service || !k->tally || !k->left || !find_senders(k, image)) {
		return XT_ERR_NOMEM;
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		k->in_service[pe] = xt_image_pe_in_service(image, pe) != 0;
		out_of_service += !k->in_service[pe];
	}
	for (unsigned i = 0; i < k->threads; i++) {
		checker_t *c = &k->checker[i];

		*c = (checker_t){.image = image,
			.profile = profile,
			.in_service = k->in_service,
			.sender = k->sender,
			.pes = pes};
		c->cards = xt_image_cards(image);
		c->vc_stride = xt_profile_vc_stride(profile);
		c->bits = profile->link_ports * c->vc_stride;
		for (unsigned tc = 0; tc < profile->tcs; tc++) {
			c->vcs[tc] = xt_profile_deterministic_vcs(profile, tc);
		}
		if (allocate_checker(c, adaptive) != XT_OK) {
			return XT_ERR_NOMEM;
		}
	}
	k->checker->result->out_of_service = out_of_service;
	return k->options->one_by_one ? XT_OK : xt_plan_make(k->checker, &k->plan);
}

int xt_check_image(const xt_image_t *image, xt_check_t **out, xt_diag_t *diag)
{
	return xt_check_image_with(image, NULL, out, diag);
}

int xt_check_image_with(const xt_image_t *image, const xt_check_options_t *given, xt_check_t **out, xt_diag_t *diag)
{
	xt_check_options_t options;
	int status = xt_options_take(given, &options, sizeof(options), "check", diag);
	/* Less than this is done before another thread has begun. */
	bool small = (uint64_t)xt_image_cards(image) * xt_image_pes(image) < 1u << 18;
	checking_t k = {
		.threads = small && options.threads == 0 ? 1 : xt_thread_count(options.threads), .options = &options};

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	status = prepare(&k, image);
	if (status == XT_OK) {
		walk_everything(&k);
		put_together(&k);
		for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
			k.checker->result->out_of_service -= !xt_image_has_pe(image, pe);
		}
		status = xt_check_find_cycles(&k.checker[0]);
	}
	if (status == XT_OK) {
		*out = k.checker->result;
		k.checker->result = NULL;
	}
	for (unsigned i = 0; k.checker && i < k.threads; i++) {
		free_checker(&k.checker[i]);
	}
	xt_plan_free(&k.plan);
	free(k.checker);
	free(k.in_service);
	free(k.sender);
	free(k.tally);
	free(k.left);
	return status == XT_OK
		       ? XT_OK
		       : xt_fail(diag, status, "out of memory for the check of %u cards", xt_image_cards(image));
}

void xt_check_free(xt_check_t *check)
{
	if (!check) {
		return;
	}
	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		free(check->cycle[tc]);
		free(check->used[tc]);
		free(check->successors[tc]);
	}
	free(check);
}

bool xt_check_passed(const xt_check_t *check)
{
	return check->unreachable == 0 && check->adaptive_faults == 0 && check->ring_merges == 0 &&
	       check->cyclic_tcs == 0;
}

static int adaptive_verdict(const xt_image_t *image, const xt_check_t *check, xt_diag_t *diag)
{
	const xt_adaptive_failure_t *f = &check->adaptive_failure;
	unsigned long long faults = check->adaptive_faults;

	switch (f->how) {
	case XT_ADAPTIVE_UNCONNECTED:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: on card %u the mask names port %u, "
			"which leads nowhere",
			faults, f->tc, f->dest, f->card, f->port);
	case XT_ADAPTIVE_LIVELOCK:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: livelock, packets can go round by "
			"candidates, through card %u %s",
			faults, f->tc, f->dest, f->card, xt_image_port_name(image, f->card, f->port));
	case XT_ADAPTIVE_U_TURN:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: u-turn, the route behind the "
			"candidate "
			"leads back to card %u %s",
			faults, f->tc, f->dest, f->card, xt_image_port_name(image, f->card, f->port));
	default:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: no escape from card %u, to which "
			"candidates lead: %s at card %u",
			faults, f->tc, f->dest, f->card, xt_walk_name(f->escape), f->escape_card);
	}
}

int xt_check_verdict(const xt_image_t *image, const xt_check_t *check, xt_diag_t *diag)
{
	if (check->unreachable != 0) {
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu of %llu pairs are not reached, first: TC %u, PE %u to PE %u: %s at card %u",
			(unsigned long long)check->unreachable, (unsigned long long)check->pairs, check->failure.tc,
			check->failure.source, check->failure.dest, xt_walk_name(check->failure.how),
			check->failure.card);
	}
	if (check->adaptive_faults != 0) {
		return adaptive_verdict(image, check, diag);
	}
	if (check->ring_merges != 0) {
		const xt_channel_t *c = &check->ring_merge;

		return xt_fail(diag, XT_ERR_UNSAFE,
			"TC %u can deadlock: %llu channels continue more than one ring, so that packets enter without "
			"room for two, first: card %u %s VC %u",
			c->tc, (unsigned long long)check->ring_merges, (unsigned)c->card,
			xt_image_port_name(image, c->card, c->port), c->vc);
	}
	for (unsigned tc = 0; tc < check->tcs; tc++) {
		if (check->cyclic_tcs >> tc & 1) {
			const xt_channel_t *c = &check->cycle[tc][0];

			return xt_fail(diag, XT_ERR_UNSAFE,
				"TC %u can deadlock: its %s dependencies have a cycle of %zu links, one of them "
				"card %u %s VC %u",
				tc, check->adaptive_tcs >> tc & 1 ? "escape channel" : "channel",
				check->cycle_length[tc], (unsigned)c->card, xt_image_port_name(image, c->card, c->port),
				c->vc);
		}
	}
	return XT_OK;
}

void xt_check_print_cycles(const xt_image_t *image, const xt_check_t *check, FILE *out)
{
	for (unsigned tc = 0; tc < check->tcs; tc++) {
		if (check->cycle_length[tc] == 0) {
			continue;
		}
		fprintf(out, "TC %u: cycle of %zu channels, each waits for the next and the last for the first:\n", tc,
			check->cycle_length[tc]);
		for (size_t i = 0; i < check->cycle_length[tc]; i++) {
			const xt_channel_t *c = &check->cycle[tc][i];
			xt_peer_t peer = xt_image_peer(image, c->card, c->port);

			fprintf(out, "  card %u %s -> card %u %s, VC %u\n", (unsigned)c->card,
				xt_image_port_name(image, c->card, c->port), (unsigned)peer.card,
				xt_image_port_name(image, peer.card, peer.port), c->vc);
		}
	}
}
