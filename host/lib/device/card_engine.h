/* SPDX-License-Identifier: Apache-2.0
 *
 * One card by itself, stepped clock edge by clock edge by whoever has it, with the pins of xt_card.sv. The shared
 * object of a back end that knows cards exports `const xt_card_engine_t *xt_card_entry(void)`; whatever it simulates
 * them with, the same bits come out. */
#pragma once

#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/profile.h"

XT_BEGIN_C

enum {
	XT_CARD_ENGINE_ABI = 1,
	XT_PIN_CELL_WORDS = XT_MAX_CELL_BITS / 32,
	XT_PIN_FRAME_WORDS = XT_PIN_CELL_WORDS + 4,
};

/* A card's own state. */
typedef struct xt_card xt_card_t;

/* Vectors with a bit per link port, or per NIC port counted from 0. A frame or a cell matters where its valid bit is
 * set; it is words, least significant first, unused bits 0. AXI4-Lite writes whole words. */
typedef struct {
	uint32_t rst_n;
	uint32_t link_valid;
	uint32_t link_frame[XT_MAX_LINK_PORTS][XT_PIN_FRAME_WORDS];
	uint32_t nic_valid, nic_last; /* from the PE */
	uint32_t nic_data[XT_MAX_PORTS][XT_PIN_CELL_WORDS];
	uint32_t nic_ready; /* of the PE */
	uint32_t awvalid, awaddr, wvalid, wdata, bready, arvalid, araddr, rready;
} xt_card_inputs_t;

typedef struct {
	uint32_t link_valid;
	uint32_t link_frame[XT_MAX_LINK_PORTS][XT_PIN_FRAME_WORDS];
	uint32_t nic_ready;                     /* of the card */
	uint32_t nic_valid, nic_last, nic_user; /* to the PE; user with last: the packet is incomplete */
	uint32_t nic_data[XT_MAX_PORTS][XT_PIN_CELL_WORDS];
	uint32_t awready, wready, bvalid, bresp, arready, rvalid, rresp, rdata;
	uint32_t idle; /* if no link has a frame either, a step without valid inputs changes nothing */
} xt_card_outputs_t;

typedef struct {
	uint32_t abi;  /* XT_CARD_ENGINE_ABI */
	uint32_t size; /* of this structure: a stale build is not called */
	const char *engine;
	const char *profile; /* the one it was built for, and xt_profile_hash of it then */
	uint32_t profile_hash;

	/* The card has not been reset yet. */
	int (*open)(xt_card_t **out, xt_diag_t *diag);
	void (*close)(xt_card_t *card); /* NULL is allowed */
	/* A rising edge of the clock: from the inputs before it to the outputs after it. XT_ERR_NOMEM: the card cannot
	 * go on. */
	int (*step)(xt_card_t *card, const xt_card_inputs_t *in, xt_card_outputs_t *out);
	/* Whole tables at every input port, past the registers; once the card is ready. */
	void (*set_tables)(xt_card_t *card, const uint64_t *grt, const uint64_t *lrt);
} xt_card_engine_t;

typedef const xt_card_engine_t *(*xt_card_entry_t)(void);

/* Finds the cards of `scheme` for `profile` by loading its shared object; *library is for dlclose after the last card
 * is closed. */
int xt_plugin_load_card(
	const char *scheme, const xt_profile_t *profile, const xt_card_engine_t **out, void **library, xt_diag_t *diag);

XT_END_C
