/* SPDX-License-Identifier: Apache-2.0 */
#include "usb_transfers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
	TRANSFERS = 8, /* each way */
	TRANSFER_BYTES = 65536,
	STATUS_BYTES = 2, /* of an FTDI packet */
	PATIENCE = 5,     /* transfers that fail one after the other, until the pipe does */
	CLOSE_MS = 2000,
};

typedef struct xt_pump xt_usb_transfers_t;

typedef struct {
	xt_usb_transfers_t *transfers;
	struct libusb_transfer *transfer;
	uint8_t *bytes;
	int busy; /* libusb has it */
} transfer_t;

struct xt_pump {
	xt_pipe_t pipe;
	xt_usb_setup_t setup;
	pthread_mutex_t lock;
	pthread_cond_t out_free;
	transfer_t in[TRANSFERS], out[TRANSFERS];
	/* Of `in`, those that are complete and not yet taken, oldest first; of the oldest, the bytes taken. */
	unsigned ready[TRANSFERS], ready_count;
	size_t taken;
	unsigned in_failures, out_failures;
	int in_halted, out_halted;
	int gone, closing;
};

int xt_usb_fail(int error, const char *what, xt_diag_t *diag)
{
	switch (error) {
	case LIBUSB_ERROR_ACCESS:
		return xt_fail(diag, XT_ERR_PERMISSION,
			"%s: no permission; install the udev rules (extorus.rules) and plug the board in again", what);
	case LIBUSB_ERROR_NO_DEVICE:
	case LIBUSB_ERROR_NOT_FOUND:
		return xt_fail(diag, XT_ERR_GONE, "%s: the board was unplugged", what);
	case LIBUSB_ERROR_BUSY:
		return xt_fail(
			diag, XT_ERR_BUSY, "%s: another program or driver has the board; end that one first", what);
	case LIBUSB_ERROR_NO_MEM:
		return xt_fail(diag, XT_ERR_NOMEM, "%s: out of memory", what);
	default:
		return xt_fail(diag, XT_ERR_IO, "%s: %s", what, libusb_strerror((enum libusb_error)error));
	}
}

/* The lock is held. */
static int submit(transfer_t *t)
{
	int error = libusb_submit_transfer(t->transfer);

	t->busy = error == 0;
	if (error == LIBUSB_ERROR_NO_DEVICE) {
		t->transfers->gone = 1;
	}
	return error;
}

static void LIBUSB_CALL in_done(struct libusb_transfer *transfer)
{
	transfer_t *t = transfer->user_data;
	xt_usb_transfers_t *p = t->transfers;

	pthread_mutex_lock(&p->lock);
	t->busy = 0;
	switch (transfer->status) {
	case LIBUSB_TRANSFER_COMPLETED:
		p->in_failures = 0;
		break;
	case LIBUSB_TRANSFER_NO_DEVICE:
		p->gone = 1;
		break;
	case LIBUSB_TRANSFER_STALL:
		p->in_halted = 1;
		p->in_failures++;
		break;
	case LIBUSB_TRANSFER_CANCELLED:
		break;
	default:
		p->in_failures++;
		break;
	}
	if (!p->closing) {
		p->ready[p->ready_count++] = (unsigned)(t - p->in);
	}
	pthread_mutex_unlock(&p->lock);
}

static void LIBUSB_CALL out_done(struct libusb_transfer *transfer)
{
	transfer_t *t = transfer->user_data;
	xt_usb_transfers_t *p = t->transfers;

	pthread_mutex_lock(&p->lock);
	t->busy = 0;
	if (transfer->status == LIBUSB_TRANSFER_COMPLETED) {
		p->out_failures = 0;
	} else if (transfer->status == LIBUSB_TRANSFER_NO_DEVICE) {
		p->gone = 1;
	} else if (transfer->status != LIBUSB_TRANSFER_CANCELLED) {
		/* What is lost here the protocol sends again. */
		p->out_failures++;
		p->out_halted |= transfer->status == LIBUSB_TRANSFER_STALL;
	}
	pthread_cond_broadcast(&p->out_free);
	pthread_mutex_unlock(&p->lock);
}

