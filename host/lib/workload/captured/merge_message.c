/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of messages in captured files: sends, receives and probes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"

enum { MOST_TRANSFERS = 1 << 26 };

int xt_merge_no_memory(const xt_merge_t *m)
{
	return xt_fail(m->diag, XT_ERR_NOMEM, "out of memory");
}

int xt_merge_room(void *array, size_t *room, size_t count, size_t size)
{
	void **pointer = array;
	size_t more = count > 2 * *room ? count : 2 * *room;
	char *larger;

	if (count <= *room) {
		return 1;
	}
	larger = realloc(*pointer, more * size);
	if (!larger) {
		return 0;
	}
	memset(larger + *room * size, 0, (more - *room) * size);
	*pointer = larger;
	*room = more;
	return 1;
}

int xt_merge_add(const xt_merge_t *m, xt_event_numbers_t *list, uint32_t event)
{
	if (!xt_merge_room(&list->events, &list->room, list->count + 1, sizeof(*list->events))) {
		return xt_merge_no_memory(m);
	}
	list->events[list->count++] = event;
	return XT_OK;
}

/* The next event of the rank's program; nothing waits for it so far. */
static uint32_t begin(
	xt_merge_t *m, xt_merge_rank_t *r, xt_event_kind_t kind, uint32_t peer, uint64_t size, uint64_t tag)
{
	uint32_t event = xt_workload_add(m->w, kind, r->file.rank, peer, size, tag, r->file.text.line);

	for (unsigned i = 0; i < r->program.fronts; i++) {
		xt_workload_depend(m->w, event, r->program.front[i]);
	}
	return event;
}

/* ---------------------------------------------------------------- fields */

int xt_merge_read_transfer(xt_merge_t *m, xt_merge_rank_t *r, xt_transfer_t **transfer)
{
	uint64_t number;
	int status = xt_rank_file_number(&r->file, "transfer", MOST_TRANSFERS, &number);

	*transfer = NULL;
	/* Numbers beyond the room are none that was given. */
	if (status == XT_OK && number <= MOST_TRANSFERS) {
		size_t old = r->transfer_room;

		if (!xt_merge_room(&r->transfers, &r->transfer_room, number + 1, sizeof(*r->transfers))) {
			return xt_merge_no_memory(m);
		}
		for (; old < r->transfer_room; old++) {
			r->transfers[old].event = XT_NO_EVENT;
		}
		*transfer = &r->transfers[number];
	}
	return status;
}

/* The number may have been another's that the rank never waited for. */
void xt_merge_begin(xt_transfer_t *transfer, xt_transfer_t begun)
{
	if (transfer->call) {
		xt_call_release(transfer->call);
	}
	*transfer = begun;
}

int xt_merge_read_group(xt_merge_rank_t *r, xt_own_group_t *own)
{
	uint64_t number;
	int status = xt_rank_file_number(&r->file, "communicator", UINT32_MAX, &number);

	if (status == XT_OK && (number >= r->group_room || !r->groups[number].group)) {
		return xt_text_fail(&r->file.text, "communicator %" PRIu64 " was not declared", number);
	}
	if (status == XT_OK) {
		*own = r->groups[number];
	}
	return status;
}

/* Messages of different communicators do not meet. */
static uint64_t full_tag(const xt_call_group_t *group, uint64_t tag)
{
	return (uint64_t)group->number << 32 | tag;
}

/* Peer and tag, either of which may be any. */
static int read_peer(const xt_merge_t *m, xt_merge_rank_t *r, uint64_t *peer, uint64_t *tag)
{
	int status = xt_rank_file_number(&r->file, "rank", m->count - 1, peer);

	return status == XT_OK ? xt_rank_file_number(&r->file, "tag", INT32_MAX, tag) : status;
}

/* s and S transfer communicator destination tag bytes */
int xt_merge_sent(xt_merge_t *m, xt_merge_rank_t *r, int over)
{
	uint64_t to, tag, bytes;
	xt_transfer_t *transfer;
	xt_own_group_t own;
	uint32_t event;
	int status = xt_merge_read_transfer(m, r, &transfer);

	if (status != XT_OK || (status = xt_merge_read_group(r, &own)) != XT_OK ||
		(status = read_peer(m, r, &to, &tag)) != XT_OK ||
		(status = xt_rank_file_number(&r->file, "bytes", XT_MERGE_MOST_BYTES, &bytes)) != XT_OK) {
		return status;
	}
	if (to >= m->count || tag > INT32_MAX || bytes > XT_MERGE_MOST_BYTES || (!over && !transfer)) {
		return xt_text_fail(&r->file.text, "a send says to whom, with which tag, and how many bytes");
	}
	event = begin(m, r, XT_EVENT_SEND, (uint32_t)to, bytes, full_tag(own.group, tag));
	if (over) {
		return xt_merge_add(m, &r->done, event);
	}
	xt_merge_begin(transfer, (xt_transfer_t){.event = event});
	return XT_OK;
}

