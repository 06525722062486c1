/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of a port's buffer among VCs. Ports of the same number have the same division in all cards: by the VCs
 * that any card's tables use there, of the traffic classes of the run. */
#include <string.h>

#include "extorus/image.h"
#include "input_queued.h"

/* VCs that an entry uses, bit per VC, added to used[port]. */
static void add_entry(const xt_engine_t *e, unsigned card, uint64_t entry, unsigned tcs, uint16_t *used)
{
	for (unsigned tc = 0; tc < e->tcs; tc++) {
		const xt_route_t route = xt_entry_route(entry, tc);

		if (!route.valid || !(tcs >> tc & 1)) {
			continue;
		}
		if (route.port < e->links && route.vc < xt_profile_tc_vcs(e->profile, tc)) {
			used[route.port] |= (uint16_t)(1u << (e->first_vc[tc] + route.vc));
		}
		for (unsigned p = 0; p < e->links; p++) {
			used[p] |= route.adaptive_mask >> p & 1 ? iq_adaptive_vcs(e, card, p, tc) : 0;
		}
	}
}

/* VCs of link ports that are in a ring of bubble flow control. */
static void add_rings(const xt_engine_t *e, unsigned card, uint16_t *rings)
{
	for (unsigned p = 0; e->profile->bubble && p < e->links; p++) {
		const xt_ring_t ring = xt_ring_unpack(*iq_register(e, card, XT_REG_RING, p, 0));

		for (unsigned tc = 0; tc < e->tcs; tc++) {
			rings[p] |= (uint16_t)(ring.vcs << e->first_vc[tc]);
		}
	}
}

/* Shares of the VCs in `vcs`, each with room for what its packets need. */
static int divide_buffer(
	const xt_engine_t *e, unsigned port, unsigned vcs, unsigned rings, uint16_t *shares, xt_diag_t *diag)
{
	const unsigned count = (unsigned)__builtin_popcount(vcs), share = count ? e->port_buffer / count : 0;

	for (unsigned vc = 0; vc < e->fifos; vc++) {
		const unsigned needed = rings >> vc & 1 ? 2 * e->longest : e->longest;

		shares[vc] = (uint16_t)(vcs >> vc & 1 ? share : 0);
		if ((vcs >> vc & 1) && share < needed) {
			return xt_fail(diag, XT_ERR_RANGE,
				"input-queued switch: a buffer of %u flits gives each of the %u %s at port %u %u "
				"flits, but packets of %u flits need %u%s; use a larger buffer or shorter packets",
				e->port_buffer, count, port < e->links ? "VCs" : "injection queues", port, share,
				e->longest, needed, needed > e->longest ? " in a ring" : "");
		}
	}
	return XT_OK;
}

int iq_divide(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag)
{
	const unsigned all = (1u << e->tcs) - 1, tcs = client->tcs & all ? client->tcs & all : all;
	uint16_t used[XT_MAX_LINK_PORTS] = {0}, rings[XT_MAX_LINK_PORTS] = {0}, of_nic[XT_MAX_VCS];
	unsigned nic_fifos = 0;
	int status = XT_OK;

	e->longest = client->packet_cells ? client->packet_cells : e->profile->packet_cells;
	for (unsigned c = 0; c < e->cards; c++) {
		for (unsigned i = 0; i < 1u << e->profile->grt_bits; i++) {
			add_entry(e, c, e->card[c].grt[i], tcs, used);
		}
		for (unsigned i = 0; i < 1u << e->profile->lrt_bits; i++) {
			add_entry(e, c, e->card[c].lrt[i], tcs, used);
		}
		add_rings(e, c, rings);
	}
	for (unsigned p = 0; p < e->links && status == XT_OK; p++) {
		status = divide_buffer(e, p, used[p], rings[p], &e->capacity[p * XT_MAX_VCS], diag);
	}
	for (unsigned tc = 0; tc < e->tcs; tc++) {
		nic_fifos |= (tcs >> tc & 1) * ((1u << e->injection_queues) - 1) << iq_injection_fifo(e, tc);
	}
	if (status == XT_OK) {
		status = divide_buffer(e, e->links, nic_fifos, 0, of_nic, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	for (unsigned p = e->links; p < e->ports; p++) {
		e->capacity[p * XT_MAX_VCS] = (uint16_t)e->profile->eject_cells;
	}
	for (unsigned i = 0; i < e->cards * e->ports; i++) {
		memcpy(e->outputs[i].room, &e->capacity[i % e->ports * XT_MAX_VCS], sizeof(e->outputs[i].room));
	}
	for (unsigned i = 0; i < e->cards * e->nics; i++) {
		memcpy(e->injects[i].room, of_nic, sizeof(of_nic));
	}
	return XT_OK;
}
