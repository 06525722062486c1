/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXTORUS_ERROR_H
#define EXTORUS_ERROR_H

#include "extorus/export.h"

XT_BEGIN_C

/* Every function that can fail returns 0 (or a count) on success and one of these otherwise. */
typedef enum {
	XT_OK = 0,
	XT_ERR_INVALID = -1, /* an argument or a table is illegal */
	XT_ERR_NOMEM = -2,
	XT_ERR_IO = -3,     /* the operating system refused; see the diagnostic */
	XT_ERR_FORMAT = -4, /* a file is not what it claims to be */
	XT_ERR_RANGE = -5,  /* the thing asked for does not exist or does not fit */
	XT_ERR_UNSUPPORTED = -6,
	XT_ERR_UNSAFE = -7, /* a routing that can deadlock or does not deliver was refused */
	XT_ERR_NODEVICE = -8,
	XT_ERR_TIMEOUT = -9,
	XT_ERR_MISMATCH = -10,    /* read back something other than was written */
	XT_ERR_PROTOCOL = -11,    /* a device answered something illegal */
	XT_ERR_PERMISSION = -12,  /* the operating system does not let this user have the device */
	XT_ERR_BUSY = -13,        /* another program has the device */
	XT_ERR_AMBIGUOUS = -14,   /* several devices fit */
	XT_ERR_VERSION = -15,     /* the board's bitstream and this program do not belong together */
	XT_ERR_GONE = -16,        /* the device was there, and is not any more */
	XT_ERR_RESET = -17,       /* the board was reset under way; what it held is lost */
	XT_ERR_INTERRUPTED = -18, /* the caller asked for the end */
} xt_status_t;

/* One English phrase for a status; never NULL. */
XT_API const char *xt_strerror(int status);

/* One line that says where and what, and how to mend it; filled by the function that fails. */
typedef struct {
	char text[512];
} xt_diag_t;

/* printf into `diag` (which may be NULL) and return `status`. */
XT_API int xt_fail(xt_diag_t *diag, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

XT_END_C
#endif
