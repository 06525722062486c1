/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sizes of a VEF trace's collective mean, operation by operation (VEF.md). */
#include <inttypes.h>
#include <stdlib.h>

#include "vef.h"
#include "workload/collectives/vector_collective.h"

static const uint64_t most_block = UINT64_C(1) << 32;

/* By the number in the file. */
static const struct {
	xt_collective_kind_t kind;
	const char *rule;
} operations[XT_VEF_OPERATIONS] = {
	{XT_COLLECTIVE_BROADCAST, "in a broadcast one task sends, and each other one receives as much"},
	{XT_COLLECTIVE_REDUCE, "in a reduce one task receives, and each other one sends as much"},
	{XT_COLLECTIVE_ALLREDUCE, "in an allreduce all tasks send and receive the same number of bytes"},
	{XT_COLLECTIVE_GATHER, "in a gather one task receives as much as all tasks send together"},
	{XT_COLLECTIVE_SCATTER, "in a scatter one task sends as much as all tasks receive together"},
	{XT_COLLECTIVE_ALLGATHER, "in an allgather each task receives as much as all tasks send together"},
	{XT_COLLECTIVE_BARRIER, "in a barrier nothing is sent"},
	{XT_COLLECTIVE_ALLTOALL, "in an alltoall with totals the tasks receive as much as they send together"},
};

/* A collective's records as a whole. */
typedef struct {
	const xt_vef_record_t *parts;
	uint32_t count;
	xt_collective_kind_t kind;
	uint32_t root; /* the task with the root's size; 0 without one */
	uint64_t sent, received;
	uint64_t size; /* of what is broadcast or reduced */
	/* Of an alltoall: a record gives totals, in both fields; a record has the mark of a vector. */
	int totals, vector;
	uint64_t *block; /* [task], as in xt_vector_collective_t */
	int equal;       /* all blocks are */
} view_t;

static int wrong(xt_vef_t *v, const view_t *c, uint32_t task, const char *rule)
{
	const xt_vef_record_t *part = &c->parts[task];

	v->text.line = part->line;
	return xt_text_fail(&v->text, "task %" PRIu32 " sends %" PRIu64 " bytes and receives %" PRIu64 "; %s", task,
		part->sent, part->received, rule);
}

static int is_rooted(const view_t *c)
{
	return xt_collective_is_rooted(c->kind);
}

/* The side of the root: of a broadcast and a scatter it sends, of a reduce and a gather it receives. */
static uint64_t root_size(const view_t *c, const xt_vef_record_t *part)
{
	return c->kind == XT_COLLECTIVE_BROADCAST || c->kind == XT_COLLECTIVE_SCATTER ? part->sent : part->received;
}

static void add_up(view_t *c)
{
	for (uint32_t task = c->count; task-- > 0;) {
		const xt_vef_record_t *part = &c->parts[task];

		c->sent += part->sent;
		c->received += part->received;
		c->root = is_rooted(c) && root_size(c, part) ? task : c->root;
		c->totals |= c->kind == XT_COLLECTIVE_ALLTOALL && part->received > 1;
		c->vector |= c->kind == XT_COLLECTIVE_ALLTOALL && part->received == 1;
	}
	c->size = is_rooted(c) ? root_size(c, &c->parts[c->root]) : c->parts[0].sent;
}

static int is_right(const view_t *c, uint32_t task)
{
	const xt_vef_record_t *part = &c->parts[task];
	int root = task == c->root;

	switch (c->kind) {
	case XT_COLLECTIVE_BROADCAST:
		return root ? part->received == 0 : part->sent == 0 && part->received == c->size;
	case XT_COLLECTIVE_REDUCE:
		return root ? part->sent == 0 : part->received == 0 && part->sent == c->size;
	case XT_COLLECTIVE_ALLREDUCE:
		return part->sent == c->size && part->received == c->size;
	case XT_COLLECTIVE_GATHER:
		return part->received == (root ? c->sent : 0);
	case XT_COLLECTIVE_SCATTER:
		return part->sent == (root ? c->received : 0);
	case XT_COLLECTIVE_ALLGATHER:
		return part->received == c->sent;
	case XT_COLLECTIVE_BARRIER:
		return part->sent == 0 && part->received == 0;
	case XT_COLLECTIVE_ALLTOALL:
		return !c->totals || c->sent == c->received;
	case XT_COLLECTIVES:
		break;
	}
	return 0;
}

static uint64_t block_of(const view_t *c, uint32_t task)
{
	const xt_vef_record_t *part = &c->parts[task];

	switch (c->kind) {
	case XT_COLLECTIVE_SCATTER:
		return part->received;
	case XT_COLLECTIVE_ALLTOALL:
		return c->totals || part->received ? part->sent
		       : part->sent > most_block   ? UINT64_MAX
						   : part->sent * c->count;
	default:
		return part->sent;
	}
}

static int find_blocks(xt_vef_t *v, view_t *c)
{
	c->equal = 1;
	for (uint32_t task = 0; task < c->count; task++) {
		uint64_t block = block_of(c, task);

		if ((c->kind == XT_COLLECTIVE_ALLTOALL ? block / c->count : block) > most_block ||
			c->size > most_block) {
			return wrong(v, c, task, "a block has at most 4294967296 bytes");
		}
		c->block[task] = block;
		c->equal &= block == c->block[0];
	}
	if (c->kind == XT_COLLECTIVE_ALLTOALL) {
		c->equal &= !c->vector && c->block[0] % c->count == 0;
	}
	return XT_OK;
}

static int create(const view_t *c, xt_workload_t **out, xt_diag_t *diag)
{
	int by_blocks = c->kind == XT_COLLECTIVE_GATHER || c->kind == XT_COLLECTIVE_SCATTER ||
			c->kind == XT_COLLECTIVE_ALLGATHER || c->kind == XT_COLLECTIVE_ALLTOALL;
	xt_collective_t what = {.kind = c->kind,
		.ranks = c->count,
		.root = c->root,
		.segment = XT_SEGMENT_BY_RULES,
		.bytes = !by_blocks                          ? c->size
			 : c->kind == XT_COLLECTIVE_ALLTOALL ? c->block[0] / c->count
							     : c->block[0]};

	if (by_blocks && !c->equal) {
		return xt_vector_create(&(xt_vector_collective_t){c->kind, c->count, c->root, c->block}, out, diag);
	}
	return xt_collective_create(&what, out, diag);
}

int xt_vef_messages(xt_vef_t *v, const xt_vef_collective_t *collective, xt_workload_t **out)
{
	view_t c = {.parts = collective->parts,
		.count = v->communicator[collective->communicator].count,
		.kind = operations[collective->operation].kind};
	int status = XT_OK;

	*out = NULL;
	add_up(&c);
	for (uint32_t task = 0; task < c.count; task++) {
		if (!is_right(&c, task)) {
			return wrong(v, &c, task, operations[collective->operation].rule);
		}
	}
	if (c.kind != XT_COLLECTIVE_BARRIER && c.sent == 0 && c.received == 0) {
		return XT_OK;
	}
	c.block = malloc(c.count * sizeof(*c.block));
	if (!c.block) {
		return xt_fail(v->text.diag, XT_ERR_NOMEM, "%.200s: out of memory", v->text.name);
	}
	v->text.line = collective->line;
	if ((status = find_blocks(v, &c)) == XT_OK) {
		status = create(&c, out, v->text.diag);
	}
	free(c.block);
	return status;
}
