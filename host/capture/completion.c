/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI's calls that wait for requests or look whether they are over. MPI changes the requests, so they are kept. */
#include <stdlib.h>
#include <string.h>

#include "record.h"

enum { FEW = 64 };

/* Requests as they were, and the statuses, which the program may not want. */
typedef struct {
	MPI_Request few[FEW], *requests;
	MPI_Status few_statuses[FEW], *statuses, *own;
	int begun;
} kept_t;

static void keep(kept_t *k, int count, const MPI_Request *requests, MPI_Status *statuses)
{
	size_t n = count > 0 ? (size_t)count : 0;

	k->begun = xt_call_begin();
	k->requests = k->few;
	k->own = NULL;
	k->statuses = statuses;
	if (!k->begun) {
		return;
	}
	if (n > FEW) {
		k->requests = malloc(n * sizeof(*k->requests));
	}
	if (statuses == MPI_STATUSES_IGNORE) {
		k->own = n > FEW ? malloc(n * sizeof(*k->own)) : k->few_statuses;
		k->statuses = k->own ? k->own : statuses;
	}
	k->begun = k->requests && k->statuses != MPI_STATUSES_IGNORE;
	if (k->begun) {
		memcpy(k->requests, requests, n * sizeof(*requests));
	}
}

static void let_go(kept_t *k)
{
	if (k->requests != k->few) {
		free(k->requests);
	}
	if (k->own && k->own != k->few_statuses) {
		free(k->own);
	}
	xt_call_end();
}

static int is_over(int result)
{
	return result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	MPI_Request before = *request;
	int begun = xt_call_begin();
	int result = PMPI_Wait(request, found);

	if (begun) {
		xt_request_done(before, found);
	}
	xt_call_end();
	return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	MPI_Request before = *request;
	int begun = xt_call_begin();
	int result = PMPI_Test(request, flag, found);

	if (begun && result == MPI_SUCCESS && *flag) {
		xt_request_done(before, found);
	}
	xt_call_end();
	return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	kept_t k;
	int result;

	keep(&k, count, requests, statuses);
	result = PMPI_Waitall(count, requests, k.statuses);
	for (int i = 0; k.begun && is_over(result) && i < count; i++) {
		xt_request_done(k.requests[i], &k.statuses[i]);
	}
	let_go(&k);
	return result;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	kept_t k;
	int result;

	keep(&k, count, requests, statuses);
	result = PMPI_Testall(count, requests, flag, k.statuses);
	for (int i = 0; k.begun && is_over(result) && *flag && i < count; i++) {
		xt_request_done(k.requests[i], &k.statuses[i]);
	}
	let_go(&k);
	return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	kept_t k;
	int result;

	keep(&k, count, requests, found);
	result = PMPI_Waitany(count, requests, index, found);
	if (k.begun && is_over(result) && *index != MPI_UNDEFINED) {
		xt_request_done(k.requests[*index], found);
	}
	let_go(&k);
	return result;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	MPI_Status own, *found = status == MPI_STATUS_IGNORE ? &own : status;
	kept_t k;
	int result;

	keep(&k, count, requests, found);
	result = PMPI_Testany(count, requests, index, flag, found);
	if (k.begun && is_over(result) && *flag && *index != MPI_UNDEFINED) {
		xt_request_done(k.requests[*index], found);
	}
	let_go(&k);
	return result;
}

static void some_done(const kept_t *k, int result, int found, const int *indices)
{
	for (int i = 0; k->begun && is_over(result) && found != MPI_UNDEFINED && i < found; i++) {
		xt_request_done(k->requests[indices[i]], &k->statuses[i]);
	}
}

int MPI_Waitsome(int count, MPI_Request requests[], int *found, int indices[], MPI_Status statuses[])
{
	kept_t k;
	int result;

	keep(&k, count, requests, statuses);
	result = PMPI_Waitsome(count, requests, found, indices, k.statuses);
	some_done(&k, result, *found, indices);
	let_go(&k);
	return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int *found, int indices[], MPI_Status statuses[])
{
	kept_t k;
	int result;

	keep(&k, count, requests, statuses);
	result = PMPI_Testsome(count, requests, found, indices, k.statuses);
	some_done(&k, result, *found, indices);
	let_go(&k);
	return result;
}

int MPI_Request_free(MPI_Request *request)
{
	int result;

	if (xt_call_begin()) {
		xt_free(*request);
	}
	result = PMPI_Request_free(request);
	xt_call_end();
	return result;
}
