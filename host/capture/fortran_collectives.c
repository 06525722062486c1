/* SPDX-License-Identifier: Apache-2.0
 *
 * As in collectives.c. */
#include "fortran.h"

#define UNPACK(...) __VA_ARGS__

#define COLLECTIVE(NAME, NONBLOCKING, RECORD, ARGUMENTS, ...)            \
	FORTRAN(NAME, __VA_ARGS__, F *error)                             \
	{                                                                \
		int transfer = xt_call_begin() ? (RECORD) : -1;          \
                                                                         \
		pmpi_##NAME##_(UNPACK ARGUMENTS, error);                 \
		xt_done(transfer, NULL);                                 \
		xt_call_end();                                           \
	}                                                                \
	FORTRAN(NONBLOCKING, __VA_ARGS__, F *request, F *error)          \
	{                                                                \
		int transfer = xt_call_begin() ? (RECORD) : -1;          \
                                                                         \
		pmpi_##NONBLOCKING##_(UNPACK ARGUMENTS, request, error); \
		xt_bind(transfer, REQUEST(request));                     \
		xt_call_end();                                           \
	}

#define IN_PLACE(BUFFER, A, B) (xt_is_in_place(BUFFER) ? (A) : (B))
#define VECTOR void *from, void *to, F *count, F *type, F *operation
#define FROM_TO void *from, F *from_count, F *from_type, void *to, F *to_count, F *to_type
#define FROM_VECTOR void *from, F *from_counts, F *from_places, F *from_type
#define TO_VECTOR void *to, F *to_counts, F *to_places, F *to_type

COLLECTIVE(barrier, ibarrier, xt_collective(XT_BARRIER, 0, MPI_BYTE, 0, COMM(comm)), (comm), F *comm)
COLLECTIVE(bcast, ibcast, xt_collective(XT_BCAST, *count, TYPE(type), *root, COMM(comm)),
	(buffer, count, type, root, comm), void *buffer, F *count, F *type, F *root, F *comm)
COLLECTIVE(reduce, ireduce, xt_collective(XT_REDUCE, *count, TYPE(type), *root, COMM(comm)),
	(from, to, count, type, operation, root, comm), VECTOR, F *root, F *comm)
COLLECTIVE(allreduce, iallreduce, xt_collective(XT_ALLREDUCE, *count, TYPE(type), 0, COMM(comm)),
	(from, to, count, type, operation, comm), VECTOR, F *comm)
COLLECTIVE(scan, iscan, xt_collective(XT_SCAN, *count, TYPE(type), 0, COMM(comm)),
	(from, to, count, type, operation, comm), VECTOR, F *comm)
COLLECTIVE(exscan, iexscan, xt_collective(XT_EXSCAN, *count, TYPE(type), 0, COMM(comm)),
	(from, to, count, type, operation, comm), VECTOR, F *comm)
COLLECTIVE(reduce_scatter, ireduce_scatter, xt_collective_own(XT_REDUCE_SCATTER, count, TYPE(type), 0, COMM(comm)),
	(from, to, count, type, operation, comm), VECTOR, F *comm)
COLLECTIVE(reduce_scatter_block, ireduce_scatter_block,
	xt_collective(XT_REDUCE_SCATTER, *count, TYPE(type), 0, COMM(comm)), (from, to, count, type, operation, comm),
	VECTOR, F *comm)

COLLECTIVE(gather, igather,
	xt_collective(XT_GATHER, *IN_PLACE(from, to_count, from_count), TYPE(IN_PLACE(from, to_type, from_type)), *root,
		COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, root, comm), FROM_TO, F *root, F *comm)
COLLECTIVE(scatter, iscatter,
	xt_collective(XT_SCATTER, *IN_PLACE(to, from_count, to_count), TYPE(IN_PLACE(to, from_type, to_type)), *root,
		COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, root, comm), FROM_TO, F *root, F *comm)
