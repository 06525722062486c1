/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole numbers from users, with one check and one form of message; and places on a TCP network. */
#ifndef EXTORUS_NUMBER_TEXT_H
#define EXTORUS_NUMBER_TEXT_H

#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

/* All of `text` is a number of base 10 or 16, of digits alone, from `min` to `max`. XT_ERR_RANGE: the text is none;
 * the message begins with `what`, for example "--seed". */
XT_API int xt_number_read(const char *what, const char *text, unsigned base, uint64_t min, uint64_t max,
	uint64_t *value, xt_diag_t *diag);

/* Likewise of a decimal fraction, as 0.25 or 1e-3. Without an upper bound `max` is DBL_MAX. */
XT_API int xt_real_read(const char *what, const char *text, double min, double max, double *value, xt_diag_t *diag);

/* How long to wait for other programs, as the writer of a pipe: EXTORUS_WAIT_SECONDS of the environment, from 1 to
 * 86,400, or `otherwise`. */
XT_API int xt_wait_seconds(unsigned otherwise, unsigned *seconds, xt_diag_t *diag);

/* "HOST:PORT", "[IPV6]:PORT" or ":PORT". */
typedef struct {
	char host[256]; /* a name or a literal, without brackets; "localhost" if there is none */
	uint16_t port;
} xt_tcp_place_t;

/* `least`: the lowest port, 0 or 1. */
XT_API int xt_tcp_place_read(
	const char *what, const char *text, uint16_t least, xt_tcp_place_t *place, xt_diag_t *diag);

/* The addresses of a place within `ms`, `passive`: to listen at. *list: for freeaddrinfo. XT_ERR_NODEVICE: there
 * are none, or none by then. */
struct addrinfo;
XT_API int xt_tcp_place_resolve(const char *what, const xt_tcp_place_t *place, int passive, unsigned ms,
	struct addrinfo **list, xt_diag_t *diag);

XT_END_C
#endif
