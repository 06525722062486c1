/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "fortran.h"

/* As in completion.c: the requests as they were, and the statuses. */
typedef struct {
	MPI_Request *requests;
	F *statuses, *own;
	int begun;
} kept_t;

static void request_done(MPI_Request request, const F *status)
{
	MPI_Status in_c;

	PMPI_Status_f2c(status, &in_c);
	xt_request_done(request, &in_c);
}

static void keep(kept_t *k, int count, const F *requests, F *statuses, int places)
{
	int ignored = xt_is_ignored(statuses);

	k->begun = xt_call_begin();
	k->requests = k->begun ? malloc(((size_t)count + 1) * sizeof(*k->requests)) : NULL;
	k->own = k->begun && ignored ? malloc(((size_t)places + 1) * STATUS_SIZE * sizeof(*k->own)) : NULL;
	k->statuses = k->own ? k->own : statuses;
	k->begun = k->requests && (k->own || !ignored);
	for (int i = 0; k->begun && i < count; i++) {
		k->requests[i] = REQUEST(&requests[i]);
	}
}

static void let_go(kept_t *k)
{
	free(k->requests);
	free(k->own);
	xt_call_end();
}

static int is_over(const F *error)
{
	return *error == MPI_SUCCESS || *error == MPI_ERR_IN_STATUS;
}

/* Of the call with an index from 1 on. */
static void one_done(const kept_t *k, const F *index)
{
	if (k->begun && *index != MPI_UNDEFINED && *index > 0) {
		request_done(k->requests[*index - 1], k->statuses);
	}
}

static void all_done(const kept_t *k, int count, const F *error)
{
	for (int i = 0; k->begun && is_over(error) && i < count; i++) {
		request_done(k->requests[i], &k->statuses[i * STATUS_SIZE]);
	}
}

static void some_done(const kept_t *k, const F *found, const F *indices, const F *error)
{
	for (int i = 0; k->begun && is_over(error) && *found != MPI_UNDEFINED && i < *found; i++) {
		request_done(k->requests[indices[i] - 1], &k->statuses[i * STATUS_SIZE]);
	}
}

FORTRAN(wait, F *request, F *status, F *error)
{
	kept_t k;

	keep(&k, 1, request, status, 1);
	pmpi_wait_(request, k.statuses, error);
	all_done(&k, 1, error);
	let_go(&k);
}

FORTRAN(test, F *request, F *flag, F *status, F *error)
{
	kept_t k;

	keep(&k, 1, request, status, 1);
	pmpi_test_(request, flag, k.statuses, error);
	all_done(&k, *flag ? 1 : 0, error);
	let_go(&k);
}

FORTRAN(waitall, F *count, F *requests, F *statuses, F *error)
{
	kept_t k;

	keep(&k, *count, requests, statuses, *count);
	pmpi_waitall_(count, requests, k.statuses, error);
	all_done(&k, *count, error);
	let_go(&k);
}

FORTRAN(testall, F *count, F *requests, F *flag, F *statuses, F *error)
{
	kept_t k;

	keep(&k, *count, requests, statuses, *count);
	pmpi_testall_(count, requests, flag, k.statuses, error);
	all_done(&k, *flag ? *count : 0, error);
	let_go(&k);
}

FORTRAN(waitany, F *count, F *requests, F *index, F *status, F *error)
{
	kept_t k;

	keep(&k, *count, requests, status, 1);
	pmpi_waitany_(count, requests, index, k.statuses, error);
	one_done(&k, index);
	let_go(&k);
}

FORTRAN(testany, F *count, F *requests, F *index, F *flag, F *status, F *error)
{
	const F none = 0;
	kept_t k;

	keep(&k, *count, requests, status, 1);
	pmpi_testany_(count, requests, index, flag, k.statuses, error);
	one_done(&k, *flag ? index : &none);
	let_go(&k);
}

FORTRAN(waitsome, F *count, F *requests, F *found, F *indices, F *statuses, F *error)
{
	kept_t k;

	keep(&k, *count, requests, statuses, *count);
	pmpi_waitsome_(count, requests, found, indices, k.statuses, error);
	some_done(&k, found, indices, error);
	let_go(&k);
}

FORTRAN(testsome, F *count, F *requests, F *found, F *indices, F *statuses, F *error)
{
	kept_t k;

	keep(&k, *count, requests, statuses, *count);
	pmpi_testsome_(count, requests, found, indices, k.statuses, error);
	some_done(&k, found, indices, error);
	let_go(&k);
}

FORTRAN(request_free, F *request, F *error)
{
	if (xt_call_begin()) {
		xt_free(REQUEST(request));
	}
	pmpi_request_free_(request, error);
	xt_call_end();
}
