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

typedef struct xt_pump xt_pump_t;

typedef struct {
	xt_pump_t *pump;
	struct libusb_transfer *transfer;
	uint8_t *bytes;
	int busy; /* libusb has it */
} flight_t;

struct xt_pump {
	xt_pipe_t pipe;
	xt_pump_setup_t setup;
	pthread_mutex_t lock;
	pthread_cond_t out_free;
	flight_t in[TRANSFERS], out[TRANSFERS];
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
static int submit(flight_t *f)
{
	int error = libusb_submit_transfer(f->transfer);

	f->busy = error == 0;
	if (error == LIBUSB_ERROR_NO_DEVICE) {
		f->pump->gone = 1;
	}
	return error;
}

static void LIBUSB_CALL in_done(struct libusb_transfer *transfer)
{
	flight_t *f = transfer->user_data;
	xt_pump_t *p = f->pump;

	pthread_mutex_lock(&p->lock);
	f->busy = 0;
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
		p->ready[p->ready_count++] = (unsigned)(f - p->in);
	}
	pthread_mutex_unlock(&p->lock);
}

static void LIBUSB_CALL out_done(struct libusb_transfer *transfer)
{
	flight_t *f = transfer->user_data;
	xt_pump_t *p = f->pump;

	pthread_mutex_lock(&p->lock);
	f->busy = 0;
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
static int health(const xt_pump_t *p, xt_diag_t *diag)
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
static size_t take(xt_pump_t *p, uint8_t *bytes, size_t room)
{
	flight_t *f = &p->in[p->ready[0]];
	size_t length = (size_t)f->transfer->actual_length, count = 0;

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
		memcpy(bytes + count, f->bytes + p->taken, chunk);
		p->taken += chunk;
		count += chunk;
	}
	if (p->taken >= length) {
		p->taken = 0;
		memmove(p->ready, p->ready + 1, --p->ready_count * sizeof(p->ready[0]));
		submit(f);
	}
	return count;
}

/* Endpoints that are halted work again after this; not within a callback. */
static void clear_halts(xt_pump_t *p)
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

static int pump_receive(
	xt_pipe_t *pipe, uint8_t *bytes, size_t room, unsigned timeout_ms, size_t *count, xt_diag_t *diag)
{
	xt_pump_t *p = (xt_pump_t *)pipe;
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

static flight_t *free_flight(xt_pump_t *p)
{
	for (unsigned i = 0; i < TRANSFERS; i++) {
		if (!p->out[i].busy) {
			return &p->out[i];
		}
	}
	return NULL;
}

static int pump_send(xt_pipe_t *pipe, const uint8_t *bytes, size_t count, unsigned timeout_ms, xt_diag_t *diag)
{
	xt_pump_t *p = (xt_pump_t *)pipe;
	int status = XT_OK;

	pthread_mutex_lock(&p->lock);
	while (count && status == XT_OK) {
		struct timespec end = xt_deadline(timeout_ms);
		size_t chunk = count < TRANSFER_BYTES ? count : TRANSFER_BYTES;
		flight_t *f;
		int error = 0;

		while (!(f = free_flight(p)) && !p->gone && !error) {
			error = pthread_cond_timedwait(&p->out_free, &p->lock, &end);
		}
		status = health(p, diag);
		if (status == XT_OK && !f) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "the board takes no more bytes; reset it");
		}
		if (status == XT_OK) {
			memcpy(f->bytes, bytes, chunk);
			f->transfer->length = (int)chunk;
			error = submit(f);
			status = error ? xt_usb_fail(error, "sending", diag) : XT_OK;
			bytes += chunk;
			count -= chunk;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

static void pump_wake(xt_pipe_t *pipe)
{
	libusb_interrupt_event_handler(((xt_pump_t *)pipe)->setup.context);
}

static int busy(xt_pump_t *p)
{
	int any = 0;

	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < TRANSFERS; i++) {
		any |= p->in[i].busy | p->out[i].busy;
	}
	pthread_mutex_unlock(&p->lock);
	return any;
}

static void pump_close(xt_pipe_t *pipe)
{
	xt_pump_t *p = (xt_pump_t *)pipe;
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
		flight_t *both[] = {&p->in[i], &p->out[i]};

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

static const xt_pipe_operations_t operations = {pump_send, pump_receive, pump_wake, pump_close};

static int prepare(xt_pump_t *p, flight_t *f, uint8_t endpoint, libusb_transfer_cb_fn done)
{
	f->pump = p;
	f->transfer = libusb_alloc_transfer(0);
	f->bytes = malloc(TRANSFER_BYTES);
	if (!f->transfer || !f->bytes) {
		return XT_ERR_NOMEM;
	}
	libusb_fill_bulk_transfer(f->transfer, p->setup.handle, endpoint, f->bytes, TRANSFER_BYTES, done, f, 0);
	return XT_OK;
}

int xt_pump_open(const xt_pump_setup_t *setup, xt_pipe_t **out, xt_diag_t *diag)
{
	xt_pump_t *p = calloc(1, sizeof(*p));
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
		pump_close(&p->pipe);
		return status;
	}
	*out = &p->pipe;
	return XT_OK;
}