COLLECTIVE(allgather, iallgather,
	xt_collective(XT_ALLGATHER, *IN_PLACE(from, to_count, from_count), TYPE(IN_PLACE(from, to_type, from_type)), 0,
		COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, F *comm)
COLLECTIVE(alltoall, ialltoall,
	xt_collective(XT_ALLTOALL, *IN_PLACE(from, to_count, from_count), TYPE(IN_PLACE(from, to_type, from_type)), 0,
		COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, F *comm)

COLLECTIVE(gatherv, igatherv,
	IN_PLACE(from, xt_collective_own(XT_GATHERV, to_counts, TYPE(to_type), *root, COMM(comm)),
		xt_collective(XT_GATHERV, *from_count, TYPE(from_type), *root, COMM(comm))),
	(from, from_count, from_type, to, to_counts, to_places, to_type, root, comm), void *from, F *from_count,
	F *from_type, TO_VECTOR, F *root, F *comm)
COLLECTIVE(scatterv, iscatterv,
	IN_PLACE(to, xt_collective_own(XT_SCATTERV, from_counts, TYPE(from_type), *root, COMM(comm)),
		xt_collective(XT_SCATTERV, *to_count, TYPE(to_type), *root, COMM(comm))),
	(from, from_counts, from_places, from_type, to, to_count, to_type, root, comm), FROM_VECTOR, void *to,
	F *to_count, F *to_type, F *root, F *comm)
COLLECTIVE(allgatherv, iallgatherv, xt_collective_own(XT_ALLGATHERV, to_counts, TYPE(to_type), 0, COMM(comm)),
	(from, from_count, from_type, to, to_counts, to_places, to_type, comm), void *from, F *from_count, F *from_type,
	TO_VECTOR, F *comm)
COLLECTIVE(alltoallv, ialltoallv,
	IN_PLACE(from, xt_collective_all(to_counts, TYPE(to_type), NULL, NULL, COMM(comm)),
		xt_collective_all(from_counts, TYPE(from_type), NULL, NULL, COMM(comm))),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), FROM_VECTOR, TO_VECTOR,
	F *comm)
COLLECTIVE(alltoallw, ialltoallw,
	xt_collective_all(
		IN_PLACE(from, to_counts, from_counts), MPI_BYTE, NULL, IN_PLACE(from, to_type, from_type), COMM(comm)),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), FROM_VECTOR, TO_VECTOR,
	F *comm)

COLLECTIVE(neighbor_allgather, ineighbor_allgather,
	xt_collective_neighbours(NULL, *from_count, TYPE(from_type), NULL, NULL, COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, F *comm)
COLLECTIVE(neighbor_alltoall, ineighbor_alltoall,
	xt_collective_neighbours(NULL, *from_count, TYPE(from_type), NULL, NULL, COMM(comm)),
	(from, from_count, from_type, to, to_count, to_type, comm), FROM_TO, F *comm)
COLLECTIVE(neighbor_allgatherv, ineighbor_allgatherv,
	xt_collective_neighbours(NULL, *from_count, TYPE(from_type), NULL, NULL, COMM(comm)),
	(from, from_count, from_type, to, to_counts, to_places, to_type, comm), void *from, F *from_count, F *from_type,
	TO_VECTOR, F *comm)
COLLECTIVE(neighbor_alltoallv, ineighbor_alltoallv,
	xt_collective_neighbours(from_counts, 0, TYPE(from_type), NULL, NULL, COMM(comm)),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), FROM_VECTOR, TO_VECTOR,
	F *comm)
COLLECTIVE(neighbor_alltoallw, ineighbor_alltoallw,
	xt_collective_neighbours(from_counts, 0, MPI_BYTE, NULL, from_type, COMM(comm)),
	(from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm), void *from,
	F *from_counts, MPI_Aint *from_places, F *from_type, void *to, F *to_counts, MPI_Aint *to_places, F *to_type,
	F *comm)
