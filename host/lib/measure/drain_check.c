/* SPDX-License-Identifier: Apache-2.0 */
#include "drain_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "device/device_internal.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

/* One port's registers. */
typedef struct {
	uint32_t free_cells, illegal_routes, framing_errors;
	uint32_t rx_packets[XT_MAX_TCS], rx_cells[XT_MAX_TCS], tx_packets[XT_MAX_TCS], tx_cells[XT_MAX_TCS];
	uint32_t credits_used[XT_MAX_VCS];
	/* Link ports with a link layer. */
	uint32_t link_state, crc_errors, nacks, replays, timeouts, retrains, dropped;
} port_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_violations_t *violations;
	unsigned cards, ports, vcs;
	port_t *port; /* [card * ports + port] */
	xt_drain_check_t *out;
} check_t;

static int read_port(const check_t *check, unsigned card, unsigned port, xt_diag_t *diag)
{
	port_t *p = &check->port[card * check->ports + port];
	unsigned tcs = check->profile->tcs;
	unsigned is_link = port < check->profile->link_ports;
	unsigned has_layer = is_link && check->profile->replay_cells;
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
		{XT_REG_CREDITS_USED, p->credits_used, is_link ? check->vcs : 1},
		{XT_REG_LINK_STATE, &p->link_state, has_layer},
		{XT_REG_CRC_ERRORS, &p->crc_errors, has_layer},
		{XT_REG_NACKS, &p->nacks, has_layer},
		{XT_REG_REPLAYS, &p->replays, has_layer},
		{XT_REG_TIMEOUTS, &p->timeouts, has_layer},
		{XT_REG_RETRAINS, &p->retrains, has_layer},
		{XT_REG_DROPPED, &p->dropped, has_layer},
	};

	for (unsigned i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		int status = reads[i].count
				     ? xt_device_read(check->device, card, xt_register_address(reads[i].id, port, 0),
					       reads[i].values, reads[i].count, diag)
				     : XT_OK;

		if (status) {
			return status;
		}
	}
	return XT_OK;
}

static const port_t *port_at(const check_t *check, unsigned card, unsigned port)
{
	return &check->port[card * check->ports + port];
}

static int is_up(const check_t *check, unsigned card, unsigned port)
{
	return !check->profile->replay_cells || xt_link_state_of(port_at(check, card, port)->link_state) == XT_LINK_UP;
}

/* A link port whose link was killed in this run or before, or is not up at either end. */
static int is_cut(const check_t *check, unsigned card, unsigned port)
{
	xt_peer_t peer = {XT_NO_CARD, 0};

	if (port < check->profile->link_ports) {
		peer = xt_device_peer(check->device, card, port);
	}
	return peer.card != XT_NO_CARD &&
	       (xt_device_killed(check->device, card, port, XT_KILLED_NOW | XT_KILLED_EARLIER) ||
		       !is_up(check, card, port) || !is_up(check, peer.card, peer.port));
}

static int is_disabled(const check_t *check, unsigned card, unsigned port)
{
	return !is_up(check, card, port) &&
	       xt_link_cause_of(port_at(check, card, port)->link_state) == XT_CAUSE_DISABLED;
}

static int note_down(const check_t *check, unsigned card, unsigned port, xt_diag_t *diag)
{
	xt_drain_check_t *out = check->out;
	xt_peer_t peer = xt_device_peer(check->device, card, port);
	uint32_t value = port_at(check, card, port)->link_state;
	xt_link_down_t *down = realloc(out->down, (out->down_count + 1) * sizeof(*down));

	if (!down) {
		return xt_fail(diag, XT_ERR_NOMEM, "drain check: out of memory");
	}
	out->down = down;
	down[out->down_count++] = (xt_link_down_t){card, port, xt_link_state_of(value), xt_link_cause_of(value),
		xt_device_killed(check->device, card, port, XT_KILLED_NOW | XT_KILLED_EARLIER), UINT64_MAX};
	if (!down[out->down_count - 1].killed && !is_disabled(check, card, port) &&
		!is_disabled(check, peer.card, peer.port)) {
		xt_violations_add(check->violations, XT_FINDING_LINK_DOWN,
			"card %u port %s: the link is not up (state %s, cause %s)", card,
			xt_image_port_name(check->image, card, port), xt_link_state_name(xt_link_state_of(value)),
			xt_link_cause_name(xt_link_cause_of(value)));
	}
	return XT_OK;
}

