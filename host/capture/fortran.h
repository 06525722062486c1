/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrappers of Fortran's calls. Open MPI's own do not come through C's names. A program in C has none of them, so they
 * are weak. Calls of the module mpi_f08 have other names and are not wrapped. */
#pragma once

#include "record.h"

typedef MPI_Fint F;
_Static_assert(sizeof(F) == sizeof(int), "counts of Fortran are taken as those of C");

/* The head of a wrapper: pmpi_NAME_ is what it calls. */
#define FORTRAN(NAME, ...)                                             \
	extern void pmpi_##NAME##_(__VA_ARGS__) __attribute__((weak)); \
	void mpi_##NAME##_(__VA_ARGS__);                               \
	void mpi_##NAME##_(__VA_ARGS__)

#define TYPE(HANDLE) PMPI_Type_f2c(*(HANDLE))
#define COMM(HANDLE) PMPI_Comm_f2c(*(HANDLE))
#define REQUEST(HANDLE) PMPI_Request_f2c(*(HANDLE))

enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(F) };

/* Whether the program wants no status, or no statuses. */
XT_HIDDEN int xt_is_ignored(const F *status);
/* MPI_IN_PLACE of Fortran. */
XT_HIDDEN int xt_is_in_place(const void *buffer);
XT_HIDDEN void xt_done_fortran(int transfer, const F *status);
