/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers and tables of the cards. Settings and counters are words of a register file; the rest is worked out
 * when read. */
#include <inttypes.h>
#include <string.h>

#include "extorus/link_state.h"
#include "input_queued.h"

typedef struct {
	const xt_register_t *r; /* NULL: none there */
	unsigned port, item;
} place_t;

static unsigned items_of(const xt_engine_t *e, xt_register_shape_t shape)
{
	switch (shape) {
	case XT_SHAPE_PER_TC:
	case XT_SHAPE_PER_PORT_TC:
		return e->tcs;
	case XT_SHAPE_PER_PORT_VC:
		return e->vcs;
	case XT_SHAPE_PER_NIC_BIN:
		return XT_REG_LATENCY_BINS;
	default:
		return 1;
	}
}

static place_t place_of(const xt_engine_t *e, uint32_t address)
{
	const uint32_t features = xt_profile_features(e->profile);

	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		const xt_register_t *r = &xt_registers[i];
		const int per_nic = r->shape == XT_SHAPE_PER_NIC_BIN;
		const int per_port = r->shape == XT_SHAPE_PER_PORT || r->shape == XT_SHAPE_PER_LINK ||
				     r->shape == XT_SHAPE_PER_PORT_TC || r->shape == XT_SHAPE_PER_PORT_VC;
		const unsigned stride = per_nic ? XT_REG_NIC_STRIDE : XT_REG_PORT_STRIDE;
		const unsigned ports = per_nic                         ? e->nics
				       : r->shape == XT_SHAPE_PER_LINK ? e->links
				       : per_port                      ? e->ports
								       : 1;
		const uint32_t beyond = address - r->offset, port = per_port || per_nic ? beyond / stride : 0;
		const uint32_t item = (beyond - port * stride) / XT_REG_ITEM_STRIDE;

		if (r->shape != XT_SHAPE_GRT && r->shape != XT_SHAPE_LRT && address >= r->offset && port < ports &&
			item < items_of(e, r->shape) && xt_register_present((xt_register_id_t)i, features)) {
			return (place_t){r, port, item};
		}
	}
	return (place_t){NULL, 0, 0};
}

static int is_idle(const xt_engine_t *e, unsigned card)
{
	for (unsigned p = 0; p < e->ports; p++) {
		const iq_input_t *in = &e->inputs[card * e->ports + p];

		if (in->held || in->streaming) {
			return 0;
		}
	}
	for (unsigned n = 0; n < e->nics; n++) {
		if (e->ejects[card * e->nics + n].count || e->injects[card * e->nics + n].packet != IQ_NONE) {
			return 0;
		}
	}
	return 1;
}

static uint32_t credits_used(const xt_engine_t *e, unsigned card, unsigned port, unsigned vc)
{
	return port >= e->links && vc
		       ? 0
		       : (uint32_t)(e->capacity[port * XT_MAX_VCS + vc] - e->outputs[card * e->ports + port].room[vc]);
}

static uint32_t link_state(const xt_engine_t *e, unsigned card, unsigned port)
{
	const int disabled = *iq_register(e, card, XT_REG_LINK_DISABLE, 0, 0) >> port & 1;

	if (e->peers[card * e->links + port].card != XT_NO_CARD && !disabled) {
		return XT_LINK_UP << XT_FIELD_LINK_STATE_STATE_LSB;
	}
	return XT_LINK_DOWN << XT_FIELD_LINK_STATE_STATE_LSB | (disabled ? XT_CAUSE_DISABLED : XT_CAUSE_NO_SIGNAL)
								       << XT_FIELD_LINK_STATE_CAUSE_LSB;
}

