/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the files of all ranks side by side. A rank goes on until a collective that it waits for has not been begun by
 * all of its ranks; messages hold nobody up. */
#include "merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 1 << 24 };

static void flush(xt_merge_rank_t *r)
{
	xt_program_wait(&r->program, r->done.events, r->done.count);
	r->done.count = 0;
}

/* ---------------------------------------------------------------- lines */

/* C number rank key ranks... */
static int communicator(xt_merge_t *m, xt_merge_rank_t *r)
{
	uint64_t number, rank;
	uint32_t place;
	xt_own_group_t *own;
	int status = xt_rank_file_number(&r->file, "communicator", MOST_GROUPS, &number);

	if (status != XT_OK || (status = xt_rank_file_number(&r->file, "rank", m->count - 1, &rank)) != XT_OK) {
		return status;
	}
	if (number > MOST_GROUPS || !xt_merge_room(&r->groups, &r->group_room, number + 1, sizeof(*r->groups))) {
		return xt_merge_no_memory(m);
	}
	place = (uint32_t)rank;
	own = &r->groups[number];
	own->group = xt_group_find(&m->groups, r->file.text.rest, r->file.rank, &place);
	own->place = place;
	return own->group ? XT_OK : xt_text_fail(&r->file.text, "not the ranks of a communicator of this rank");
}

/* What the rank's part in a collective waits for, the rank waits for. */
static int join(xt_merge_t *m, xt_merge_rank_t *r, xt_transfer_t *transfer)
{
	xt_call_of_all_t *call = transfer->call;
	const xt_call_part_t *part = &call->parts[transfer->place];
	uint32_t events[4];
	unsigned count = 0;

	for (unsigned i = 0; i < part->program.fronts && part->program.mark != part->mark; i++) {
		events[count++] = part->program.front[i];
	}
	/* What the rank did meanwhile counts as well. */
	for (unsigned i = 0; count && i < r->program.fronts && r->program.mark != part->mark; i++) {
		events[count++] = r->program.front[i];
	}
	xt_program_wait(&r->program, events, count);
	transfer->call = NULL;
	xt_call_release(call);
	return m->w->status;
}

/* D transfer, and of a receive source, tag and bytes; X of one that was cancelled. */
static int done(xt_merge_t *m, xt_merge_rank_t *r, int cancelled)
{
	xt_transfer_t *transfer;
	int status = xt_merge_read_transfer(m, r, &transfer);

	if (status != XT_OK) {
		return status;
	}
	if (transfer && transfer->call) {
		flush(r);
		if (transfer->call->played) {
			return join(m, r, transfer);
		}
		transfer->call->parts[transfer->place].waits = 1;
		r->blocked = transfer;
		return XT_OK;
	}
	if (!transfer || transfer->event == XT_NO_EVENT) {
		return xt_text_fail(&r->file.text, "this transfer has not begun");
	}
	if (cancelled) {
		m->w->kind[transfer->event] = XT_EVENT_CALC;
		xt_workload_set_size(m->w, transfer->event, 0);
		m->report->unsent++;
	} else if (m->w->kind[transfer->event] == XT_EVENT_RECV) {
		status = xt_merge_settle(m, r, transfer);
	}
	if (status == XT_OK) {
		status = xt_merge_add(m, &r->done, transfer->event);
	}
	transfer->event = XT_NO_EVENT;
	return status;
}

/* The collective of the communicator that the rank begins; a new one for the first of the ranks. */
static xt_call_of_all_t *find_call(xt_own_group_t own, int *first)
{
	xt_call_group_t *group = own.group;
	xt_call_of_all_t **at = &group->open;
	uint64_t number = group->calls[own.place]++;

	for (uint64_t i = group->first; i < number; i++) {
		at = &(*at)->next;
	}
	*first = !*at;
	if (!*at) {
		*at = xt_call_create(group);
	}
	return *at;
}

static int play(xt_merge_t *m, xt_call_of_all_t *call)
{
	xt_call_group_t *group = call->group;
	int status = xt_call_play(m->w, call, m->rules, m->diag);

	/* The ones before have all their ranks too. */
	group->open = call->next;
	group->first++;
	m->report->collectives++;
	for (uint32_t i = 0; i < group->count; i++) {
		if (call->parts[i].waits) {
			m->ready[m->ready_count++] = group->members[i];
		}
	}
	xt_call_release(call);
	return status;
}

