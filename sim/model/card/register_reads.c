/* SPDX-License-Identifier: Apache-2.0 */
#include "register_values.h"

#include "extorus/profiles.h"

static uint32_t read_adaptive(const settings_t *s, unsigned offset, int *hit)
{
	*hit = 1;
	switch (offset) {
	case EXTORUS_REG_ADAPTIVE_SELECT:
		return s->select;
	case EXTORUS_REG_ADAPTIVE_THRESHOLDS:
		return (uint32_t)s->high << 16 | s->low;
	case EXTORUS_REG_ADAPTIVE_PORTS:
		return (uint32_t)s->middle << 8 | s->internal;
	case EXTORUS_REG_ADAPTIVE_PATIENCE:
		return s->patience;
	default:
		*hit = 0;
		return 0;
	}
}

static uint32_t read_link(const settings_t *s, unsigned offset, int *hit)
{
	*hit = 1;
	switch (offset) {
	case EXTORUS_REG_LINK_DISABLE:
		return s->link_disable;
	case EXTORUS_REG_LINK_RETRAIN:
		return 0;
	case EXTORUS_REG_LINK_TIMING:
		return (uint32_t)s->link_retry_limit << 16 | s->link_timeout;
	case EXTORUS_REG_LINK_KEEPALIVE:
		return s->link_keepalive;
	default:
		*hit = 0;
		return 0;
	}
}

static uint32_t read_monitors(const settings_t *s, const registers_t *r, unsigned offset, int *hit)
{
	*hit = 1;
	switch (offset) {
	case EXTORUS_REG_STALL_TIMEOUT:
		return s->stall_timeout;
	case EXTORUS_REG_ERROR_SOURCE:
		return (uint32_t)r->error.port << 4 | (uint32_t)r->error.kind << 1 | r->error.valid;
	case EXTORUS_REG_ERROR_HEADER_LOW:
		return (uint32_t)r->error.header;
	case EXTORUS_REG_ERROR_HEADER_HIGH:
		return (uint32_t)(r->error.header >> 32);
	default:
		*hit = 0;
		return 0;
	}
}

/* The registers of every profile. */
static uint32_t read_common(const card_t *card, const card_status_t *status, unsigned offset, int *hit)
{
	const registers_t *r = &card->registers;
	const settings_t *s = &card->settings;
	int tc = register_item(offset, EXTORUS_REG_MATCH_MASK(0), TCS);

	*hit = 1;
	if (tc >= 0) {
		return s->address.mask[tc];
	}
	switch (offset) {
	case EXTORUS_REG_MAGIC:
		return EXTORUS_MAGIC_VALUE;
	case EXTORUS_REG_VERSION:
		return EXTORUS_MAP_VERSION;
	case EXTORUS_REG_PROFILE_HASH:
		return EXTORUS_PROFILE_HASH;
	case EXTORUS_REG_SHAPE:
		return (uint32_t)VCS << 24 | (uint32_t)TCS << 16 | (uint32_t)NICS << 8 | LINKS;
	case EXTORUS_REG_FEATURES:
		return EXTORUS_FEATURES;
	case EXTORUS_REG_STATUS:
		return (uint32_t)(card->traffic_quiet == QUIET_CYCLES) << 1 | (card->init == 0);
	case EXTORUS_REG_CARD_ID:
		return s->address.own;
	case EXTORUS_REG_ROUTE_ORDER:
		return s->address.order;
	case EXTORUS_REG_TABLE_PORTS:
		return r->table_ports;
	case EXTORUS_REG_TABLE_READ_PORT:
		return r->table_read_port;
	case EXTORUS_REG_QUIESCE:
		return s->quiesce;
	case EXTORUS_REG_INJECTION:
		return (uint32_t)s->inject_room << 16 | s->inject_wait;
	case EXTORUS_REG_OWNER:
		return r->owner;
	case EXTORUS_REG_LOAD:
		return r->load;
	case EXTORUS_REG_PORT_IDLE:
		return status->port_idle;
	case EXTORUS_REG_CLEAR:
		return 0;
	default:
		*hit = 0;
		return 0;
	}
}

