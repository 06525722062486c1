/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/census.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/backend.h"
#include "profiles.h"
#include "registers.h"

/* One port's registers. */
typedef struct {
	uint32_t free_cells, illegal_routes, framing_errors;
	uint32_t rx_packets[XT_MAX_TCS], rx_cells[XT_MAX_TCS], tx_packets[XT_MAX_TCS], tx_cells[XT_MAX_TCS];
	uint32_t credits_used[XT_MAX_VCS];
} port_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_findings_t *findings;
	unsigned cards, ports, vcs;
	port_t *port; /* [card * ports + port] */
} census_t;

static int read_port(const census_t *census, unsigned card, unsigned port, xt_diag_t *diag)
{
	port_t *p = &census->port[card * census->ports + port];
	unsigned tcs = census->profile->tcs;
	unsigned credits = port < census->profile->link_ports ? census->vcs : 1;
	const struct {
		xt_register_id_t id;
		uint32_t *values;
		unsigned count;
	} reads[] = {
		{XT_REG_FREE_CELLS, &p->free_cells, 1},
		{XT_REG_ILLEGAL_ROUTES, &p->illegal_routes, 1},
		{XT_REG_FRAMING_ERRORS, &p->framing_errors, 1},
		{XT_REG_RX_PACKETS, p->rx_packets, tcs},
		{XT_REG_RX_CELLS, p->rx_cells, tcs},
		{XT_REG_TX_PACKETS, p->tx_packets, tcs},
		{XT_REG_TX_CELLS, p->tx_cells, tcs},
		{XT_REG_CREDITS_USED, p->credits_used, credits},
	};

	for (unsigned i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		int status = xt_device_read(census->device, card, xt_register_address(reads[i].id, port, 0),
			reads[i].values, reads[i].count, diag);

		if (status) {
			return status;
		}
	}
	return XT_OK;
}

static void check_drops(const census_t *census, unsigned card, unsigned port, const port_t *p)
{
	const char *name = xt_image_port_name(census->image, card, port);

	if (p->illegal_routes) {
		xt_findings_add(census->findings, XT_FINDING_ILLEGAL_ROUTE,
			"card %u input %s dropped %" PRIu32 " packet%s on an invalid table entry", card, name,
			p->illegal_routes, p->illegal_routes == 1 ? "" : "s");
	}
	if (p->framing_errors) {
		xt_findings_add(census->findings, XT_FINDING_FRAMING,
			"card %u port %s counted %" PRIu32 " packets whose last cell was not where the header said",
			card, name, p->framing_errors);
	}
}

static void check_link(const census_t *census, unsigned card, unsigned port, const port_t *tx)
{
	xt_peer_t peer = xt_device_peer(census->device, card, port);
	const port_t *rx;

	if (peer.card == XT_NO_CARD) {
		return;
	}
	rx = &census->port[peer.card * census->ports + peer.port];
	for (unsigned tc = 0; tc < census->profile->tcs; tc++) {
		if (tx->tx_packets[tc] != rx->rx_packets[tc] || tx->tx_cells[tc] != rx->rx_cells[tc]) {
			xt_findings_add(census->findings, XT_FINDING_CONSERVATION,
				"TC %u: card %u port %s sent %" PRIu32 " packets, %" PRIu32 " cells; card %" PRIu32
				" port %s received %" PRIu32 ", %" PRIu32,
				tc, card, xt_image_port_name(census->image, card, port), tx->tx_packets[tc],
				tx->tx_cells[tc], peer.card, xt_image_port_name(census->image, peer.card, peer.port),
				rx->rx_packets[tc], rx->rx_cells[tc]);
		}
	}
}

static void check_home(const census_t *census, unsigned card, unsigned port, const port_t *p)
{
	const char *name = xt_image_port_name(census->image, card, port);

	for (unsigned vc = 0; vc < census->vcs; vc++) {
		if (p->credits_used[vc]) {
			xt_findings_add(census->findings, XT_FINDING_CREDIT,
				"card %u port %s VC %u: %" PRIi32 " credit%s not home in the empty network", card, name,
				vc, (int32_t)p->credits_used[vc], p->credits_used[vc] == 1 ? " is" : "s are");
		}
	}
	if (p->free_cells != census->profile->buffer_cells) {
		xt_findings_add(census->findings, XT_FINDING_BUFFER,
			"card %u input %s: %" PRIu32 " of %u buffer cells are free in the empty network", card, name,
			p->free_cells, census->profile->buffer_cells);
	}
}

/* In a network that stands still every credit in use is a cell in the next buffer. */
static void check_standing(const census_t *census, unsigned card, unsigned port, const port_t *p)
{
	xt_peer_t peer = xt_device_peer(census->device, card, port);
	uint32_t used = 0, held;

	if (peer.card == XT_NO_CARD) {
		return;
	}
	for (unsigned vc = 0; vc < census->vcs; vc++) {
		used += p->credits_used[vc];
	}
	held = census->profile->buffer_cells - census->port[peer.card * census->ports + peer.port].free_cells;
	if (used != held) {
		xt_findings_add(census->findings, XT_FINDING_CREDIT,
			"card %u port %s: %" PRIu32 " credits are in use, but card %" PRIu32 " input %s holds %" PRIu32
			" cells",
			card, xt_image_port_name(census->image, card, port), used, peer.card,
			xt_image_port_name(census->image, peer.card, peer.port), held);
	}
}

static int check_idle(const census_t *census, unsigned card, xt_diag_t *diag)
{
	uint32_t value;
	int status = xt_device_read(census->device, card, xt_register_address(XT_REG_STATUS, 0, 0), &value, 1, diag);

	if (status == XT_OK && !(value >> XT_FIELD_STATUS_IDLE_LSB & 1)) {
		xt_findings_add(census->findings, XT_FINDING_BUSY, "card %u is not idle in the drained network", card);
	}
	return status;
}

int xt_census(xt_device_t *device, const xt_image_t *image, int drained, xt_findings_t *findings, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	census_t census = {.device = device, .image = image, .profile = profile, .findings = findings};
	int stands = findings->counts[XT_FINDING_STALL] != 0;
	int circles = findings->counts[XT_FINDING_LIVELOCK] != 0;
	int status = XT_OK;

	census.cards = xt_device_cards(device);
	census.ports = xt_profile_ports(profile);
	census.vcs = xt_profile_vcs(profile);
	census.port = calloc((size_t)census.cards * census.ports, sizeof(*census.port));
	if (!census.port) {
		return xt_fail(diag, XT_ERR_NOMEM, "census: out of memory for %u cards", census.cards);
	}
	for (unsigned card = 0; card < census.cards && status == XT_OK; card++) {
		for (unsigned port = 0; port < census.ports && status == XT_OK; port++) {
			status = read_port(&census, card, port, diag);
		}
		if (status == XT_OK && !stands && !circles) {
			status = check_idle(&census, card, diag);
		}
	}
	for (unsigned card = 0; card < census.cards && status == XT_OK; card++) {
		for (unsigned port = 0; port < census.ports; port++) {
			const port_t *p = &census.port[card * census.ports + port];

			check_drops(&census, card, port, p);
			if (drained) {
				check_home(&census, card, port, p);
			}
			if (port < profile->link_ports && (drained || stands)) {
				check_link(&census, card, port, p);
			}
			if (port < profile->link_ports && stands) {
				check_standing(&census, card, port, p);
			}
		}
	}
	free(census.port);
	return status;
}