/* The receive that a probe has begun and that the program's receive may be; XT_NO_EVENT. */
static uint32_t take_probed(
	const xt_merge_t *m, xt_merge_rank_t *r, const xt_call_group_t *group, uint64_t from, uint64_t tag)
{
	for (size_t i = 0; i < r->probed.count; i++) {
		uint32_t event = r->probed.events[i];
		uint64_t is = xt_workload_tag(m->w, event);

		if (is >> 32 == group->number && (from == UINT64_MAX || from == m->w->peer[event]) &&
			(tag == UINT64_MAX || tag == (uint32_t)is)) {
			memmove(&r->probed.events[i], &r->probed.events[i + 1],
				(r->probed.count - i - 1) * sizeof(*r->probed.events));
			r->probed.count--;
			return event;
		}
	}
	return XT_NO_EVENT;
}

/* R transfer communicator source tag, and M, of a message that a probe took: the rank waits for that one. */
int xt_merge_received(xt_merge_t *m, xt_merge_rank_t *r, int probed)
{
	uint64_t from, tag;
	xt_transfer_t *transfer;
	xt_own_group_t own;
	uint32_t event;
	int status = xt_merge_read_transfer(m, r, &transfer);

	if (status != XT_OK || (status = xt_merge_read_group(r, &own)) != XT_OK ||
		(status = read_peer(m, r, &from, &tag)) != XT_OK) {
		return status;
	}
	if (!transfer) {
		return xt_text_fail(&r->file.text, "a receive has a number");
	}
	event = take_probed(m, r, own.group, from, tag);
	if (event == XT_NO_EVENT) {
		event = begin(m, r, XT_EVENT_RECV, from == UINT64_MAX ? XT_ANY_SOURCE : (uint32_t)from, UINT64_MAX,
			tag == UINT64_MAX ? XT_ANY_TAG : full_tag(own.group, tag));
	}
	xt_merge_begin(transfer, (xt_transfer_t){.event = event, .place = own.group->number});
	return probed ? xt_merge_add(m, &r->done, event) : XT_OK;
}

/* P communicator source tag. Probes that see the same message again say nothing new. */
int xt_merge_probed(xt_merge_t *m, xt_merge_rank_t *r)
{
	uint64_t from, tag;
	xt_own_group_t own;
	uint32_t event;
	int status = xt_merge_read_group(r, &own);

	if (status != XT_OK || (status = read_peer(m, r, &from, &tag)) != XT_OK) {
		return status;
	}
	if (from >= m->count || tag > INT32_MAX) {
		return xt_text_fail(&r->file.text, "a probe says from whom the message is, and its tag");
	}
	for (size_t i = 0; i < r->probed.count; i++) {
		event = r->probed.events[i];
		if (m->w->peer[event] == from && xt_workload_tag(m->w, event) == full_tag(own.group, tag)) {
			return XT_OK;
		}
	}
	event = begin(m, r, XT_EVENT_RECV, (uint32_t)from, UINT64_MAX, full_tag(own.group, tag));
	status = xt_merge_add(m, &r->probed, event);
	return status == XT_OK ? xt_merge_add(m, &r->done, event) : status;
}

/* A receive is over: who sent, and the tag, which its probe may have taken for another. */
int xt_merge_settle(xt_merge_t *m, xt_merge_rank_t *r, xt_transfer_t *transfer)
{
	xt_workload_t *w = m->w;
	uint64_t from, tag, bytes;
	uint32_t e = transfer->event;
	int status = read_peer(m, r, &from, &tag);

	if (status != XT_OK ||
		(status = xt_rank_file_number(&r->file, "bytes", XT_MERGE_MOST_BYTES, &bytes)) != XT_OK ||
		w->status != XT_OK) {
		return status == XT_OK ? w->status : status;
	}
	if ((w->peer[e] != XT_ANY_SOURCE && from != UINT64_MAX && from != w->peer[e]) ||
		(xt_workload_tag(w, e) != XT_ANY_TAG && tag != UINT64_MAX && tag != w->tag[e])) {
		/* Another message than the one that was probed, which is still to be received. */
		if ((status = xt_merge_add(m, &r->probed, e)) != XT_OK) {
			return status;
		}
		e = begin(m, r, XT_EVENT_RECV, (uint32_t)from, bytes, (uint64_t)transfer->place << 32 | tag);
		transfer->event = e;
		return w->status;
	}
	if (from != UINT64_MAX) {
		w->peer[e] = (uint32_t)from;
	}
	if (tag != UINT64_MAX) {
		w->tag[e] = (uint32_t)tag;
		w->tag_high[e] = transfer->place;
	}
	xt_workload_set_size(w, e, bytes);
	return XT_OK;
}