uint32_t register_read_single(const card_t *card, const place_t *place, const card_status_t *status, int *hit)
{
	const registers_t *r = &card->registers;
	const settings_t *s = &card->settings;
	uint32_t value = read_common(card, status, place->offset, hit);

	if (ADAPTIVE && !*hit) {
		value = read_adaptive(s, place->offset, hit);
	}
	if (LINK_LAYER && !*hit) {
		value = read_link(s, place->offset, hit);
	}
	if (MONITORS && !*hit) {
		value = read_monitors(s, r, place->offset, hit);
	}
	if (*hit) {
		return value;
	}
	*hit = 1;
	if (LATENCY && place->offset == EXTORUS_REG_LATENCY_CONTROL) {
		return s->stamp;
	}
	if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_FLIP) {
		return r->flip;
	}
	if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_ERRORS) {
		return r->table_errors;
	}
	*hit = 0;
	return 0;
}

/* As wide as the RTL's, which counts to BUFFER_CELLS: a credit for a VC without one in use leaves less than nothing. */
static unsigned used_field(unsigned used)
{
	unsigned mask = BUFFER_CELLS;

	for (unsigned shift = 1; shift < 32; shift *= 2) {
		mask |= mask >> shift;
	}
	return used & mask;
}

static unsigned entrants_of(const settings_t *s, unsigned output)
{
	unsigned inputs = 0;

	for (unsigned i = 0; i < LINKS; i++) {
		inputs |= (s->enters[i] >> output & 1u) << i;
	}
	return inputs;
}

/* No counter passes 2^32 before cycle 2^32. From then on the model says that one may have, and a write does not clear
 * that. */
static uint32_t wrapped(uint64_t now)
{
	return now >> 32 ? EXTORUS_ERROR_FLAGS_WRAPPED_MASK : 0;
}

uint32_t register_read_port(const card_t *card, const place_t *place, uint64_t now, int *hit)
{
	const unsigned p = place->port;
	int item;

	*hit = 1;
	switch (place->offset) {
	case EXTORUS_REG_FREE_CELLS(0) & 0xff:
		return card->input[p].free;
	case EXTORUS_REG_ERROR_FLAGS(0) & 0xff:
		return card->registers.flags[p] | wrapped(now);
	default:
		break;
	}
	if (MONITORS && place->offset == (EXTORUS_REG_HIGH_WATER(0) & 0xff)) {
		return card->high_water[p];
	}
	if ((item = register_item(place->offset, EXTORUS_REG_CREDITS_USED(0, 0), VCS)) >= 0) {
		return p < LINKS || item == 0 ? used_field(card->credits[p].used[item]) : 0;
	}
	if (LINK_LAYER && p < LINKS && place->offset == (EXTORUS_REG_LINK_STATE(0) & 0xff)) {
		return (uint32_t)card->link[p].cause << 2 | card->link[p].state;
	}
	if (QOS && (item = register_item(place->offset, EXTORUS_REG_TC_WEIGHT(0, 0), TCS)) >= 0) {
		return card->settings.weight[p][item];
	}
	if (BUBBLE && p < LINKS && place->offset == (EXTORUS_REG_RING(0) & 0xff)) {
		return card->settings.ring[p];
	}
	if (VC_RINGS && p < LINKS && place->offset == (EXTORUS_REG_VC_RING_FROM(0) & 0xff)) {
		return card->settings.vc_ring_from[p];
	}
	if (p < LINKS && place->offset == (EXTORUS_REG_ENTRANTS(0) & 0xff)) {
		return entrants_of(&card->settings, p);
	}
	*hit = register_counter(place) == -2;
	return 0;
}
