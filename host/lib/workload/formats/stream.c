/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages are read until the window is full of some that are not done. Those that are done are kept as long as there
 * is room for them, so that what waits for them and is read later still begins in its cycle. */
#include "stream.h"
#include "formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SENT, RECEIVED };
#define NONE UINT32_MAX

static const uint64_t never = UINT64_MAX;

/* ---------------------------------------------------------------- messages by number */

static uint32_t *bucket_of(const xt_stream_t *s, uint32_t *buckets, uint32_t id)
{
	return &buckets[(id * UINT32_C(2654435761) >> 7) & s->mask];
}

static uint32_t find(const xt_stream_t *s, uint32_t id)
{
	uint32_t slot = *bucket_of(s, s->buckets, id);

	while (slot != NONE && s->slots[slot].id != id) {
		slot = s->slots[slot].bucket;
	}
	return slot;
}

/* One that was not used yet, or else that of the message that has been done for longest. */
static uint32_t new_slot(xt_stream_t *s)
{
	uint32_t slot, *link;

	if (s->used < s->slot_count) {
		return s->used++;
	}
	slot = s->done[s->done_first];
	s->done_first = (s->done_first + 1) % s->slot_count;
	s->done_count--;
	for (link = bucket_of(s, s->buckets, s->slots[slot].id); *link != slot; link = &s->slots[*link].bucket) {
	}
	*link = s->slots[slot].bucket;
	return slot;
}

/* ---------------------------------------------------------------- events */

static void set_timer(xt_stream_t *s, uint64_t at, uint64_t order, uint32_t slot)
{
	if (!xt_timers_set(&s->timers, (xt_timer_t){at, order, slot})) {
		s->status = xt_fail(&s->diag, XT_ERR_NOMEM, "replay: out of memory");
	}
}

/* What does not leave its PE is there a cycle later, before computations end. */
static uint64_t local_order(const xt_slot_t *m)
{
	return m->id;
}

static uint64_t delayed_order(const xt_slot_t *m)
{
	return UINT64_C(1) << 32 | m->id;
}

static void start(xt_stream_t *s, uint32_t slot, uint64_t cycle)
{
	s->begin[2 * slot] = cycle;
	s->running++;
	if (s->send(s->context, 2 * slot, cycle)) {
		set_timer(s, cycle + 1, local_order(&s->slots[slot]), slot);
	}
}

/* What it waits for happened at `since`. */
static void start_after(xt_stream_t *s, uint32_t slot, uint64_t since, uint64_t cycle)
{
	uint64_t at = since + s->slots[slot].delay;

	if (at > cycle) {
		set_timer(s, at, delayed_order(&s->slots[slot]), slot);
		return;
	}
	s->late += at < cycle;
	start(s, slot, cycle);
}

static void wait_for(xt_stream_t *s, uint32_t slot, uint32_t on, unsigned what)
{
	xt_slot_t *m = &s->slots[on];

	s->slots[slot].next = NONE;
	if (m->first[what] == NONE) {
		m->first[what] = slot;
	} else {
		s->slots[m->last[what]].next = slot;
	}
	m->last[what] = slot;
}

static void happened(xt_stream_t *s, uint32_t slot, unsigned what, uint64_t cycle)
{
	xt_slot_t *m = &s->slots[slot];

	m->at[what] = cycle;
	s->last_cycle = cycle;
	for (uint32_t waiting = m->first[what]; waiting != NONE;) {
		uint32_t next = s->slots[waiting].next;

		start_after(s, waiting, cycle, cycle);
		waiting = next;
	}
	m->first[what] = NONE;
	if (m->at[!what] != never) {
		s->live--;
		s->running--;
		s->done[(s->done_first + s->done_count++) % s->slot_count] = slot;
	}
}

/* ---------------------------------------------------------------- reading */

/* `slot` waits for `on`, which is in the window. */
static int connect(xt_stream_t *s, uint32_t slot, uint32_t on, uint64_t cycle)
{
	const xt_slot_t *m = &s->slots[slot];
	unsigned what = m->dep == XT_VEF_SENT ? SENT : RECEIVED;

	if (s->w->rank[2 * on + what] != s->w->rank[2 * slot]) {
		s->vef.text.line = m->line;
		return xt_text_fail(&s->vef.text, "message %" PRIu32 " is not %s by rank %" PRIu32, m->on,
			what == SENT ? "sent" : "received", s->w->rank[2 * slot]);
	}
	if (s->slots[on].at[what] == never) {
		wait_for(s, slot, on, what);
	} else {
		start_after(s, slot, s->slots[on].at[what], cycle);
	}
	return XT_OK;
}

