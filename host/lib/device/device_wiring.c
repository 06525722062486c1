/* SPDX-License-Identifier: Apache-2.0
 *
 * How the cards of a device are connected, and the names of their ports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_internal.h"
#include "extorus/profiles.h"
#include "extorus/topology.h"

/* Room for the wiring of all cards; no port leads anywhere yet. */
static int allocate(xt_device_t *device, xt_diag_t *diag)
{
	size_t links = (size_t)device->cards * device->profile->link_ports;

	device->peers = calloc(links, sizeof(*device->peers));
	device->labels = calloc((size_t)device->cards * xt_profile_ports(device->profile), sizeof(*device->labels));
	device->killed = calloc(links, sizeof(*device->killed));
	if (!device->peers || !device->labels || !device->killed) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory for %u cards", device->cards);
	}
	for (size_t i = 0; i < links; i++) {
		device->peers[i].card = XT_NO_CARD;
	}
	return XT_OK;
}

static int take_peers(xt_device_t *device, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	unsigned ports = xt_profile_ports(device->profile);
	int status;

	device->cards = image ? xt_image_cards(image) : xt_topology_cards(topology);
	status = allocate(device, diag);
	if (status) {
		return status;
	}
	for (unsigned card = 0; card < device->cards; card++) {
		for (unsigned port = 0; port < links; port++) {
			xt_peer_t peer =
				image ? xt_image_peer(image, card, port) : xt_topology_peer(topology, card, port);

			/* A one-way link is a cable as well: credits and acknowledgements come back by it. */
			if (peer.card != XT_NO_CARD) {
				device->peers[card * links + port] = peer;
				device->peers[peer.card * links + peer.port] = (xt_peer_t){card, port};
			}
		}
		for (unsigned port = 0; port < ports; port++) {
			snprintf(device->labels[card * ports + port].text, sizeof(device->labels->text), "%s",
				image ? xt_image_port_name(image, card, port)
				      : xt_topology_port_name(topology, card, port));
		}
	}
	return XT_OK;
}

int xt_device_wire_as(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag)
{
	return take_peers(device, image, NULL, diag);
}

int xt_device_wire(xt_device_t *device, const char *where, const char *profile, xt_diag_t *diag)
{
	xt_topology_t *topology = NULL;
	xt_image_t *image = NULL;
	int status;

	if (xt_topology_is_spec(where)) {
		status = xt_profile_require(profile ? profile : "extoll", &device->profile, diag);
		if (status == XT_OK) {
			status = xt_topology_parse(where, device->profile, &topology, diag);
		}
	} else {
		status = xt_image_read(where, &image, diag);
		if (status == XT_OK) {
			device->profile = xt_image_profile(image);
			if (profile && strcmp(profile, device->profile->name) != 0) {
				status = xt_fail(diag, XT_ERR_MISMATCH,
					"device: %.200s is an image for profile %s, not %.40s", where,
					device->profile->name, profile);
			}
		}
	}
	if (status == XT_OK) {
		status = take_peers(device, image, topology, diag);
	}
	xt_image_free(image);
	xt_topology_free(topology);
	return status;
}

int xt_device_leave_unwired(xt_device_t *device, xt_diag_t *diag)
{
	const unsigned links = device->profile->link_ports, ports = xt_profile_ports(device->profile);
	int status = allocate(device, diag);

	device->unwired = 1;
	for (unsigned i = 0; i < device->cards * ports && status == XT_OK; i++) {
		const unsigned port = i % ports;
		char *text = device->labels[i].text;
		const size_t size = sizeof(device->labels[i].text);

		if (port < links) {
			snprintf(text, size, "p%u", port);
		} else if (device->profile->nic_ports == 1) {
			snprintf(text, size, "nic");
		} else {
			snprintf(text, size, "nic%u", port - links);
		}
	}
	return status;
}
