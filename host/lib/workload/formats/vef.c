/* SPDX-License-Identifier: Apache-2.0
 *
 * VEF traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats.h"
#include "vef.h"
#include "workload/build.h"

/* Message tags of collectives begin here. */
static const uint32_t collective_tags = UINT32_C(1) << 31;
static const uint64_t most_records = UINT64_C(1) << 30;
static const uint64_t most_ns = UINT64_C(1) << 50;
/* Of all tasks together. */
static const uint64_t most_bytes = UINT64_C(1) << 48;

typedef struct {
	xt_vef_t file;
	xt_vef_record_t *message;
	uint64_t message_room;
	xt_vef_collective_t *collective;
	uint64_t collective_count, collective_room;
	uint64_t parts; /* of all */
	xt_workload_t *w;
} vef_t;

static int read_header(xt_vef_t *v)
{
	const char *word = xt_text_line(&v->text) ? xt_text_word(&v->text) : NULL;
	uint64_t version;
	int status;

	if (!word || strncmp(word, "VEF", 3) != 0 || (word[3] && !xt_word_number(word + 3, 1000, &version))) {
		return xt_text_fail(&v->text, "a trace begins with VEF or VEF and the number of its version");
	}
	if ((status = xt_text_number(&v->text, "the number of ranks", XT_MAX_RANKS, &v->ranks)) != XT_OK ||
		(status = xt_text_number(&v->text, "the number of messages", most_records, &v->messages)) != XT_OK ||
		(status = xt_text_number(&v->text, "the number of communicators", XT_MAX_RANKS, &v->communicators)) !=
			XT_OK ||
		(status = xt_text_number(&v->text, "the number of global collectives", most_records, &v->globals)) !=
			XT_OK ||
		(status = xt_text_number(&v->text, "the number of local collectives", UINT32_MAX, &v->locals)) !=
			XT_OK) {
		return status;
	}
	word = xt_text_word(&v->text);
	if (!word || (strcasecmp(word, "TRUE") != 0 && strcasecmp(word, "FALSE") != 0)) {
		return xt_text_fail(&v->text, "the line ends without TRUE or FALSE");
	}
	if (v->ranks == 0) {
		return xt_text_fail(&v->text, "a trace of no ranks; write from 1 to %d", XT_MAX_RANKS);
	}
	return xt_text_end(&v->text);
}

/* The ranks of communicator `c`, none twice. `seen` has a place per rank, for the number of the communicator and 1. */
static int read_communicator(xt_vef_t *v, uint64_t c, uint64_t *seen)
{
	xt_vef_communicator_t *communicator = &v->communicator[c];
	const char *word = xt_text_line(&v->text) ? xt_text_word(&v->text) : NULL;
	uint32_t *less;
	uint64_t value;

	if (!word || word[0] != 'C' || !xt_word_number(word + 1, XT_MAX_RANKS, &value) || value != c) {
		return xt_text_fail(&v->text,
			"communicator C%" PRIu64 " is missing; the first line says that there are %" PRIu64, c,
			v->communicators);
	}
	communicator->ranks = malloc(v->ranks * sizeof(*communicator->ranks));
	if (!communicator->ranks) {
		return xt_fail(v->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->text.name);
	}
	while ((word = xt_text_word(&v->text))) {
		if (!xt_word_number(word, v->ranks - 1, &value)) {
			return xt_text_fail(
				&v->text, "\"%.40s\" is none of the ranks 0 to %" PRIu64, word, v->ranks - 1);
		}
		if (seen[value] == c + 1) {
			return xt_text_fail(&v->text, "rank %" PRIu64 " is in the communicator twice", value);
		}
		seen[value] = c + 1;
		communicator->ranks[communicator->count++] = (uint32_t)value;
	}
	if (communicator->count == 0) {
		return xt_text_fail(&v->text, "a communicator without ranks");
	}
	less = realloc(communicator->ranks, communicator->count * sizeof(*communicator->ranks));
	communicator->ranks = less ? less : communicator->ranks;
	if (c == 0 && communicator->count != v->ranks) {
		return xt_text_fail(&v->text, "C0 has %" PRIu32 " of the %" PRIu64 " ranks; it must have all",
			communicator->count, v->ranks);
	}
	return XT_OK;
}

