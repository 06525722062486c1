/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte pipe over two bulk endpoints with several transfers under way each way, by libusb's asynchronous interface.
 * The thread that receives handles libusb's events. */
#pragma once

#include <libusb.h>

#include "pipe.h"

typedef struct {
	libusb_context *context;
	libusb_device_handle *handle;
	uint8_t in, out; /* endpoints */
	/* 0, or the size of packets of which each begins with two bytes that are no data (FTDI). */
	unsigned status_packet;
	void (*release)(void *owner); /* closes handle and context */
	void *owner;
} xt_usb_setup_t;

/* Takes the set-up over, after a failure too: `release` is called at the end. */
int xt_usb_transfers_open(const xt_usb_setup_t *setup, xt_pipe_t **out, xt_diag_t *diag);

/* The status and message for an error of libusb about `what`. */
int xt_usb_fail(int error, const char *what, xt_diag_t *diag);
