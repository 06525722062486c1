/* SPDX-License-Identifier: Apache-2.0 */
#include "register_values.h"

#include "extorus/profiles.h"

/* The settings are by input, the register is by output. */
static void set_entrants(settings_t *s, unsigned output, unsigned inputs)
{
	for (unsigned i = 0; i < LINKS; i++) {
		s->enters[i] = (uint16_t)((s->enters[i] & ~(1u << output)) | (inputs >> i & 1) << output);
	}
}

void register_write_port(registers_t *r, settings_t *s, const place_t *place, int *hit)
{
	int tc = QOS ? register_item(place->offset, EXTORUS_REG_TC_WEIGHT(0, 0), TCS) : -1;

	if (place->offset == (EXTORUS_REG_ERROR_FLAGS(0) & 0xff)) {
		r->flags[place->port] &= (uint8_t)~r->wdata_q;
	} else if (tc >= 0) {
		s->weight[place->port][tc] = r->wdata_q & 0xf;
		s->weights_set = 1;
	} else if (BUBBLE && place->port < LINKS && place->offset == (EXTORUS_REG_RING(0) & 0xff)) {
		s->ring[place->port] = r->wdata_q & 0xfff;
	} else if (VC_RINGS && place->port < LINKS && place->offset == (EXTORUS_REG_VC_RING_FROM(0) & 0xff)) {
		s->vc_ring_from[place->port] = r->wdata_q & 0xfff;
	} else if (place->port < LINKS && place->offset == (EXTORUS_REG_ENTRANTS(0) & 0xff)) {
		set_entrants(s, place->port, EXTORUS_SHARED_CELLS ? r->wdata_q & ALL_LINKS : 0);
	} else {
		*hit = 0;
	}
}

/* Whether it is one of adaptive routing. */
static int write_adaptive(settings_t *s, unsigned offset, uint32_t data)
{
	switch (offset) {
	case EXTORUS_REG_ADAPTIVE_SELECT:
		s->select = data & 3;
		return 1;
	case EXTORUS_REG_ADAPTIVE_THRESHOLDS:
		s->low = (uint16_t)data;
		s->high = (uint16_t)(data >> 16);
		return 1;
	case EXTORUS_REG_ADAPTIVE_PORTS:
		s->internal = data & ALL_LINKS;
		s->middle = data >> 8 & ALL_LINKS;
		return 1;
	case EXTORUS_REG_ADAPTIVE_PATIENCE:
		s->patience = (uint16_t)data;
		return 1;
	default:
		return 0;
	}
}

/* Whether it is one of the link layer. */
static int write_link(settings_t *s, unsigned offset, uint32_t data)
{
	switch (offset) {
	case EXTORUS_REG_LINK_DISABLE:
		s->link_disable = data & ALL_LINKS;
		return 1;
	case EXTORUS_REG_LINK_RETRAIN:
		s->link_retrain = data & ALL_LINKS;
		return 1;
	case EXTORUS_REG_LINK_TIMING:
		s->link_timeout = (uint16_t)data;
		s->link_retry_limit = (uint8_t)(data >> 16);
		return 1;
	case EXTORUS_REG_LINK_KEEPALIVE:
		s->link_keepalive = (uint16_t)data;
		return 1;
	default:
		return 0;
	}
}

void register_write_single(registers_t *r, settings_t *s, const place_t *place, int *hit)
{
	const uint32_t data = r->wdata_q;
	int tc = register_item(place->offset, EXTORUS_REG_MATCH_MASK(0), TCS);

	if (tc >= 0) {
		s->address.mask[tc] = data & (uint32_t)((UINT64_C(1) << EXTORUS_ID_BITS) - 1);
		return;
	}
	switch (place->offset) {
	case EXTORUS_REG_CARD_ID:
		s->address.own = data & (uint32_t)((UINT64_C(1) << EXTORUS_ID_BITS) - 1);
		return;
	case EXTORUS_REG_ROUTE_ORDER:
		s->address.order = data & ALL_TCS;
		return;
	case EXTORUS_REG_TABLE_PORTS:
		r->table_ports = data & ALL_PORTS;
		return;
	case EXTORUS_REG_TABLE_READ_PORT:
		*hit = data < PORTS;
		r->table_read_port = *hit ? (uint8_t)data : r->table_read_port;
		return;
	case EXTORUS_REG_QUIESCE:
		s->quiesce = data & ALL_PORTS;
		return;
	case EXTORUS_REG_INJECTION:
		s->inject_wait = (uint16_t)data;
		s->inject_room = (uint16_t)(data >> 16);
		return;
	case EXTORUS_REG_OWNER:
		r->owner = data;
		return;
	case EXTORUS_REG_LOAD:
		r->load = data;
		return;
	case EXTORUS_REG_CLEAR:
		r->clear_high_water = MONITORS && (data & 1);
		r->clear_latency = data >> 1 & 1;
		r->clear_error = MONITORS && (data >> 2 & 1);
		return;
	default:
		break;
	}
	if ((ADAPTIVE && write_adaptive(s, place->offset, data)) ||
		(LINK_LAYER && write_link(s, place->offset, data))) {
		return;
	}
	if (MONITORS && place->offset == EXTORUS_REG_STALL_TIMEOUT) {
		s->stall_timeout = (uint16_t)data;
	} else if (LATENCY && place->offset == EXTORUS_REG_LATENCY_CONTROL) {
		s->stamp = data & 1;
	} else if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_FLIP) {
		r->flip = data & 0x3f;
	} else {
		*hit = 0;
	}
}