static int read_communicators(xt_vef_t *v)
{
	uint64_t *seen = calloc(v->ranks, sizeof(*seen));
	int status = XT_OK;

	v->communicator = calloc(v->communicators + 1, sizeof(*v->communicator));
	if (!seen || !v->communicator) {
		status = xt_fail(v->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->text.name);
	}
	for (uint64_t c = 0; c < v->communicators && status == XT_OK; c++) {
		status = read_communicator(v, c, seen);
	}
	free(seen);
	return status;
}

/* dep time depID, and the end of the line. */
static int read_dependency(xt_vef_t *v, xt_vef_record_t *record)
{
	uint64_t dep, on = 0;
	const char *word;
	int status;

	if ((status = xt_text_number(&v->text, "the kind of dependency", UINT32_MAX, &dep)) != XT_OK ||
		(status = xt_text_number(&v->text, "the time", most_ns, &record->time)) != XT_OK) {
		return status;
	}
	if (dep >= XT_VEF_DEPS) {
		return xt_text_fail(&v->text,
			"there is no kind of dependency %" PRIu64 "; 0 none, 1 sent, 2 received, 3 collective", dep);
	}
	word = xt_text_word(&v->text);
	if (!word) {
		return xt_text_fail(&v->text, "the line ends before what it depends on");
	}
	if (dep == XT_VEF_NONE) {
		if (strcmp(word, "-1") != 0 && !xt_word_number(word, UINT64_MAX - 1, &on)) {
			return xt_text_fail(&v->text, "\"%.40s\" where -1 stands for no dependency", word);
		}
		on = 0;
	} else if (!xt_word_number(dep == XT_VEF_COLLECTIVE && *word == 'G' ? word + 1 : word, most_records, &on)) {
		return xt_text_fail(&v->text, "\"%.40s\" is not the number of a %s", word,
			dep == XT_VEF_COLLECTIVE ? "collective" : "message");
	}
	record->dep = (uint8_t)dep;
	record->on = (uint32_t)on;
	return xt_text_end(&v->text);
}

int xt_vef_message(xt_vef_t *v, const char *id, xt_vef_record_t *record)
{
	uint64_t value, source, target;
	int status;

	if (!xt_word_number(id, most_records, &value) || value != v->message_count) {
		return xt_text_fail(&v->text, "\"%.40s\" where message %" PRIu64 " is next", id, v->message_count);
	}
	if (value >= v->messages) {
		return xt_text_fail(&v->text, "more messages than the %" PRIu64 " of the first line", v->messages);
	}
	v->message_count++;
	*record = (xt_vef_record_t){.line = v->text.line};
	if ((status = xt_text_number(&v->text, "the sender", v->ranks - 1, &source)) != XT_OK ||
		(status = xt_text_number(&v->text, "the receiver", v->ranks - 1, &target)) != XT_OK ||
		(status = xt_text_number(&v->text, "the size", UINT64_C(1) << 40, &record->sent)) != XT_OK) {
		return status;
	}
	record->rank = (uint32_t)source;
	record->peer = (uint32_t)target;
	return read_dependency(v, record);
}

int xt_vef_begin(xt_vef_t *v)
{
	int status = read_header(v);

	return status == XT_OK ? read_communicators(v) : status;
}

void xt_vef_free(xt_vef_t *v)
{
	for (uint64_t c = 0; v->communicator && c < v->communicators; c++) {
		free(v->communicator[c].ranks);
	}
	free(v->communicator);
	free(v->text.text);
}

