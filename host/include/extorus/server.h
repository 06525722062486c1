/* SPDX-License-Identifier: Apache-2.0
 *
 * The board's side of the protocol (host/protocol/README.md) in front of a simulated network: bytes in, bytes out. */
#ifndef EXTORUS_SERVER_H
#define EXTORUS_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "extorus/device.h"
#include "extorus/export.h"
#include "extorus/options_size.h"

XT_BEGIN_C

typedef struct xt_server xt_server_t;

typedef struct {
	size_t size; /* sizeof of this struct; see options_size.h */
	uint64_t serial;
	unsigned window; /* 0: XT_FRAME_MAX_WINDOW; likewise the words of a request, 0: 256 */
	unsigned request_words;
	/* For tests of hosts: the board claims a version of the protocol, and a hash of its profile. */
	int claims_version, claims_profile_hash;
	uint16_t version;
	uint32_t profile_hash;
} xt_server_options_t;

/* The device must be simulated, and stay open. */
XT_API int xt_server_create(
	xt_device_t *device, const xt_server_options_t *options, xt_server_t **out, xt_diag_t *diag);
XT_API void xt_server_free(xt_server_t *server); /* NULL is allowed */

/* Takes bytes from the host and carries out what they ask; fails only if the network does. */
XT_API int xt_server_feed(xt_server_t *server, const uint8_t *bytes, size_t count, xt_diag_t *diag);
/* Lets the network run for a while if packets are under way, and takes what came out. *busy: there is more to do. */
XT_API int xt_server_step(xt_server_t *server, int *busy, xt_diag_t *diag);
/* Bytes for the host, oldest first; xt_server_sent takes away those that were sent. */
XT_API const uint8_t *xt_server_output(const xt_server_t *server, size_t *count);
XT_API void xt_server_sent(xt_server_t *server, size_t count);
/* The host has gone or come: half a frame is forgotten, and nothing is sent before SYNC. */
XT_API void xt_server_restart(xt_server_t *server);

XT_END_C
#endif
