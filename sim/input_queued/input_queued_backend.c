/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks of input-queued switches as a back end of the host library, for any profile. */
#include <stdlib.h>
#include <string.h>

#include "input_queued.h"

static void close_engine(xt_engine_t *e)
{
	if (!e) {
		return;
	}
	for (unsigned c = 0; e->card && c < e->cards; c++) {
		free(e->card[c].words);
		free(e->card[c].grt);
		free(e->card[c].lrt);
	}
	for (unsigned i = 0; e->ejects && i < e->cards * e->nics; i++) {
		free(e->ejects[i].packets);
		free(e->ejects[i].since);
	}
	for (unsigned i = 0; i <= e->latency; i++) {
		free(e->arrivals ? e->arrivals[i].items : NULL);
		free(e->credits ? e->credits[i].items : NULL);
	}
	free(e->card);
	free(e->peers);
	free(e->inputs);
	free(e->outputs);
	free(e->ejects);
	free(e->injects);
	free(e->capacity);
	free(e->pool.packets);
	free(e->pool.words);
	free(e->pool.entries);
	free(e->arrivals);
	free(e->credits);
	free(e->port_cells);
	free(e);
}

static void take_shape(xt_engine_t *e, const xt_network_t *network)
{
	const xt_profile_t *profile = network->profile;

	e->profile = profile;
	e->cards = network->cards;
	e->links = profile->link_ports;
	e->nics = profile->nic_ports;
	e->ports = xt_profile_ports(profile);
	e->vcs = xt_profile_vcs(profile);
	e->tcs = profile->tcs;
	e->cell_words = (profile->cell_bits + 31) / 32;
	e->latency = network->link_latency;
	e->port_buffer = network->port_buffer;
	e->crossbar_per_vc = network->crossbar_per_vc;
	e->transit_first = network->transit_first;
	e->injection_queues = network->injection_queues ? network->injection_queues : 1;
	e->fifos = e->tcs * e->injection_queues > e->vcs ? e->tcs * e->injection_queues : e->vcs;
	e->header = xt_profile_header(profile);
	e->pool = (iq_pool_t){
		.free_packet = IQ_NONE, .free_entry = IQ_NONE, .packet_words = profile->packet_cells * e->cell_words};
	for (unsigned tc = 0; tc < e->tcs; tc++) {
		const unsigned first = xt_profile_first_vc(profile, tc),
			       deterministic = xt_profile_deterministic_vcs(profile, tc);

		e->first_vc[tc] = (uint8_t)first;
		for (unsigned vc = 0; vc < xt_profile_tc_vcs(profile, tc); vc++) {
			const unsigned bit = (unsigned)(vc >= deterministic) << (first + vc);
			const unsigned in_rings = profile->ring_adaptive_vcs;

			e->adaptive_vcs[tc] |= (uint16_t)bit;
			e->ring_adaptive_vcs[tc] |= (uint16_t)(in_rings && vc >= deterministic + in_rings ? 0 : bit);
		}
	}
}

static int allocate(xt_engine_t *e, const xt_network_t *network)
{
	const size_t cards = e->cards, ports = cards * e->ports, nics = cards * e->nics;
	int good;

	e->card = calloc(cards, sizeof(*e->card));
	e->peers = calloc(cards * e->links + 1, sizeof(*e->peers));
	e->inputs = calloc(ports, sizeof(*e->inputs));
	e->outputs = calloc(ports, sizeof(*e->outputs));
	e->ejects = calloc(nics, sizeof(*e->ejects));
	e->injects = calloc(nics, sizeof(*e->injects));
	e->capacity = calloc((size_t)e->ports * XT_MAX_VCS, sizeof(*e->capacity));
	e->arrivals = calloc(e->latency + 1, sizeof(*e->arrivals));
	e->credits = calloc(e->latency + 1, sizeof(*e->credits));
	e->port_cells = calloc(ports, sizeof(*e->port_cells));
	good = e->card && e->peers && e->inputs && e->outputs && e->ejects && e->injects && e->capacity &&
	       e->arrivals && e->credits && e->port_cells;
	for (size_t c = 0; good && c < cards; c++) {
		e->card[c].words = calloc(IQ_REGISTER_BYTES / 4, sizeof(*e->card[c].words));
		e->card[c].grt = calloc((size_t)1 << e->profile->grt_bits, sizeof(*e->card[c].grt));
		e->card[c].lrt = calloc((size_t)1 << e->profile->lrt_bits, sizeof(*e->card[c].lrt));
		good = e->card[c].words && e->card[c].grt && e->card[c].lrt;
	}
	for (size_t i = 0; good && i < nics; i++) {
		e->ejects[i].packets = calloc(e->profile->eject_cells, sizeof(*e->ejects[i].packets));
		e->ejects[i].since = calloc(e->profile->eject_cells, sizeof(*e->ejects[i].since));
		e->injects[i].packet = IQ_NONE;
		good = e->ejects[i].packets && e->ejects[i].since;
	}
	if (good && e->links) {
		memcpy(e->peers, network->peers, cards * e->links * sizeof(*e->peers));
	}
	return good;
}

static int open_engine(const xt_network_t *network, xt_engine_t **out, xt_diag_t *diag)
{
	xt_engine_t *e = calloc(1, sizeof(*e));

	*out = NULL;
	if (!e) {
		return xt_fail(diag, XT_ERR_NOMEM, "input-queued switch: out of memory");
	}
	take_shape(e, network);
	if (e->fifos > XT_MAX_VCS) {
		const unsigned tcs = e->tcs, queues = e->injection_queues;

		close_engine(e);
		return xt_fail(diag, XT_ERR_RANGE,
			"input-queued switch: %u injection queues of each of %u traffic classes are more than %d",
			queues, tcs, XT_MAX_VCS);
	}
	if (!allocate(e, network)) {
		close_engine(e);
		return xt_fail(diag, XT_ERR_NOMEM, "input-queued switch: out of memory for %u cards", network->cards);
	}
	for (unsigned c = 0; c < e->cards; c++) {
		iq_reset_registers(e, c);
	}
	*out = e;
	return XT_OK;
}

static uint64_t evaluated(const xt_engine_t *e)
{
	return e->evaluated;
}

static int fault(xt_engine_t *e, const xt_fault_t *asked, xt_diag_t *diag)
{
	(void)e;
	(void)asked;
	return xt_fail(diag, XT_ERR_UNSUPPORTED, "input-queued switch: only table entries can be broken on purpose");
}

static unsigned faults_waiting(const xt_engine_t *e)
{
	(void)e;
	return 0;
}

static const xt_backend_t backend = {
	.abi = XT_BACKEND_ABI,
	.size = sizeof(xt_backend_t),
	.engine = "input-queued",
	.profile = NULL,
	.profile_hash = sizeof(xt_profile_t),
	.tables_cleared = 1,
	.goes_on = 1,
	.open = open_engine,
	.close = close_engine,
	.read = iq_read,
	.write = iq_write,
	.backdoor = iq_set_tables,
	.run = iq_run,
	.evaluated = evaluated,
	.fault = fault,
	.faults_waiting = faults_waiting,
};

const xt_backend_t *xt_backend_entry(void);

const xt_backend_t *xt_backend_entry(void)
{
	return &backend;
}