static int count_link(const check_t *check, unsigned card, unsigned port, xt_diag_t *diag)
{
	const port_t *p = port_at(check, card, port);
	xt_link_totals_t *totals = &check->out->totals;

	if (!check->profile->replay_cells || xt_device_peer(check->device, card, port).card == XT_NO_CARD) {
		return XT_OK;
	}
	totals->crc_errors += p->crc_errors;
	totals->nacks += p->nacks;
	totals->replays += p->replays;
	totals->timeouts += p->timeouts;
	totals->retrains += p->retrains;
	totals->swallowed += p->dropped;
	return is_up(check, card, port) ? XT_OK : note_down(check, card, port, diag);
}

static void check_drops(const check_t *check, unsigned card, unsigned port, const port_t *p)
{
	const char *name = xt_image_port_name(check->image, card, port);

	if (p->illegal_routes) {
		xt_violations_add(check->violations, XT_FINDING_ILLEGAL_ROUTE,
			"card %u input %s dropped %" PRIu32 " packet%s on an invalid table entry", card, name,
			p->illegal_routes, p->illegal_routes == 1 ? "" : "s");
	}
	if (p->framing_errors) {
		xt_violations_add(check->violations, XT_FINDING_FRAMING,
			"card %u port %s counted %" PRIu32 " packets whose last cell was not where the header said",
			card, name, p->framing_errors);
	}
}

static void check_link(const check_t *check, unsigned card, unsigned port, const port_t *tx)
{
	xt_peer_t peer = xt_device_peer(check->device, card, port);
	int cut = is_cut(check, card, port);
	const port_t *rx;
	uint64_t on_link = 0;

	if (peer.card == XT_NO_CARD) {
		return;
	}
	rx = port_at(check, peer.card, peer.port);
	for (unsigned tc = 0; tc < check->profile->tcs; tc++) {
		int32_t lost = (int32_t)(tx->tx_packets[tc] - rx->rx_packets[tc]);

		if (cut && lost >= 0) {
			on_link += (uint64_t)lost;
		} else if (lost || (!cut && tx->tx_cells[tc] != rx->rx_cells[tc])) {
			xt_violations_add(check->violations, XT_FINDING_CONSERVATION,
				"TC %u: card %u port %s sent %" PRIu32 " packets, %" PRIu32 " cells; card %" PRIu32
				" port %s received %" PRIu32 ", %" PRIu32,
				tc, card, xt_image_port_name(check->image, card, port), tx->tx_packets[tc],
				tx->tx_cells[tc], peer.card, xt_image_port_name(check->image, peer.card, peer.port),
				rx->rx_packets[tc], rx->rx_cells[tc]);
		}
	}
	check->out->lost += on_link;
	if (on_link > tx->dropped) {
		xt_violations_add(check->violations, XT_FINDING_CONSERVATION,
			"card %u port %s: %" PRIu64 " packets did not arrive, the port has counted %" PRIu32
			" as dropped",
			card, xt_image_port_name(check->image, card, port), on_link, tx->dropped);
	}
}

static void check_home(const check_t *check, unsigned card, unsigned port, const port_t *p)
{
	const char *name = xt_image_port_name(check->image, card, port);

	for (unsigned vc = 0; vc < check->vcs; vc++) {
		if (p->credits_used[vc]) {
			xt_violations_add(check->violations, XT_FINDING_CREDIT,
				"card %u port %s VC %u: %" PRIi32 " credit%s not home in the empty network", card, name,
				vc, (int32_t)p->credits_used[vc], p->credits_used[vc] == 1 ? " is" : "s are");
		}
	}
	if (p->free_cells != check->profile->buffer_cells) {
		xt_violations_add(check->violations, XT_FINDING_BUFFER,
			"card %u input %s: %" PRIu32 " of %u buffer cells are free in the empty network", card, name,
			p->free_cells, check->profile->buffer_cells);
	}
}

