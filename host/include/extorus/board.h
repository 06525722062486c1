/* SPDX-License-Identifier: Apache-2.0
 *
 * What boards have beyond registers and tables, and packets to and from the PEs of any device. */
#ifndef EXTORUS_BOARD_H
#define EXTORUS_BOARD_H

#include <stdint.h>

#include "extorus/device.h"
#include "extorus/export.h"
#include "extorus/topology.h"

XT_BEGIN_C

/* What a board says of itself, and what happened on the way to it since it was opened. */
typedef struct {
	unsigned protocol;    /* version */
	unsigned cards, nics; /* NIC ports of each card */
	unsigned window;      /* requests that may be under way */
	uint64_t serial;
	uint32_t clock_khz; /* of the cards; 0: not known */
	uint32_t build;     /* of the bitstream */
	char profile[17];
	uint32_t profile_hash;
	unsigned inject_words, receive_words; /* of the queues at each NIC port */
	unsigned dropped;                     /* damaged frames that the board dropped, modulo 65536 */

	uint64_t requests, repeated;
	uint64_t bytes_sent, bytes_received;
	uint64_t damaged; /* frames that came damaged and were dropped */
	uint64_t events;
} xt_board_info_t;

/* Whether the device is a board; if it is and `info` is not NULL, what it says. */
XT_API int xt_device_board(const xt_device_t *device, xt_board_info_t *info);

/* Where a link port leads, as the board tells. */
typedef struct {
	int told;       /* else the rest is not known, as of a board whose bitstream is older */
	int inside;     /* to `peer`, whose card counts from the board's first one */
	int pins;       /* to pins, where a cable may be */
	xt_peer_t peer; /* of an inner link */
} xt_told_peer_t;

/* Of all link ports of a card; peers[] has room for those of the profile. */
XT_API int xt_device_told_peers(xt_device_t *device, unsigned card, xt_told_peer_t *peers, xt_diag_t *diag);

/* Whether a board has an inner link or pins for each link that the image has at its cards. XT_ERR_MISMATCH: the
 * diagnostic names card and port, and what to do. Of a board that does not tell its links, nothing is known. */
XT_API int xt_device_check_links(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag);

/* Resets a card of a board: its tables are empty then. Links with a link layer are trained again. Both ends of a link
 * without one count its credits, so there all cards of the board are reset, as by the next function.
 * XT_ERR_UNSUPPORTED: the device is simulated. */
XT_API int xt_device_reset(xt_device_t *device, unsigned card, xt_diag_t *diag);
/* All cards, whatever is under way; *done: those that are reset, also if one fails. */
XT_API int xt_device_reset_all(xt_device_t *device, unsigned *done, xt_diag_t *diag);

/* PEs of a device: PE p is at NIC port p % n of card p / n, n being the NIC ports of a card. */
XT_API unsigned xt_device_pes(const xt_device_t *device);
/* Words of a cell, and of the longest packet. */
XT_API unsigned xt_device_cell_words(const xt_device_t *device);
XT_API unsigned xt_device_packet_words(const xt_device_t *device);

/* The header of a packet, in its first cell. */
typedef struct {
	uint32_t destination, source; /* addresses: CARD_ID and number of the NIC port */
	unsigned cells, tc;
	uint64_t tag; /* its lowest bits, as many as there are */
} xt_packet_header_t;

/* Writes a header into the first cell of a packet, and reads one. */
XT_API void xt_packet_set_header(const xt_profile_t *profile, uint32_t *cell, const xt_packet_header_t *header);
XT_API xt_packet_header_t xt_packet_get_header(const xt_profile_t *profile, const uint32_t *cell);

/* Queues one packet, `count` words of whole cells as over AXI4-Stream, for PE `pe`. Waits for room: XT_ERR_TIMEOUT if
 * there was none for `timeout_ms` (a simulator: for as many thousand cycles). XT_ERR_INVALID if `count` is not what the
 * header says. */
XT_API int xt_device_inject(
	xt_device_t *device, unsigned pe, const uint32_t *words, unsigned count, unsigned timeout_ms, xt_diag_t *diag);
/* All that was injected is in the device. */
XT_API int xt_device_flush(xt_device_t *device, xt_diag_t *diag);
/* The next packet that PE `pe` received; `room` is at least xt_device_packet_words. *count 0: none came for
 * `timeout_ms` (a simulator: until nothing moves, at most for as many thousand cycles). *poisoned: it is incomplete. */
XT_API int xt_device_receive(xt_device_t *device, unsigned pe, uint32_t *words, unsigned room, unsigned *count,
	int *poisoned, unsigned timeout_ms, xt_diag_t *diag);

/* Puts the tables back that an interrupted load had begun to change, and releases the cards; *recovered: there was
 * something to put back. A load does so by itself. */
XT_API int xt_device_recover(xt_device_t *device, int *recovered, xt_diag_t *diag);
/* Whether a load of the board was interrupted: its cards may be quiesced and hold a mixture of tables. */
XT_API int xt_device_interrupted(xt_device_t *device);
/* Whether no port is quiesced, and no load or test of a card ended early. XT_ERR_MISMATCH: the diagnostic names card
 * and ports, and what to do. */
XT_API int xt_device_check_released(xt_device_t *device, xt_diag_t *diag);

/* A test of a card that overwrites its tables begins, and has put them back. If the program dies in between, the next
 * one is told so (xt_device_check_released), and a load writes all tables. */
XT_API int xt_device_begin_test(xt_device_t *device, unsigned card, xt_diag_t *diag);
XT_API int xt_device_end_test(xt_device_t *device, unsigned card, xt_diag_t *diag);

/* What a load of a board did. */
typedef struct {
	uint64_t entries, changed; /* table entries of all cards, and those that were written */
	uint64_t settings;         /* other registers that were written */
	int taken_over;            /* an interrupted load or test had left the cards between two states */
	int unchecked; /* the board does not tell its internal links, so nobody compared them with the image */
} xt_load_counts_t;

/* As xt_device_load, and says what was done; all zero for simulators. */
XT_API int xt_device_load_counted(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_progress_t progress,
	void *context, xt_load_counts_t *counts, xt_diag_t *diag);

XT_END_C
#endif
