/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads execution traces of MLCommons Chakra (CHAKRA.md): a file for each rank, messages of protocol buffers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chakra_node.h"
#include "formats.h"
#include "workload/build.h"
#include "workload/captured/merge.h"

/* Messages are on cpu 0, where nothing is computed. */
enum { ACCELERATOR = 1, HOST = 2, STEP = 1 << 16 };

/* By Chakra's number. */
static const xt_call_t calls[] = {XT_CALL_ALLREDUCE, XT_CALL_REDUCE, XT_CALL_ALLGATHER, XT_CALL_GATHER, XT_CALL_SCATTER,
	XT_CALL_BCAST, XT_CALL_ALLTOALL, XT_CALL_REDUCE_SCATTER, XT_CALL_REDUCE_SCATTER, XT_CALL_BARRIER};

typedef struct {
	uint8_t *text;
	size_t size;
	xt_chakra_node_t *nodes; /* by number */
	size_t count, room;
} rank_t;

typedef struct {
	xt_workload_t *w;
	const char *name;
	rank_t *ranks;
	uint32_t count;
	xt_diag_t *diag;
} chakra_t;

static int no_memory(const chakra_t *c)
{
	return xt_fail(c->diag, XT_ERR_NOMEM, "%.200s: out of memory", c->name);
}

static int wrong(const chakra_t *c, uint32_t rank, uint64_t place, const char *what)
{
	return xt_fail(c->diag, XT_ERR_FORMAT, "%.200s, rank %" PRIu32 ", node %" PRIu64 " of the file: %s", c->name,
		rank, place, what);
}

/* ---------------------------------------------------------------- nodes */

