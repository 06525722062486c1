/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI's collectives, blocking and not: COLLECTIVE(name, non-blocking name, record, arguments, parameters). */
#include "record.h"

#define UNPACK(...) __VA_ARGS__

#define COLLECTIVE(NAME, NONBLOCKING, RECORD, ARGUMENTS, ...)               \
	int MPI_##NAME(__VA_ARGS__)                                         \
	{                                                                   \
		int transfer = xt_call_begin() ? (RECORD) : -1;             \
		int status = PMPI_##NAME ARGUMENTS;                         \
                                                                            \
		xt_done(transfer, NULL);                                    \
		xt_call_end();                                              \
		return status;                                              \
	}                                                                   \
	int MPI_##NONBLOCKING(__VA_ARGS__, MPI_Request *request)            \
	{                                                                   \
		int transfer = xt_call_begin() ? (RECORD) : -1;             \
		int status = PMPI_##NONBLOCKING(UNPACK ARGUMENTS, request); \
                                                                            \
		xt_bind(transfer, *request);                                \
		xt_call_end();                                              \
		return status;                                              \
	}

/* Of two buffers the one in place says nothing of sizes. */
#define IN_PLACE(BUFFER, A, B) ((BUFFER) == MPI_IN_PLACE ? (A) : (B))

COLLECTIVE(Barrier, Ibarrier, xt_collective(XT_BARRIER, 0, MPI_BYTE, 0, comm), (comm), MPI_Comm comm)
COLLECTIVE(Bcast, Ibcast, xt_collective(XT_BCAST, count, type, root, comm), (buffer, count, type, root, comm),
	void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
COLLECTIVE(Reduce, Ireduce, xt_collective(XT_REDUCE, count, type, root, comm),
	(from, to, count, type, operation, root, comm), const void *from, void *to, int count, MPI_Datatype type,
	MPI_Op operation, int root, MPI_Comm comm)
COLLECTIVE(Allreduce, Iallreduce, xt_collective(XT_ALLREDUCE, count, type, 0, comm),
	(from, to, count, type, operation, comm), const void *from, void *to, int count, MPI_Datatype type,
	MPI_Op operation, MPI_Comm comm)
COLLECTIVE(Scan, Iscan, xt_collective(XT_SCAN, count, type, 0, comm), (from, to, count, type, operation, comm),
	const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
COLLECTIVE(Exscan, Iexscan, xt_collective(XT_EXSCAN, count, type, 0, comm), (from, to, count, type, operation, comm),
	const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
COLLECTIVE(Reduce_scatter, Ireduce_scatter, xt_collective_own(XT_REDUCE_SCATTER, counts, type, 0, comm),
	(from, to, counts, type, operation, comm), const void *from, void *to, const int counts[], MPI_Datatype type,
	MPI_Op operation, MPI_Comm comm)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, xt_collective(XT_REDUCE_SCATTER, count, type, 0, comm),
	(from, to, count, type, operation, comm), const void *from, void *to, int count, MPI_Datatype type,
	MPI_Op operation, MPI_Comm comm)

#define FROM_TO const void *from, int from_count, MPI_Datatype from_type, void *to, int to_count, MPI_Datatype to_type

COLLECTIVE(Gather, Igather,
	xt_collective(XT_GATHER, IN_PLACE(from, to_count, from_count), IN_PLACE(from, to_type, from_type), root, comm),
	(from, from_count, from_type, to, to_count, to_type, root, comm), FROM_TO, int root, MPI_Comm comm)
COLLECTIVE(Scatter, Iscatter,
	xt_collective(XT_SCATTER, IN_PLACE(to, from_count, to_count), IN_PLACE(to, from_type, to_type), root, comm),
	(from, from_count, from_type, to, to_count, to_type, root, comm), FROM_TO, int root, MPI_Comm comm)
COLLECTIVE(Allgather, Iallgather,
	xt_collective(XT_ALLGATHER, IN_PLACE(from, to_count, from_count), IN_PLACE(from, to_type, from_type), 0, comm),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, MPI_Comm comm)
COLLECTIVE(Alltoall, Ialltoall,
	xt_collective(XT_ALLTOALL, IN_PLACE(from, to_count, from_count), IN_PLACE(from, to_type, from_type), 0, comm),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, MPI_Comm comm)

COLLECTIVE(Gatherv, Igatherv,
	IN_PLACE(from, xt_collective_own(XT_GATHERV, counts, to_type, root, comm),
		xt_collective(XT_GATHERV, from_count, from_type, root, comm)),
	(from, from_count, from_type, to, counts, places, to_type, root, comm), const void *from, int from_count,
	MPI_Datatype from_type, void *to, const int counts[], const int places[], MPI_Datatype to_type, int root,
	MPI_Comm comm)
COLLECTIVE(Scatterv, Iscatterv,
	IN_PLACE(to, xt_collective_own(XT_SCATTERV, counts, from_type, root, comm),
		xt_collective(XT_SCATTERV, to_count, to_type, root, comm)),
	(from, counts, places, from_type, to, to_count, to_type, root, comm), const void *from, const int counts[],
	const int places[], MPI_Datatype from_type, void *to, int to_count, MPI_Datatype to_type, int root,
	MPI_Comm comm)
COLLECTIVE(Allgatherv, Iallgatherv, xt_collective_own(XT_ALLGATHERV, counts, to_type, 0, comm),
	(from, from_count, from_type, to, counts, places, to_type, comm), const void *from, int from_count,
	MPI_Datatype from_type, void *to, const int counts[], const int places[], MPI_Datatype to_type, MPI_Comm comm)
COLLECTIVE(Alltoallv, Ialltoallv,
	IN_PLACE(from, xt_collective_all(to_counts, to_type, NULL, NULL, comm),
		xt_collective_all(from_counts, from_type, NULL, NULL, comm)),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), const void *from,
	const int from_counts[], const int from_places[], MPI_Datatype from_type, void *to, const int to_counts[],
	const int to_places[], MPI_Datatype to_type, MPI_Comm comm)
COLLECTIVE(Alltoallw, Ialltoallw,
	IN_PLACE(from, xt_collective_all(to_counts, MPI_BYTE, to_types, NULL, comm),
		xt_collective_all(from_counts, MPI_BYTE, from_types, NULL, comm)),
	(from, from_counts, from_places, from_types, to, to_counts, to_places, to_types, comm), const void *from,
	const int from_counts[], const int from_places[], const MPI_Datatype from_types[], void *to,
	const int to_counts[], const int to_places[], const MPI_Datatype to_types[], MPI_Comm comm)

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
	xt_collective_neighbours(NULL, from_count, from_type, NULL, NULL, comm),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, MPI_Comm comm)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
	xt_collective_neighbours(NULL, from_count, from_type, NULL, NULL, comm),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, MPI_Comm comm)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
	xt_collective_neighbours(NULL, from_count, from_type, NULL, NULL, comm),
	(from, from_count, from_type, to, counts, places, to_type, comm), const void *from, int from_count,
	MPI_Datatype from_type, void *to, const int counts[], const int places[], MPI_Datatype to_type, MPI_Comm comm)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
	xt_collective_neighbours(from_counts, 0, from_type, NULL, NULL, comm),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), const void *from,
	const int from_counts[], const int from_places[], MPI_Datatype from_type, void *to, const int to_counts[],
	const int to_places[], MPI_Datatype to_type, MPI_Comm comm)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
	xt_collective_neighbours(from_counts, 0, MPI_BYTE, from_types, NULL, comm),
	(from, from_counts, from_places, from_types, to, to_counts, to_places, to_types, comm), const void *from,
	const int from_counts[], const MPI_Aint from_places[], const MPI_Datatype from_types[], void *to,
	const int to_counts[], const MPI_Aint to_places[], const MPI_Datatype to_types[], MPI_Comm comm)
