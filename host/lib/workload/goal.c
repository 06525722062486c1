/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL schedules, LogGOPSim's text format, and which format a file has. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "formats.h"
#include "text.h"

/* A label of the rank that is being read. */
typedef struct {
	char *name;
	uint32_t event;
} label_t;

typedef struct {
	uint32_t event, on; /* irequires */
} begin_t;

typedef struct {
	xt_text_t text;
	xt_workload_t *w;
	int in_comment;
	int64_t rank;    /* -1: outside */
	uint8_t *ranks;  /* [rank]: read already */
	label_t *labels; /* a hash table */
	size_t label_count, label_room;
	begin_t *begins;
	size_t begin_count, begin_room;
	size_t first_edge; /* of this rank */
} goal_t;

/* ---------------------------------------------------------------- labels */

static label_t *place_of(const goal_t *g, const char *name)
{
	uint64_t hash = 1469598103934665603u;

	for (const char *c = name; *c; c++) {
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	}
	for (size_t i = (size_t)(hash ^ hash >> 32) & (g->label_room - 1);; i = (i + 1) & (g->label_room - 1)) {
		if (!g->labels[i].name || strcmp(g->labels[i].name, name) == 0) {
			return &g->labels[i];
		}
	}
}

static int widen(goal_t *g)
{
	goal_t wide = *g;

	if (2 * g->label_count < g->label_room) {
		return 1;
	}
	wide.label_room = g->label_room ? 2 * g->label_room : 64;
	wide.labels = calloc(wide.label_room, sizeof(*wide.labels));
	if (!wide.labels) {
		return 0;
	}
	for (size_t i = 0; i < g->label_room; i++) {
		if (g->labels[i].name) {
			*place_of(&wide, g->labels[i].name) = g->labels[i];
		}
	}
	free(g->labels);
	*g = wide;
	return 1;
}

static int add_label(goal_t *g, const char *name, uint32_t event)
{
	label_t *label;

	if (!widen(g)) {
		return xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
	}
	label = place_of(g, name);
	if (label->name) {
		return xt_text_fail(
			&g->text, "label %.40s is on line %" PRIu32 " already", name, g->w->line[label->event]);
	}
	label->name = strdup(name);
	label->event = event;
	g->label_count++;
	return label->name ? XT_OK : xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
}

static int find_label(goal_t *g, const char *name, uint32_t *event)
{
	const label_t *label = name && g->label_room ? place_of(g, name) : NULL;

	if (!label || !label->name) {
		return xt_text_fail(
			&g->text, "there is no label %.40s in rank %" PRId64 " so far", name ? name : "here", g->rank);
	}
	*event = label->event;
	return XT_OK;
}

static void forget_labels(goal_t *g)
{
	for (size_t i = 0; i < g->label_room; i++) {
		free(g->labels[i].name);
		g->labels[i] = (label_t){0};
	}
	g->label_count = 0;
}

/* ---------------------------------------------------------------- lines */

/* Takes comments out of the line; what stood between words stays apart. */
static void strip_comments(goal_t *g)
{
	char *to = g->text.rest;

	for (const char *c = g->text.rest; *c;) {
		if (g->in_comment) {
			g->in_comment = !(c[0] == '*' && c[1] == '/');
			c += g->in_comment ? 1 : 2;
		} else if (c[0] == '/' && c[1] == '*') {
			g->in_comment = 1;
			*to++ = ' ';
			c += 2;
		} else if (c[0] == '/' && c[1] == '/') {
			break;
		} else {
			*to++ = *c++;
		}
	}
	*to = '\0';
}

