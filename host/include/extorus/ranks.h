/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of one run that mpirun has started together. Their messages go by a plug-in, extorus-mpi.so, so that
 * nothing here needs an MPI library. */
#ifndef EXTORUS_RANKS_H
#define EXTORUS_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

typedef struct xt_ranks xt_ranks_t;

/* *out NULL: this process was started alone. XT_ERR_NODEVICE if mpirun has started several and the plug-in is not there
 * or is of another MPI. */
XT_API int xt_ranks_open(xt_ranks_t **out, xt_diag_t *diag);
/* Waits for the others to do the same; NULL is allowed. */
XT_API void xt_ranks_close(xt_ranks_t *ranks);
/* Ends all of them. */
XT_API void xt_ranks_abort(xt_ranks_t *ranks, int exit_status);
/* Of NULL 0, and 1. */
XT_API unsigned xt_ranks_own(const xt_ranks_t *ranks);
XT_API unsigned xt_ranks_count(const xt_ranks_t *ranks);

/* Messages may be sent and taken by several threads at a time. Those from one rank to another with one tag, below
 * 32768, come in their order. */

/* Those that wait do so for `seconds`; then XT_ERR_TIMEOUT names the rank. 0: for ever. */

/* Returns when the message is on its way. */
XT_API int xt_ranks_send(
	xt_ranks_t *ranks, unsigned to, unsigned tag, const void *bytes, size_t size, double seconds, xt_diag_t *diag);
/* Returns at once; `bytes` must stay until xt_ranks_finish has made *posted NULL. */
XT_API int xt_ranks_post(
	xt_ranks_t *ranks, unsigned to, unsigned tag, const void *bytes, size_t size, void **posted, xt_diag_t *diag);
/* Waits until all of posted[0..count) that are not NULL are sent, which makes them NULL. posted[r] is of a message to
 * rank r. Its receiver may need this call: MPI moves long messages while both sides are in it. */
XT_API int xt_ranks_finish(xt_ranks_t *ranks, void **posted, unsigned count, double seconds, xt_diag_t *diag);

/* What a rank of a run has done. */
typedef struct {
	uint32_t cards, cut_links; /* its own; links to other ranks' cards */
	uint64_t epochs, bytes;    /* steps between exchanges; what it has sent */
	/* Seconds: of its own cards' steps, of telling rank 0's checks, of making messages, and of waiting for others
	 * and reading what they say. */
	double stepping, telling, packing, waiting;
} xt_rank_times_t;

#define XT_RANKS_ANY UINT32_MAX

/* Whether a message with `tag` has come from `from`, or from any rank. *from and *size say which. */
XT_API int xt_ranks_look(xt_ranks_t *ranks, unsigned *from, unsigned tag, size_t *size);
/* Waits for it. */
XT_API int xt_ranks_wait(
	xt_ranks_t *ranks, unsigned *from, unsigned tag, size_t *size, double seconds, xt_diag_t *diag);
/* Takes a message that has come. After XT_ERR_TIMEOUT MPI may still write to `bytes`. */
XT_API int xt_ranks_take(
	xt_ranks_t *ranks, unsigned from, unsigned tag, void *bytes, size_t size, double seconds, xt_diag_t *diag);

XT_END_C
#endif
