/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters of a served network by HTTP, for Prometheus. Nothing here waits: a client that is slow, or sends what is
 * no request, has a place for a few seconds and keeps nobody else. */
#pragma once

#include <poll.h>
#include <stddef.h>

#include "extorus/device.h"
#include "listener.h"

enum {
	XT_METRICS_CLIENTS = 16,
	XT_METRICS_POLLED = XT_MOST_LISTENERS + XT_METRICS_CLIENTS,
	XT_METRICS_REQUEST = 4096, /* bytes of a request with its headers */
};

typedef struct {
	int fd; /* -1: none */
	double since;
	size_t received;
	char request[XT_METRICS_REQUEST];
	char *answer; /* NULL: none yet */
	size_t size, sent;
} xt_metrics_client_t;

typedef struct {
	xt_device_t *device;
	const xt_listener_t *listener;
	xt_metrics_client_t clients[XT_METRICS_CLIENTS];
	/* The text of the last second, for whoever asks again. */
	char *text;
	size_t size;
	double made;
} xt_metrics_server_t;

void xt_metrics_server_begin(xt_metrics_server_t *server, xt_device_t *device, const xt_listener_t *listener);
void xt_metrics_server_end(xt_metrics_server_t *server);
/* Fills in XT_METRICS_POLLED places, */
void xt_metrics_server_await(const xt_metrics_server_t *server, struct pollfd *polled);
/* and does what has become possible. */
void xt_metrics_server_attend(xt_metrics_server_t *server, const struct pollfd *polled);
