/* SPDX-License-Identifier: Apache-2.0
 *
 * Which algorithm a collective has, and its workload. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "collective_rules.h"

enum { USUAL_FANOUT = 4, MOST_MESSAGES = 1 << 27 };

typedef struct {
	const char *name;
	const xt_algorithm_entry_t *algorithms;
	int rooted;
} kind_t;

static const kind_t kinds[XT_COLLECTIVES] = {
	[XT_COLLECTIVE_BROADCAST] = {"broadcast", xt_broadcast_algorithms, 1},
	[XT_COLLECTIVE_REDUCE] = {"reduce", xt_reduce_algorithms, 1},
	[XT_COLLECTIVE_ALLREDUCE] = {"allreduce", xt_allreduce_algorithms, 0},
	[XT_COLLECTIVE_GATHER] = {"gather", xt_gather_algorithms, 1},
	[XT_COLLECTIVE_SCATTER] = {"scatter", xt_scatter_algorithms, 1},
	[XT_COLLECTIVE_ALLGATHER] = {"allgather", xt_allgather_algorithms, 0},
	[XT_COLLECTIVE_BARRIER] = {"barrier", xt_barrier_algorithms, 0},
	[XT_COLLECTIVE_ALLTOALL] = {"alltoall", xt_alltoall_algorithms, 0},
};

int xt_collective_is_rooted(xt_collective_kind_t kind)
{
	return kinds[kind].rooted;
}

int xt_collective_parse(const char *text, xt_collective_kind_t *kind, xt_diag_t *diag)
{
	for (unsigned k = 0; k < XT_COLLECTIVES; k++) {
		if (strcmp(text, kinds[k].name) == 0) {
			*kind = (xt_collective_kind_t)k;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"no collective \"%.40s\"; there are broadcast, reduce, allreduce, gather, scatter, allgather, barrier "
		"and "
		"alltoall",
		text);
}

const char *xt_collective_algorithm(xt_collective_kind_t kind, unsigned index)
{
	const xt_algorithm_entry_t *entry = kinds[kind].algorithms;

	for (unsigned i = 0; i < index && entry->name; i++) {
		entry++;
	}
	return entry->name;
}

static const xt_algorithm_entry_t *find(xt_collective_kind_t kind, const char *name)
{
	const xt_algorithm_entry_t *entry = kinds[kind].algorithms;

	while (entry->name && strcmp(entry->name, name) != 0) {
		entry++;
	}
	return entry->name ? entry : NULL;
}

static int check_sizes(const xt_collective_t *c, xt_diag_t *diag)
{
	const char *name = kinds[c->kind].name;

	if (c->ranks < 1 || c->ranks > XT_MAX_RANKS) {
		return xt_fail(
			diag, XT_ERR_RANGE, "%s: %" PRIu32 " ranks; choose 1 to %d", name, c->ranks, XT_MAX_RANKS);
	}
	if (c->root >= c->ranks) {
		return xt_fail(diag, XT_ERR_RANGE, "%s: root %" PRIu32 " is none of the ranks 0 to %" PRIu32, name,
			c->root, c->ranks - 1);
	}
	if (c->kind != XT_COLLECTIVE_BARRIER && (c->bytes < 1 || c->bytes > UINT64_C(1) << 32)) {
		return xt_fail(diag, XT_ERR_RANGE, "%s: %" PRIu64 " bytes; choose 1 to 4294967296", name, c->bytes);
	}
	if (c->bytes % c->element) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%s: %" PRIu64 " bytes are not whole elements of %" PRIu32 " bytes; choose a multiple", name,
			c->bytes, c->element);
	}
	return XT_OK;
}

static int check_algorithm(const xt_collective_t *c, xt_diag_t *diag)
{
	char list[160] = "";
	size_t used = 0;

	if (find(c->kind, c->algorithm)) {
		if (strcmp(c->algorithm, "two-proc") == 0 && c->ranks != 2) {
			return xt_fail(diag, XT_ERR_INVALID, "%s: two-proc is for 2 ranks, not for %" PRIu32,
				kinds[c->kind].name, c->ranks);
		}
		return XT_OK;
	}
	for (const xt_algorithm_entry_t *e = kinds[c->kind].algorithms; e->name; e++) {
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "", e->name);
	}
	return xt_fail(diag, XT_ERR_INVALID, "%s has no algorithm \"%.40s\"; there are %s", kinds[c->kind].name,
		c->algorithm, list);
}

int xt_collective_decide(xt_collective_t *c, xt_diag_t *diag)
{
	xt_choice_t choice;
	int status;

	c->element = c->element ? c->element : 1;
	c->fanout = c->fanout ? c->fanout : USUAL_FANOUT;
	c->bytes = c->kind == XT_COLLECTIVE_BARRIER ? 0 : c->bytes;
	c->root = kinds[c->kind].rooted ? c->root : 0;
	if ((status = check_sizes(c, diag)) != XT_OK) {
		return status;
	}
	choice = xt_rules_choose(c);
	if (!c->algorithm) {
		c->algorithm = choice.algorithm;
		c->segment = c->segment == XT_SEGMENT_BY_RULES ? choice.segment : c->segment;
	}
	if (c->segment == XT_SEGMENT_BY_RULES) {
		c->segment = strcmp(c->algorithm, choice.algorithm) == 0 ? choice.segment : 0;
	}
	return check_algorithm(c, diag);
}

static void begin(xt_play_t *play, const xt_collective_t *c)
{
	const xt_algorithm_entry_t *entry = find(c->kind, c->algorithm);

	play->c = c;
	play->tree = entry->tree;
	entry->play(play);
}

static void play_part(xt_play_t *play, xt_collective_t part)
{
	const xt_play_t whole = *play;

	if (xt_collective_decide(&part, NULL) != XT_OK) {
		play->w->status = XT_ERR_RANGE;
		return;
	}
	begin(play, &part);
	play->c = whole.c;
	play->tree = whole.tree;
}

/* A lower bound, so that what is too large is refused before it is made. */
static uint64_t least_messages(const xt_collective_t *c)
{
	const uint64_t others = c->ranks - 1;

	if (c->kind == XT_COLLECTIVE_ALLTOALL ? strcmp(c->algorithm, "bruck") != 0
					      : c->kind != XT_COLLECTIVE_BARRIER && strstr(c->algorithm, "ring")) {
		return c->ranks * others;
	}
	if ((c->kind == XT_COLLECTIVE_BROADCAST || c->kind == XT_COLLECTIVE_REDUCE) && c->segment &&
		strcmp(c->algorithm, "linear") != 0) {
		return others * ((c->bytes + c->segment - 1) / c->segment);
	}
	return others;
}

