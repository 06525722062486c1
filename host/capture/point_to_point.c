/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI's calls that send and receive. */
#include "record.h"

/* The non-blocking and persistent forms of a send. */
#define SEND_FORMS(NONBLOCKING, PERSISTENT)                                                                       \
	int MPI_##NONBLOCKING(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
		MPI_Request *request)                                                                             \
	{                                                                                                         \
		int transfer = xt_call_begin() ? xt_send(count, type, dest, tag, comm) : -1;                      \
		int status = PMPI_##NONBLOCKING(buffer, count, type, dest, tag, comm, request);                   \
                                                                                                                  \
		xt_bind(transfer, *request);                                                                      \
		xt_call_end();                                                                                    \
		return status;                                                                                    \
	}                                                                                                         \
	int MPI_##PERSISTENT(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,  \
		MPI_Request *request)                                                                             \
	{                                                                                                         \
		int begun = xt_call_begin();                                                                      \
		int status = PMPI_##PERSISTENT(buffer, count, type, dest, tag, comm, request);                    \
                                                                                                                  \
		if (begun && status == MPI_SUCCESS) {                                                             \
			xt_persistent(1, count, type, dest, tag, comm, *request);                                 \
		}                                                                                                 \
		xt_call_end();                                                                                    \
		return status;                                                                                    \
	}

#define BLOCKING_SEND(NAME)                                                                                \
	int MPI_##NAME(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) \
	{                                                                                                  \
		int status;                                                                                \
                                                                                                           \
		if (xt_call_begin()) {                                                                     \
			xt_sent(count, type, dest, tag, comm);                                             \
		}                                                                                          \
		status = PMPI_##NAME(buffer, count, type, dest, tag, comm);                                \
		xt_call_end();                                                                             \
		return status;                                                                             \
	}

BLOCKING_SEND(Send)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)
SEND_FORMS(Isend, Send_init)
SEND_FORMS(Ibsend, Bsend_init)
SEND_FORMS(Issend, Ssend_init)
SEND_FORMS(Irsend, Rsend_init)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int transfer = xt_call_begin() ? xt_receive(source, tag, comm) : -1;
	int result = PMPI_Recv(buffer, count, type, source, tag, comm, found);

	xt_done(transfer, found);
	xt_call_end();
	return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int transfer = xt_call_begin() ? xt_receive(source, tag, comm) : -1;
	int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);

	xt_bind(transfer, *request);
	xt_call_end();
	return result;
}

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int begun = xt_call_begin();
	int result = PMPI_Recv_init(buffer, count, type, source, tag, comm, request);

	if (begun && result == MPI_SUCCESS) {
		xt_persistent(0, count, type, source, tag, comm, *request);
	}
	xt_call_end();
	return result;
}

int MPI_Start(MPI_Request *request)
{
	int result;

	if (xt_call_begin()) {
		xt_start(*request);
	}
	result = PMPI_Start(request);
	xt_call_end();
	return result;
}

int MPI_Startall(int count, MPI_Request requests[])
{
	int begun = xt_call_begin(), result;

	for (int i = 0; begun && i < count; i++) {
		xt_start(requests[i]);
	}
	result = PMPI_Startall(count, requests);
	xt_call_end();
	return result;
}

int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int dest, int send_tag, void *received,
	int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin(), transfer = begun ? xt_receive(source, tag, comm) : -1;
	int send = begun ? xt_send(send_count, send_type, dest, send_tag, comm) : -1;
	int result = PMPI_Sendrecv(
		sent, send_count, send_type, dest, send_tag, received, count, type, source, tag, comm, found);

	xt_done(send, NULL);
	xt_done(transfer, found);
	xt_call_end();
	return result;
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest, int send_tag, int source, int tag,
	MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin(), transfer = begun ? xt_receive(source, tag, comm) : -1;
	int send = begun ? xt_send(count, type, dest, send_tag, comm) : -1;
	int result = PMPI_Sendrecv_replace(buffer, count, type, dest, send_tag, source, tag, comm, found);

	xt_done(send, NULL);
	xt_done(transfer, found);
	xt_call_end();
	return result;
}

/* ---------------------------------------------------------------- probes */

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin();
	int result = PMPI_Probe(source, tag, comm, found);

	if (begun && result == MPI_SUCCESS) {
		xt_probed(found, comm);
	}
	xt_call_end();
	return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin();
	int result = PMPI_Iprobe(source, tag, comm, flag, found);

	if (begun && result == MPI_SUCCESS && *flag) {
		xt_probed(found, comm);
	}
	xt_call_end();
	return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin();
	int result = PMPI_Mprobe(source, tag, comm, message, found);

	if (begun && result == MPI_SUCCESS) {
		xt_probed_message(found, comm, *message);
	}
	xt_call_end();
	return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int begun = xt_call_begin();
	int result = PMPI_Improbe(source, tag, comm, flag, message, found);

	if (begun && result == MPI_SUCCESS && *flag) {
		xt_probed_message(found, comm, *message);
	}
	xt_call_end();
	return result;
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	int transfer = xt_call_begin() ? xt_message(*message) : -1;
	int result = PMPI_Mrecv(buffer, count, type, message, found);

	xt_done(transfer, found);
	xt_call_end();
	return result;
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
	int transfer = xt_call_begin() ? xt_message(*message) : -1;
	int result = PMPI_Imrecv(buffer, count, type, message, request);

	xt_bind(transfer, *request);
	xt_call_end();
	return result;
}