static uint32_t value_of(const xt_engine_t *e, unsigned card, place_t place, uint32_t address)
{
	const xt_profile_t *profile = e->profile;

	switch (place.r - xt_registers) {
	case XT_REG_MAGIC:
		return XT_REG_MAGIC_VALUE;
	case XT_REG_VERSION:
		return XT_REG_MAP_VERSION;
	case XT_REG_PROFILE_HASH:
		return xt_profile_hash(profile);
	case XT_REG_SHAPE:
		return profile->link_ports << XT_FIELD_SHAPE_LINK_PORTS_LSB |
		       profile->nic_ports << XT_FIELD_SHAPE_NIC_PORTS_LSB | profile->tcs << XT_FIELD_SHAPE_TCS_LSB |
		       e->vcs << XT_FIELD_SHAPE_VCS_LSB;
	case XT_REG_FEATURES:
		return xt_profile_features(profile);
	case XT_REG_STATUS:
		return 1u << XT_FIELD_STATUS_READY_LSB | (unsigned)is_idle(e, card) << XT_FIELD_STATUS_IDLE_LSB;
	case XT_REG_PORT_IDLE:
		return is_idle(e, card) ? (1u << e->ports) - 1 : 0;
	case XT_REG_FREE_CELLS:
		return profile->buffer_cells - e->inputs[card * e->ports + place.port].held;
	case XT_REG_CREDITS_USED:
		return credits_used(e, card, place.port, place.item);
	case XT_REG_LINK_STATE:
		return link_state(e, card, place.port);
	default:
		return address < IQ_REGISTER_BYTES ? e->card[card].words[address / 4] : 0;
	}
}

/* The table and the index of an address in a window, or NULL. */
static uint64_t *entry_at(const xt_engine_t *e, unsigned card, uint32_t address)
{
	const uint32_t lrt = xt_registers[XT_REG_LRT].offset, grt = xt_registers[XT_REG_GRT].offset;
	const uint32_t index = (address - (address >= lrt ? lrt : grt)) / XT_REG_ENTRY_STRIDE;

	if (address >= lrt) {
		return index < 1u << e->profile->lrt_bits ? &e->card[card].lrt[index] : NULL;
	}
	return address >= grt && index < 1u << e->profile->grt_bits ? &e->card[card].grt[index] : NULL;
}

int iq_read(xt_engine_t *e, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	for (size_t i = 0; i < count; i++, address += 4) {
		const uint64_t *entry = entry_at(e, card, address);
		const place_t place = entry ? (place_t){0} : place_of(e, address);

		if (entry) {
			values[i] = (uint32_t)(*entry >> (address & 4 ? 32 : 0));
		} else if (place.r) {
			values[i] = value_of(e, card, place, address);
		} else {
			return xt_fail(diag, XT_ERR_PROTOCOL, "card %u: reading register 0x%04" PRIx32 " is refused",
				card, address);
		}
	}
	return XT_OK;
}

int iq_write(xt_engine_t *e, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	for (size_t i = 0; i < count; i++, address += 4) {
		uint64_t *entry = entry_at(e, card, address);
		const place_t place = entry ? (place_t){0} : place_of(e, address);

		if (entry && !(address & 4)) {
			e->card[card].low = values[i];
		} else if (entry) {
			*entry = (uint64_t)values[i] << 32 | e->card[card].low;
		} else if (place.r && place.r->access == XT_ACCESS_RW) {
			e->card[card].words[address / 4] = values[i];
		} else {
			return xt_fail(diag, XT_ERR_PROTOCOL, "card %u: writing register 0x%04" PRIx32 " is refused",
				card, address);
		}
	}
	return XT_OK;
}

int iq_set_tables(xt_engine_t *e, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	(void)diag;
	memcpy(e->card[card].grt, grt, sizeof(*grt) << e->profile->grt_bits);
	memcpy(e->card[card].lrt, lrt, sizeof(*lrt) << e->profile->lrt_bits);
	return XT_OK;
}

void iq_reset_registers(xt_engine_t *e, unsigned card)
{
	*iq_register(e, card, XT_REG_TABLE_PORTS, 0, 0) = (1u << e->ports) - 1;
	for (unsigned tc = 0; tc < e->tcs; tc++) {
		*iq_register(e, card, XT_REG_MATCH_MASK, 0, tc) = (uint32_t)((UINT64_C(1) << e->profile->id_bits) - 1);
	}
}