int xt_collective_play(xt_workload_t *w, xt_program_t *programs, const xt_collective_t *collective, xt_diag_t *diag)
{
	xt_collective_t c = *collective;
	xt_play_t play = {.w = w, .programs = programs, .part = play_part};
	int status = xt_collective_decide(&c, diag);

	if (status == XT_OK && least_messages(&c) > MOST_MESSAGES) {
		return xt_fail(diag, XT_ERR_RANGE,
			"%s: %" PRIu64 " messages, and %d are as many as can be; take fewer ranks or longer segments",
			kinds[c.kind].name, least_messages(&c), MOST_MESSAGES);
	}
	if (status == XT_OK && c.ranks > 1) {
		begin(&play, &c);
	}
	return status;
}

int xt_collective_create(const xt_collective_t *collective, xt_workload_t **out, xt_diag_t *diag)
{
	xt_collective_t c = *collective;
	xt_program_t *programs;
	xt_workload_t *w;
	int status = xt_collective_decide(&c, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	w = xt_workload_create(c.ranks);
	programs = malloc(c.ranks * sizeof(*programs));
	if (!w || !programs) {
		status = xt_fail(diag, XT_ERR_NOMEM, "%s: out of memory", kinds[c.kind].name);
	} else {
		w->with_pieces = c.pieces;
		for (uint32_t r = 0; r < c.ranks; r++) {
			programs[r] = xt_program_begin(w, r);
		}
		status = xt_collective_play(w, programs, &c, diag);
		status = status == XT_OK ? xt_workload_finish(w, kinds[c.kind].name, diag) : status;
	}
	free(programs);
	if (status != XT_OK) {
		xt_workload_free(w);
		return status;
	}
	*out = w;
	return XT_OK;
}

static int before(const void *a, const void *b)
{
	const xt_piece_t *x = a, *y = b;

	return x->send < y->send ? -1 : x->send > y->send;
}

static void write_event(const xt_workload_t *w, uint32_t e, size_t *piece, FILE *out)
{
	const xt_event_list_t waits = xt_edges_back(&w->ends, e);
	size_t begin = *piece;

	fprintf(out, "[%u,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRId64 ",[", w->kind[e], w->rank[e], w->peer[e],
		xt_workload_size(w, e), w->match[e] == XT_NO_EVENT ? INT64_C(-1) : (int64_t)w->match[e]);
	for (uint32_t i = 0; i < waits.count; i++) {
		fprintf(out, "%s%" PRIu32, i ? "," : "", waits.events[i]);
	}
	while (*piece < w->piece_count && w->pieces[*piece].send == e) {
		++*piece;
	}
	fprintf(out, "],%u,[", *piece > begin ? w->pieces[begin].reduce : 0);
	for (size_t i = begin; i < *piece; i++) {
		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i == begin ? "" : ",", w->pieces[i].offset,
			w->pieces[i].length);
	}
	fprintf(out, "]]");
}

int xt_collective_write_json(const xt_collective_t *c, const xt_workload_t *w, FILE *out)
{
	size_t piece = 0;

	/* They were added send by send, but the programs of several ranks can be written at the same time. */
	if (w->piece_count) {
		qsort(w->pieces, w->piece_count, sizeof(*w->pieces), before);
	}
	fprintf(out,
		"{\"collective\":\"%s\",\"algorithm\":\"%s\",\"ranks\":%" PRIu32 ",\"root\":%" PRIu32
		",\"bytes\":%" PRIu64 ",\"element\":%" PRIu32 ",\"segment\":%" PRIu64 ",\"events\":[",
		kinds[c->kind].name, c->algorithm, c->ranks, c->root, c->bytes, c->element, c->segment);
	for (uint32_t e = 0; e < w->count; e++) {
		fputs(e ? "," : "", out);
		write_event(w, e, &piece, out);
	}
	fputs("]}\n", out);
	return ferror(out) ? XT_ERR_IO : XT_OK;
}
