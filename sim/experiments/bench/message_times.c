/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks send each other a message in turn: by size the least seconds of half a round, and of the sending call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 1, ROUNDS = 300, MOST = 1 << 20 };

static void send(char *bytes, int size, int other, double *spent)
{
	const double begin = MPI_Wtime();
	MPI_Request request;

	MPI_Isend(bytes, size, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &request);
	*spent = MPI_Wtime() - begin;
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(char *bytes, int size, int other)
{
	MPI_Recv(bytes, size, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	char *bytes = calloc(1, MOST);
	int own;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &own);
	for (int size = 8; bytes && size <= MOST; size *= 4) {
		double least = 1e9, call = 1e9;

		for (int i = 0; i < ROUNDS; i++) {
			const double begin = MPI_Wtime();
			double spent;

			if (own == 0) {
				send(bytes, size, 1, &spent);
				receive(bytes, size, 1);
			} else {
				receive(bytes, size, 0);
				send(bytes, size, 0, &spent);
			}
			least = (MPI_Wtime() - begin) / 2 < least ? (MPI_Wtime() - begin) / 2 : least;
			call = spent < call ? spent : call;
		}
		if (own == 0) {
			printf("%d %.9f %.9f\n", size, least, call);
		}
	}
	MPI_Finalize();
	free(bytes);
	return 0;
}