/* The lock is held. What ends the pipe. */
static int health(const xt_usb_transfers_t *p, xt_diag_t *diag)
{
	if (p->gone) {
		return xt_fail(diag, XT_ERR_GONE, "the board was unplugged");
	}
	if (p->in_failures >= PATIENCE || p->out_failures >= PATIENCE) {
		return xt_fail(diag, XT_ERR_IO,
			"USB transfers %s the board fail one after the other; plug it in again, "
			"by another cable or port",
			p->in_failures >= PATIENCE ? "from" : "to");
	}
	return XT_OK;
}

/* Bytes of the oldest transfer that are data, from p->taken on; the lock is held. */
static size_t take(xt_usb_transfers_t *p, uint8_t *bytes, size_t room)
{
	transfer_t *t = &p->in[p->ready[0]];
	size_t length = (size_t)t->transfer->actual_length, count = 0;

	while (count < room && p->taken < length) {
		size_t packet = p->setup.status_packet ? p->setup.status_packet : TRANSFER_BYTES;
		size_t within = p->taken % packet, chunk = packet - within;

		if (p->setup.status_packet && within < STATUS_BYTES) {
			p->taken += STATUS_BYTES - within;
			continue;
		}
		if (chunk > length - p->taken) {
			chunk = length - p->taken;
		}
		if (chunk > room - count) {
			chunk = room - count;
		}
		memcpy(bytes + count, t->bytes + p->taken, chunk);
		p->taken += chunk;
		count += chunk;
	}
	if (p->taken >= length) {
		p->taken = 0;
		memmove(p->ready, p->ready + 1, --p->ready_count * sizeof(p->ready[0]));
		submit(t);
	}
	return count;
}

/* Endpoints that are halted work again after this; not within a callback. */
static void clear_halts(xt_usb_transfers_t *p)
{
	int in, out;

	pthread_mutex_lock(&p->lock);
	in = p->in_halted;
	out = p->out_halted;
	p->in_halted = 0;
	p->out_halted = 0;
	pthread_mutex_unlock(&p->lock);
	if (in) {
		libusb_clear_halt(p->setup.handle, p->setup.in);
	}
	if (out) {
		libusb_clear_halt(p->setup.handle, p->setup.out);
	}
}

static int transfers_receive(
	xt_pipe_t *pipe, uint8_t *bytes, size_t room, unsigned timeout_ms, size_t *count, xt_diag_t *diag)
{
	xt_usb_transfers_t *p = (xt_usb_transfers_t *)pipe;
	struct timeval time = {timeout_ms / 1000, (suseconds_t)(timeout_ms % 1000) * 1000};
	int status, waited = 0;

	*count = 0;
	for (;;) {
		pthread_mutex_lock(&p->lock);
		while (p->ready_count && *count == 0 && !p->gone && !p->in_halted) {
			*count = take(p, bytes, room);
		}
		status = *count ? XT_OK : health(p, diag);
		pthread_mutex_unlock(&p->lock);
		if (*count || status || waited) {
			return status;
		}
		clear_halts(p);
		libusb_handle_events_timeout_completed(p->setup.context, &time, NULL);
		waited = 1;
	}
}

static transfer_t *free_transfer(xt_usb_transfers_t *p)
{
	for (unsigned i = 0; i < TRANSFERS; i++) {
		if (!p->out[i].busy) {
			return &p->out[i];
		}
	}
	return NULL;
}

