/* SPDX-License-Identifier: Apache-2.0 */
#include "fortran.h"

/* Where each MPI keeps Fortran's constants. */
extern F mpi_fortran_status_ignore_[] __attribute__((weak)), mpi_fortran_statuses_ignore_[] __attribute__((weak)),
	mpi_fortran_in_place_ __attribute__((weak));
extern void *MPIR_F_MPI_IN_PLACE __attribute__((weak));

int xt_is_ignored(const F *status)
{
	return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE ||
	       status == mpi_fortran_status_ignore_ || status == mpi_fortran_statuses_ignore_;
}

int xt_is_in_place(const void *buffer)
{
	return buffer == &mpi_fortran_in_place_ || (&MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE);
}

void xt_done_fortran(int transfer, const F *status)
{
	MPI_Status in_c;

	if (transfer >= 0) {
		PMPI_Status_f2c(status, &in_c);
		xt_done(transfer, &in_c);
	}
}

#define SEND(NAME)                                                                         \
	FORTRAN(NAME, void *buffer, F *count, F *type, F *dest, F *tag, F *comm, F *error) \
	{                                                                                  \
		if (xt_call_begin()) {                                                     \
			xt_sent(*count, TYPE(type), *dest, *tag, COMM(comm));              \
		}                                                                          \
		pmpi_##NAME##_(buffer, count, type, dest, tag, comm, error);               \
		xt_call_end();                                                             \
	}

#define SEND_FORMS(NONBLOCKING, PERSISTENT)                                                                   \
	FORTRAN(NONBLOCKING, void *buffer, F *count, F *type, F *dest, F *tag, F *comm, F *request, F *error) \
	{                                                                                                     \
		int transfer = xt_call_begin() ? xt_send(*count, TYPE(type), *dest, *tag, COMM(comm)) : -1;   \
                                                                                                              \
		pmpi_##NONBLOCKING##_(buffer, count, type, dest, tag, comm, request, error);                  \
		xt_bind(transfer, REQUEST(request));                                                          \
		xt_call_end();                                                                                \
	}                                                                                                     \
	FORTRAN(PERSISTENT, void *buffer, F *count, F *type, F *dest, F *tag, F *comm, F *request, F *error)  \
	{                                                                                                     \
		int begun = xt_call_begin();                                                                  \
                                                                                                              \
		pmpi_##PERSISTENT##_(buffer, count, type, dest, tag, comm, request, error);                   \
		if (begun) {                                                                                  \
			xt_persistent(1, *count, TYPE(type), *dest, *tag, COMM(comm), REQUEST(request));      \
		}                                                                                             \
		xt_call_end();                                                                                \
	}

SEND(send)
SEND(bsend)
SEND(ssend)
SEND(rsend)
SEND_FORMS(isend, send_init)
SEND_FORMS(ibsend, bsend_init)
SEND_FORMS(issend, ssend_init)
SEND_FORMS(irsend, rsend_init)

FORTRAN(recv, void *buffer, F *count, F *type, F *source, F *tag, F *comm, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int transfer = xt_call_begin() ? xt_receive(*source, *tag, COMM(comm)) : -1;

	pmpi_recv_(buffer, count, type, source, tag, comm, found, error);
	xt_done_fortran(transfer, found);
	xt_call_end();
}

FORTRAN(irecv, void *buffer, F *count, F *type, F *source, F *tag, F *comm, F *request, F *error)
{
	int transfer = xt_call_begin() ? xt_receive(*source, *tag, COMM(comm)) : -1;

	pmpi_irecv_(buffer, count, type, source, tag, comm, request, error);
	xt_bind(transfer, REQUEST(request));
	xt_call_end();
}

FORTRAN(recv_init, void *buffer, F *count, F *type, F *source, F *tag, F *comm, F *request, F *error)
{
	int begun = xt_call_begin();

	pmpi_recv_init_(buffer, count, type, source, tag, comm, request, error);
	if (begun) {
		xt_persistent(0, *count, TYPE(type), *source, *tag, COMM(comm), REQUEST(request));
	}
	xt_call_end();
}

