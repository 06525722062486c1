/* SPDX-License-Identifier: Apache-2.0
 *
 * What the registers of the cards let one choose beyond the routing tables. */
#ifndef EXTORUS_SETTINGS_H
#define EXTORUS_SETTINGS_H

#include "extorus/device.h"
#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

/* How an adaptive packet chooses among its candidates; the value of register ADAPTIVE_SELECT. */
typedef enum {
	XT_SELECT_RR,          /* all alike, in turn */
	XT_SELECT_NO_INTERNAL, /* never the internal link */
	XT_SELECT_2_PRIORITY,  /* the internal link last */
	XT_SELECT_3_PRIORITY,  /* the internal link last, the split middle dimension before it */
	XT_SELECTS,
} xt_select_t;

/* "rr", "no-internal", "2-priority", "3-priority". */
XT_API const char *xt_select_name(xt_select_t select);
XT_API int xt_select_parse(const char *text, xt_select_t *select, xt_diag_t *diag);

enum { XT_MAX_WEIGHT = 15 };

/* The share of a TC at an output port. */
typedef struct {
	char port[16]; /* its name, for every card that has one so called, or its number */
	unsigned tc;
	unsigned weight; /* 1 .. XT_MAX_WEIGHT; 0: the default, which counts as 1 */
} xt_weight_t;

/* "PORT:TC=WEIGHT", such as "d0+:1=3" or "4:0=2". */
XT_API int xt_weight_parse(const char *text, xt_weight_t *weight, xt_diag_t *diag);

/* Which of the settings are given; the others stay as they are in the cards. */
enum {
	XT_SETTING_SELECT = 1,
	XT_SETTING_ADAPTIVE_LOW = 2,
	XT_SETTING_ADAPTIVE_HIGH = 4,
	XT_SETTING_PATIENCE = 8,
	XT_SETTING_INJECT_WAIT = 16,
	XT_SETTING_INJECT_ROOM = 32,
};

/* New members come at the end, each with a bit of `given`. */
typedef struct {
	unsigned given; /* XT_SETTING_... */
	xt_select_t select;
	/* Used credits of an adaptive VC: below `low` it is preferred, from `high` on it is no candidate. */
	unsigned adaptive_low, adaptive_high;
	unsigned patience; /* cycles that a packet waits for an adaptive VC before it escapes */
	const xt_weight_t *weights;
	unsigned weight_count;
	/* Packets from a NIC give way to packets from links for so many cycles, 0: never; until then they do not start
	 * where fewer shared cells are free behind the link. 0 after reset; see xt_device_prioritise_transit. */
	unsigned inject_wait, inject_room;
} xt_settings_t;

/* Writes the settings to the registers of every card; which ports are internal or of the split dimension is
 * known to the cards from their image. XT_ERR_UNSUPPORTED if the profile's cards do
 * not have what is set; XT_ERR_RANGE for a port, TC or number that does not exist. */
XT_API int xt_device_configure(xt_device_t *device, const xt_settings_t *settings, xt_diag_t *diag);

/* In-transit priority as it serves the network of an image best. Packets that enter the network wait for up to 256
 * cycles where fewer than a sixth of the shared cells is free; in a plain torus, a third. A plain torus of up to two
 * dimensions and a twin torus of up to three have 64 cycles and a third. A twin torus of five rings of over two
 * nodes has no priority. In plain and twin tori packets that turn into a ring wait likewise, as they otherwise fill
 * the rings beyond saturation. xt_device_load does so in simulated networks, unless XT_LOAD_FORCE leaves out the proof
 * of the image. */
XT_API int xt_device_prioritise_transit(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag);

XT_END_C
#endif
