/* SPDX-License-Identifier: Apache-2.0
 *
 * From an open engine to a device that is ready, and its end. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>

#include "device_internal.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "simulated_nic.h"

enum {
	XT_REG_OLDEST_MAP = 2,
	LINK_READS = 1000,        /* of its state, until a link must be up */
	ACKNOWLEDGED_WITHIN = 64, /* cycles, of a link without latency */
};

/* A card of an older map lacks registers; what needs them does without. */
static int identify_map(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	uint32_t version = 0;
	int status = xt_device_read(device, card, xt_register_address(XT_REG_VERSION, 0, 0), &version, 1, diag);

	if (status == XT_OK && (version < XT_REG_OLDEST_MAP || version > XT_REG_MAP_VERSION)) {
		return xt_fail(diag, XT_ERR_NODEVICE,
			"device: card %u: VERSION reads %" PRIu32 ", this program knows register maps %d to %d; use a "
			"program and a bitstream that belong together",
			card, version, XT_REG_OLDEST_MAP, XT_REG_MAP_VERSION);
	}
	if (status == XT_OK && version < device->map_version) {
		device->map_version = version;
	}
	return status;
}

int xt_device_identify(xt_device_t *device, xt_diag_t *diag)
{
	const xt_profile_t *profile = device->profile;
	const struct {
		xt_register_id_t id;
		uint32_t value;
	} expected[] = {
		{XT_REG_MAGIC, XT_REG_MAGIC_VALUE},
		{XT_REG_PROFILE_HASH, xt_profile_hash(profile)},
		{XT_REG_SHAPE, profile->link_ports << XT_FIELD_SHAPE_LINK_PORTS_LSB |
				       profile->nic_ports << XT_FIELD_SHAPE_NIC_PORTS_LSB |
				       profile->tcs << XT_FIELD_SHAPE_TCS_LSB |
				       xt_profile_vcs(profile) << XT_FIELD_SHAPE_VCS_LSB},
	};

	device->map_version = XT_REG_MAP_VERSION;
	for (unsigned card = 0; card < device->cards; card++) {
		int refused;

		if (!xt_device_has(device, card)) {
			continue;
		}
		refused = identify_map(device, card, diag);
		if (refused) {
			return refused;
		}
		for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
			uint32_t value;
			int status = xt_device_read(
				device, card, xt_register_address(expected[i].id, 0, 0), &value, 1, diag);

			if (status) {
				return status;
			}
			if (value != expected[i].value) {
				return xt_fail(diag, XT_ERR_NODEVICE,
					"device: card %u: %s reads %08" PRIx32 ", a card of profile %s has %08" PRIx32
					"; the hardware was built from other parameters",
					card, xt_registers[expected[i].id].name, value, profile->name,
					expected[i].value);
			}
		}
	}
	return XT_OK;
}

/* An end repeats what was not acknowledged for a time, and goes down when that did not help. The time has to be longer
 * than the way there and back, or all is repeated for ever, and a healthy link goes down at a few errors. */
static int allow_for_latency(xt_device_t *device, xt_diag_t *diag)
{
	const uint32_t address = xt_register_address(XT_REG_LINK_TIMING, 0, 0);
	const uint32_t mask = (1u << XT_FIELD_LINK_TIMING_TIMEOUT_BITS) - 1,
		       least = 2 * device->link_latency + ACKNOWLEDGED_WITHIN;
	int status = XT_OK;

	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		uint32_t value = 0;

		if (!xt_device_has(device, card)) {
			continue;
		}
		status = xt_device_read(device, card, address, &value, 1, diag);
		if (status == XT_OK && (value & mask) < least) {
			value = (value & ~mask) | least;
			status = xt_device_write(device, card, address, &value, 1, diag);
		}
	}
	return status;
}

/* Links with a link layer train by themselves; a port without a peer would do so for ever. */
static int await_links(xt_device_t *device, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	uint32_t value = 0;
	int status = XT_OK;

	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		uint32_t unused = 0;

		if (!xt_device_has(device, card)) {
			continue;
		}
		for (unsigned port = 0; port < links; port++) {
			unused |= (uint32_t)(xt_device_peer(device, card, port).card == XT_NO_CARD) << port;
		}
		status =
			xt_device_write(device, card, xt_register_address(XT_REG_LINK_DISABLE, 0, 0), &unused, 1, diag);
	}
	for (unsigned i = 0, reads = 0; i < device->cards * links && status == XT_OK;) {
		const unsigned card = i / links, port = i % links;
		const xt_peer_t peer = xt_device_peer(device, card, port);

		if (peer.card == XT_NO_CARD || !xt_device_has(device, card) || !xt_device_has(device, peer.card)) {
			i++;
			continue;
		}
		status = xt_device_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &value, 1, diag);
		if (status != XT_OK || xt_link_state_of(value) == XT_LINK_UP) {
			i++;
			reads = 0;
		} else if (++reads > LINK_READS) {
			return xt_fail(diag, XT_ERR_TIMEOUT,
				"device: card %u port %s: the link does not come up (state %s, cause %s)", card,
				xt_device_port_name(device, card, port), xt_link_state_name(xt_link_state_of(value)),
				xt_link_cause_name(xt_link_cause_of(value)));
		}
	}
	return status;
}

int xt_device_bring_up(xt_device_t *device, xt_diag_t *diag)
{
	int status = xt_device_identify(device, diag);

	if (status == XT_OK && device->profile->replay_cells) {
		status = await_links(device, diag);
	}
	if (status == XT_OK && device->profile->replay_cells && device->link_latency) {
		status = allow_for_latency(device, diag);
	}
	if (status == XT_OK && device->backend->tables_cleared) {
		device->known = calloc((size_t)device->cards * xt_device_entries(device), sizeof(*device->known));
		if (!device->known) {
			status = xt_fail(diag, XT_ERR_NOMEM, "device: out of memory for %u cards", device->cards);
		}
	}
	return status;
}

int xt_device_adopt(
	const xt_backend_t *backend, xt_engine_t *engine, const xt_image_t *image, xt_device_t **out, xt_diag_t *diag)
{
	xt_device_t *device = calloc(1, sizeof(*device));
	int status;

	*out = NULL;
	if (!device) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	device->profile = xt_image_profile(image);
	device->backend = backend;
	status = xt_device_wire_as(device, image, diag);
	if (status == XT_OK) {
		device->engine = engine;
		status = xt_device_bring_up(device, diag);
		/* The engine is the caller's until all is well. */
		device->engine = status == XT_OK ? engine : NULL;
	}
	if (status) {
		xt_device_close(device);
		return status;
	}
	*out = device;
	return XT_OK;
}

void xt_device_close(xt_device_t *device)
{
	if (!device) {
		return;
	}
	xt_simulated_nic_free(device->nic);
	if (device->engine) {
		device->backend->close(device->engine);
	}
	if (device->library) {
		dlclose(device->library);
	}
	free(device->known);
	free(device->rank_cards);
	free(device->present);
	free(device->peers);
	free(device->labels);
	free(device->killed);
	free(device);
}
