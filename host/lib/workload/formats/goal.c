/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL schedules, LogGOPSim's text format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "workload/build.h"
#include "workload/text.h"

enum { NAME_ROOM = 256 };

/* A label of the rank that is being read. */
typedef struct {
	char *name;
	uint32_t event;
} label_t;

typedef struct {
	xt_text_t text;
	xt_workload_t *w;
	int in_comment;
	int64_t rank;    /* -1: outside */
	uint8_t *ranks;  /* [rank]: read already */
	label_t *labels; /* a hash table */
	size_t label_count, label_room;
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

/* ---------------------------------------------------------------- tokens */

/* The next character that is no blank; 0 at the end of the line. */
static char peek(goal_t *g)
{
	g->text.rest += strspn(g->text.rest, " \t");
	return *g->text.rest;
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The word that stands next, which begins with a letter: 0 if there is none, or if it is too long. */
static int take_name(goal_t *g, char *name)
{
	size_t length = 0;
	const char *at;

	peek(g);
	at = g->text.rest;
	while (length < NAME_ROOM &&
		(is_letter(at[length]) ||
			(length && (at[length] == '_' || (at[length] >= '0' && at[length] <= '9'))))) {
		length++;
	}
	if (length == 0 || length == NAME_ROOM) {
		return 0;
	}
	memcpy(name, at, length);
	name[length] = '\0';
	g->text.rest += length;
	return 1;
}

/* Takes `token` if the line goes on with it, whatever is behind it. */
static int take(goal_t *g, const char *token)
{
	size_t length = strlen(token);

	peek(g);
	if (strncmp(g->text.rest, token, length) != 0) {
		return 0;
	}
	g->text.rest += length;
	return 1;
}

static int fail_at(goal_t *g, const char *expected)
{
	return peek(g) ? xt_text_fail(&g->text, "\"%.40s\" where %s is expected", g->text.rest, expected)
		       : xt_text_fail(&g->text, "the line ends where %s is expected", expected);
}

/* Digits; `what` names them. */
static int take_number(goal_t *g, const char *what, uint64_t most, uint64_t *value)
{
	char digits[24];
	size_t length;

	peek(g);
	length = strspn(g->text.rest, "0123456789");
	if (length == 0 || length >= sizeof(digits)) {
		return fail_at(g, what);
	}
	memcpy(digits, g->text.rest, length);
	digits[length] = '\0';
	if (!xt_word_number(digits, most, value)) {
		return xt_text_fail(&g->text, "%s \"%.24s\" is not a number from 0 to %" PRIu64, what, digits, most);
	}
	g->text.rest += length;
	return XT_OK;
}

/* ---------------------------------------------------------------- statements */

/* "cpu N" and "nic N", and of a message "tag T". */
static int read_tail(goal_t *g, int message, int recv, uint64_t *tag, uint64_t *cpu)
{
	uint64_t nic;
	int status = XT_OK;

	while (status == XT_OK && peek(g) && peek(g) != '}') {
		if (message && take(g, "tag")) {
			if (take(g, "-1")) {
				*tag = XT_ANY_TAG;
				status = recv ? XT_OK : xt_text_fail(&g->text, "a send has a tag of its own, not -1");
			} else {
				status = take_number(g, "the tag", XT_ANY_TAG - 1, tag);
			}
		} else if (take(g, "cpu")) {
			status = take_number(g, "the number of the cpu", XT_MOST_CPU, cpu);
		} else if (take(g, "nic")) {
			status = take_number(g, "the number of the nic", 255, &nic);
		} else {
			status = fail_at(g, "tag, cpu, nic or the end of the line");
		}
	}
	return status;
}

/* "Bb to R", "Bb from R". */
static int read_peer(goal_t *g, int send, uint64_t *size, uint64_t *peer)
{
	int status = take_number(g, "a size like 1024b", UINT64_C(1) << 40, size);

	if (status != XT_OK) {
		return status;
	}
	if (!take(g, "b")) {
		return fail_at(g, "a size like 1024b");
	}
	if (!take(g, send ? "to" : "from")) {
		return fail_at(g, send ? "\"to\" and a rank" : "\"from\" and a rank");
	}
	if (!send && take(g, "-1")) {
		*peer = XT_ANY_SOURCE;
		return XT_OK;
	}
	return take_number(g, send ? "the receiver" : "the sender", g->w->ranks - 1, peer);
}

static int read_operation(goal_t *g, xt_event_kind_t kind, uint32_t *event)
{
	uint64_t size = 0, peer = 0, tag = 0, cpu = 0;
	int status = kind == XT_EVENT_CALC ? take_number(g, "the time in ns", UINT64_C(1) << 50, &size)
					   : read_peer(g, kind == XT_EVENT_SEND, &size, &peer);

	if (status != XT_OK ||
		(status = read_tail(g, kind != XT_EVENT_CALC, kind == XT_EVENT_RECV, &tag, &cpu)) != XT_OK) {
		return status;
	}
	*event = xt_workload_add(g->w, kind, (uint32_t)g->rank, (uint32_t)peer, size, tag, g->text.line);
	if (g->w->status != XT_OK) {
		return xt_fail(g->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", g->text.name);
	}
	g->w->cpu[*event] = (uint16_t)cpu;
	return XT_OK;
}

static const char *const kind_names[] = {"send", "recv", "calc"};

enum { KINDS = sizeof(kind_names) / sizeof(kind_names[0]) };

static int read_requires(goal_t *g, const char *label)
{
	int begin = take(g, "irequires");
	char name[NAME_ROOM];
	uint32_t event = 0, on = 0;
	int status;

	if (!begin && !take(g, "requires")) {
		return fail_at(g, "\":\", requires or irequires");
	}
	if (!take_name(g, name)) {
		return fail_at(g, "a label");
	}
	if ((status = find_label(g, label, &event)) != XT_OK || (status = find_label(g, name, &on)) != XT_OK) {
		return status;
	}
	(begin ? xt_workload_depend_begin : xt_workload_depend)(g->w, event, on);
	return peek(g) && peek(g) != '}' ? fail_at(g, "the end of the line") : XT_OK;
}

static int read_in_rank(goal_t *g)
{
	char name[NAME_ROOM];
	uint32_t event;
	int status;

	if (take(g, "}")) {
		g->rank = -1;
		forget_labels(g);
		return XT_OK;
	}
	if (!take_name(g, name)) {
		return fail_at(g, "an operation, a label or }");
	}
	for (unsigned k = 0; k < KINDS; k++) {
		if (strcmp(name, kind_names[k]) == 0) {
			return read_operation(g, (xt_event_kind_t)k, &event);
		}
	}
	if (!take(g, ":")) {
		return read_requires(g, name);
	}
	for (unsigned k = 0; k < KINDS; k++) {
		if (take(g, kind_names[k])) {
			status = read_operation(g, (xt_event_kind_t)k, &event);
			return status == XT_OK ? add_label(g, name, event) : status;
		}
	}
	return fail_at(g, "send, recv or calc");
}

static int read_rank(goal_t *g)
{
	char name[NAME_ROOM];
	uint64_t rank;
	int status;

	if (!take_name(g, name) || strcmp(name, "rank") != 0) {
		return xt_text_fail(&g->text, "rank and its number are expected between the ranks");
	}
	if ((status = take_number(g, "the rank", g->w->ranks - 1, &rank)) != XT_OK) {
		return status;
	}
	if (!take(g, "{")) {
		return fail_at(g, "{");
	}
	if (g->ranks[rank]) {
		return xt_text_fail(&g->text, "rank %" PRIu64 " comes a second time", rank);
	}
	g->ranks[rank] = 1;
	g->rank = (int64_t)rank;
	return XT_OK;
}

static int read_size(goal_t *g)
{
	char name[NAME_ROOM];
	uint64_t ranks;
	int status;

	if (!take_name(g, name) || strcmp(name, "num_ranks") != 0) {
		return xt_text_fail(&g->text, "a schedule begins with num_ranks and their number");
	}
	if ((status = take_number(g, "the number of ranks", XT_MAX_RANKS, &ranks)) != XT_OK) {
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
	g->w->with_cpus = 1;
	return XT_OK;
}

static int read_lines(goal_t *g)
{
	int status = XT_OK;

	while (status == XT_OK && xt_text_line(&g->text)) {
		strip_comments(g);
		while (status == XT_OK && peek(g)) {
			status = !g->w ? read_size(g) : g->rank < 0 ? read_rank(g) : read_in_rank(g);
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

int xt_goal_read(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag)
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
	free(g.ranks);
	free(g.text.text);
	return status;
}
