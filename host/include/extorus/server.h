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

/* Takes bytes from the host and carries out what they ask, or refuses. Every byte may add an answer of 200 bytes to the
 * output, so a caller stops reading while much output waits. */
XT_API void xt_server_feed(xt_server_t *server, const uint8_t *bytes, size_t count);

typedef enum {
	XT_SERVER_IDLE,   /* nothing happens before the host asks for something */
	XT_SERVER_WORKS,  /* another step is due now */
	XT_SERVER_STANDS, /* packets wait, and nothing has moved for long: another step can wait */
} xt_server_work_t;

/* Lets the network run for a while if there is work, and takes the packets that came out. Fails once, if the simulator
 * does: from then on the network stands still, and INJECT is refused. */
XT_API int xt_server_step(xt_server_t *server, xt_server_work_t *work, xt_diag_t *diag);
/* Bytes for the host, oldest first; xt_server_sent takes away those that were sent. */
XT_API const uint8_t *xt_server_output(const xt_server_t *server, size_t *count);
XT_API void xt_server_sent(xt_server_t *server, size_t count);
/* The host has gone or come: half a frame is forgotten, and nothing is sent before SYNC. */
XT_API void xt_server_restart(xt_server_t *server);

enum { XT_SERVER_REFUSAL_BYTES = 256 };
/* For a host that comes while another has the board: the answer to the INFO in `bytes`, which says who has had the
 * board for how long, into `answer` (XT_SERVER_REFUSAL_BYTES). Returns its bytes; 0: no whole INFO has come. */
XT_API size_t xt_server_refuse(
	const uint8_t *bytes, size_t count, const char *who, uint64_t seconds, uint8_t *answer, size_t room);

/* Whether a whole frame is among the first bytes of a host: it speaks the protocol. */
XT_API int xt_server_is_asked(const uint8_t *bytes, size_t count);

XT_END_C
#endif
