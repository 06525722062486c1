/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of captured collectives. Those that have a rule of Open MPI follow the rule; the others are linear, ring or
 * pairwise, as the README says. */
#include <inttypes.h>
#include <stdlib.h>

#include "merge.h"

typedef struct {
	xt_workload_t *w;
	const xt_call_of_all_t *call;
	xt_program_t *programs;
	uint32_t ranks;
	xt_rules_t rules;
	xt_diag_t *diag;
} play_t;

static uint64_t bytes_of(const play_t *p, uint32_t rank, uint32_t i)
{
	return p->call->parts[rank].bytes[i];
}

/* Of a vector collective all blocks are as large as the first. */
static int are_equal(const play_t *p)
{
	for (uint32_t r = 1; r < p->ranks; r++) {
		if (bytes_of(p, r, 0) != bytes_of(p, 0, 0)) {
			return 0;
		}
	}
	return 1;
}

static int by_rules(const play_t *p, xt_collective_kind_t kind, uint64_t bytes)
{
	xt_collective_t c = {.kind = kind,
		.ranks = p->ranks,
		.root = p->call->root,
		.bytes = bytes,
		.element = p->call->element && bytes % p->call->element == 0 ? p->call->element : 1,
		.rules = p->rules,
		.segment = XT_SEGMENT_BY_RULES};

	if (bytes == 0 && kind != XT_COLLECTIVE_BARRIER) {
		return XT_OK;
	}
	return xt_collective_play(p->w, p->programs, &c, p->diag);
}

/* A message of `from` to `to`; both wait for theirs. */
static void pass(const play_t *p, uint32_t from, uint32_t to, uint64_t bytes)
{
	xt_program_t *sender = &p->programs[from], *receiver = &p->programs[to];

	xt_program_wait_one(sender, xt_program_send(sender, to, bytes));
	xt_program_wait_one(receiver, xt_program_recv(receiver, from, bytes));
}

/* Of gather and scatter: blocks without bytes are no messages. */
static void linear(const play_t *p, int gather)
{
	uint32_t root = p->call->root;

	for (uint32_t r = 0; r < p->ranks; r++) {
		if (r != root && bytes_of(p, r, 0)) {
			pass(p, gather ? r : root, gather ? root : r, bytes_of(p, r, 0));
		}
	}
}

static void ring(const play_t *p)
{
	uint32_t n = p->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *q = &p->programs[r];

		for (uint32_t i = 0; i + 1 < n; i++) {
			uint32_t received =
				xt_program_recv(q, (r + n - 1) % n, bytes_of(p, (r + 2 * n - 1 - i) % n, 0));

			xt_program_wait_both(
				q, received, xt_program_send(q, (r + 1) % n, bytes_of(p, (r + n - i) % n, 0)));
		}
	}
}

static void pairwise(const play_t *p)
{
	uint32_t n = p->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *q = &p->programs[r];

		for (uint32_t step = 1; step < n; step++) {
			uint32_t from = (r + n - step) % n, to = (r + step) % n;
			uint32_t received = xt_program_recv(q, from, bytes_of(p, from, r));

			xt_program_wait_both(q, received, xt_program_send(q, to, bytes_of(p, r, to)));
		}
	}
}

static void chain(const play_t *p)
{
	for (uint32_t r = 0; r + 1 < p->ranks; r++) {
		pass(p, r, r + 1, bytes_of(p, 0, 0));
	}
}

static int reduce_scatter(play_t *p)
{
	uint64_t all = 0;
	int status;

	for (uint32_t r = 0; r < p->ranks; r++) {
		all += bytes_of(p, r, 0);
	}
	status = by_rules(p, XT_COLLECTIVE_REDUCE, all);
	if (status == XT_OK && are_equal(p)) {
		return by_rules(p, XT_COLLECTIVE_SCATTER, bytes_of(p, 0, 0));
	}
	linear(p, 0);
	return status;
}

/* A part in a collective of neighbours: how many messages, to whom and of how many bytes each, and then from whom. */
static uint32_t sends_of(const xt_call_part_t *part)
{
	return (uint32_t)part->bytes[0];
}

static uint32_t source_of(const xt_call_part_t *part, uint32_t i)
{
	return (uint32_t)part->bytes[1 + 2 * sends_of(part) + i];
}

/* Of the i-th receive: as many messages of that neighbour come before. 0: none comes. */
static int find_message(const play_t *p, uint32_t rank, uint32_t i, uint64_t *bytes)
{
	const xt_call_part_t *part = &p->call->parts[rank], *other = &p->call->parts[source_of(part, i)];
	uint32_t earlier = 0;

	for (uint32_t k = 0; k < i; k++) {
		earlier += source_of(part, k) == source_of(part, i);
	}
	for (uint32_t k = 0; k < sends_of(other); k++) {
		if (other->bytes[1 + 2 * k] == rank && earlier-- == 0) {
			*bytes = other->bytes[2 + 2 * k];
			return 1;
		}
	}
	return 0;
}