static int read_message(vef_t *v, const char *id)
{
	if (v->file.message_count == v->message_room) {
		uint64_t room = v->message_room ? 2 * v->message_room : 1024;
		xt_vef_record_t *message = realloc(v->message, room * sizeof(*message));

		if (!message) {
			return xt_fail(v->file.text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->file.text.name);
		}
		v->message = message;
		v->message_room = room;
	}
	return xt_vef_message(&v->file, id, &v->message[v->file.message_count]);
}

/* The collective `id`, which is new if it comes next. */
static int find_collective(vef_t *v, uint64_t id, uint64_t communicator, uint64_t operation, xt_vef_collective_t **out)
{
	xt_vef_collective_t *c;

	if (id > v->collective_count || id >= v->file.globals) {
		return xt_text_fail(&v->file.text, "collective G%" PRIu64 " where G%" PRIu64 " of %" PRIu64 " is next",
			id, v->collective_count, v->file.globals);
	}
	if (id == v->collective_count) {
		if (v->collective_count == v->collective_room) {
			uint64_t room = v->collective_room ? 2 * v->collective_room : 64;

			c = realloc(v->collective, room * sizeof(*c));
			if (!c) {
				return xt_fail(
					v->file.text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->file.text.name);
			}
			v->collective = c;
			v->collective_room = room;
		}
		c = &v->collective[v->collective_count];
		*c = (xt_vef_collective_t){v->file.text.line, (uint32_t)communicator, (uint8_t)operation,
			calloc(v->file.communicator[communicator].count, sizeof(*c->parts))};
		if (!c->parts) {
			return xt_fail(v->file.text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->file.text.name);
		}
		v->collective_count++;
	}
	c = &v->collective[id];
	if (c->communicator != communicator || c->operation != operation) {
		return xt_text_fail(&v->file.text,
			"G%" PRIu64 " is another operation or has another communicator on line %" PRIu32, id, c->line);
	}
	*out = c;
	return XT_OK;
}

static int read_part(vef_t *v, const char *word)
{
	uint64_t id, communicator, operation, task;
	xt_vef_collective_t *c = NULL;
	xt_vef_record_t part = {.line = v->file.text.line};
	int status;

	if (!xt_word_number(word + 1, most_records, &id)) {
		return xt_text_fail(&v->file.text, "\"%.40s\" is not G and a number", word);
	}
	if ((status = xt_text_number(&v->file.text, "the communicator", UINT32_MAX, &communicator)) != XT_OK ||
		(status = xt_text_number(&v->file.text, "the operation", UINT32_MAX, &operation)) != XT_OK ||
		(status = xt_text_number(&v->file.text, "the task", XT_MAX_RANKS, &task)) != XT_OK ||
		(status = xt_text_number(&v->file.text, "the bytes sent", most_bytes, &part.sent)) != XT_OK ||
		(status = xt_text_number(&v->file.text, "the bytes received", most_bytes, &part.received)) != XT_OK ||
		(status = read_dependency(&v->file, &part)) != XT_OK) {
		return status;
	}
	if (communicator >= v->file.communicators) {
		return xt_text_fail(&v->file.text, "there is no communicator C%" PRIu64, communicator);
	}
	if (operation >= XT_VEF_OPERATIONS) {
		return xt_text_fail(&v->file.text, "there is no operation %" PRIu64 "; they are 0 to %d", operation,
			XT_VEF_OPERATIONS - 1);
	}
	if (task >= v->file.communicator[communicator].count) {
		return xt_text_fail(
			&v->file.text, "communicator C%" PRIu64 " has no task %" PRIu64, communicator, task);
	}
	if ((status = find_collective(v, id, communicator, operation, &c)) != XT_OK) {
		return status;
	}
	if (c->parts[task].line) {
		return xt_text_fail(&v->file.text, "task %" PRIu64 " of G%" PRIu64 " is on line %" PRIu32 " already",
			task, id, c->parts[task].line);
	}
	part.task = (uint32_t)task;
	part.rank = v->file.communicator[communicator].ranks[task];
	c->parts[task] = part;
	v->parts++;
	return XT_OK;
}