static int by_id(const void *a, const void *b)
{
	const xt_chakra_node_t *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The first message is the metadata of the whole file. */
static int read_nodes(chakra_t *c, uint32_t rank)
{
	rank_t *r = &c->ranks[rank];
	xt_bytes_t file = {r->text, r->text + r->size}, message;
	int found = xt_wire_message(&file, &message);

	if (found != 1) {
		return wrong(c, rank, 0, "no execution trace");
	}
	while ((found = xt_wire_message(&file, &message)) == 1) {
		if (!xt_merge_room(&r->nodes, &r->room, r->count + 1, sizeof(*r->nodes))) {
			return no_memory(c);
		}
		if (xt_chakra_node_read(&r->nodes[r->count], message) < 0) {
			return wrong(c, rank, r->count, "damaged");
		}
		r->nodes[r->count].place = r->count;
		r->count++;
	}
	return found < 0 ? wrong(c, rank, r->count, "the file ends within a node") : XT_OK;
}

/* ---------------------------------------------------------------- events */

static const char *add_node(chakra_t *c, uint32_t rank, xt_chakra_node_t *n)
{
	int send = n->type == XT_CHAKRA_SEND;
	uint64_t peer = send ? n->destination : n->source;
	xt_workload_t *w = c->w;

	if (n->type < XT_CHAKRA_METADATA || n->type >= XT_CHAKRA_TYPES) {
		return "its type is none that is known";
	}
	if (n->micros > XT_MERGE_MOST_NS / 1000 || n->size > XT_MERGE_MOST_BYTES || n->tag > UINT32_MAX) {
		return "a number is too large";
	}
	if (n->type == XT_CHAKRA_SEND || n->type == XT_CHAKRA_RECEIVE) {
		if (peer >= c->count) {
			return "the other rank has no file";
		}
		/* Collectives have tag 0. */
		n->begin = xt_workload_add(w, send ? XT_EVENT_SEND : XT_EVENT_RECV, rank, (uint32_t)peer, n->size,
			UINT64_C(1) << 32 | n->tag, 0);
	} else if (n->type == XT_CHAKRA_COLLECTIVE) {
		if (n->call >= sizeof(calls) / sizeof(calls[0])) {
			return "no collective has this comm_type";
		}
		n->begin = xt_workload_add(w, XT_EVENT_CALC, rank, 0, 0, 0, 0);
	} else {
		n->begin = xt_workload_add(w, XT_EVENT_CALC, rank, 0, n->micros * 1000, 0, 0);
		if (w->status == XT_OK && n->micros) {
			w->cpu[n->begin] = n->host ? HOST : ACCELERATOR;
		}
	}
	n->end = n->begin;
	return NULL;
}

static int add_nodes(chakra_t *c)
{
	for (uint32_t rank = 0; rank < c->count; rank++) {
		for (size_t i = 0; i < c->ranks[rank].count; i++) {
			xt_chakra_node_t *node = &c->ranks[rank].nodes[i];
			const char *what = add_node(c, rank, node);

			if (what) {
				return wrong(c, rank, node->place, what);
			}
		}
	}
	return c->w->status == XT_OK ? XT_OK : no_memory(c);
}

/* The next collective of the group from node *at on. */
static xt_chakra_node_t *next_of(rank_t *r, const char *group, size_t *at)
{
	for (; *at < r->count; ++*at) {
		xt_chakra_node_t *n = &r->nodes[*at];

		if (n->type == XT_CHAKRA_COLLECTIVE && strcmp(n->group, group) == 0) {
			return n;
		}
	}
	return NULL;
}

/* What a rank gives, as in ASTRA-sim: a share for each rank of an alltoall, of a scatter and of a reduce-scatter. */
static uint64_t share(xt_call_t call, uint64_t size, uint32_t ranks)
{
	return call == XT_CALL_ALLTOALL || call == XT_CALL_SCATTER || call == XT_CALL_REDUCE_SCATTER ? size / ranks
												     : size;
}

static int play(chakra_t *c, xt_call_group_t *group, xt_chakra_node_t **nodes)
{
	xt_call_of_all_t *call = xt_call_create(group);
	int status = XT_OK;

	if (!call) {
		return no_memory(c);
	}
	call->call = calls[nodes[0]->call];
	call->element = 1;
	for (uint32_t i = 0; i < group->count && status == XT_OK; i++) {
		xt_call_part_t *part = &call->parts[i];

		if (nodes[i]->call != nodes[0]->call || nodes[i]->size != nodes[0]->size) {
			status = wrong(c, group->members[i], nodes[i]->place,
				"other ranks of the group have another collective");
		}
		part->bytes = malloc(sizeof(*part->bytes));
		if (!part->bytes) {
			status = no_memory(c);
			break;
		}
		part->bytes[0] = share(call->call, nodes[i]->size, group->count);
		part->count = 1;
		part->program = xt_program_begin(c->w, group->members[i]);
		part->program.front[0] = nodes[i]->begin;
		part->program.fronts = 1;
	}
	if (status == XT_OK) {
		status = xt_call_play(c->w, call, XT_RULES_TUNED, c->diag);
	}
	for (uint32_t i = 0; i < group->count && status == XT_OK; i++) {
		const xt_program_t *p = &call->parts[i].program;

		nodes[i]->end = xt_workload_add(c->w, XT_EVENT_CALC, group->members[i], 0, 0, 0, 0);
		for (unsigned k = 0; k < p->fronts; k++) {
			xt_workload_depend(c->w, nodes[i]->end, p->front[k]);
		}
	}
	xt_call_release(call);
	return status;
}

/* The group of a name is the ranks that have collectives of it; the k-th ones belong together. */
static int play_group(chakra_t *c, const char *name)
{
	xt_call_group_t group = {.members = malloc(c->count * sizeof(*group.members))};
	size_t *at = calloc(c->count, sizeof(*at));
	xt_chakra_node_t **nodes = malloc(c->count * sizeof(*nodes));
	int status = group.members && at && nodes ? XT_OK : no_memory(c), more = status == XT_OK;

	for (uint32_t r = 0; r < c->count && more; r++) {
		if (next_of(&c->ranks[r], name, &at[r])) {
			group.members[group.count++] = r;
		}
	}
	while (more && status == XT_OK) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < group.count; i++) {
			nodes[i] = next_of(&c->ranks[group.members[i]], name, &at[group.members[i]]);
			found += nodes[i] != NULL;
		}
		more = found > 0;
		for (uint32_t i = 0; i < group.count && more && status == XT_OK; i++) {
			if (!nodes[i]) {
				status =
					wrong(c, group.members[i], 0, "has fewer collectives than others of the group");
			} else {
				nodes[i]->played = 1;
				at[group.members[i]]++;
			}
		}
		status = more && status == XT_OK ? play(c, &group, nodes) : status;
	}
	free(group.members);
	free(at);
	free(nodes);
	return status;
}

static int play_collectives(chakra_t *c)
{
	int status = XT_OK;

	for (uint32_t r = 0; r < c->count && status == XT_OK; r++) {
		for (size_t i = 0; i < c->ranks[r].count && status == XT_OK; i++) {
			xt_chakra_node_t *n = &c->ranks[r].nodes[i];

			if (n->type == XT_CHAKRA_COLLECTIVE && !n->played) {
				char name[sizeof(n->group)];

				memcpy(name, n->group, sizeof(name));
				status = play_group(c, name);
			}
		}
	}
	return status;
}

/* ---------------------------------------------------------------- dependencies */

static int depend(chakra_t *c, uint32_t rank, const xt_chakra_node_t *node, uint64_t on)
{
	rank_t *r = &c->ranks[rank];
	const xt_chakra_node_t key = {.id = on}, *other = bsearch(&key, r->nodes, r->count, sizeof(key), by_id);

	if (!other) {
		return wrong(c, rank, node->place, "waits for a node that is not there");
	}
	xt_workload_depend(c->w, node->begin, other->end);
	return XT_OK;
}

