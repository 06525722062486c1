/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults for a test: their text form, and how a device gets them. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "device_internal.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

enum { MAX_ARGUMENTS = 4 };

typedef struct {
	const char *name;
	xt_fault_kind_t kind;
	unsigned arguments;
	const char *form;
} form_t;

static const form_t forms[] = {
	{"drop-credit", XT_FAULT_DROP_CREDIT, 3, "drop-credit:CARD,PORT,NTH"},
	{"flip-bit", XT_FAULT_FLIP_BIT, 4, "flip-bit:CARD,PORT,CYCLE,BIT"},
	{"block-nic", XT_FAULT_BLOCK_NIC, 3, "block-nic:CARD,PORT,CYCLE"},
	{"swap-entry", XT_FAULT_SWAP_ENTRY, 3, "swap-entry:CARD,A,B"},
	{"kill-link", XT_FAULT_KILL_LINK, 3, "kill-link:CARD,PORT,CYCLE"},
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* Comma-separated numbers up to the end of `text`; returns how many, or 0. */
static unsigned parse_numbers(const char *text, uint64_t *values)
{
	for (unsigned n = 0; n < MAX_ARGUMENTS; n++) {
		if (xt_number_take(&text, UINT64_MAX, &values[n]) != XT_OK) {
			return 0;
		}
		if (!*text) {
			return n + 1;
		}
		if (*text++ != ',') {
			return 0;
		}
	}
	return 0;
}

int xt_fault_parse(const char *text, xt_fault_t *fault, xt_diag_t *diag)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	uint64_t values[MAX_ARGUMENTS] = {0};

	for (unsigned i = 0; i < FORMS; i++) {
		const form_t *form = &forms[i];

		if (strlen(form->name) != length || strncmp(form->name, text, length) != 0) {
			continue;
		}
		if (!colon || parse_numbers(colon + 1, values) != form->arguments || values[0] > UINT32_MAX ||
			values[1] > UINT32_MAX || values[3] > UINT32_MAX) {
			return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not of the form %s", text, form->form);
		}
		memset(fault, 0, sizeof(*fault));
		fault->kind = form->kind;
		fault->card = (uint32_t)values[0];
		if (form->kind == XT_FAULT_SWAP_ENTRY) {
			if (values[2] > UINT32_MAX) {
				return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not of the form %s", text,
					form->form);
			}
			fault->entry_a = (uint32_t)values[1];
			fault->entry_b = (uint32_t)values[2];
		} else {
			fault->port = (uint32_t)values[1];
			fault->n = values[2];
			fault->bit = (uint32_t)values[3];
		}
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not known; use %s, %s, %s, %s or %s", text,
		forms[0].form, forms[1].form, forms[2].form, forms[3].form, forms[4].form);
}

static int write_keepalive(xt_device_t *device, unsigned card, uint32_t value, xt_diag_t *diag)
{
	uint32_t address = xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0);

	return xt_device_write(device, card, address, &value, 1, diag);
}

int xt_device_rest_links(xt_device_t *device, xt_diag_t *diag)
{
	enum { CYCLES_PER_WRITE = 16 };
	int status = XT_OK;

	if (!device->kept_alive || device->cards * CYCLES_PER_WRITE > 4 * XT_KILL_KEEPALIVE) {
		return XT_OK;
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = write_keepalive(device, card, 0, diag);
	}
	device->kept_alive = 0;
	return status;
}

/* Both ends must notice a dead link, so every card gets keepalives. */
static int kill_link(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	xt_peer_t peer = xt_device_peer(device, fault->card, fault->port);
	uint32_t address = xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0);
	int status;

	if (!device->profile->replay_cells) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"fault: the links of profile %s have no link layer that would notice a dead link",
			device->profile->name);
	}
	status = device->backend->fault(device->engine, fault, diag);
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		uint32_t value;

		status = xt_device_read(device, card, address, &value, 1, diag);
		if (status == XT_OK && !value) {
			status = write_keepalive(device, card, XT_KILL_KEEPALIVE, diag);
			device->kept_alive = 1;
		}
	}
	if (status == XT_OK) {
		device->killed[fault->card * links + fault->port] |= XT_KILLED_NOW;
		device->killed[peer.card * links + peer.port] |= XT_KILLED_NOW;
	}
	return status;
}

int xt_device_fault(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag)
{
	const xt_profile_t *profile = device->profile;
	/* When a dead link is noticed depends on when its ends were brought up. */
	const int status = xt_device_need_all(device, "fault", diag);

	if (status != XT_OK) {
		return status;
	}
	if (fault->card >= device->cards) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: there is no card %" PRIu32 ", only 0 to %u", fault->card,
			device->cards - 1);
	}
	if (fault->kind == XT_FAULT_SWAP_ENTRY) {
		return xt_device_swap_entries(device, fault->card, fault->entry_a, fault->entry_b, diag);
	}
	if (!device->backend->fault) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "fault: this device is not simulated");
	}
	if (fault->kind == XT_FAULT_BLOCK_NIC
			? fault->port < profile->link_ports || fault->port >= xt_profile_ports(profile)
			: fault->port >= profile->link_ports ||
				  xt_device_peer(device, fault->card, fault->port).card == XT_NO_CARD) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: card %" PRIu32 " has no %s port %" PRIu32, fault->card,
			fault->kind == XT_FAULT_BLOCK_NIC ? "NIC" : "connected link", fault->port);
	}
	if (fault->kind == XT_FAULT_FLIP_BIT && fault->bit >= profile->cell_bits) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: a cell has bits 0 to %u, not %" PRIu32,
			profile->cell_bits - 1, fault->bit);
	}
	return fault->kind == XT_FAULT_KILL_LINK ? kill_link(device, fault, diag)
						 : device->backend->fault(device->engine, fault, diag);
}
