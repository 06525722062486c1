/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe.h"

#include <string.h>

static const struct {
	const char *scheme;
	int (*open)(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag);
} pipes[] = {
	{"usb", xt_pipe_open_usb},
	{"ftdi", xt_pipe_open_ftdi},
	{"uart", xt_pipe_open_uart},
	{"tcp", xt_pipe_open_tcp},
};

enum { PIPES = sizeof(pipes) / sizeof(pipes[0]) };

int xt_pipe_is_scheme(const char *scheme)
{
	for (unsigned i = 0; i < PIPES; i++) {
		if (strcmp(pipes[i].scheme, scheme) == 0) {
			return 1;
		}
	}
	return 0;
}

int xt_pipe_open(const char *scheme, const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag)
{
	*out = NULL;
	for (unsigned i = 0; i < PIPES; i++) {
		if (strcmp(pipes[i].scheme, scheme) == 0) {
			return pipes[i].open(place, out, diag);
		}
	}
	return xt_fail(diag, XT_ERR_NODEVICE, "device: there is no %.40s:", scheme);
}
