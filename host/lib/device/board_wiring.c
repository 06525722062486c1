/* SPDX-License-Identifier: Apache-2.0 */
#include "board_wiring.h"

#include <inttypes.h>
#include <stdio.h>

#include "extorus/board.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"

/* What is compared. */
typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_diag_t *diag;
} links_check_t;

enum { NAME_LENGTH = 40, REMEDY_LENGTH = 160 };

static int is_board(const xt_device_t *device)
{
	return device->backend->describe != NULL;
}

int xt_device_told_peers(xt_device_t *device, unsigned card, xt_told_peer_t *peers, xt_diag_t *diag)
{
	uint32_t words[XT_MAX_LINK_PORTS] = {0};
	const unsigned links = device->profile->link_ports;
	int status = is_board(device)
			     ? device->backend->read(device->engine, card, XT_FRAME_REG_LINK_PEER, words, links, diag)
			     : XT_ERR_RANGE;

	/* A board without the register refuses its address. */
	if (status != XT_OK && status != XT_ERR_RANGE) {
		return status;
	}
	for (unsigned port = 0; port < links; port++) {
		const uint32_t word = status == XT_OK ? words[port] : 0;

		peers[port] = (xt_told_peer_t){
			.told = word >> XT_FRAME_PEER_TOLD & 1,
			.inside = word >> XT_FRAME_PEER_INSIDE & 1,
			.pins = word >> XT_FRAME_PEER_PINS & 1,
			.peer = {.card = word & UINT16_MAX, .port = word >> XT_FRAME_PEER_PORT & UINT8_MAX},
		};
	}
	return XT_OK;
}

/* "port 3 (int)" */
static const char *name_port(char *text, const xt_image_t *image, unsigned card, unsigned port)
{
	const char *name = xt_image_port_name(image, card, port);

	snprintf(text, NAME_LENGTH, name[0] ? "port %u (%.16s)" : "port %u", port, name);
	return text;
}

/* Whether a card of the image is on this board. */
static int is_own(const xt_device_t *device, unsigned card)
{
	return card >= device->first && card < device->first + device->cards;
}

/* What the user should do instead. A twin node has one inner link. */
static void name_remedy(
	const links_check_t *job, xt_peer_t wanted, const xt_told_peer_t *peers, char *text, size_t size)
{
	unsigned inner = 0, at = 0;

	for (unsigned port = 0; port < job->profile->link_ports; port++) {
		inner += peers[port].inside;
		at = peers[port].inside ? port : at;
	}
	if (!is_own(job->device, wanted.card)) {
		snprintf(
			text, size, "load a bitstream of cards with links at pins, or make an image without this link");
	} else if (inner == 1) {
		snprintf(text, size,
			"make an image whose internal link is at port %u, as `extorus route twin:` with %u dimension%s "
			"does",
			at, at, at == 1 ? "" : "s");
	} else {
		snprintf(text, size, "make an image of the board's own links");
	}
}

static int refuse(const links_check_t *job, unsigned card, unsigned port, xt_peer_t wanted, const xt_told_peer_t *peers)
{
	char here[NAME_LENGTH], there[NAME_LENGTH], remedy[REMEDY_LENGTH];

	name_port(here, job->image, card + job->device->first, port);
	name_port(there, job->image, wanted.card, wanted.port);
	name_remedy(job, wanted, peers, remedy, sizeof(remedy));
	return xt_fail(job->diag, XT_ERR_MISMATCH,
		"card %u %s: the image %.100s wants a link to its card %u %s, the board has %s there; %s%s", card, here,
		xt_image_topology(job->image), wanted.card, there,
		peers[port].inside ? "its internal link to another port"
		: peers[port].pins ? "pins, and no link is up"
				   : "no link",
		peers[port].pins ? "plug a cable in and train it (`extorus link --retrain`), or " : "", remedy);
}

/* Whether the cable at a port with pins is up; without a link layer nobody knows. */
static int is_up(const links_check_t *job, unsigned card, unsigned port, int *up)
{
	uint32_t state = 0;
	int status = XT_OK;

	*up = 1;
	if (job->profile->replay_cells) {
		status = xt_device_read(
			job->device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &state, 1, job->diag);
		*up = xt_link_state_of(state) == XT_LINK_UP;
	}
	return status;
}

/* Whether the board has that link. A link that the image does not have gets no packet. */
static int fits(const xt_device_t *device, xt_told_peer_t told, xt_peer_t wanted, xt_board_links_t links)
{
	if (!told.told || wanted.card == XT_NO_CARD) {
		return 1;
	}
	if (told.inside) {
		return told.peer.card + device->first == wanted.card && told.peer.port == wanted.port;
	}
	return told.pins || (links != XT_LINKS_ALL && !is_own(device, wanted.card));
}

static int check_port(
	const links_check_t *job, unsigned card, unsigned port, xt_board_links_t links, const xt_told_peer_t *peers)
{
	const xt_peer_t wanted = xt_image_peer(job->image, card + job->device->first, port);
	int up = fits(job->device, peers[port], wanted, links), status = XT_OK;

	if (up && links == XT_LINKS_UP && peers[port].pins && wanted.card != XT_NO_CARD &&
		is_own(job->device, wanted.card)) {
		status = is_up(job, card, port, &up);
	}
	return status != XT_OK || up ? status : refuse(job, card, port, wanted, peers);
}

int xt_load_check_links(xt_device_t *device, const xt_image_t *image, xt_board_links_t links, xt_diag_t *diag)
{
	const links_check_t check = {device, image, device->profile, diag}, *job = &check;
	xt_told_peer_t peers[XT_MAX_LINK_PORTS];
	int status = XT_OK;

	for (unsigned card = 0; is_board(job->device) && card < job->device->cards && status == XT_OK; card++) {
		status = xt_device_told_peers(job->device, card, peers, job->diag);
		for (unsigned port = 0; port < job->profile->link_ports && status == XT_OK; port++) {
			status = check_port(job, card, port, links, peers);
		}
	}
	return status;
}

int xt_device_check_links(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag)
{
	return xt_load_check_links(device, image, XT_LINKS_ALL, diag);
}

int xt_load_untold_links(xt_device_t *device, const xt_image_t *image)
{
	xt_told_peer_t peers[XT_MAX_LINK_PORTS];
	const unsigned first = device->first;

	for (unsigned card = 0; card < device->cards; card++) {
		if (xt_device_told_peers(device, card, peers, NULL) != XT_OK) {
			return 0; /* the load says why */
		}
		for (unsigned port = 0; port < device->profile->link_ports; port++) {
			const unsigned other = xt_image_peer(image, card + first, port).card;

			if (!peers[port].told && other != XT_NO_CARD && is_own(device, other)) {
				return 1;
			}
		}
	}
	return 0;
}
