/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks' files on their way to one workload (CAPTURE.md). */
#pragma once

#include "extorus/workload_merge.h"
#include "merge_file.h"
#include "merge_group.h"
#include "workload/build.h"

/* As in a GOAL schedule. */
#define XT_MERGE_MOST_NS (UINT64_C(1) << 50)
#define XT_MERGE_MOST_BYTES (UINT64_C(1) << 40)

/* Numbers as the files have them. */
typedef enum {
	XT_CALL_BARRIER,
	XT_CALL_BCAST,
	XT_CALL_REDUCE,
	XT_CALL_ALLREDUCE,
	XT_CALL_GATHER,
	XT_CALL_SCATTER,
	XT_CALL_ALLGATHER,
	XT_CALL_ALLTOALL,
	XT_CALL_GATHERV,
	XT_CALL_SCATTERV,
	XT_CALL_ALLGATHERV,
	XT_CALL_ALLTOALLV,
	XT_CALL_REDUCE_SCATTER,
	XT_CALL_SCAN,
	XT_CALL_EXSCAN,
	XT_CALL_NEIGHBOR,
	XT_CALLS,
} xt_call_t;

/* A rank's part in a collective. */
typedef struct {
	uint64_t *bytes; /* as the call says */
	uint32_t count;
	xt_program_t program; /* from the call on, beside the rank's own */
	uint32_t mark;        /* the rank's own at the call */
	int waits;            /* the rank goes on once the collective is played */
	int begun;
} xt_call_part_t;

/* A collective; begun by `begun` of its ranks. */
struct xt_call_of_all {
	xt_call_of_all_t *next; /* of the communicator */
	xt_call_group_t *group;
	xt_call_t call;
	uint32_t root, element, begun;
	uint32_t users; /* parts that are not over, and `open` of the group */
	int played;
	xt_call_part_t *parts; /* by rank of the communicator */
};

xt_call_of_all_t *xt_call_create(xt_call_group_t *group); /* NULL: out of memory; used once */
void xt_call_release(xt_call_of_all_t *call);
/* Whether the part has as many sizes as the call needs, and the ranks among them are there. */
int xt_call_part_is_right(const xt_call_of_all_t *call, const xt_call_part_t *part);
/* Adds the messages of a collective that all have begun. Fails where their parts do not fit together. */
int xt_call_play(xt_workload_t *w, xt_call_of_all_t *call, xt_rules_t rules, xt_diag_t *diag);

/* What a number of the file stands for: an event, or the rank's part in a collective. */
typedef struct {
	uint32_t event; /* XT_NO_EVENT */
	uint32_t place;
	xt_call_of_all_t *call;
} xt_transfer_t;

typedef struct {
	xt_call_group_t *group;
	uint32_t place; /* of the rank */
} xt_own_group_t;

typedef struct {
	uint32_t *events;
	size_t count, room;
} xt_event_numbers_t;

typedef struct {
	xt_rank_file_t file;
	xt_program_t program;
	xt_transfer_t *transfers;
	size_t transfer_room;
	xt_own_group_t *groups;
	size_t group_room;
	xt_event_numbers_t done;   /* since the last other line; waited for together */
	xt_event_numbers_t probed; /* receives that a probe has seen and that the program has not begun */
	xt_transfer_t *blocked;
	int ended, finalized;
} xt_merge_rank_t;

typedef struct {
	xt_workload_t *w;
	xt_merge_rank_t *ranks;
	uint32_t count;
	xt_groups_t groups;
	uint32_t *ready, ready_count; /* ranks that may go on */
	xt_rules_t rules;
	uint32_t records; /* of each rank at most; 0: all */
	xt_merge_report_t *report;
	xt_diag_t *diag;
} xt_merge_t;

int xt_merge_no_memory(const xt_merge_t *m);
/* Makes *array at least `count` elements of `size` bytes, the new ones zero; 0 when out of memory. */
int xt_merge_room(void *array, size_t *room, size_t count, size_t size);
int xt_merge_add(const xt_merge_t *m, xt_event_numbers_t *list, uint32_t event);
int xt_merge_read_transfer(xt_merge_t *m, xt_merge_rank_t *r, xt_transfer_t **transfer);
void xt_merge_begin(xt_transfer_t *transfer, xt_transfer_t begun);
int xt_merge_read_group(xt_merge_rank_t *r, xt_own_group_t *own);

/* Lines of messages. `over`: the send is over with the call. `probed`: the rank waits for the message. */
int xt_merge_sent(xt_merge_t *m, xt_merge_rank_t *r, int over);
int xt_merge_received(xt_merge_t *m, xt_merge_rank_t *r, int probed);
int xt_merge_probed(xt_merge_t *m, xt_merge_rank_t *r);
int xt_merge_settle(xt_merge_t *m, xt_merge_rank_t *r, xt_transfer_t *transfer);

/* The messages and receives of the program itself: sizes of receives, and what is left over. */
int xt_merge_pairs(xt_workload_t *w, xt_merge_report_t *report, const char *name, xt_diag_t *diag);