static int depend_all(chakra_t *c, uint32_t rank, const xt_chakra_node_t *node)
{
	xt_bytes_t message = node->message;
	xt_field_t field;
	uint64_t on;
	int status = XT_OK;

	while (status == XT_OK && xt_wire_field(&message, &field) == 1) {
		if (field.number != 4 && field.number != 5) {
			continue;
		}
		if (!field.is_bytes) {
			status = depend(c, rank, node, field.value);
		}
		while (status == XT_OK && field.is_bytes && xt_wire_number(&field.bytes, &on) == 1) {
			status = depend(c, rank, node, on);
		}
	}
	return status;
}

static int add_dependencies(chakra_t *c)
{
	int status = XT_OK;

	for (uint32_t rank = 0; rank < c->count && status == XT_OK; rank++) {
		rank_t *r = &c->ranks[rank];

		if (r->count) {
			qsort(r->nodes, r->count, sizeof(*r->nodes), by_id);
		}
		for (size_t i = 0; i + 1 < r->count && status == XT_OK; i++) {
			if (r->nodes[i].id == r->nodes[i + 1].id) {
				status = wrong(c, rank, r->nodes[i + 1].place, "another node has the same number");
			}
		}
		for (size_t i = 0; i < r->count && status == XT_OK; i++) {
			status = depend_all(c, rank, &r->nodes[i]);
		}
	}
	return status;
}

/* ---------------------------------------------------------------- files */

static int read_file(chakra_t *c, const char *path, rank_t *r)
{
	size_t room = 0, got;
	FILE *file;
	int status = xt_trace_open(path, &file, c->diag);

	if (status != XT_OK) {
		return status;
	}
	do {
		if (!xt_merge_room(&r->text, &room, r->size + STEP, 1)) {
			fclose(file);
			return no_memory(c);
		}
		got = fread(r->text + r->size, 1, STEP, file);
		r->size += got;
	} while (got);
	if (ferror(file)) {
		status = xt_fail(c->diag, XT_ERR_IO,
			"%.200s: cannot be read to its end; it is cut off or damaged, or its pipe silent", path);
	}
	fclose(file);
	return status;
}

/* NAME.RANK.et: ranks from 0 on, until there is no such file. */
static int read_files(chakra_t *c, int prefix)
{
	size_t room = 0;
	int status = XT_OK;

	while (status == XT_OK && c->count < XT_MAX_RANKS) {
		char *path = NULL;

		if (asprintf(&path, "%.*s.%" PRIu32 ".et", prefix, c->name, c->count) < 0 ||
			!xt_merge_room(&c->ranks, &room, c->count + 1, sizeof(*c->ranks))) {
			status = no_memory(c);
		} else if (c->count && access(path, F_OK) != 0) {
			free(path);
			break;
		} else {
			status = read_file(c, path, &c->ranks[c->count]);
			c->count++;
		}
		free(path);
	}
	return status;
}

/* How much of NAME.RANK.et is NAME; -1: none. */
static int prefix_of(const char *path)
{
	size_t length = strlen(path) - strlen(".et"), digits = 0;

	while (digits < length && path[length - digits - 1] >= '0' && path[length - digits - 1] <= '9') {
		digits++;
	}
	return digits && digits < length && path[length - digits - 1] == '.' ? (int)(length - digits - 1) : -1;
}

static int read_ranks(chakra_t *c)
{
	int status = XT_OK;

	c->w = xt_workload_create(c->count);
	if (!c->w) {
		return no_memory(c);
	}
	c->w->with_cpus = 1;
	for (uint32_t r = 0; r < c->count && status == XT_OK; r++) {
		status = read_nodes(c, r);
	}
	status = status == XT_OK ? add_nodes(c) : status;
	status = status == XT_OK ? play_collectives(c) : status;
	status = status == XT_OK ? add_dependencies(c) : status;
	return status == XT_OK ? xt_workload_finish(c->w, c->name, c->diag) : status;
}

int xt_chakra_load(const char *path, xt_workload_t **out, xt_diag_t *diag)
{
	chakra_t c = {.name = path, .diag = diag};
	int prefix = prefix_of(path);
	int status = prefix < 0
			     ? xt_fail(diag, XT_ERR_INVALID,
				       "%.200s: execution traces are NAME.0.et, NAME.1.et ...; name one of them", path)
			     : read_files(&c, prefix);

	status = status == XT_OK ? read_ranks(&c) : status;
	for (uint32_t r = 0; r < c.count; r++) {
		free(c.ranks[r].text);
		free(c.ranks[r].nodes);
	}
	free(c.ranks);
	if (status != XT_OK) {
		xt_workload_free(c.w);
		c.w = NULL;
	}
	*out = c.w;
	return status;
}
