/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads: what the tasks (ranks) of a parallel program send, receive and compute, and the dependencies between
 * these events.
 *
 * A workload is a graph of events. An event begins when all events that it depends on are done. A send is done when
 * its NIC has taken the last cell. A receive is done when the message and its dependencies are. A computation is
 * done its time after its dependencies. An event may also wait for the begin of another. Computations of a rank on the
 * same cpu are done one after the other, and its sends and receives there wait for them. */
#ifndef EXTORUS_WORKLOAD_H
#define EXTORUS_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

typedef struct xt_workload xt_workload_t;

typedef enum {
	XT_EVENT_SEND,
	XT_EVENT_RECV,
	XT_EVENT_CALC,
} xt_event_kind_t;

#define XT_NO_EVENT UINT32_MAX
/* Of a receive: the peer and the tag that fit all. */
#define XT_ANY_SOURCE UINT32_MAX
#define XT_ANY_TAG UINT64_MAX

enum { XT_MAX_RANKS = 65536 };

typedef struct {
	xt_event_kind_t kind;
	uint32_t rank;  /* whose event */
	uint32_t peer;  /* of a send or receive */
	uint32_t match; /* the receive of a send, the send of a receive; XT_NO_EVENT of a computation */
	uint64_t tag;   /* 0 once trimmed */
	uint64_t size;  /* bytes; of a computation nanoseconds */
	uint32_t line;  /* of the file that it was read from; 0: none, or trimmed */
} xt_event_t;

XT_API void xt_workload_free(xt_workload_t *workload); /* NULL is allowed */
/* Frees what only replays do not need: lines, tags, and what an event waits for. Nothing else may follow but replays.
 */
XT_API void xt_workload_trim(xt_workload_t *workload);
XT_API uint32_t xt_workload_ranks(const xt_workload_t *workload);
/* `event` below the number of events. */
XT_API xt_event_t xt_workload_event(const xt_workload_t *workload, uint32_t event);

/* One workload of all: the ranks and events of each job follow those of the job before. XT_ERR_RANGE: too many ranks.
 * *out is freed with xt_workload_free. */
XT_API int xt_workload_join(xt_workload_t *const *jobs, unsigned count, xt_workload_t **out, xt_diag_t *diag);

/* ---------------------------------------------------------------- collectives */

typedef enum {
	XT_COLLECTIVE_BROADCAST,
	XT_COLLECTIVE_REDUCE,
	XT_COLLECTIVE_ALLREDUCE,
	XT_COLLECTIVE_GATHER,
	XT_COLLECTIVE_SCATTER,
	XT_COLLECTIVE_ALLGATHER,
	XT_COLLECTIVE_BARRIER,
	XT_COLLECTIVE_ALLTOALL,
	XT_COLLECTIVES,
} xt_collective_kind_t;

#define XT_SEGMENT_BY_RULES UINT64_MAX

/* Which component of Open MPI chooses the algorithm. */
typedef enum {
	XT_RULES_TUNED, /* coll/tuned of 4.0: the decisions that its source calls fixed, the same from 1.7 on */
	XT_RULES_BASIC, /* coll/basic: the same algorithm for all sizes, whole messages */
	XT_RULES,
} xt_rules_t;

/* "tuned", "basic"; XT_ERR_INVALID names those that there are. */
XT_API int xt_rules_parse(const char *text, xt_rules_t *rules, xt_diag_t *diag);
/* In words. */
XT_API const char *xt_rules_title(xt_rules_t rules);

typedef struct {
	xt_collective_kind_t kind;
	uint32_t ranks; /* 1 to XT_MAX_RANKS */
	uint32_t root;  /* where there is one */
	/* Of the vector (broadcast, reduce, allreduce), of the block for or from each rank (the others); none
	 * (barrier).
	 */
	uint64_t bytes;
	uint32_t element; /* bytes of an element, which is never divided; 0 is 1. `bytes` is a multiple */
	xt_rules_t rules;
	const char *algorithm; /* NULL: by the rules */
	uint64_t segment;      /* bytes of a segment, 0: whole messages; XT_SEGMENT_BY_RULES */
	uint32_t fanout;       /* chains from the root; 0 is 4 */
	/* Keep what each message carries (xt_workload_write_json). */
	int pieces;
} xt_collective_t;

/* "broadcast" ...; XT_ERR_INVALID names those that there are. */
XT_API int xt_collective_parse(const char *text, xt_collective_kind_t *kind, xt_diag_t *diag);
XT_API int xt_collective_is_rooted(xt_collective_kind_t kind);
/* The names of its algorithms, from index 0 on; NULL behind the last one. */
XT_API const char *xt_collective_algorithm(xt_collective_kind_t kind, unsigned index);
/* Fills in `algorithm`, `segment` and the other numbers that were left open, and checks all. An algorithm that is not
 * defined for this number of ranks is replaced as Open MPI does it: recursive doubling of an allgather by Bruck's, for
 * instance. */
XT_API int xt_collective_decide(xt_collective_t *collective, xt_diag_t *diag);
/* The events of a collective that may be undecided. *out is freed with xt_workload_free. Memory: about 60 bytes for
 * each event. */
XT_API int xt_collective_create(const xt_collective_t *collective, xt_workload_t **out, xt_diag_t *diag);

/* One line of JSON: {"collective": what it is, "events": [[kind, rank, peer, size, match, [dependencies], mode,
 * [[offset, length], ...]], ...]}, kind 0 send, 1 receive, 2 computation. Of a send, `mode` is 1 if the receiver adds
 * what it gets to its own, and the pieces are what it carries: bytes of the vector; block r at r * bytes; of an
 * alltoall, the block from s to d at (s * ranks + d) * bytes. */
XT_API int xt_collective_write_json(const xt_collective_t *decided, const xt_workload_t *workload, FILE *out);

/* ---------------------------------------------------------------- statistics */

enum { XT_SIZE_CLASSES = 65 };

typedef struct {
	uint32_t ranks;
	uint64_t messages, bytes;
	uint64_t least, most;                        /* bytes of a message; 0 without any */
	uint64_t size_class[XT_SIZE_CLASSES];        /* messages: [0] empty ones, [k] of 2^(k-1) to 2^k - 1 bytes */
	uint64_t calculations, calculation_ns;       /* those of 0 ns join others and are not counted */
	uint64_t independent;                        /* events that depend on nothing */
	uint64_t after_send, after_recv, after_calc; /* dependencies, by what is waited for */
	uint32_t longest_chain;                      /* messages that follow each other */
	uint64_t pairs;                              /* of ranks that send */
	uint64_t most_sent, most_received;           /* bytes of the rank with most */
	uint32_t most_sent_rank, most_received_rank;
} xt_workload_statistics_t;

XT_API int xt_workload_statistics(const xt_workload_t *workload, xt_workload_statistics_t *statistics, xt_diag_t *diag);
/* Who sends how many bytes to whom, a row per sender; of many ranks several to a square. An SVG picture. */
XT_API int xt_workload_matrix_svg(const xt_workload_t *workload, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
