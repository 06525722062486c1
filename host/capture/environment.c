/* SPDX-License-Identifier: Apache-2.0
 *
 * The begin and end of MPI, and the calls that make communicators. */
#include <stdio.h>

#include "record.h"

int MPI_Init(int *argc, char ***argv)
{
	int status;

	xt_call_begin();
	status = PMPI_Init(argc, argv);
	if (status == MPI_SUCCESS) {
		xt_record_begin();
	}
	xt_call_end();
	return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int status;

	xt_call_begin();
	status = PMPI_Init_thread(argc, argv, required, provided);
	if (status == MPI_SUCCESS) {
		xt_record_begin();
	}
	xt_call_end();
	return status;
}

int MPI_Finalize(void)
{
	int outermost = xt_call_begin(), status;

	if (outermost) {
		xt_record_end();
	}
	status = PMPI_Finalize();
	if (outermost) {
		xt_record_merge();
	}
	xt_call_end();
	return status;
}

/* MADE(name, parent, child, arguments, parameters): a call of all ranks of the parent. */
#define MADE(NAME, PARENT, CHILD, ARGUMENTS, ...)                            \
	int MPI_##NAME(__VA_ARGS__)                                          \
	{                                                                    \
		int begun = xt_call_begin(), status = PMPI_##NAME ARGUMENTS; \
                                                                             \
		if (begun && status == MPI_SUCCESS) {                        \
			xt_communicator_made(PARENT, CHILD);                 \
		}                                                            \
		xt_call_end();                                               \
		return status;                                               \
	}

MADE(Comm_dup, comm, *made, (comm, made), MPI_Comm comm, MPI_Comm *made)
MADE(Comm_dup_with_info, comm, *made, (comm, info, made), MPI_Comm comm, MPI_Info info, MPI_Comm *made)
MADE(Comm_create, comm, *made, (comm, group, made), MPI_Comm comm, MPI_Group group, MPI_Comm *made)
MADE(Comm_split, comm, *made, (comm, color, key, made), MPI_Comm comm, int color, int key, MPI_Comm *made)
MADE(Comm_split_type, comm, *made, (comm, type, key, info, made), MPI_Comm comm, int type, int key, MPI_Info info,
	MPI_Comm *made)
MADE(Cart_create, comm, *made, (comm, dimensions, sizes, periods, reorder, made), MPI_Comm comm, int dimensions,
	const int sizes[], const int periods[], int reorder, MPI_Comm *made)
MADE(Cart_sub, comm, *made, (comm, kept, made), MPI_Comm comm, const int kept[], MPI_Comm *made)
MADE(Graph_create, comm, *made, (comm, nodes, index, edges, reorder, made), MPI_Comm comm, int nodes, const int index[],
	const int edges[], int reorder, MPI_Comm *made)
MADE(Dist_graph_create, comm, *made, (comm, n, nodes, degrees, targets, weights, info, reorder, made), MPI_Comm comm,
	int n, const int nodes[], const int degrees[], const int targets[], const int weights[], MPI_Info info,
	int reorder, MPI_Comm *made)
MADE(Dist_graph_create_adjacent, comm, *made,
	(comm, in, sources, source_weights, out, targets, weights, info, reorder, made), MPI_Comm comm, int in,
	const int sources[], const int source_weights[], int out, const int targets[], const int weights[],
	MPI_Info info, int reorder, MPI_Comm *made)
MADE(Intercomm_merge, comm, *made, (comm, high, made), MPI_Comm comm, int high, MPI_Comm *made)

/* The attribute with what is known of the communicator comes when MPI_Comm_idup is over, at the first use. */
MADE(Comm_idup, comm, MPI_COMM_NULL, (comm, made, request), MPI_Comm comm, MPI_Comm *made, MPI_Request *request)

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
	int begun = xt_call_begin(), status = PMPI_Comm_create_group(comm, group, tag, made);

	if (begun && status == MPI_SUCCESS) {
		xt_communicator_agreed("group", tag, *made);
	}
	xt_call_end();
	return status;
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm *made)
{
	int begun = xt_call_begin(), status = PMPI_Intercomm_create(local, leader, peers, other_leader, tag, made);

	if (begun && status == MPI_SUCCESS) {
		xt_communicator_agreed("inter", tag, *made);
	}
	xt_call_end();
	return status;
}