/* In a network that stands still every credit in use is a cell in the next buffer. */
static void check_standing(const check_t *check, unsigned card, unsigned port, const port_t *p)
{
	xt_peer_t peer = xt_device_peer(check->device, card, port);
	uint32_t used = 0, held;

	if (peer.card == XT_NO_CARD || is_cut(check, card, port)) {
		return;
	}
	for (unsigned vc = 0; vc < check->vcs; vc++) {
		used += p->credits_used[vc];
	}
	held = check->profile->buffer_cells - check->port[peer.card * check->ports + peer.port].free_cells;
	if (used != held) {
		xt_violations_add(check->violations, XT_FINDING_CREDIT,
			"card %u port %s: %" PRIu32 " credits are in use, but card %" PRIu32 " input %s holds %" PRIu32
			" cells",
			card, xt_image_port_name(check->image, card, port), used, peer.card,
			xt_image_port_name(check->image, peer.card, peer.port), held);
	}
}

static int read_idle(xt_device_t *device, unsigned card, int *idle, xt_diag_t *diag)
{
	uint32_t value = 0;
	int status = xt_device_read(device, card, xt_register_address(XT_REG_STATUS, 0, 0), &value, 1, diag);

	*idle = value >> XT_FIELD_STATUS_IDLE_LSB & 1;
	return status;
}

int xt_drain_check_idle(xt_device_t *device, int *idle, xt_diag_t *diag)
{
	int status = XT_OK;

	*idle = 1;
	for (unsigned card = 0; card < xt_device_cards(device) && *idle && status == XT_OK; card++) {
		status = read_idle(device, card, idle, diag);
	}
	return status;
}

static int check_idle(const check_t *check, unsigned card, xt_diag_t *diag)
{
	int idle;
	int status = read_idle(check->device, card, &idle, diag);

	if (status == XT_OK && !idle) {
		xt_violations_add(
			check->violations, XT_FINDING_BUSY, "card %u is not idle in the drained network", card);
	}
	return status;
}

static int check_port(const check_t *check, unsigned card, unsigned port, int drained, int stands, xt_diag_t *diag)
{
	const port_t *p = port_at(check, card, port);

	check_drops(check, card, port, p);
	if (drained && !is_cut(check, card, port)) {
		check_home(check, card, port, p);
	}
	if (port >= check->profile->link_ports) {
		return XT_OK;
	}
	if (drained || stands) {
		check_link(check, card, port, p);
	}
	if (stands) {
		check_standing(check, card, port, p);
	}
	return count_link(check, card, port, diag);
}

int xt_drain_check(xt_device_t *device, const xt_image_t *image, int drained, xt_violations_t *violations,
	xt_drain_check_t *out, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	check_t check = {.device = device, .image = image, .profile = profile, .violations = violations, .out = out};
	int stands = violations->counts[XT_FINDING_STALL] != 0;
	int circles = violations->counts[XT_FINDING_LIVELOCK] != 0;
	int status = XT_OK;

	memset(out, 0, sizeof(*out));
	check.cards = xt_device_cards(device);
	check.ports = xt_profile_ports(profile);
	check.vcs = xt_profile_vcs(profile);
	check.port = calloc((size_t)check.cards * check.ports, sizeof(*check.port));
	if (!check.port) {
		return xt_fail(diag, XT_ERR_NOMEM, "drain check: out of memory for %u cards", check.cards);
	}
	for (unsigned card = 0; card < check.cards && status == XT_OK; card++) {
		for (unsigned port = 0; port < check.ports && status == XT_OK; port++) {
			status = read_port(&check, card, port, diag);
		}
		if (status == XT_OK && !stands && !circles) {
			status = check_idle(&check, card, diag);
		}
	}
	for (unsigned card = 0; card < check.cards && status == XT_OK; card++) {
		for (unsigned port = 0; port < check.ports && status == XT_OK; port++) {
			status = check_port(&check, card, port, drained, stands, diag);
		}
	}
	free(check.port);
	return status;
}
