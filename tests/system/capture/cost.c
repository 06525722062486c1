/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the nanoseconds of a send and a receive of one byte, of a rank to itself. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 200000 };

int main(int argc, char **argv)
{
	char out = 1, in;
	double begin;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	begin = MPI_Wtime();
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Isend(&out, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
		MPI_Recv(&in, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	printf("%.1f\n", (MPI_Wtime() - begin) / ROUNDS * 1e9);
	MPI_Finalize();
	return 0;
}