/* "cpu N" and "nic N", and of a message "tag T". */
static int read_tail(goal_t *g, int message, uint64_t *tag)
{
	const char *word;
	uint64_t value;
	int status = XT_OK;

	*tag = 0;
	while (status == XT_OK && (word = xt_text_word(&g->text))) {
		if (message && strcmp(word, "tag") == 0) {
			status = xt_text_number(&g->text, "the tag", UINT32_MAX - 1, tag);
		} else if (strcmp(word, "cpu") == 0 || strcmp(word, "nic") == 0) {
			status = xt_text_number(&g->text, "the number of the cpu or nic", 255, &value);
		} else {
			status = xt_text_fail(
				&g->text, "\"%.40s\" where tag, cpu, nic or the end of the line is expected", word);
		}
	}
	return status;
}

/* "Bb" or "B b". */
static int read_bytes(goal_t *g, uint64_t *bytes)
{
	char *word = xt_text_word(&g->text);
	size_t length = word ? strlen(word) : 0;

	if (length > 1 && word[length - 1] == 'b') {
		word[length - 1] = '\0';
	} else {
		const char *unit = xt_text_word(&g->text);

		length = unit && strcmp(unit, "b") == 0 ? length : 0;
	}
	if (!length || !xt_word_number(word, UINT64_C(1) << 40, bytes)) {
		return xt_text_fail(&g->text, "a size like 1024b is expected");
	}
	return XT_OK;
}

static int read_operation(goal_t *g, const char *what, uint32_t *event)
{
	int send = strcmp(what, "send") == 0, calc = strcmp(what, "calc") == 0;
	uint64_t size, peer = 0, tag;
	const char *word;
	int status;

	if (calc) {
		status = xt_text_number(&g->text, "the time in ns", UINT64_C(1) << 50, &size);
	} else if ((status = read_bytes(g, &size)) == XT_OK) {
		word = xt_text_word(&g->text);
		if (!word || strcmp(word, send ? "to" : "from") != 0) {
			return xt_text_fail(&g->text, "\"%s\" and a rank are expected", send ? "to" : "from");
		}
		status = xt_text_number(
			&g->text, send ? "the receiver" : "the sender (any is not supported)", g->w->ranks - 1, &peer);
	}
	if (status != XT_OK || (status = read_tail(g, !calc, &tag)) != XT_OK) {
		return status;
	}
	*event = xt_workload_add(g->w,
		calc   ? XT_EVENT_CALC
		: send ? XT_EVENT_SEND
		       : XT_EVENT_RECV,
		(uint32_t)g->rank, (uint32_t)peer, size, (uint32_t)tag, g->text.line);
	return g->w->status == XT_OK ? XT_OK
				     : xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
}

static int is_operation(const char *word)
{
	return strcmp(word, "send") == 0 || strcmp(word, "recv") == 0 || strcmp(word, "calc") == 0;
}

static int read_requires(goal_t *g, const char *label, const char *word)
{
	uint32_t event, on;
	int status, begin = strcmp(word, "irequires") == 0;

	if (!begin && strcmp(word, "requires") != 0) {
		return xt_text_fail(&g->text, "\"%.40s\" where requires or irequires is expected", word);
	}
	if ((status = find_label(g, label, &event)) != XT_OK ||
		(status = find_label(g, xt_text_word(&g->text), &on)) != XT_OK ||
		(status = xt_text_end(&g->text)) != XT_OK) {
		return status;
	}
	if (!begin) {
		xt_workload_depend(g->w, event, on);
		return XT_OK;
	}
	if (g->begin_count == g->begin_room) {
		size_t room = g->begin_room ? 2 * g->begin_room : 64;
		begin_t *begins = realloc(g->begins, room * sizeof(*begins));

		if (!begins) {
			return xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
		}
		g->begins = begins;
		g->begin_room = room;
	}
	g->begins[g->begin_count++] = (begin_t){event, on};
	return XT_OK;
}

/* Waiting for the begin of an event is waiting for what that waits for. */
static void end_rank(goal_t *g)
{
	size_t edges = g->w->edges;

	for (size_t b = 0; b < g->begin_count; b++) {
		for (size_t i = g->first_edge; i < edges; i++) {
			if (g->w->edge_of[i] == g->begins[b].on) {
				xt_workload_depend(g->w, g->begins[b].event, g->w->edge_on[i]);
			}
		}
	}
	g->begin_count = 0;
	g->rank = -1;
	forget_labels(g);
}

