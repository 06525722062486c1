/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults of a simulated device. */
#ifndef EXTORUS_FAULT_H
#define EXTORUS_FAULT_H

#include <stdint.h>

#include "extorus/device.h"
#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

/* Faults for proving that the checks see them, or that the hardware bears them. They take effect in the
 * next run. */
typedef enum {
	/* The n-th credit (from 0) for cells that left card:port is lost; where there is a link layer, with the
	 * frame that carries it, and is sent again. */
	XT_FAULT_DROP_CREDIT,
	/* Bit `bit` of the first cell leaving card:port at cycle >= n is inverted; a link layer has it sent
	 * again. */
	XT_FAULT_FLIP_BIT,
	XT_FAULT_BLOCK_NIC,  /* the PE at NIC port `port` of `card` accepts nothing from cycle n on */
	XT_FAULT_SWAP_ENTRY, /* LRT entries a and b of `card` change places, at once and at every port */
	/* Nothing passes the link at card:port in either direction from cycle n on, until another run begins.
	 * Needs a link layer. Keepalives are switched on in every card (XT_KILL_KEEPALIVE cycles) unless they
	 * are already, so that both ends notice. */
	XT_FAULT_KILL_LINK,
} xt_fault_kind_t;

enum { XT_KILL_KEEPALIVE = 256 };

typedef struct {
	xt_fault_kind_t kind;
	uint32_t card, port;
	uint64_t n;
	uint32_t bit;
	uint32_t entry_a, entry_b;
} xt_fault_t;

/* "drop-credit:CARD,PORT,NTH", "flip-bit:CARD,PORT,CYCLE,BIT", "block-nic:CARD,PORT,CYCLE",
 * "swap-entry:CARD,A,B", "kill-link:CARD,PORT,CYCLE". */
XT_API int xt_fault_parse(const char *text, xt_fault_t *fault, xt_diag_t *diag);
/* Devices other than simulators, or without what the fault needs: XT_ERR_UNSUPPORTED. */
XT_API int xt_device_fault(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag);

XT_END_C
#endif