FORTRAN(start, F *request, F *error)
{
	if (xt_call_begin()) {
		xt_start(REQUEST(request));
	}
	pmpi_start_(request, error);
	xt_call_end();
}

FORTRAN(startall, F *count, F *requests, F *error)
{
	int begun = xt_call_begin();

	for (int i = 0; begun && i < *count; i++) {
		xt_start(REQUEST(&requests[i]));
	}
	pmpi_startall_(count, requests, error);
	xt_call_end();
}

FORTRAN(sendrecv, void *sent, F *send_count, F *send_type, F *dest, F *send_tag, void *received, F *count, F *type,
	F *source, F *tag, F *comm, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin(), transfer = begun ? xt_receive(*source, *tag, COMM(comm)) : -1;
	int send = begun ? xt_send(*send_count, TYPE(send_type), *dest, *send_tag, COMM(comm)) : -1;

	pmpi_sendrecv_(
		sent, send_count, send_type, dest, send_tag, received, count, type, source, tag, comm, found, error);
	xt_done(send, NULL);
	xt_done_fortran(transfer, found);
	xt_call_end();
}

FORTRAN(sendrecv_replace, void *buffer, F *count, F *type, F *dest, F *send_tag, F *source, F *tag, F *comm, F *status,
	F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin(), transfer = begun ? xt_receive(*source, *tag, COMM(comm)) : -1;
	int send = begun ? xt_send(*count, TYPE(type), *dest, *send_tag, COMM(comm)) : -1;

	pmpi_sendrecv_replace_(buffer, count, type, dest, send_tag, source, tag, comm, found, error);
	xt_done(send, NULL);
	xt_done_fortran(transfer, found);
	xt_call_end();
}

/* ---------------------------------------------------------------- probes */

static void probed(const F *status, const F *comm)
{
	MPI_Status in_c;

	PMPI_Status_f2c(status, &in_c);
	xt_probed(&in_c, COMM(comm));
}

static void probed_message(const F *status, const F *comm, const F *message)
{
	MPI_Status in_c;

	PMPI_Status_f2c(status, &in_c);
	xt_probed_message(&in_c, COMM(comm), PMPI_Message_f2c(*message));
}

FORTRAN(probe, F *source, F *tag, F *comm, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin();

	pmpi_probe_(source, tag, comm, found, error);
	if (begun) {
		probed(found, comm);
	}
	xt_call_end();
}

FORTRAN(iprobe, F *source, F *tag, F *comm, F *flag, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin();

	pmpi_iprobe_(source, tag, comm, flag, found, error);
	if (begun && *flag) {
		probed(found, comm);
	}
	xt_call_end();
}

FORTRAN(mprobe, F *source, F *tag, F *comm, F *message, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin();

	pmpi_mprobe_(source, tag, comm, message, found, error);
	if (begun) {
		probed_message(found, comm, message);
	}
	xt_call_end();
}

FORTRAN(improbe, F *source, F *tag, F *comm, F *flag, F *message, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int begun = xt_call_begin();

	pmpi_improbe_(source, tag, comm, flag, message, found, error);
	if (begun && *flag) {
		probed_message(found, comm, message);
	}
	xt_call_end();
}

FORTRAN(mrecv, void *buffer, F *count, F *type, F *message, F *status, F *error)
{
	F own[STATUS_SIZE], *found = xt_is_ignored(status) ? own : status;
	int transfer = xt_call_begin() ? xt_message(PMPI_Message_f2c(*message)) : -1;

	pmpi_mrecv_(buffer, count, type, message, found, error);
	xt_done_fortran(transfer, found);
	xt_call_end();
}

FORTRAN(imrecv, void *buffer, F *count, F *type, F *message, F *request, F *error)
{
	int transfer = xt_call_begin() ? xt_message(PMPI_Message_f2c(*message)) : -1;

	pmpi_imrecv_(buffer, count, type, message, request, error);
	xt_bind(transfer, REQUEST(request));
	xt_call_end();
}
