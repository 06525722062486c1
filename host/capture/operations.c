/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of collectives: the operation and what this rank knows of the sizes. */
#include <stdlib.h>

#include "record.h"

enum { HEAD = 6 };

/* B transfer communicator operation root element, and bytes. U: between two groups, or with ranks started later. */
static int line(xt_operation_t operation, int root, MPI_Count element, const xt_communicator_t *c, unsigned count,
	const int64_t *bytes)
{
	int transfer;

	if (!c || c->inter || c->foreign) {
		xt_line('U', 0, NULL, NULL);
		return -1;
	}
	transfer = xt_transfer_of_collective();
	if (transfer >= 0) {
		int64_t head[HEAD - 1] = {transfer, c->number, operation, root, element};

		xt_long_line('B', HEAD - 1, head, count, bytes);
	}
	return transfer;
}

static MPI_Count size_of(MPI_Datatype type)
{
	MPI_Count size = 0;

	PMPI_Type_size_x(type, &size);
	return size < 0 ? 0 : size;
}

int xt_collective(xt_operation_t operation, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Count element = operation == XT_BARRIER ? 0 : size_of(type);
	int64_t bytes = count * element;

	return line(operation, root, element, xt_communicator(comm), 1, &bytes);
}

int xt_collective_own(xt_operation_t operation, const int *counts, MPI_Datatype type, int root, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);

	return xt_collective(operation, c && !c->inter ? counts[c->rank] : 0, type, root, comm);
}

static int64_t part(int i, const int *counts, MPI_Count count, MPI_Datatype type, const MPI_Datatype *types,
	const MPI_Fint *fortran_types)
{
	MPI_Datatype of = fortran_types ? PMPI_Type_f2c(fortran_types[i]) : types ? types[i] : type;

	return (counts ? counts[i] : count) * size_of(of);
}

int xt_collective_all(
	const int *counts, MPI_Datatype type, const MPI_Datatype *types, const MPI_Fint *fortran_types, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);
	int ranks = c && !c->inter ? c->ranks : 0, transfer;
	int64_t *bytes = malloc(((size_t)ranks + 1) * sizeof(*bytes));

	if (!bytes) {
		return -1;
	}
	for (int i = 0; i < ranks; i++) {
		bytes[i] = part(i, counts, 0, type, types, fortran_types);
	}
	transfer = line(XT_ALLTOALLV, 0, 1, c, (unsigned)ranks, bytes);
	free(bytes);
	return transfer;
}

/* ---------------------------------------------------------------- neighbours */

typedef struct {
	int in, out;
	int *from, *to; /* `to` is the end of one allocation */
} neighbours_t;

static int make_room(neighbours_t *n)
{
	n->from = malloc(((size_t)n->in + (size_t)n->out + 1) * sizeof(*n->from));
	n->to = n->from ? n->from + n->in : NULL;
	return n->from != NULL;
}

static int cartesian(MPI_Comm comm, neighbours_t *n)
{
	int dimensions;

	PMPI_Cartdim_get(comm, &dimensions);
	n->in = n->out = 2 * dimensions;
	if (!make_room(n)) {
		return 0;
	}
	for (int d = 0; d < dimensions; d++) {
		PMPI_Cart_shift(comm, d, 1, &n->to[2 * d], &n->to[2 * d + 1]);
		n->from[2 * d] = n->to[2 * d];
		n->from[2 * d + 1] = n->to[2 * d + 1];
	}
	return 1;
}

static int graph(MPI_Comm comm, int rank, neighbours_t *n)
{
	PMPI_Graph_neighbors_count(comm, rank, &n->in);
	n->out = n->in;
	if (!make_room(n)) {
		return 0;
	}
	PMPI_Graph_neighbors(comm, rank, n->in, n->from);
	for (int i = 0; i < n->in; i++) {
		n->to[i] = n->from[i];
	}
	return 1;
}

static int distributed(MPI_Comm comm, neighbours_t *n)
{
	int weighted, *weights, found;

	PMPI_Dist_graph_neighbors_count(comm, &n->in, &n->out, &weighted);
	weights = malloc(((size_t)n->in + (size_t)n->out + 1) * sizeof(*weights));
	found = weights && make_room(n);
	if (found) {
		PMPI_Dist_graph_neighbors(comm, n->in, n->from, weights, n->out, n->to, weights + n->in);
	}
	free(weights);
	return found;
}

static int find(MPI_Comm comm, const xt_communicator_t *c, neighbours_t *n)
{
	int topology = MPI_UNDEFINED;

	PMPI_Topo_test(comm, &topology);
	return topology == MPI_CART    ? cartesian(comm, n)
	       : topology == MPI_GRAPH ? graph(comm, c->rank, n)
				       : topology == MPI_DIST_GRAPH && distributed(comm, n);
}

/* Bytes to each rank that there is a message to, and then the ranks that messages come from; ranks of the
 * communicator. */
int xt_collective_neighbours(const int *counts, MPI_Count count, MPI_Datatype type, const MPI_Datatype *types,
	const MPI_Fint *fortran_types, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);
	neighbours_t n = {0};
	int64_t *list;
	unsigned used = 1;
	int transfer;

	if (!c || !find(comm, c, &n)) {
		return -1;
	}
	list = malloc(((size_t)n.in + 2 * (size_t)n.out + 1) * sizeof(*list));
	if (!list) {
		free(n.from);
		return -1;
	}
	list[0] = 0;
	for (int i = 0; i < n.out; i++) {
		if (n.to[i] != MPI_PROC_NULL) {
			list[used++] = n.to[i];
			list[used++] = part(i, counts, count, type, types, fortran_types);
			list[0]++;
		}
	}
	for (int i = 0; i < n.in; i++) {
		if (n.from[i] != MPI_PROC_NULL) {
			list[used++] = n.from[i];
		}
	}
	transfer = line(XT_NEIGHBOR, 0, 1, c, used, list);
	free(list);
	free(n.from);
	return transfer;
}