/* Those read before that wait for the message in `slot`, in their order. */
static int connect_ahead(xt_stream_t *s, uint32_t slot, uint64_t cycle)
{
	uint32_t *bucket = bucket_of(s, s->ahead, s->slots[slot].id), in_order = NONE;
	int status = XT_OK;

	while (*bucket != NONE) {
		uint32_t waiting = *bucket;

		*bucket = s->slots[waiting].next;
		s->slots[waiting].next = in_order;
		in_order = waiting;
	}
	while (in_order != NONE && status == XT_OK) {
		uint32_t waiting = in_order;

		in_order = s->slots[waiting].next;
		if (s->slots[waiting].on == s->slots[slot].id) {
			status = connect(s, waiting, slot, cycle);
		} else {
			s->slots[waiting].next = *bucket;
			*bucket = waiting;
		}
	}
	return status;
}

static void fill(xt_stream_t *s, uint32_t slot, const xt_vef_record_t *r)
{
	uint32_t *bucket = bucket_of(s, s->buckets, (uint32_t)(s->vef.message_count - 1));
	xt_workload_t *w = s->w;

	s->begin[2 * slot] = never;
	s->slots[slot] = (xt_slot_t){.id = (uint32_t)(s->vef.message_count - 1),
		.line = r->line,
		.delay = (uint64_t)ceil((double)r->time * s->cycles_per_ns),
		.at = {never, never},
		.first = {NONE, NONE},
		.on = r->on,
		.dep = r->dep};
	s->slots[slot].bucket = *bucket;
	*bucket = slot;
	w->rank[2 * slot] = w->peer[2 * slot + 1] = r->rank;
	w->peer[2 * slot] = w->rank[2 * slot + 1] = r->peer;
	xt_workload_set_size(w, 2 * slot, r->sent);
	xt_workload_set_size(w, 2 * slot + 1, r->sent);
}

/* Begins it, or has it wait. */
static int admit(xt_stream_t *s, uint32_t slot, uint64_t cycle)
{
	xt_slot_t *m = &s->slots[slot];
	uint32_t on;

	if (m->dep == XT_VEF_NONE) {
		start_after(s, slot, 0, cycle);
	} else if (m->dep == XT_VEF_COLLECTIVE || m->on >= s->vef.messages) {
		return xt_text_fail(&s->vef.text, "there is no %s %" PRIu32,
			m->dep == XT_VEF_COLLECTIVE ? "collective" : "message", m->on);
	} else if (m->on == m->id) {
		return xt_text_fail(&s->vef.text, "message %" PRIu32 " waits for itself", m->id);
	} else if (m->on > m->id) {
		m->next = *bucket_of(s, s->ahead, m->on);
		*bucket_of(s, s->ahead, m->on) = slot;
	} else if ((on = find(s, m->on)) != NONE) {
		return connect(s, slot, on, cycle);
	} else {
		/* Done so long ago that nothing is known of it any more. */
		s->late++;
		start(s, slot, cycle);
	}
	return XT_OK;
}

static int read_one(xt_stream_t *s, uint64_t cycle)
{
	const char *word = xt_text_line(&s->vef.text) ? xt_text_word(&s->vef.text) : NULL;
	xt_vef_record_t record;
	uint32_t slot;
	int status;

	if (word) {
		if ((status = xt_vef_message(&s->vef, word, &record)) != XT_OK) {
			return status;
		}
		if (record.sent > UINT32_MAX) {
			return xt_text_fail(&s->vef.text, "a message of %" PRIu64 " bytes is too long", record.sent);
		}
		slot = new_slot(s);
		fill(s, slot, &record);
		s->live++;
		return (status = admit(s, slot, cycle)) == XT_OK ? connect_ahead(s, slot, cycle) : status;
	}
	s->ended = 1;
	if (ferror(s->file)) {
		return xt_fail(&s->diag, XT_ERR_IO,
			"%.200s: cannot be read to its end; it is cut off or damaged, or its pipe silent",
			s->vef.text.name);
	}
	return s->vef.message_count == s->vef.messages
		       ? XT_OK
		       : xt_text_fail(&s->vef.text, "the file ends after %" PRIu64 " of %" PRIu64 " messages",
				 s->vef.message_count, s->vef.messages);
}

/* Nothing will happen any more by itself. */
static int stuck(xt_stream_t *s)
{
	uint32_t slot = 0;

	while (s->begin[2 * slot] != never || s->slots[slot].at[SENT] != never) {
		slot++;
	}
	s->vef.text.line = s->slots[slot].line;
	return s->vef.message_count == s->vef.messages
		       ? xt_text_fail(
				 &s->vef.text, "message %" PRIu32 " waits, by others, for itself", s->slots[slot].id)
		       : xt_text_fail(&s->vef.text,
				 "message %" PRIu32 ", like all in the window of %" PRIu32
				 ", waits for others further on; widen the window",
				 s->slots[slot].id, s->window);
}

/* ---------------------------------------------------------------- the interface */

