/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets of a traffic description, PE by PE, in the order of generation. All randomness of a run
 * is here; nothing depends on what the network does with the packets. */
#pragma once

#include <stdint.h>

#include "base/byte_buffer.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/traffic.h"

XT_BEGIN_C

/* A packet is named SOURCE.SEQUENCE in all reports. */
typedef struct {
	uint64_t generated; /* cycle */
	uint32_t source;    /* PE */
	uint32_t sequence;  /* counts the source's packets from 0 */
	uint32_t destination;
	uint32_t message; /* for whoever makes the packet */
	uint16_t cells;
	uint8_t tc;
} xt_packet_t;

typedef struct xt_source xt_source_t;

/* The traffic must have passed xt_traffic_check. `image` gives the PEs and their traffic classes and is
 * not kept. */
int xt_source_create(const xt_traffic_t *traffic, const xt_image_t *image, xt_source_t **out, xt_diag_t *diag);
void xt_source_free(xt_source_t *source);

/* By PE: the cycle in which its next packet is generated, UINT64_MAX for never. Stays valid and is
 * updated by the functions below. */
const uint64_t *xt_source_ready_at(const xt_source_t *source);

/* The next packet of `pe`, whose ready_at must not be UINT64_MAX. */
void xt_source_take(xt_source_t *source, unsigned pe, xt_packet_t *packet);

/* No packet after this. xt_source_offered still works. */
void xt_source_stop(xt_source_t *source);

/* Whether the PE sends anything at all. */
bool xt_source_sends(const xt_source_t *source, unsigned pe);
/* What the description generates in the cycles from .. to-1, taken or not. */
void xt_source_offered(const xt_source_t *source, uint64_t from, uint64_t to, uint64_t *packets, uint64_t *cells);

/* The state of the PEs from `first` to `end` - 1 goes behind `out`; 0: out of memory. The other function takes the
 * state again; 0: what is read is no such state. */
int xt_source_save(const xt_source_t *source, unsigned first, unsigned end, xt_bytes_t *out);
int xt_source_load(xt_source_t *source, xt_bytes_reader_t *in);
/* A sum of the description. */
uint32_t xt_source_sum(const xt_source_t *source);

XT_END_C