static int transfers_send(xt_pipe_t *pipe, const uint8_t *bytes, size_t count, unsigned timeout_ms, xt_diag_t *diag)
{
	xt_usb_transfers_t *p = (xt_usb_transfers_t *)pipe;
	int status = XT_OK;

	pthread_mutex_lock(&p->lock);
	while (count && status == XT_OK) {
		struct timespec end = xt_deadline(timeout_ms);
		size_t chunk = count < TRANSFER_BYTES ? count : TRANSFER_BYTES;
		transfer_t *t;
		int error = 0;

		while (!(t = free_transfer(p)) && !p->gone && !error) {
			error = pthread_cond_timedwait(&p->out_free, &p->lock, &end);
		}
		status = health(p, diag);
		if (status == XT_OK && !t) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "the board takes no more bytes; reset it");
		}
		if (status == XT_OK) {
			memcpy(t->bytes, bytes, chunk);
			t->transfer->length = (int)chunk;
			error = submit(t);
			status = error ? xt_usb_fail(error, "sending", diag) : XT_OK;
			bytes += chunk;
			count -= chunk;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

static void transfers_wake(xt_pipe_t *pipe)
{
	libusb_interrupt_event_handler(((xt_usb_transfers_t *)pipe)->setup.context);
}

static int busy(xt_usb_transfers_t *p)
{
	int any = 0;

	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < TRANSFERS; i++) {
		any |= p->in[i].busy | p->out[i].busy;
	}
	pthread_mutex_unlock(&p->lock);
	return any;
}

static void transfers_close(xt_pipe_t *pipe)
{
	xt_usb_transfers_t *p = (xt_usb_transfers_t *)pipe;
	uint64_t end = xt_now_ms() + CLOSE_MS;

	pthread_mutex_lock(&p->lock);
	p->closing = 1;
	for (unsigned i = 0; i < TRANSFERS; i++) {
		if (p->in[i].busy) {
			libusb_cancel_transfer(p->in[i].transfer);
		}
		if (p->out[i].busy) {
			libusb_cancel_transfer(p->out[i].transfer);
		}
	}
	pthread_mutex_unlock(&p->lock);
	while (busy(p) && xt_now_ms() < end) {
		struct timeval time = {0, 10000};

		libusb_handle_events_timeout_completed(p->setup.context, &time, NULL);
	}
	/* A transfer that the system never gives back must not be freed under it. */
	for (unsigned i = 0; i < TRANSFERS; i++) {
		transfer_t *both[] = {&p->in[i], &p->out[i]};

		for (unsigned k = 0; k < 2; k++) {
			if (!both[k]->busy) {
				libusb_free_transfer(both[k]->transfer);
				free(both[k]->bytes);
			}
		}
	}
	p->setup.release(p->setup.owner);
	pthread_cond_destroy(&p->out_free);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static const xt_pipe_operations_t operations = {transfers_send, transfers_receive, transfers_wake, transfers_close};

static int prepare(xt_usb_transfers_t *p, transfer_t *t, uint8_t endpoint, libusb_transfer_cb_fn done)
{
	t->transfers = p;
	t->transfer = libusb_alloc_transfer(0);
	t->bytes = malloc(TRANSFER_BYTES);
	if (!t->transfer || !t->bytes) {
		return XT_ERR_NOMEM;
	}
	libusb_fill_bulk_transfer(t->transfer, p->setup.handle, endpoint, t->bytes, TRANSFER_BYTES, done, t, 0);
	return XT_OK;
}

int xt_usb_transfers_open(const xt_usb_setup_t *setup, xt_pipe_t **out, xt_diag_t *diag)
{
	xt_usb_transfers_t *p = calloc(1, sizeof(*p));
	pthread_condattr_t attributes;
	int status = XT_OK;

	if (!p) {
		setup->release(setup->owner);
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	p->pipe.operations = &operations;
	p->setup = *setup;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&p->out_free, &attributes);
	pthread_condattr_destroy(&attributes);
	for (unsigned i = 0; i < TRANSFERS && status == XT_OK; i++) {
		status = prepare(p, &p->in[i], setup->in, in_done);
		if (status == XT_OK) {
			status = prepare(p, &p->out[i], setup->out, out_done);
		}
	}
	if (status != XT_OK) {
		xt_fail(diag, status, "device: out of memory");
	}
	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < TRANSFERS && status == XT_OK; i++) {
		int error = submit(&p->in[i]);

		status = error ? xt_usb_fail(error, "receiving", diag) : XT_OK;
	}
	pthread_mutex_unlock(&p->lock);
	if (status != XT_OK) {
		transfers_close(&p->pipe);
		return status;
	}
	*out = &p->pipe;
	return XT_OK;
}
