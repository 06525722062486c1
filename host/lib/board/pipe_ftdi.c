/* SPDX-License-Identifier: Apache-2.0
 *
 * A board behind the synchronous FIFO of an FT232H or FT2232H. libftdi sets the chip up; usb_transfers.c moves the
 * bytes.
 */
#include <ftdi.h>
#include <stdlib.h>
#include <string.h>

#include "usb_transfers.h"

enum { FTDI_VENDOR = 0x0403, FT2232H = 0x6010, FT232H = 0x6014, LATENCY_MS = 1, ALL_PINS = 0xff };

static void ftdi_release(void *owner)
{
	struct ftdi_context *ftdi = owner;

	ftdi_set_bitmode(ftdi, ALL_PINS, BITMODE_RESET);
	ftdi_usb_close(ftdi);
	ftdi_free(ftdi);
}

/* The status for what libftdi's opening returned. */
static int open_fail(struct ftdi_context *ftdi, int error, xt_diag_t *diag)
{
	switch (error) {
	case -3:
		return xt_fail(diag, XT_ERR_NODEVICE,
			"there is no FT232H or FT2232H with that serial number on USB; plug the board in");
	case -4:
	case -8:
		return xt_fail(diag, XT_ERR_PERMISSION,
			"no permission for the FTDI chip; install the udev rules (extorus.rules) and plug the board in "
			"again");
	case -5:
		return xt_fail(diag, XT_ERR_BUSY, "the FTDI chip is in use by another program; end that one first");
	default:
		return xt_fail(diag, XT_ERR_IO, "the FTDI chip: %s", ftdi_get_error_string(ftdi));
	}
}

static int find(struct ftdi_context *ftdi, const xt_pipe_place_t *place)
{
	int error;

	if (*place->where) {
		return ftdi_usb_open_string(ftdi, place->where);
	}
	error = ftdi_usb_open_desc(ftdi, FTDI_VENDOR, FT232H, NULL, place->serial);
	return error == -3 ? ftdi_usb_open_desc(ftdi, FTDI_VENDOR, FT2232H, NULL, place->serial) : error;
}

int xt_pipe_open_ftdi(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag)
{
	struct ftdi_context *ftdi = ftdi_new();
	int error, status;

	if (!ftdi) {
		return xt_fail(diag, XT_ERR_NODEVICE, "device: libftdi does not start; is USB there?");
	}
	ftdi_set_interface(ftdi, INTERFACE_A);
	ftdi->usb_read_timeout = ftdi->usb_write_timeout =
		(int)(place->timeout_ms ? place->timeout_ms : XT_PIPE_TIMEOUT_MS);
	error = find(ftdi, place);
	if (error < 0) {
		status = open_fail(ftdi, error, diag);
		ftdi_free(ftdi);
		return status;
	}
	if (ftdi_set_latency_timer(ftdi, LATENCY_MS) < 0 || ftdi_setflowctrl(ftdi, SIO_DISABLE_FLOW_CTRL) < 0 ||
		ftdi_set_bitmode(ftdi, ALL_PINS, BITMODE_RESET) < 0 || ftdi_tcioflush(ftdi) < 0 ||
		ftdi_set_bitmode(ftdi, ALL_PINS, BITMODE_SYNCFF) < 0) {
		status = xt_fail(diag, XT_ERR_IO, "the FTDI chip cannot be set up as a synchronous FIFO: %s",
			ftdi_get_error_string(ftdi));
		ftdi_release(ftdi);
		return status;
	}
	/* libftdi names the endpoints as the chip sees them. */
	return xt_usb_transfers_open(&(xt_usb_setup_t){.context = ftdi->usb_ctx,
					     .handle = ftdi->usb_dev,
					     .in = (uint8_t)ftdi->out_ep,
					     .out = (uint8_t)ftdi->in_ep,
					     .status_packet = ftdi->max_packet_size,
					     .release = ftdi_release,
					     .owner = ftdi},
		out, diag);
}