static int read_in_rank(goal_t *g, char *word)
{
	size_t length = strlen(word);
	char *next;
	uint32_t event;
	int status;

	if (strcmp(word, "}") == 0) {
		end_rank(g);
		return xt_text_end(&g->text);
	}
	if (is_operation(word)) {
		return read_operation(g, word, &event);
	}
	next = xt_text_word(&g->text);
	if (next && strcmp(next, ":") == 0) {
		next = xt_text_word(&g->text);
	} else if (word[length - 1] == ':') {
		word[length - 1] = '\0';
	} else {
		return next ? read_requires(g, word, next)
			    : xt_text_fail(&g->text, "\"%.40s\" alone means nothing", word);
	}
	if (!next || !is_operation(next) || !*word) {
		return xt_text_fail(&g->text, "send, recv or calc is expected behind the label");
	}
	status = read_operation(g, next, &event);
	return status == XT_OK ? add_label(g, word, event) : status;
}

static int read_rank(goal_t *g, const char *word)
{
	const char *brace;
	uint64_t rank;
	int status;

	if (strcmp(word, "rank") != 0) {
		return xt_text_fail(&g->text, "\"%.40s\" where rank is expected", word);
	}
	if ((status = xt_text_number(&g->text, "the rank", g->w->ranks - 1, &rank)) != XT_OK) {
		return status;
	}
	brace = xt_text_word(&g->text);
	if (!brace || strcmp(brace, "{") != 0) {
		return xt_text_fail(&g->text, "{ is expected behind the rank");
	}
	if (g->ranks[rank]) {
		return xt_text_fail(&g->text, "rank %" PRIu64 " comes a second time", rank);
	}
	g->ranks[rank] = 1;
	g->rank = (int64_t)rank;
	g->first_edge = g->w->edges;
	return xt_text_end(&g->text);
}

static int read_size(goal_t *g, const char *word)
{
	uint64_t ranks;
	int status;

	if (strcmp(word, "num_ranks") != 0) {
		return xt_text_fail(&g->text, "a schedule begins with num_ranks and their number");
	}
	if ((status = xt_text_number(&g->text, "the number of ranks", XT_MAX_RANKS, &ranks)) != XT_OK) {
		return status;
	}
	if (ranks == 0) {
		return xt_text_fail(&g->text, "a schedule of no ranks; write from 1 to %d", XT_MAX_RANKS);
	}
	g->w = xt_workload_create((uint32_t)ranks);
	g->ranks = calloc(ranks, sizeof(*g->ranks));
	if (!g->w || !g->ranks) {
		return xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
	}
	return xt_text_end(&g->text);
}

static int read_lines(goal_t *g)
{
	int status = XT_OK;

	while (status == XT_OK && xt_text_line(&g->text)) {
		char *word;

		strip_comments(g);
		word = xt_text_word(&g->text);
		if (word) {
			status = !g->w ? read_size(g, word) : g->rank < 0 ? read_rank(g, word) : read_in_rank(g, word);
		}
	}
	if (status == XT_OK && (g->rank >= 0 || g->in_comment || !g->w)) {
		status = xt_text_fail(&g->text, "the file ends %s",
			g->in_comment ? "within a comment"
			: g->w        ? "within a rank; } is missing"
				      : "before num_ranks");
	}
	return status;
}

static int read_goal(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag)
{
	goal_t g = {.text = {.file = file, .name = name, .diag = diag}, .rank = -1};
	int status = read_lines(&g);

	*out = NULL;
	if (status == XT_OK && (status = xt_workload_finish(g.w, name, diag)) == XT_OK) {
		*out = g.w;
		g.w = NULL;
	}
	xt_workload_free(g.w);
	forget_labels(&g);
	free(g.labels);
	free(g.begins);
	free(g.ranks);
	free(g.text.text);
	return status;
}

