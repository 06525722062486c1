/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of an open device. */
#pragma once

#include "backend.h"
#include "extorus/device.h"

typedef struct {
	char text[16];
} xt_port_label_t;

struct xt_device {
	const xt_backend_t *backend;
	xt_engine_t *engine;
	void *library; /* of dlopen */
	const xt_profile_t *profile;
	unsigned cards;
	unsigned link_latency; /* cycles, of a simulator; 0: not known */
	int part;              /* of a larger network; `first` is its card that is card 0 here */
	unsigned first;
	xt_peer_t *peers;        /* [card * link_ports + port] */
	xt_port_label_t *labels; /* [card * ports + port] */
	/* What the tables are known to hold at every port, [card * entries + index], GRT first; NULL: not
	 * known. */
	uint64_t *known;
	/* Which link ports XT_FAULT_KILL_LINK was asked for, at either end, [card * link_ports + port]: */
	uint8_t *killed;
	/* Packets to and from the NICs of a simulator, made when first used (simulated_nic.h). */
	struct xt_simulated_nic *nic;
	unsigned map_version;    /* of the registers; the oldest of all cards */
	xt_open_options_t hooks; /* `interrupted` and its context */
	int shielded;            /* from interrupts */
	uint32_t *rank_cards;    /* [ranks + 1], of a simulator opened with options.ranks; NULL: it has all cards */
	uint8_t *present;        /* [card]: it is there, in this process; likewise */
	int ran;                 /* of such a device: its run is over */
	int unwired;             /* nobody told how the cards are connected; no port has a peer */
	int kept_alive;          /* every card sends keepalives for the sake of a link that was killed */
};

enum {
	XT_KILLED_EARLIER = 1, /* in a run that is over */
	XT_KILLED_NOW = 2,     /* in the run that is under way or comes next */
};

/* Profile, number of cards and wiring of a topology's specification or an image file; `profile`: the name asked for, or
 * NULL. */
int xt_device_wire(xt_device_t *device, const char *where, const char *profile, xt_diag_t *diag);
/* Number of cards and wiring of an image of the device's profile. */
int xt_device_wire_as(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag);
/* Ports with plain names that lead nowhere, for cards of unknown wiring. */
int xt_device_leave_unwired(xt_device_t *device, xt_diag_t *diag);

/* XT_ERR_INTERRUPTED if the caller wants the end. */
int xt_device_check_interrupted(const xt_device_t *device, xt_diag_t *diag);

/* As write_cards of a back end, for any: `count` registers from `address` on of each card in turn. */
int xt_device_write_cards(
	xt_device_t *device, uint32_t address, const uint32_t *values, unsigned count, xt_diag_t *diag);

/* Whether every card is one of the profile. */
int xt_device_identify(xt_device_t *device, xt_diag_t *diag);
/* Identifies the cards of a simulated network and waits for its links. */
int xt_device_bring_up(xt_device_t *device, xt_diag_t *diag);

/* Whether any bit of `when` is set for that port. */
int xt_device_killed(const xt_device_t *device, unsigned card, unsigned port, unsigned when);
/* Whether any port is XT_KILLED_NOW, or XT_KILLED_EARLIER. */
int xt_device_kills(const xt_device_t *device);
int xt_device_killed_earlier(const xt_device_t *device);
/* Switches the keepalives off again that a killed link needed, once both ends have noticed: cards that send them are
 * never idle, which makes reading their registers slow. Only in networks where that is over before a card could miss
 * the keepalives of one that has stopped already. */
int xt_device_rest_links(xt_device_t *device, xt_diag_t *diag);
/* The run is over. */
void xt_device_kills_over(xt_device_t *device);

/* Its registers can be reached, in this process. */
static inline int xt_device_has(const xt_device_t *device, unsigned card)
{
	return !device->present || device->present[card];
}

/* XT_ERR_UNSUPPORTED where it has only some of the cards. */
int xt_device_need_all(const xt_device_t *device, const char *what, xt_diag_t *diag);

/* Entries of a card's GRT and LRT together. */
static inline unsigned xt_device_entries(const xt_device_t *device)
{
	return (1u << device->profile->grt_bits) + (1u << device->profile->lrt_bits);
}

/* Exchanges two LRT entries of a card at every port. */
int xt_device_swap_entries(xt_device_t *device, unsigned card, unsigned a, unsigned b, xt_diag_t *diag);
