/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a workload through a device that is simulated: messages go as packets through the NICs, and what waits for a
 * message waits for its last cell. Every packet is checked as in xt_device_run. */
#ifndef EXTORUS_REPLAY_H
#define EXTORUS_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "extorus/device.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/options_size.h"
#include "extorus/run.h"
#include "extorus/workload.h"

XT_BEGIN_C

/* Which PE a rank runs on. A node is a card, or the cards of a twin torus that are at one place. */
typedef enum {
	XT_MAP_CONSECUTIVE, /* rank r on the PE number r / tasks_per_pe of those in service */
	XT_MAP_RANDOM,      /* likewise, the PEs shuffled */
	XT_MAP_FILE,        /* a PE in each line, rank by rank; empty lines and those that begin with # do not count */
	XT_MAP_NODE,        /* a rank on each node in turn, then the next one on each, on the PEs of a node in turn */
	/* A host in each line, for the next rank or, as `NAME:N` or `NAME slots=N`, for so many. The hosts are the
	 * nodes in service in the order of the names' first lines; the ranks of a host fill its PEs one by one. */
	XT_MAP_HOSTS,
} xt_map_kind_t;

typedef struct {
	xt_map_kind_t kind;
	uint64_t seed;
	uint32_t tasks_per_pe; /* ranks on a PE, of a file at most; 0 is 1 */
	const char *path;
} xt_map_t;

/* Fills pe[0 .. ranks - 1]. */
XT_API int xt_map_ranks(const xt_map_t *map, const xt_image_t *image, uint32_t ranks, uint32_t *pe, xt_diag_t *diag);

/* A workload that shares the network with others. */
typedef struct {
	const char *name; /* for messages */
	const char *pes;  /* numbers and ranges, as 0-31,40 */
	uint32_t ranks;
	uint32_t tasks_per_pe; /* 0 is 1 */
} xt_job_t;

/* Fills pe[] for the ranks of all jobs, one after the other: each job has its PEs in the order in which it names them.
 * XT_ERR_INVALID: a PE is out of service or has another job, or a job has too few. */
XT_API int xt_map_jobs(const xt_job_t *jobs, unsigned count, const xt_image_t *image, uint32_t *pe, xt_diag_t *diag);

/* What a job of a replay took. */
typedef struct {
	uint32_t ranks;
	uint64_t execution_cycles; /* until its last event was done */
	uint64_t messages, local_messages;
	xt_latency_t network_packet, end_to_end_packet;
} xt_job_result_t;

typedef struct {
	size_t size;        /* sizeof of this struct; see options_size.h */
	const uint32_t *pe; /* by rank */
	/* Cycles that every cell takes between the task and the first switch beyond what the NIC of the card takes.
	 * They are part of the latencies. */
	uint32_t nic_latency;
	/* Cycles from the begin of a send to its first cell, above nic_latency; not part of network latencies. */
	uint32_t turnaround;
	/* Cells of a packet at least: what a NIC takes for a short message, where it moves more than a cell at a time.
	 * 0 is 1; not more than the profile's longest packet. */
	uint32_t least_cells;
	double cycles_per_ns; /* of computations; 0: 0.65, the card's 650 MHz */
	double compute_scale; /* of computations; below 0 is 1 */
	/* Traffic classes, a bit each, taken in turn message by message; those that the image gives the sender. 0: the
	 * lowest of these only. */
	unsigned tc_mask;
	uint64_t watchdog;    /* as in xt_run_options_t */
	uint32_t path_events; /* how much of the critical path to keep, from its end; 0: 10000 */
	/* Every now and then: the cycle, and messages that have arrived; may be NULL. */
	void (*progress)(void *context, uint64_t cycle, uint64_t done, uint64_t total);
	void *progress_context;
	int every_cycle; /* simulate the cycles too in which the network is at rest; nothing else differs */
	/* The workload is a join of jobs: how many ranks each has, for results of its own. 0: none are made. */
	const uint32_t *job_ranks;
	unsigned jobs;
	/* As in xt_run_options_t: threads, and processes, that simulate the network together, with the same result. All
	 * of these call this function alike, and only the first one gets a result; the others return when it has closed
	 * its device. The network may be ahead of the program by the delay of a send, nic_latency + turnaround, and the
	 * latency of the links. */
	unsigned threads;
	xt_ranks_t *ranks;
	double rank_timeout;
} xt_replay_options_t;