static int read_bytes(xt_merge_t *m, xt_merge_rank_t *r, xt_call_part_t *part)
{
	size_t room = 0;
	uint64_t value;

	for (const char *word = xt_text_word(&r->file.text); word; word = xt_text_word(&r->file.text)) {
		if (!xt_word_number(word, XT_MERGE_MOST_BYTES, &value)) {
			return xt_text_fail(&r->file.text, "bytes: \"%.40s\"", word);
		}
		if (!xt_merge_room(&part->bytes, &room, part->count + 1, sizeof(*part->bytes))) {
			return xt_merge_no_memory(m);
		}
		part->bytes[part->count++] = value;
	}
	return XT_OK;
}

/* B transfer communicator operation root element bytes... */
static int collective(xt_merge_t *m, xt_merge_rank_t *r)
{
	uint64_t operation, root, element;
	xt_transfer_t *transfer;
	xt_own_group_t own;
	xt_call_of_all_t *call;
	xt_call_part_t *part;
	int first, status = xt_merge_read_transfer(m, r, &transfer);

	if (status != XT_OK || (status = xt_merge_read_group(r, &own)) != XT_OK ||
		(status = xt_text_number(&r->file.text, "operation", XT_CALLS - 1, &operation)) != XT_OK ||
		(status = xt_text_number(&r->file.text, "root", own.group->count - 1, &root)) != XT_OK ||
		(status = xt_text_number(&r->file.text, "element", UINT32_MAX, &element)) != XT_OK) {
		return status;
	}
	call = transfer ? find_call(own, &first) : NULL;
	if (!call) {
		return transfer ? xt_merge_no_memory(m) : xt_text_fail(&r->file.text, "a collective has a number");
	}
	if (first) {
		call->call = (xt_call_t)operation;
		call->root = (uint32_t)root;
		call->element = (uint32_t)element;
	} else if (call->call != operation || call->root != root) {
		return xt_text_fail(&r->file.text, "another rank of the communicator calls another collective here");
	}
	part = &call->parts[own.place];
	part->program = r->program;
	part->mark = r->program.mark;
	xt_merge_begin(transfer, (xt_transfer_t){.event = XT_NO_EVENT, .place = own.place, .call = call});
	part->begun = 1;
	call->begun++;
	call->users++;
	if ((status = read_bytes(m, r, part)) != XT_OK || !xt_call_part_is_right(call, part)) {
		return status != XT_OK ? status : xt_text_fail(&r->file.text, "not the sizes of this collective");
	}
	return call->begun == own.group->count ? play(m, call) : XT_OK;
}

static int line(xt_merge_t *m, xt_merge_rank_t *r)
{
	const char *word = xt_text_word(&r->file.text);
	char letter = word[1] ? '?' : word[0];
	uint64_t ns;
	int status = xt_text_number(&r->file.text, "time", XT_MERGE_MOST_NS, &ns);

	if (status != XT_OK) {
		return status;
	}
	if (ns || !strchr("DX", letter)) {
		flush(r);
	}
	xt_program_compute(&r->program, ns);
	switch (letter) {
	case 'C':
		return communicator(m, r);
	case 'S':
	case 's':
		return xt_merge_sent(m, r, letter == 's');
	case 'R':
	case 'M':
		return xt_merge_received(m, r, letter == 'M');
	case 'P':
		return xt_merge_probed(m, r);
	case 'D':
	case 'X':
		return done(m, r, letter == 'X');
	case 'B':
		return collective(m, r);
	case 'U':
		m->report->unsupported++;
		return XT_OK;
	case 'E':
		r->finalized = 1;
		return XT_OK;
	default:
		return xt_text_fail(&r->file.text, "no line begins with \"%.10s\"", word);
	}
}

/* ---------------------------------------------------------------- all ranks */

static int go_on(xt_merge_t *m, xt_merge_rank_t *r)
{
	int status = XT_OK;

	if (r->blocked) {
		xt_transfer_t *transfer = r->blocked;

		r->blocked = NULL;
		status = join(m, r, transfer);
	}
	while (status == XT_OK && !r->blocked) {
		const int cut = m->records && r->file.text.line > m->records;

		if (cut || !xt_text_line(&r->file.text)) {
			flush(r);
			r->ended = 1;
			m->report->killed += !r->finalized && !cut;
			break;
		}
		status = line(m, r);
	}
	return status;
}