/* ---------------------------------------------------------------- writing */

/* `label`: of each event within its rank. `order`: the events rank by rank. */
static void write_ranks(const xt_workload_t *w, const uint32_t *label, const uint32_t *order, FILE *out)
{
	size_t at = 0;

	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		size_t begin = at;

		fprintf(out, "\nrank %" PRIu32 " {\n", rank);
		for (; at < w->count && w->rank[order[at]] == rank; at++) {
			uint32_t e = order[at];

			if (w->kind[e] == XT_EVENT_CALC) {
				fprintf(out, "l%" PRIu32 ": calc %" PRIu64 "\n", label[e], w->size[e]);
			} else {
				fprintf(out, "l%" PRIu32 ": %s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32 "\n", label[e],
					w->kind[e] == XT_EVENT_SEND ? "send" : "recv", w->size[e],
					w->kind[e] == XT_EVENT_SEND ? "to" : "from", w->peer[e], w->tag[e]);
			}
		}
		for (size_t i = begin; i < at; i++) {
			uint32_t e = order[i];

			for (size_t d = w->first[e]; d < w->first[e + 1]; d++) {
				fprintf(out, "l%" PRIu32 " requires l%" PRIu32 "\n", label[e], label[w->on[d]]);
			}
		}
		fprintf(out, "}\n");
	}
}

int xt_workload_write_goal(const xt_workload_t *w, FILE *out, xt_diag_t *diag)
{
	uint32_t *label = malloc(((size_t)w->count + 1) * sizeof(*label));
	uint32_t *order = malloc(((size_t)w->count + 1) * sizeof(*order));
	size_t *place = calloc((size_t)w->ranks + 1, sizeof(*place));

	if (!label || !order || !place) {
		free(label);
		free(order);
		free(place);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);
	}
	for (uint32_t e = 0; e < w->count; e++) {
		label[e] = (uint32_t)++place[w->rank[e] + 1];
	}
	for (uint32_t r = 0; r < w->ranks; r++) {
		place[r + 1] += place[r];
	}
	for (uint32_t e = 0; e < w->count; e++) {
		order[place[w->rank[e]] + label[e] - 1] = e;
	}
	fprintf(out, "num_ranks %" PRIu32 "\n", w->ranks);
	write_ranks(w, label, order, out);
	free(label);
	free(order);
	free(place);
	return ferror(out) ? xt_fail(diag, XT_ERR_IO, "the schedule cannot be written") : XT_OK;
}

/* ---------------------------------------------------------------- files */

int xt_workload_read(FILE *file, const char *name, xt_workload_format_t format, xt_workload_t **out, xt_diag_t *diag)
{
	return (format == XT_FORMAT_VEF ? xt_vef_read : read_goal)(file, name, out, diag);
}

int xt_workload_load(const char *path, xt_workload_t **out, xt_diag_t *diag)
{
	const char *dot = strrchr(path, '.');
	FILE *file = fopen(path, "r");
	char begin[4] = "";
	int status;

	*out = NULL;
	if (!file) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(errno));
	}
	if (!dot || (strcmp(dot, ".vef") != 0 && strcmp(dot, ".goal") != 0)) {
		size_t length = fread(begin, 1, 3, file);

		dot = length == 3 && memcmp(begin, "VEF", 3) == 0 ? ".vef" : ".goal";
		rewind(file);
	}
	status = xt_workload_read(file, path, strcmp(dot, ".vef") == 0 ? XT_FORMAT_VEF : XT_FORMAT_GOAL, out, diag);
	if (status == XT_OK && ferror(file)) {
		xt_workload_free(*out);
		*out = NULL;
		status = xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read", path);
	}
	fclose(file);
	return status;
}