typedef struct {
	char engine[16]; /* "rtl" or "model" */
	unsigned cards, pes;
	uint64_t execution_cycles; /* until the last event was done: every message there, every computation over */
	uint64_t empty_cycles;     /* until the network was at rest too, all credits home */
	uint64_t jumped_cycles;    /* of these, those in which the network was at rest and which were not simulated */
	uint64_t messages, local_messages, packets, cells; /* local: between ranks of one PE, which take a cycle */
	/* As in xt_result_t, with nic_latency; end to end: from the cycle in which the send began. */
	xt_latency_t network_cell, end_to_end_cell, network_packet, end_to_end_packet;
	double utilisation,
		utilisation_most; /* cells out of a card per port and cycle of execution: mean, busiest card */
	uint32_t utilisation_most_card;

	/* Backwards from the event that was done last: what each waited for longest. */
	uint32_t *path; /* events, first to last */
	uint32_t path_count;
	int path_cut;           /* longer than was kept */
	uint64_t path_messages; /* and how the cycles on it were spent; the four add up to execution_cycles: */
	uint64_t path_transfer; /* from the begin of a send to the end of its receive, without path_sends */
	uint64_t path_calculation;
	uint64_t path_sends; /* own sends: that a rank waited for to be out, or that a message of its PE stood behind */
	uint64_t path_waiting; /* from the end of what was waited for to the begin of what waited */
	/* By event: the cycles in which it began and was done. */
	uint64_t *begin, *end;

	uint64_t findings[XT_FINDINGS];
	char **reports;
	unsigned report_count;
	int drained;
	double wall_seconds;
	/* With a window: messages that began later than they would have without one. */
	uint64_t late_messages;
	xt_job_result_t *jobs;
	unsigned job_count;
} xt_replay_result_t;

/* `device` has been loaded with `image`. Returns XT_OK when the replay came to its end; whether all was well is
 * xt_replay_ok. *out is freed with xt_replay_free. */
XT_API int xt_device_replay(xt_device_t *device, const xt_image_t *image, const xt_workload_t *workload,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag);

/* A VEF trace of messages of which only a window is in memory, for traces that are larger than memory. */
typedef struct xt_stream xt_stream_t;
enum { XT_MOST_WINDOW = 1 << 26 };

/* At most `window` messages that are not done are held, and as many that are: about 250 bytes for each of the window.
 * XT_ERR_FORMAT with NAME:LINE; a trace with collectives is refused. `path` lives as long as *out, which is freed with
 * xt_stream_close. */
XT_API int xt_stream_open(const char *path, uint32_t window, xt_stream_t **out, xt_diag_t *diag);
XT_API uint32_t xt_stream_ranks(const xt_stream_t *stream);
XT_API void xt_stream_close(xt_stream_t *stream); /* NULL is allowed */
/* As xt_device_replay, once for a stream. What is wrong with the trace is found when it is read, in the middle of the
 * replay; XT_ERR_FORMAT too if all messages of the window wait for some that are further on. If the result has no late
 * messages, every message began in the cycle in which it would have without a window. It has no critical path, and
 * `begin` and `end` are NULL. */
XT_API int xt_device_replay_stream(xt_device_t *device, const xt_image_t *image, xt_stream_t *stream,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag);
XT_API int xt_replay_ok(const xt_replay_result_t *result);
XT_API void xt_replay_free(xt_replay_result_t *result);

/* A picture: a row for each rank, with its sends and computations over time, and the critical path. */
XT_API int xt_replay_timeline(
	const xt_replay_result_t *result, const xt_workload_t *workload, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