/* A collective that a rank did not begin before its end; those that wait for the collective go on without. */
static int give_up(xt_merge_t *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		xt_call_of_all_t *call = m->ranks[i].blocked ? m->ranks[i].blocked->call : NULL;

		for (uint32_t k = 0; call && k < call->group->count; k++) {
			if (!call->parts[k].begun && m->ranks[call->group->members[k]].ended) {
				call->played = 1;
				m->ready[m->ready_count++] = i;
				break;
			}
		}
	}
	return m->ready_count > 0;
}

static int merge(xt_merge_t *m)
{
	uint32_t ended = 0;
	int status = XT_OK;

	for (uint32_t i = m->count; i-- > 0;) {
		m->ready[m->ready_count++] = i;
	}
	while (status == XT_OK && ended < m->count) {
		if (m->ready_count == 0 && !give_up(m)) {
			return xt_fail(m->diag, XT_ERR_FORMAT, "%.200s: ranks wait for each other's collectives",
				m->ranks[0].file.path);
		}
		while (status == XT_OK && m->ready_count) {
			xt_merge_rank_t *r = &m->ranks[m->ready[--m->ready_count]];

			status = go_on(m, r);
			ended += r->ended;
		}
	}
	return status;
}

static int open_files(xt_merge_t *m, const char *folder)
{
	xt_rank_file_t first;
	int status = xt_rank_file_open(&first, folder, 0, m->diag);
	uint32_t count = first.ranks;
	uint64_t run = first.run;

	xt_rank_file_close(&first);
	if (status != XT_OK) {
		return status;
	}
	m->ranks = calloc(count, sizeof(*m->ranks));
	m->ready = malloc(count * sizeof(*m->ready));
	m->w = xt_workload_create(count);
	if (!m->ranks || !m->ready || !m->w) {
		return xt_merge_no_memory(m);
	}
	m->groups.ranks = count;
	while (m->count < count && status == XT_OK) {
		xt_merge_rank_t *r = &m->ranks[m->count];

		status = xt_rank_file_open(&r->file, folder, m->count++, m->diag);
		if (status == XT_OK && (r->file.ranks != count || r->file.run != run)) {
			status = xt_text_fail(&r->file.text, "a file of another run than that of rank 0");
		}
		r->program = xt_program_begin(m->w, r->file.rank);
	}
	return status;
}

static void free_merge(xt_merge_t *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		xt_merge_rank_t *r = &m->ranks[i];

		for (size_t k = 0; k < r->transfer_room; k++) {
			if (r->transfers[k].call) {
				xt_call_release(r->transfers[k].call);
			}
		}
		free(r->transfers);
		free(r->groups);
		free(r->done.events);
		free(r->probed.events);
		xt_rank_file_close(&r->file);
	}
	for (unsigned i = 0; i < XT_GROUP_BUCKETS; i++) {
		for (xt_call_group_t *g = m->groups.bucket[i]; g; g = g->next) {
			while (g->open) {
				xt_call_of_all_t *call = g->open;

				g->open = call->next;
				m->report->incomplete++;
				xt_call_release(call);
			}
		}
	}
	xt_groups_free(&m->groups);
	free(m->ranks);
	free(m->ready);
}

int xt_workload_merge(const char *folder, xt_rules_t rules, uint32_t records, xt_workload_t **out,
	xt_merge_report_t *report, xt_diag_t *diag)
{
	xt_merge_t m = {.rules = rules, .records = records, .report = report, .diag = diag};
	int status;

	*out = NULL;
	*report = (xt_merge_report_t){0};
	status = open_files(&m, folder);
	status = status == XT_OK ? merge(&m) : status;
	status = status == XT_OK ? m.w->status : status;
	status = status == XT_OK ? xt_merge_pairs(m.w, report, folder, diag) : status;
	status = status == XT_OK ? xt_workload_finish(m.w, folder, diag) : status;
	free_merge(&m);
	if (status != XT_OK) {
		xt_workload_free(m.w);
		return status;
	}
	*out = m.w;
	return XT_OK;
}

void xt_merge_report_print(const xt_merge_report_t *r, FILE *out)
{
	const struct {
		uint64_t count;
		const char *what;
	} lines[] = {
		{r->unreceived, "messages that nobody received"},
		{r->unsent, "receives without a message, left out"},
		{r->incomplete, "collectives that not all ranks began, left out"},
		{r->unsupported, "collectives between two groups, left out"},
		{r->killed, "ranks that ended without MPI_Finalize"},
	};

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].count) {
			fprintf(out, "%" PRIu64 " %s\n", lines[i].count, lines[i].what);
		}
	}
}
