/* SPDX-License-Identifier: Apache-2.0 */
#include "fortran.h"

FORTRAN(init, F *error)
{
	xt_call_begin();
	pmpi_init_(error);
	if (*error == MPI_SUCCESS) {
		xt_record_begin();
	}
	xt_call_end();
}

FORTRAN(init_thread, F *required, F *provided, F *error)
{
	xt_call_begin();
	pmpi_init_thread_(required, provided, error);
	if (*error == MPI_SUCCESS) {
		xt_record_begin();
	}
	xt_call_end();
}

FORTRAN(finalize, F *error)
{
	int outermost = xt_call_begin();

	if (outermost) {
		xt_record_end();
	}
	pmpi_finalize_(error);
	if (outermost) {
		xt_record_merge();
	}
	xt_call_end();
}

#define UNPACK(...) __VA_ARGS__

/* As in environment.c. */
#define MADE(NAME, ARGUMENTS, ...)                                    \
	FORTRAN(NAME, F *comm, __VA_ARGS__, F *made, F *error)        \
	{                                                             \
		int begun = xt_call_begin();                          \
                                                                      \
		pmpi_##NAME##_(comm, UNPACK ARGUMENTS, made, error);  \
		if (begun && *error == MPI_SUCCESS) {                 \
			xt_communicator_made(COMM(comm), COMM(made)); \
		}                                                     \
		xt_call_end();                                        \
	}

MADE(comm_dup_with_info, (info), F *info)
MADE(comm_create, (group), F *group)
MADE(comm_split, (color, key), F *color, F *key)
MADE(comm_split_type, (type, key, info), F *type, F *key, F *info)
MADE(cart_create, (dimensions, sizes, periods, reorder), F *dimensions, F *sizes, F *periods, F *reorder)
MADE(cart_sub, (kept), F *kept)
MADE(graph_create, (nodes, index, edges, reorder), F *nodes, F *index, F *edges, F *reorder)
MADE(dist_graph_create, (n, nodes, degrees, targets, weights, info, reorder), F *n, F *nodes, F *degrees, F *targets,
	F *weights, F *info, F *reorder)
MADE(dist_graph_create_adjacent, (in, sources, source_weights, out, targets, weights, info, reorder), F *in, F *sources,
	F *source_weights, F *out, F *targets, F *weights, F *info, F *reorder)
MADE(intercomm_merge, (high), F *high)

FORTRAN(comm_dup, F *comm, F *made, F *error)
{
	int begun = xt_call_begin();

	pmpi_comm_dup_(comm, made, error);
	if (begun && *error == MPI_SUCCESS) {
		xt_communicator_made(COMM(comm), COMM(made));
	}
	xt_call_end();
}

FORTRAN(comm_idup, F *comm, F *made, F *request, F *error)
{
	int begun = xt_call_begin();

	pmpi_comm_idup_(comm, made, request, error);
	if (begun && *error == MPI_SUCCESS) {
		xt_communicator_made(COMM(comm), MPI_COMM_NULL);
	}
	xt_call_end();
}

FORTRAN(comm_create_group, F *comm, F *group, F *tag, F *made, F *error)
{
	int begun = xt_call_begin();

	pmpi_comm_create_group_(comm, group, tag, made, error);
	if (begun && *error == MPI_SUCCESS) {
		xt_communicator_agreed("group", *tag, COMM(made));
	}
	xt_call_end();
}

FORTRAN(intercomm_create, F *local, F *leader, F *peers, F *other_leader, F *tag, F *made, F *error)
{
	int begun = xt_call_begin();

	pmpi_intercomm_create_(local, leader, peers, other_leader, tag, made, error);
	if (begun && *error == MPI_SUCCESS) {
		xt_communicator_agreed("inter", *tag, COMM(made));
	}
	xt_call_end();
}
