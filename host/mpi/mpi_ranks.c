/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of extorus/ranks.h by MPI. */
#include <mpi.h>
#include <stdlib.h>

#include "base/ranks_plugin.h"

static int start(unsigned *own, unsigned *count)
{
	int rank, size, level;

	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
		level < MPI_THREAD_SERIALIZED || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
		MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) {
		return 0;
	}
	*own = (unsigned)rank;
	*count = (unsigned)size;
	return 1;
}

static void finish(void)
{
	MPI_Finalize();
}

static void end_all(int exit_status)
{
	MPI_Abort(MPI_COMM_WORLD, exit_status);
}

/* The request, or NULL if the call has failed. */
static void *begun(MPI_Request *request, int status)
{
	if (status != MPI_SUCCESS) {
		free(request);
		return NULL;
	}
	return request;
}

static void *post(unsigned to, unsigned tag, const void *bytes, size_t size)
{
	MPI_Request *request = malloc(sizeof(MPI_Request));

	return request ? begun(request,
				 MPI_Isend(bytes, (int)size, MPI_BYTE, (int)to, (int)tag, MPI_COMM_WORLD, request))
		       : NULL;
}

static void *take(unsigned from, unsigned tag, void *bytes, size_t size)
{
	MPI_Request *request = malloc(sizeof(MPI_Request));

	return request ? begun(request,
				 MPI_Irecv(bytes, (int)size, MPI_BYTE, (int)from, (int)tag, MPI_COMM_WORLD, request))
		       : NULL;
}

static int is_done(void *request)
{
	int done = 0;

	MPI_Test(request, &done, MPI_STATUS_IGNORE);
	if (done) {
		free(request);
	}
	return done;
}

static int look(unsigned *from, unsigned tag, size_t *size)
{
	MPI_Status status;
	int there = 0, count = 0;

	if (MPI_Iprobe(*from == UINT32_MAX ? MPI_ANY_SOURCE : (int)*from, (int)tag, MPI_COMM_WORLD, &there, &status) !=
			MPI_SUCCESS ||
		!there) {
		return 0;
	}
	MPI_Get_count(&status, MPI_BYTE, &count);
	*from = (unsigned)status.MPI_SOURCE;
	*size = (size_t)count;
	return 1;
}

const xt_ranks_plugin_t *xt_ranks_entry(void)
{
	static const xt_ranks_plugin_t plugin = {
		.abi = XT_RANKS_ABI,
		.size = sizeof(xt_ranks_plugin_t),
		.start = start,
		.finish = finish,
		.abort = end_all,
		.post = post,
		.take = take,
		.is_done = is_done,
		.look = look,
	};

	return &plugin;
}
