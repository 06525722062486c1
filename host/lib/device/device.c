/* SPDX-License-Identifier: Apache-2.0 */
#include "device_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

const xt_profile_t *xt_device_profile(const xt_device_t *device)
{
	return device->profile;
}

unsigned xt_device_cards(const xt_device_t *device)
{
	return device->cards;
}

unsigned xt_device_pes(const xt_device_t *device)
{
	return device->cards * device->profile->nic_ports;
}

unsigned xt_device_cell_words(const xt_device_t *device)
{
	return (device->profile->cell_bits + 31) / 32;
}

unsigned xt_device_packet_words(const xt_device_t *device)
{
	return device->profile->packet_cells * xt_device_cell_words(device);
}

const char *xt_device_port_name(const xt_device_t *device, unsigned card, unsigned port)
{
	return device->labels[card * xt_profile_ports(device->profile) + port].text;
}

int xt_device_find_port(const xt_device_t *device, unsigned card, const char *name, unsigned *port, xt_diag_t *diag)
{
	unsigned ports = xt_profile_ports(device->profile);
	char known[160] = "";
	size_t used = 0;
	uint64_t number;

	if (card >= device->cards) {
		return xt_fail(
			diag, XT_ERR_RANGE, "device: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	if (xt_number_parse(name, ports - 1, &number) == XT_OK) {
		*port = (unsigned)number;
		return XT_OK;
	}
	for (unsigned p = 0; p < ports; p++) {
		const char *label = xt_device_port_name(device, card, p);

		if (strcmp(label, name) == 0) {
			*port = p;
			return XT_OK;
		}
		if (used < sizeof(known)) {
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", p ? ", " : "", label);
		}
	}
	return xt_fail(diag, XT_ERR_RANGE, "device: card %u has no port \"%.20s\"; it has %s", card, name, known);
}

const xt_backend_t *xt_device_backend(const xt_device_t *device, xt_engine_t **engine)
{
	*engine = device->engine;
	return device->backend;
}

xt_peer_t xt_device_peer(const xt_device_t *device, unsigned card, unsigned port)
{
	return device->peers[card * device->profile->link_ports + port];
}

const xt_peer_t *xt_device_peers(const xt_device_t *device)
{
	return device->peers;
}

unsigned xt_device_link_latency(const xt_device_t *device)
{
	return device->link_latency;
}

int xt_device_check_interrupted(const xt_device_t *device, xt_diag_t *diag)
{
	const xt_open_options_t *hooks = &device->hooks;

	return hooks->interrupted && !device->shielded && hooks->interrupted(hooks->interrupted_context)
		       ? xt_fail(diag, XT_ERR_INTERRUPTED, "interrupted")
		       : XT_OK;
}

void xt_device_shield(xt_device_t *device, int shielded)
{
	device->shielded = shielded;
}

static int check_access(const xt_device_t *device, unsigned card, uint32_t address, size_t count, xt_diag_t *diag)
{
	const uint32_t end = 1u << xt_profile_address_bits(device->profile);

	if (card >= device->cards) {
		return xt_fail(
			diag, XT_ERR_RANGE, "device: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	if (address % 4 || address >= end || count > (end - address) / 4) {
		return xt_fail(diag, XT_ERR_RANGE,
			"device: %zu registers from address 0x%" PRIx32 " are not in the map", count, address);
	}
	return XT_OK;
}

int xt_device_need_all(const xt_device_t *device, const char *what, xt_diag_t *diag)
{
	return device->present ? xt_fail(diag, XT_ERR_UNSUPPORTED,
					 "%s: the device was opened for ranks, and has only some of the cards; open it "
					 "without xt_open_options_t.ranks",
					 what)
			       : XT_OK;
}

int xt_device_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = check_access(device, card, address, count, diag);

	if (status == XT_OK) {
		status = xt_device_check_interrupted(device, diag);
	}
	return status ? status : device->backend->read(device->engine, card, address, values, count, diag);
}

int xt_device_write(
	xt_device_t *device, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = check_access(device, card, address, count, diag);

	if (status == XT_OK) {
		status = xt_device_check_interrupted(device, diag);
	}
	return status ? status : device->backend->write(device->engine, card, address, values, count, diag);
}

int xt_device_write_cards(
	xt_device_t *device, uint32_t address, const uint32_t *values, unsigned count, xt_diag_t *diag)
{
	const xt_backend_t *backend = device->backend;
	int status = XT_OK;

	if (backend->write_cards) {
		return backend->write_cards(device->engine, address, values, count, diag);
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = backend->write(device->engine, card, address, values + card * count, count, diag);
	}
	return status;
}

int xt_device_write_all(xt_device_t *device, uint32_t address, uint32_t value, xt_diag_t *diag)
{
	uint32_t *values;
	int status = check_access(device, 0, address, 1, diag);

	if (status == XT_OK) {
		status = xt_device_need_all(device, "device", diag);
	}
	if (status == XT_OK) {
		status = xt_device_check_interrupted(device, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	if (!(values = malloc(device->cards * sizeof(*values)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	for (unsigned card = 0; card < device->cards; card++) {
		values[card] = value;
	}
	status = xt_device_write_cards(device, address, values, 1, diag);
	free(values);
	return status;
}

int xt_device_board(const xt_device_t *device, xt_board_info_t *info)
{
	if (device->backend->describe && info) {
		device->backend->describe(device->engine, info);
	}
	return device->backend->describe != NULL;
}

int xt_device_recover(xt_device_t *device, int *recovered, xt_diag_t *diag)
{
	*recovered = 0;
	return device->backend->recover ? device->backend->recover(device, recovered, diag) : XT_OK;
}

int xt_device_interrupted(xt_device_t *device)
{
	return device->backend->interrupted && device->backend->interrupted(device);
}

int xt_device_killed(const xt_device_t *device, unsigned card, unsigned port, unsigned when)
{
	return port < device->profile->link_ports &&
	       (device->killed[card * device->profile->link_ports + port] & when) != 0;
}

static int any_killed(const xt_device_t *device, unsigned when)
{
	for (unsigned i = 0; i < device->cards * device->profile->link_ports; i++) {
		if (device->killed[i] & when) {
			return 1;
		}
	}
	return 0;
}

int xt_device_kills(const xt_device_t *device)
{
	return any_killed(device, XT_KILLED_NOW);
}

int xt_device_killed_earlier(const xt_device_t *device)
{
	return any_killed(device, XT_KILLED_EARLIER);
}

void xt_device_kills_over(xt_device_t *device)
{
	for (unsigned i = 0; i < device->cards * device->profile->link_ports; i++) {
		if (device->killed[i]) {
			device->killed[i] = XT_KILLED_EARLIER;
		}
	}
}