static int neighbours(const play_t *p)
{
	uint32_t most = 1, *begun;

	for (uint32_t r = 0; r < p->ranks; r++) {
		most = p->call->parts[r].count > most ? p->call->parts[r].count : most;
	}
	begun = malloc(most * sizeof(*begun));
	if (!begun) {
		return xt_fail(p->diag, XT_ERR_NOMEM, "out of memory");
	}
	for (uint32_t r = 0; r < p->ranks; r++) {
		const xt_call_part_t *part = &p->call->parts[r];
		uint32_t receives = part->count - 1 - 2 * sends_of(part), used = 0;
		xt_program_t *q = &p->programs[r];
		uint64_t bytes;

		for (uint32_t i = 0; i < receives; i++) {
			if (find_message(p, r, i, &bytes)) {
				begun[used++] = xt_program_recv(q, source_of(part, i), bytes);
			}
		}
		for (uint32_t i = 0; i < sends_of(part); i++) {
			begun[used++] = xt_program_send(q, (uint32_t)part->bytes[1 + 2 * i], part->bytes[2 + 2 * i]);
		}
		xt_program_wait(q, begun, used);
	}
	free(begun);
	return XT_OK;
}

static int play(play_t *p)
{
	static const xt_collective_kind_t kinds[] = {
		[XT_CALL_BARRIER] = XT_COLLECTIVE_BARRIER,
		[XT_CALL_BCAST] = XT_COLLECTIVE_BROADCAST,
		[XT_CALL_REDUCE] = XT_COLLECTIVE_REDUCE,
		[XT_CALL_ALLREDUCE] = XT_COLLECTIVE_ALLREDUCE,
		[XT_CALL_GATHER] = XT_COLLECTIVE_GATHER,
		[XT_CALL_SCATTER] = XT_COLLECTIVE_SCATTER,
		[XT_CALL_ALLGATHER] = XT_COLLECTIVE_ALLGATHER,
		[XT_CALL_ALLTOALL] = XT_COLLECTIVE_ALLTOALL,
	};

	switch (p->call->call) {
	case XT_CALL_GATHERV:
	case XT_CALL_SCATTERV:
		linear(p, p->call->call == XT_CALL_GATHERV);
		return XT_OK;
	case XT_CALL_ALLGATHERV:
		if (are_equal(p)) {
			return by_rules(p, XT_COLLECTIVE_ALLGATHER, bytes_of(p, 0, 0));
		}
		ring(p);
		return XT_OK;
	case XT_CALL_ALLTOALLV:
		pairwise(p);
		return XT_OK;
	case XT_CALL_REDUCE_SCATTER:
		return reduce_scatter(p);
	case XT_CALL_SCAN:
	case XT_CALL_EXSCAN:
		chain(p);
		return XT_OK;
	case XT_CALL_NEIGHBOR:
		return neighbours(p);
	default:
		return by_rules(p, kinds[p->call->call], bytes_of(p, p->call->root, 0));
	}
}

int xt_call_play(xt_workload_t *w, xt_call_of_all_t *call, xt_rules_t rules, xt_diag_t *diag)
{
	const xt_call_group_t *group = call->group;
	play_t p = {w, call, malloc(group->count * sizeof(*p.programs)), group->count, rules, diag};
	int status;

	if (!p.programs) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	/* The programs are those of the ranks within the communicator meanwhile. */
	for (uint32_t i = 0; i < p.ranks; i++) {
		p.programs[i] = call->parts[i].program;
		p.programs[i].rank = i;
		p.programs[i].ranks = p.ranks;
		p.programs[i].members = group->members;
	}
	status = p.ranks > 1 ? play(&p) : XT_OK;
	for (uint32_t i = 0; i < p.ranks; i++) {
		call->parts[i].program = p.programs[i];
	}
	free(p.programs);
	call->played = 1;
	return status == XT_OK ? w->status : status;
}

xt_call_of_all_t *xt_call_create(xt_call_group_t *group)
{
	xt_call_of_all_t *call = calloc(1, sizeof(*call));

	if (call) {
		call->group = group;
		call->users = 1;
		call->parts = calloc(group->count, sizeof(*call->parts));
		if (!call->parts) {
			free(call);
			call = NULL;
		}
	}
	return call;
}

void xt_call_release(xt_call_of_all_t *call)
{
	if (--call->users == 0) {
		for (uint32_t i = 0; i < call->group->count; i++) {
			free(call->parts[i].bytes);
		}
		free(call->parts);
		free(call);
	}
}

int xt_call_part_is_right(const xt_call_of_all_t *call, const xt_call_part_t *part)
{
	uint32_t ranks = call->group->count;

	if (call->call != XT_CALL_NEIGHBOR) {
		return part->count == (call->call == XT_CALL_ALLTOALLV ? ranks : 1);
	}
	if (part->count == 0 || part->bytes[0] > (part->count - 1) / 2) {
		return 0;
	}
	for (uint32_t i = 1; i < part->count; i += i < 1 + 2 * sends_of(part) ? 2 : 1) {
		if (part->bytes[i] >= ranks) {
			return 0;
		}
	}
	return 1;
}
