/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a rank's MPI calls: a line for each begin and each end of a transfer
 * (host/lib/workload/captured/CAPTURE.md). The functions take handles of C; the wrappers in Fortran convert theirs. */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define XT_HIDDEN __attribute__((visibility("hidden")))

/* A call of the program begins and ends. Returns 1 if the call is to be recorded: calls that MPI makes of itself are
 * not. */
XT_HIDDEN int xt_call_begin(void);
XT_HIDDEN void xt_call_end(void);

/* MPI_Init is over; MPI_Finalize begins, and has ended. */
XT_HIDDEN void xt_record_begin(void);
XT_HIDDEN void xt_record_end(void);
XT_HIDDEN void xt_record_merge(void);
/* One trace of the files in a folder; says so, or what is wrong. */
XT_HIDDEN void xt_merge_files(const char *folder, const char *trace);

/* ---------------------------------------------------------------- the file */

/* The letter, the time computed since the line before, `count` values, at most 12; a text may follow. */
XT_HIDDEN void xt_line(char letter, unsigned count, const int64_t *values, const char *text);
/* A line of any length: head, then `more` values. */
XT_HIDDEN void xt_long_line(char letter, unsigned count, const int64_t *values, unsigned more, const int64_t *list);

/* Opens the file; `header` is its first line. 0 on success. */
XT_HIDDEN int xt_file_open(const char *path, const char *header);
XT_HIDDEN int xt_file_is_open(void);
XT_HIDDEN void xt_file_append(const char *text, size_t length);
XT_HIDDEN void xt_file_close(void);

/* ---------------------------------------------------------------- communicators */

typedef struct {
	uint32_t number; /* in this rank's file */
	int inter;       /* between two groups: the peers are those of the other one */
	int foreign;     /* has ranks that were started later */
	int ranks, rank;
	int peers;
	int *world;        /* [peer]: its rank in MPI_COMM_WORLD; negative: started later */
	uint32_t children; /* communicators made of this one so far */
	unsigned users;    /* MPI, until MPI_Comm_free, and receives from any source */
	char *key;
} xt_communicator_t;

/* MPI_COMM_WORLD and MPI_COMM_SELF. */
XT_HIDDEN void xt_communicators_begin(void);
/* NULL only when out of memory. */
XT_HIDDEN xt_communicator_t *xt_communicator(MPI_Comm comm);
XT_HIDDEN void xt_communicator_hold(xt_communicator_t *c);
XT_HIDDEN void xt_communicator_release(xt_communicator_t *c);
/* All ranks of `parent` make `child`, which may be MPI_COMM_NULL. */
XT_HIDDEN void xt_communicator_made(MPI_Comm parent, MPI_Comm child);
/* `how` and `number` say the same on all ranks of `child`. */
XT_HIDDEN void xt_communicator_agreed(const char *how, int number, MPI_Comm child);

/* ---------------------------------------------------------------- transfers */

/* Each returns the number of the transfer, or -1: none is recorded, as of a message to MPI_PROC_NULL. */
XT_HIDDEN int xt_send(MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
XT_HIDDEN int xt_receive(int source, int tag, MPI_Comm comm);
/* A send that is over with the call. */
XT_HIDDEN void xt_sent(MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
/* A message was seen by a probe, and taken as *message. */
XT_HIDDEN void xt_probed(const MPI_Status *status, MPI_Comm comm);
XT_HIDDEN void xt_probed_message(const MPI_Status *status, MPI_Comm comm, MPI_Message message);
/* The transfer of a message that was taken. */
XT_HIDDEN int xt_message(MPI_Message message);
XT_HIDDEN int xt_transfer_of_collective(void);
XT_HIDDEN void xt_done(int transfer, const MPI_Status *status);

/* The request stands for the transfer, until taken; of a persistent one until freed. */
XT_HIDDEN void xt_bind(int transfer, MPI_Request request);
/* What MPI_Send_init and MPI_Recv_init say. */
XT_HIDDEN void xt_persistent(
	int send, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request request);
XT_HIDDEN void xt_start(MPI_Request request);
XT_HIDDEN void xt_free(MPI_Request request);
XT_HIDDEN void xt_request_done(MPI_Request request, const MPI_Status *status);

/* ---------------------------------------------------------------- collectives */

typedef enum {
	XT_BARRIER,
	XT_BCAST,
	XT_REDUCE,
	XT_ALLREDUCE,
	XT_GATHER,
	XT_SCATTER,
	XT_ALLGATHER,
	XT_ALLTOALL,
	XT_GATHERV,
	XT_SCATTERV,
	XT_ALLGATHERV,
	XT_ALLTOALLV,
	XT_REDUCE_SCATTER,
	XT_SCAN,
	XT_EXSCAN,
	XT_NEIGHBOR,
} xt_operation_t;

/* `count` elements are the vector, or this rank's block. */
XT_HIDDEN int xt_collective(xt_operation_t operation, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
/* This rank's block has counts[rank] elements. */
XT_HIDDEN int xt_collective_own(
	xt_operation_t operation, const int *counts, MPI_Datatype type, int root, MPI_Comm comm);
/* counts[i] elements go to rank i, of the one type or of types[i], or of Fortran's types. */
XT_HIDDEN int xt_collective_all(
	const int *counts, MPI_Datatype type, const MPI_Datatype *types, const MPI_Fint *fortran_types, MPI_Comm comm);
/* To neighbour i, counts[i] elements, or `count`. */
XT_HIDDEN int xt_collective_neighbours(const int *counts, MPI_Count count, MPI_Datatype type, const MPI_Datatype *types,
	const MPI_Fint *fortran_types, MPI_Comm comm);
