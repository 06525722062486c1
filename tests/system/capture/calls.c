/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI calls of one kind, which argv[1] names, on any number of ranks from 3 on. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64, ROOM = 4096 };

static int rank, ranks, left, right;
static char out[ROOM], in[MOST][ROOM];

static void blocking(MPI_Comm comm)
{
	static char attached[4 * ROOM];

	MPI_Buffer_attach(attached, sizeof(attached));
	if (rank % 2 == 0 && rank + 1 < ranks) {
		MPI_Send(out, 10, MPI_INT, rank + 1, 1, comm);
		MPI_Ssend(out, 11, MPI_BYTE, rank + 1, 2, comm);
		MPI_Bsend(out, 12, MPI_BYTE, rank + 1, 3, comm);
		MPI_Recv(in[0], ROOM, MPI_BYTE, rank + 1, 4, comm, MPI_STATUS_IGNORE);
		MPI_Rsend(out, 13, MPI_BYTE, rank + 1, 5, comm);
		MPI_Send(out, 0, MPI_BYTE, rank + 1, 6, comm);
	} else if (rank % 2) {
		MPI_Request early;

		MPI_Irecv(in[4], ROOM, MPI_BYTE, rank - 1, 5, comm, &early);
		MPI_Recv(in[0], ROOM, MPI_BYTE, rank - 1, 1, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in[1], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
		MPI_Recv(in[2], ROOM, MPI_BYTE, rank - 1, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
		MPI_Send(out, 14, MPI_BYTE, rank - 1, 4, comm);
		MPI_Wait(&early, MPI_STATUS_IGNORE);
		MPI_Recv(in[3], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
	}
	MPI_Sendrecv(out, 15, MPI_BYTE, right, 7, in[0], ROOM, MPI_BYTE, left, 7, comm, MPI_STATUS_IGNORE);
	MPI_Sendrecv_replace(in[0], 16, MPI_BYTE, left, 8, right, 8, comm, MPI_STATUS_IGNORE);
	MPI_Send(out, 5, MPI_BYTE, MPI_PROC_NULL, 9, comm);
	MPI_Recv(in[0], 5, MPI_BYTE, MPI_PROC_NULL, 9, comm, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(in[0], &(int){0});
}

/* Each to all others, from anybody; `way` to complete. */
static void nonblocking(MPI_Comm comm, const char *way)
{
	MPI_Request requests[2 * MOST];
	MPI_Status statuses[2 * MOST];
	int n = 0, index, flag, some, indices[2 * MOST];

	for (int i = 0; i < ranks; i++) {
		if (i != rank) {
			MPI_Irecv(in[i], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[n++]);
		}
	}
	for (int i = 1; i < ranks; i++) {
		int to = (rank + i) % ranks;

		switch (i % 3) {
		case 0:
			MPI_Isend(out, 100 + rank, MPI_BYTE, to, rank, comm, &requests[n++]);
			break;
		case 1:
			MPI_Issend(out, 100 + rank, MPI_BYTE, to, rank, comm, &requests[n++]);
			break;
		default:
			MPI_Irsend(out, 1000 + rank, MPI_BYTE, to, rank, comm, &requests[n++]);
		}
	}
	if (strcmp(way, "wait") == 0) {
		for (int i = n; i-- > 0;) {
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
		}
	} else if (strcmp(way, "waitall") == 0) {
		MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	} else if (strcmp(way, "waitany") == 0) {
		do {
			MPI_Waitany(n, requests, &index, statuses);
		} while (index != MPI_UNDEFINED);
	} else if (strcmp(way, "waitsome") == 0) {
		do {
			MPI_Waitsome(n, requests, &some, indices, statuses);
		} while (some != MPI_UNDEFINED);
	} else if (strcmp(way, "test") == 0) {
		for (int i = 0; i < n; i++) {
			for (flag = 0; !flag; usleep(10)) {
				MPI_Test(&requests[i], &flag, statuses);
			}
		}
	} else if (strcmp(way, "testall") == 0) {
		for (flag = 0; !flag; usleep(10)) {
			MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
		}
	} else if (strcmp(way, "testany") == 0) {
		for (index = 0, flag = 0; !flag || index != MPI_UNDEFINED; usleep(10)) {
			MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
		}
	} else {
		for (some = 0; some != MPI_UNDEFINED; usleep(10)) {
			MPI_Testsome(n, requests, &some, indices, MPI_STATUSES_IGNORE);
		}
	}
	MPI_Barrier(comm);
}

static void persistent(MPI_Comm comm)
{
	MPI_Request requests[5];

	MPI_Recv_init(in[0], ROOM, MPI_BYTE, left, 1, comm, &requests[0]);
	MPI_Recv_init(in[1], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, &requests[1]);
	MPI_Send_init(out, 20, MPI_BYTE, right, 1, comm, &requests[2]);
	MPI_Ssend_init(out, 21, MPI_BYTE, left, 2, comm, &requests[3]);
	MPI_Send_init(out, 22, MPI_BYTE, MPI_PROC_NULL, 2, comm, &requests[4]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(5, requests);
		MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
		MPI_Barrier(comm);
	}
	MPI_Start(&requests[0]);
	MPI_Start(&requests[2]);
	MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < 5; i++) {
		MPI_Request_free(&requests[i]);
	}
}

static void probes(MPI_Comm comm)
{
	MPI_Status status;
	MPI_Message message;
	MPI_Request request;
	int flag;

	for (int i = 0; i < 5; i++) {
		MPI_Request sent;

		MPI_Isend(out, 30 + i, MPI_BYTE, right, i, comm, &sent);
		switch (i) {
		case 0:
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
			MPI_Recv(in[0], ROOM, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
			break;
		case 1:
			for (int seen = 0; seen < 3;) {
				MPI_Iprobe(left, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
				seen += flag;
			}
			MPI_Recv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
			break;
		case 2:
			MPI_Mprobe(MPI_ANY_SOURCE, 2, comm, &message, &status);
			MPI_Mrecv(in[0], ROOM, MPI_BYTE, &message, MPI_STATUS_IGNORE);
			break;
		case 3:
			for (flag = 0; !flag;) {
				MPI_Improbe(left, 3, comm, &flag, &message, MPI_STATUS_IGNORE);
			}
			MPI_Imrecv(in[0], ROOM, MPI_BYTE, &message, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
			break;
		default:
			/* What the probe sees comes second. */
			MPI_Isend(out, 3, MPI_BYTE, right, 9, comm, &request);
			MPI_Probe(left, 9, comm, &status);
			MPI_Recv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
			MPI_Recv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
		MPI_Wait(&sent, MPI_STATUS_IGNORE);
	}
}

/* The same tags on communicators of the same ranks do not meet. */
static void communicators(void)
{
	MPI_Comm twin, half, reverse, grid, row, both, later, few;
	MPI_Request request;
	MPI_Group all, group;

	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	MPI_Irecv(in[0], ROOM, MPI_BYTE, left, 1, twin, &request);
	MPI_Send(out, 40, MPI_BYTE, right, 1, MPI_COMM_WORLD);
	MPI_Send(out, 41, MPI_BYTE, right, 1, twin);
	MPI_Recv(in[1], 40, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Bcast(out, 42, MPI_BYTE, 0, half);
	MPI_Comm_split(twin, rank == 0 ? MPI_UNDEFINED : 0, -rank, &reverse);
	if (reverse != MPI_COMM_NULL) {
		int me, n;

		MPI_Comm_rank(reverse, &me);
		MPI_Comm_size(reverse, &n);
		MPI_Sendrecv(out, 43, MPI_BYTE, (me + 1) % n, 2, in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 2, reverse,
			MPI_STATUS_IGNORE);
		MPI_Comm_free(&reverse);
	}
	MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ranks / 2, 2}, (int[]){1, 1}, 0, &grid);
	if (grid != MPI_COMM_NULL) {
		MPI_Cart_sub(grid, (int[]){0, 1}, &row);
		MPI_Allreduce(out, in[0], 5, MPI_INT, MPI_SUM, row);
		MPI_Comm_free(&row);
		MPI_Comm_free(&grid);
	}
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 77, &both);
	{
		int peers;

		MPI_Comm_remote_size(both, &peers);
		MPI_Irecv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 3, both, &request);
		if (peers == ranks - peers) {
			MPI_Send(out, 44, MPI_BYTE, rank / 2, 3, both);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Cancel(&request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
	}
	MPI_Comm_free(&both);
	MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Sendrecv(out, 45, MPI_BYTE, right, 1, in[0], ROOM, MPI_BYTE, left, 1, later, MPI_STATUS_IGNORE);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 3, (int[]){2, 0, 1}, &group);
	for (int i = 0; i < 2 && rank < 3; i++) {
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &few);
		MPI_Bcast(out, 46 + i, MPI_BYTE, 0, few);
		MPI_Comm_free(&few);
	}
	MPI_Comm_free(&half);
	MPI_Comm_free(&twin);
	MPI_Comm_free(&later);
}

static int counts[MOST], places[MOST];
static int *all_counts(int what)
{
	for (int i = 0; i < ranks; i++) {
		counts[i] = what < 0 ? 4 * (1 + rank + 2 * i) : 4 * (1 + i);
		places[i] = 0;
	}
	return counts;
}

static void collectives(MPI_Comm comm, const char *name)
{
	int root = 1, *v = all_counts(1);

	if (strcmp(name, "barrier") == 0) {
		MPI_Barrier(comm);
	} else if (strcmp(name, "bcast") == 0) {
		MPI_Bcast(out, 50, MPI_INT, root, comm);
	} else if (strcmp(name, "reduce") == 0) {
		MPI_Reduce(out, in[0], 51, MPI_INT, MPI_SUM, root, comm);
		MPI_Reduce(rank == root ? MPI_IN_PLACE : out, in[0], 51, MPI_INT, MPI_SUM, root, comm);
	} else if (strcmp(name, "allreduce") == 0) {
		MPI_Allreduce(out, in[0], 52, MPI_INT, MPI_SUM, comm);
		MPI_Allreduce(MPI_IN_PLACE, in[0], 53, MPI_INT, MPI_SUM, comm);
	} else if (strcmp(name, "gather") == 0) {
		MPI_Gather(out, 9, MPI_INT, in, 9, MPI_INT, root, comm);
		MPI_Gather(rank == root ? MPI_IN_PLACE : out, 9, MPI_INT, in, 9, MPI_INT, root, comm);
	} else if (strcmp(name, "scatter") == 0) {
		MPI_Scatter(in, 8, MPI_INT, out, 8, MPI_INT, root, comm);
	} else if (strcmp(name, "allgather") == 0) {
		MPI_Allgather(out, 7, MPI_INT, in, 7, MPI_INT, comm);
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 6, MPI_INT, comm);
	} else if (strcmp(name, "alltoall") == 0) {
		MPI_Alltoall(in[0], 5, MPI_INT, in[MOST / 2], 5, MPI_INT, comm);
	} else if (strcmp(name, "gatherv") == 0) {
		MPI_Gatherv(out, v[rank], MPI_BYTE, in, v, places, MPI_BYTE, root, comm);
	} else if (strcmp(name, "scatterv") == 0) {
		MPI_Scatterv(in, v, places, MPI_BYTE, out, v[rank], MPI_BYTE, root, comm);
	} else if (strcmp(name, "allgatherv") == 0) {
		MPI_Allgatherv(out, v[rank], MPI_BYTE, in, v, places, MPI_BYTE, comm);
	} else if (strcmp(name, "alltoallv") == 0) {
		int received[MOST];

		v = all_counts(-1);
		for (int i = 0; i < ranks; i++) {
			received[i] = 4 * (1 + i + 2 * rank);
		}
		MPI_Alltoallv(in[0], v, places, MPI_BYTE, in[1], received, places, MPI_BYTE, comm);
	} else if (strcmp(name, "alltoallw") == 0) {
		MPI_Datatype types[MOST];
		int received[MOST];

		v = all_counts(-1);
		for (int i = 0; i < ranks; i++) {
			types[i] = i % 2 == rank % 2 ? MPI_SHORT : MPI_BYTE;
			received[i] = 4 * (1 + i + 2 * rank);
		}
		MPI_Alltoallw(in[0], v, places, types, in[1], received, places, types, comm);
	} else if (strcmp(name, "reduce_scatter") == 0) {
		MPI_Reduce_scatter(in[0], in[MOST / 2], v, MPI_INT, MPI_SUM, comm);
		MPI_Reduce_scatter_block(in[0], in[MOST / 2], 6, MPI_INT, MPI_SUM, comm);
	} else if (strcmp(name, "scan") == 0) {
		MPI_Scan(out, in[0], 13, MPI_INT, MPI_SUM, comm);
		MPI_Exscan(out, in[0], 14, MPI_INT, MPI_SUM, comm);
	}
}

static void nonblocking_collectives(void)
{
	MPI_Request requests[16];
	MPI_Comm twin;
	int n = 0, *v = all_counts(1), own = v[rank];

	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	MPI_Ibarrier(MPI_COMM_WORLD, &requests[n++]);
	/* Two communicators in another order on some ranks. */
	if (rank % 2) {
		MPI_Ibcast(in[0], 60, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[n++]);
		MPI_Iallreduce(in[1], in[2], 61, MPI_INT, MPI_SUM, twin, &requests[n++]);
	} else {
		MPI_Iallreduce(in[1], in[2], 61, MPI_INT, MPI_SUM, twin, &requests[n++]);
		MPI_Ibcast(in[0], 60, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[n++]);
	}
	MPI_Igatherv(in[3], own, MPI_BYTE, in[4], v, places, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[n++]);
	MPI_Ialltoall(in[5], 4, MPI_INT, in[6], 4, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
	MPI_Send(out, 62, MPI_BYTE, rank == 0 ? MPI_PROC_NULL : 0, 1, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(in[7], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	MPI_Comm_free(&twin);
}

static void neighbours(void)
{
	MPI_Comm grid, ring;
	MPI_Request request;
	int sizes[4] = {4, 8, 12, 16}, received[4] = {8, 4, 16, 12};

	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){0}, 0, &grid);
	MPI_Neighbor_allgather(out, 70, MPI_BYTE, in, 70, MPI_BYTE, grid);
	MPI_Neighbor_alltoallv(out, sizes, places, MPI_BYTE, in, received, places, MPI_BYTE, grid);
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 1, &left, (int[]){1}, 1, &right, (int[]){1}, MPI_INFO_NULL, 0, &ring);
	MPI_Neighbor_alltoall(out, 71, MPI_BYTE, in, 71, MPI_BYTE, ring);
	MPI_Ineighbor_allgather(out, 72, MPI_BYTE, in, 72, MPI_BYTE, ring, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&grid);
	MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	left = (rank + ranks - 1) % ranks;
	right = (rank + 1) % ranks;
	if (strcmp(kind, "blocking") == 0) {
		blocking(MPI_COMM_WORLD);
	} else if (strcmp(kind, "persistent") == 0) {
		persistent(MPI_COMM_WORLD);
	} else if (strcmp(kind, "probes") == 0) {
		probes(MPI_COMM_WORLD);
	} else if (strcmp(kind, "communicators") == 0) {
		communicators();
	} else if (strcmp(kind, "neighbours") == 0) {
		neighbours();
	} else if (strcmp(kind, "nonblocking_collectives") == 0) {
		nonblocking_collectives();
	} else if (strncmp(kind, "wait", 4) == 0 || strncmp(kind, "test", 4) == 0) {
		nonblocking(MPI_COMM_WORLD, kind);
	} else if (strcmp(kind, "compute") == 0) {
		MPI_Barrier(MPI_COMM_WORLD);
		usleep(100000 * (unsigned)(rank + 1));
		MPI_Send(out, 1, MPI_BYTE, right, 1, MPI_COMM_WORLD);
		MPI_Recv(in[0], ROOM, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (strcmp(kind, "killed") == 0) {
		for (int i = 0; i < 100; i++) {
			MPI_Send(out, 1 + i, MPI_BYTE, right, i, MPI_COMM_WORLD);
			MPI_Recv(in[0], ROOM, MPI_BYTE, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1) {
			kill(getpid(), SIGKILL);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	} else {
		collectives(MPI_COMM_WORLD, kind);
	}
	MPI_Finalize();
	return 0;
}
