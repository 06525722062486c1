/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte pipes to a board, one each way: USB, FTDI, UART, TCP. A pipe knows nothing of the protocol. One thread receives,
 * one at a time sends; both may happen at once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "extorus/device.h"
#include "extorus/error.h"

typedef struct xt_pipe xt_pipe_t;

typedef struct {
	/* Hands all bytes over. XT_ERR_TIMEOUT: for timeout_ms none could be. XT_ERR_GONE: the other end has. */
	int (*send)(xt_pipe_t *pipe, const uint8_t *bytes, size_t count, unsigned timeout_ms, xt_diag_t *diag);
	/* Waits for bytes, at most for timeout_ms or until `wake`: *count 0 then. */
	int (*receive)(
		xt_pipe_t *pipe, uint8_t *bytes, size_t room, unsigned timeout_ms, size_t *count, xt_diag_t *diag);
	/* Ends a `receive` of another thread early, or the next one. */
	void (*wake)(xt_pipe_t *pipe);
	/* Cancels what is under way; no other thread uses the pipe any more. */
	void (*close)(xt_pipe_t *pipe);
} xt_pipe_operations_t;

/* Every pipe begins with one of these. */
struct xt_pipe {
	const xt_pipe_operations_t *operations;
};

/* What the URI of a board says; the strings are of xt_board_uri_t's owner. */
typedef struct {
	const char *where;   /* between the scheme and the first ';' */
	const char *serial;  /* NULL: any */
	unsigned baud;       /* 0: XT_UART_BAUD */
	unsigned timeout_ms; /* for opening; 0: XT_PIPE_TIMEOUT_MS */
} xt_pipe_place_t;

enum { XT_UART_BAUD = 1000000, XT_PIPE_TIMEOUT_MS = 1000 };

/* Whether there is such a pipe: "usb", "ftdi", "uart", "tcp". */
int xt_pipe_is_scheme(const char *scheme);
int xt_pipe_open(const char *scheme, const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);

/* One for each scheme. */
int xt_pipe_open_usb(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);
int xt_pipe_open_ftdi(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);
int xt_pipe_open_uart(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);
int xt_pipe_open_tcp(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);