/* The first line's numbers, and no task of a collective left out. */
static int check_counts(vef_t *v)
{
	if (v->file.message_count < v->file.messages || v->collective_count < v->file.globals) {
		return xt_text_fail(&v->file.text,
			"the file ends after %" PRIu64 " of %" PRIu64 " messages and %" PRIu64 " of %" PRIu64
			" collectives",
			v->file.message_count, v->file.messages, v->collective_count, v->file.globals);
	}
	for (uint64_t id = 0; id < v->collective_count; id++) {
		const xt_vef_collective_t *c = &v->collective[id];

		for (uint32_t task = 0; task < v->file.communicator[c->communicator].count; task++) {
			if (!c->parts[task].line) {
				v->file.text.line = c->line;
				return xt_text_fail(&v->file.text,
					"task %" PRIu32 " of collective G%" PRIu64 " is missing", task, id);
			}
		}
	}
	if (v->parts != v->file.locals) {
		v->file.text.line = 1;
		return xt_text_fail(&v->file.text,
			"%" PRIu64 " local collectives, which are the G lines; there are %" PRIu64, v->file.locals,
			v->parts);
	}
	return XT_OK;
}

static int read_records(vef_t *v)
{
	int status = XT_OK;

	while (status == XT_OK && xt_text_line(&v->file.text)) {
		const char *word = xt_text_word(&v->file.text);

		status = *word == 'G' ? read_part(v, word) : read_message(v, word);
	}
	return status == XT_OK ? check_counts(v) : status;
}

/* A collective's messages between its tasks' entries and ends. */
static int add_collective(vef_t *v, uint64_t id)
{
	xt_vef_collective_t *c = &v->collective[id];
	const xt_vef_communicator_t *communicator = &v->file.communicator[c->communicator];
	uint32_t base = v->w->count;
	xt_workload_t *own;
	int status = xt_vef_messages(&v->file, c, &own);

	for (uint32_t e = 0; status == XT_OK && own && e < own->count; e++) {
		const xt_vef_record_t *part = &c->parts[own->rank[e]];
		const xt_event_list_t waits = xt_edges_back(&own->ends, e);
		uint32_t peer = own->kind[e] == XT_EVENT_CALC ? 0 : communicator->ranks[own->peer[e]];
		uint32_t event = xt_workload_add(v->w, (xt_event_kind_t)own->kind[e], part->rank, peer,
			xt_workload_size(own, e), collective_tags | (uint32_t)id, part->line);

		if (waits.count == 0) {
			xt_workload_depend(v->w, event, part->entry);
		}
		for (uint32_t i = 0; i < waits.count; i++) {
			xt_workload_depend(v->w, event, base + waits.events[i]);
		}
		/* The part is over when its last events are; the others end no later. */
		if (xt_edges_next(&own->ends, e).count == 0) {
			xt_workload_depend(v->w, part->event, event);
		}
	}
	xt_workload_free(own);
	return status;
}

/* What `record` waits for, on its own rank; XT_NO_EVENT: nothing. */
static int find_dependency(vef_t *v, const xt_vef_record_t *record, uint32_t *event)
{
	*event = XT_NO_EVENT;
	v->file.text.line = record->line;
	if (record->dep == XT_VEF_SENT || record->dep == XT_VEF_RECEIVED) {
		const xt_vef_record_t *m = record->on < v->file.message_count ? &v->message[record->on] : NULL;

		if (!m) {
			return xt_text_fail(&v->file.text, "there is no message %" PRIu32, record->on);
		}
		if ((record->dep == XT_VEF_SENT ? m->rank : m->peer) != record->rank) {
			return xt_text_fail(&v->file.text, "message %" PRIu32 " is not %s by rank %" PRIu32, record->on,
				record->dep == XT_VEF_SENT ? "sent" : "received", record->rank);
		}
		*event = m->event + (record->dep == XT_VEF_RECEIVED);
	} else if (record->dep == XT_VEF_COLLECTIVE) {
		const xt_vef_collective_t *c = record->on < v->collective_count ? &v->collective[record->on] : NULL;

		for (uint32_t task = 0; c && task < v->file.communicator[c->communicator].count; task++) {
			if (c->parts[task].rank == record->rank) {
				*event = c->parts[task].event;
			}
		}
		if (*event == XT_NO_EVENT) {
			return xt_text_fail(&v->file.text, "rank %" PRIu32 " is in no collective G%" PRIu32,
				record->rank, record->on);
		}
	}
	return XT_OK;
}