void xt_stream_tell(xt_stream_t *s, uint32_t event)
{
	uint64_t order = (uint64_t)s->slots[event / 2].id * 2 + event % 2;

	if (!xt_timers_set(&s->told, (xt_timer_t){0, order, event})) {
		s->status = xt_fail(&s->diag, XT_ERR_NOMEM, "replay: out of memory");
	}
}

void xt_stream_step(xt_stream_t *s, uint64_t cycle)
{
	while (s->status == XT_OK && s->told.count) {
		uint32_t event = xt_timers_take(&s->told);

		happened(s, event / 2, event % 2, cycle);
	}
	while (s->status == XT_OK && xt_timers_due(&s->timers, cycle)) {
		uint32_t slot = xt_timers_take(&s->timers);

		if (s->begin[2 * slot] == never) {
			start(s, slot, cycle);
		} else {
			happened(s, slot, SENT, cycle);
			happened(s, slot, RECEIVED, cycle);
		}
	}
	while (s->status == XT_OK && !s->ended && s->live < s->window) {
		s->status = read_one(s, cycle);
	}
	if (s->status == XT_OK && s->live && !s->running && !s->timers.count) {
		s->status = stuck(s);
	}
}

static xt_workload_t *make_window(uint32_t ranks, uint32_t slots)
{
	xt_workload_t *w = xt_workload_create(ranks);

	for (uint32_t s = 0; w && s < slots; s++) {
		uint32_t send = xt_workload_add(w, XT_EVENT_SEND, 0, 0, 0, 0, 0);
		uint32_t receive = xt_workload_add(w, XT_EVENT_RECV, 0, 0, 0, 0, 0);

		if (w->status == XT_OK) {
			w->match[send] = receive;
			w->match[receive] = send;
		}
	}
	if (w && w->status != XT_OK) {
		xt_workload_free(w);
		return NULL;
	}
	return w;
}

static int make_room(xt_stream_t *s, uint32_t window, xt_diag_t *diag)
{
	uint32_t count = 2 * window, hashes = 64;

	while (hashes < count) {
		hashes *= 2;
	}
	s->window = window;
	s->slot_count = count;
	s->mask = hashes - 1;
	s->w = make_window((uint32_t)s->vef.ranks, count);
	s->begin = malloc(2 * (size_t)count * sizeof(*s->begin));
	s->slots = malloc(count * sizeof(*s->slots));
	s->done = malloc(count * sizeof(*s->done));
	s->buckets = malloc(hashes * sizeof(*s->buckets));
	s->ahead = malloc(hashes * sizeof(*s->ahead));
	if (!s->w || !s->begin || !s->slots || !s->done || !s->buckets || !s->ahead) {
		return xt_fail(
			diag, XT_ERR_NOMEM, "replay: out of memory for a window of %" PRIu32 " messages", window);
	}
	memset(s->buckets, 0xff, hashes * sizeof(*s->buckets));
	memset(s->ahead, 0xff, hashes * sizeof(*s->ahead));
	return XT_OK;
}

int xt_stream_open(const char *path, uint32_t window, xt_stream_t **out, xt_diag_t *diag)
{
	xt_stream_t *s = calloc(1, sizeof(*s));
	int status;

	*out = NULL;
	if (!s) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory");
	}
	if (window < 1 || window > XT_MOST_WINDOW) {
		free(s);
		return xt_fail(
			diag, XT_ERR_RANGE, "a window of %" PRIu32 " messages; choose 1 to %d", window, XT_MOST_WINDOW);
	}
	status = xt_trace_open(path, &s->file, &s->diag);
	s->vef.text = (xt_text_t){.file = s->file, .name = path, .diag = &s->diag};
	status = status == XT_OK ? xt_vef_begin(&s->vef) : status;
	if (status == XT_OK && s->vef.globals + s->vef.locals) {
		s->vef.text.line = 1;
		status = xt_text_fail(&s->vef.text, "collectives are replayed without a window only");
	}
	if (status == XT_OK) {
		status = make_room(s, window, &s->diag);
	}
	if (status != XT_OK) {
		xt_fail(diag, status, "%s", s->diag.text);
		xt_stream_close(s);
		return status;
	}
	*out = s;
	return XT_OK;
}

void xt_stream_close(xt_stream_t *s)
{
	if (!s) {
		return;
	}
	if (s->file) {
		fclose(s->file);
	}
	xt_vef_free(&s->vef);
	xt_workload_free(s->w);
	xt_timers_free(&s->timers);
	xt_timers_free(&s->told);
	free(s->begin);
	free(s->slots);
	free(s->done);
	free(s->buckets);
	free(s->ahead);
	free(s);
}

uint32_t xt_stream_ranks(const xt_stream_t *s)
{
	return (uint32_t)s->vef.ranks;
}
