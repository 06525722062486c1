/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers and tables of the cards of a network. */
#include "fast_links.h"
#include "network_internal.h"

int network_check(const xt_engine_t *network, xt_diag_t *diag)
{
	if (network->common.packets.failed) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for packets");
	}
	if (network->common.route_words.failed) {
		return xt_fail(
			diag, XT_ERR_NOMEM, "model: out of memory, or tables with more than 65536 different entries");
	}
	return XT_OK;
}

static int refuse(const xt_engine_t *network, unsigned c, xt_diag_t *diag)
{
	return network_has(network, c) ? XT_OK : xt_fail(diag, XT_ERR_RANGE, "card %u is another rank's", c);
}

int network_read(xt_engine_t *network, unsigned c, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	registers_t *r = &network->card[c].registers;
	size_t asked = 0, answered = 0;
	unsigned waited = 0;
	int status = refuse(network, c, diag);

	if (status != XT_OK) {
		return status;
	}
	network->common.addressed = c;
	r->rready = 1;
	while (answered < count && status == XT_OK) {
		r->arvalid = asked < count;
		r->araddr = (uint32_t)(address + 4 * asked);
		asked += r->arvalid && r->arready;
		if (r->rvalid) {
			if (r->rresp) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: reading register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			values[answered++] = r->rdata;
			waited = 0;
		} else if (++waited > NETWORK_AXI_TIMEOUT) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		network_step(network, NULL);
	}
	r->arvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? network_check(network, diag) : status;
}

int network_write(
	xt_engine_t *network, unsigned c, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	registers_t *r = &network->card[c].registers;
	size_t addresses = 0, data = 0, answered = 0;
	unsigned waited = 0;
	int status = refuse(network, c, diag);

	if (status != XT_OK) {
		return status;
	}
	/* The registers of the link layer: the links must know where they are. */
	if (LINK_LAYER && address + 4 * count > EXTORUS_REG_LINK_DISABLE && address <= EXTORUS_REG_LINK_KEEPALIVE) {
		fast_links_close(network);
	}
	/* A card whose links have a timer must not be held still, not even when nothing moves. */
	if (LINK_LAYER && address == EXTORUS_REG_LINK_KEEPALIVE && count) {
		network->keepalives = network->keepalives - network->keepalive[c] + (values[0] != 0);
		network->keepalive[c] = values[0] != 0;
	}
	network->common.addressed = c;
	r->bready = 1;
	while (answered < count && status == XT_OK) {
		r->awvalid = addresses < count;
		r->awaddr = (uint32_t)(address + 4 * addresses);
		r->wvalid = data < count;
		r->wdata = data < count ? values[data] : 0;
		if (LINK_LAYER && address + 4 * data == EXTORUS_REG_LINK_DISABLE) {
			r->wdata |= network_ports_beyond(network, c);
		}
		addresses += r->awvalid && r->awready;
		data += r->wvalid && r->wready;
		if (r->bvalid) {
			if (r->bresp) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: writing register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			answered++;
			waited = 0;
		} else if (++waited > NETWORK_AXI_TIMEOUT) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		network_step(network, NULL);
	}
	r->awvalid = 0;
	r->wvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? network_check(network, diag) : status;
}

int network_set_tables(xt_engine_t *network, unsigned c, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	if (!network_has(network, c)) {
		return refuse(network, c, diag);
	}
	tables_set(&network->common.route_words, network->card[c].tables, grt, lrt);
	return network_check(network, diag);
}