/* `event` waits for what the record says, and the time after it. */
static int link_record(vef_t *v, const xt_vef_record_t *record, uint32_t event)
{
	uint32_t on;
	int status = find_dependency(v, record, &on);

	if (status != XT_OK) {
		return status;
	}
	if (record->time) {
		uint32_t calc = xt_workload_add(v->w, XT_EVENT_CALC, record->rank, 0, record->time, 0, record->line);

		xt_workload_depend(v->w, event, calc);
		event = calc;
	}
	if (on != XT_NO_EVENT) {
		xt_workload_depend(v->w, event, on);
	}
	return XT_OK;
}

static int build(vef_t *v)
{
	int status = XT_OK;

	v->w = xt_workload_create((uint32_t)v->file.ranks);
	if (!v->w) {
		return xt_fail(v->file.text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->file.text.name);
	}
	for (uint64_t m = 0; m < v->file.message_count; m++) {
		xt_vef_record_t *r = &v->message[m];

		r->event = xt_workload_add(v->w, XT_EVENT_SEND, r->rank, r->peer, r->sent, (uint32_t)m, r->line);
		xt_workload_add(v->w, XT_EVENT_RECV, r->peer, r->rank, r->sent, (uint32_t)m, r->line);
	}
	for (uint64_t id = 0; id < v->collective_count; id++) {
		for (uint32_t task = 0; task < v->file.communicator[v->collective[id].communicator].count; task++) {
			xt_vef_record_t *part = &v->collective[id].parts[task];

			part->entry = xt_workload_add(v->w, XT_EVENT_CALC, part->rank, 0, 0, 0, part->line);
			part->event = xt_workload_add(v->w, XT_EVENT_CALC, part->rank, 0, 0, 0, part->line);
			xt_workload_depend(v->w, part->event, part->entry);
		}
	}
	for (uint64_t id = 0; id < v->collective_count && status == XT_OK; id++) {
		status = add_collective(v, id);
	}
	for (uint64_t m = 0; m < v->file.message_count && status == XT_OK; m++) {
		status = link_record(v, &v->message[m], v->message[m].event);
	}
	for (uint64_t id = 0; id < v->collective_count && status == XT_OK; id++) {
		for (uint32_t t = 0; t < v->file.communicator[v->collective[id].communicator].count && status == XT_OK;
			t++) {
			status = link_record(v, &v->collective[id].parts[t], v->collective[id].parts[t].entry);
		}
	}
	return status;
}

static void free_records(vef_t *v)
{
	for (uint64_t c = 0; c < v->collective_count; c++) {
		free(v->collective[c].parts);
	}
	free(v->collective);
	free(v->message);
	v->collective = NULL;
	v->message = NULL;
	v->collective_count = 0;
}

int xt_vef_read(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag)
{
	vef_t v = {.file = {.text = {.file = file, .name = name, .diag = diag}}};
	int status;

	*out = NULL;
	if ((status = xt_vef_begin(&v.file)) == XT_OK && (status = read_records(&v)) == XT_OK) {
		status = build(&v);
	}
	free_records(&v); /* before the last step, which takes memory of its own */
	if (status == XT_OK && (status = xt_workload_finish(v.w, name, diag)) == XT_OK) {
		*out = v.w;
		v.w = NULL;
	}
	xt_workload_free(v.w);
	xt_vef_free(&v.file);
	return status;
}
