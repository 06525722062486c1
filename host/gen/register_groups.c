/* SPDX-License-Identifier: Apache-2.0 */
#include "register_groups.h"

#include <stdio.h>

static uint32_t lowest(uint32_t shapes)
{
	uint32_t base = UINT32_MAX;

	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		if (shapes >> xt_registers[i].shape & 1 && xt_registers[i].offset < base) {
			base = xt_registers[i].offset;
		}
	}
	return base;
}

void xt_register_groups(const xt_profile_t *p, xt_register_group_t *groups)
{
	const uint32_t any_port = 1u << XT_SHAPE_PER_PORT | 1u << XT_SHAPE_PER_PORT_TC | 1u << XT_SHAPE_PER_PORT_VC;
	const uint32_t link_port = any_port | 1u << XT_SHAPE_PER_LINK;
	const uint32_t ports = lowest(link_port) & ~(XT_REG_PORT_STRIDE - 1u);
	const uint32_t bins = 1u << XT_SHAPE_PER_NIC_BIN, grt = 1u << XT_SHAPE_GRT, lrt = 1u << XT_SHAPE_LRT;
	const unsigned histograms = xt_profile_features(p) & XT_FEATURE_LATENCY ? p->nic_ports : 0;

	groups[0] = (xt_register_group_t){NULL, NULL, 0, 0, 1, 1u << XT_SHAPE_SINGLE | 1u << XT_SHAPE_PER_TC};
	groups[1] = (xt_register_group_t){
		"LINK_PORT", "registers of a link port", ports, XT_REG_PORT_STRIDE, p->link_ports, link_port};
	groups[2] = (xt_register_group_t){"NIC_PORT", "registers of a NIC port",
		ports + p->link_ports * XT_REG_PORT_STRIDE, XT_REG_PORT_STRIDE, p->nic_ports, any_port};
	groups[3] = (xt_register_group_t){
		"NIC", "latency histogram of a NIC", lowest(bins), XT_REG_NIC_STRIDE, histograms, bins};
	groups[4] = (xt_register_group_t){
		"GRT", "entry of the global table", lowest(grt), XT_REG_ENTRY_STRIDE, 1u << p->grt_bits, grt};
	groups[5] = (xt_register_group_t){
		"LRT", "entry of the local table", lowest(lrt), XT_REG_ENTRY_STRIDE, 1u << p->lrt_bits, lrt};
}

bool xt_register_in_group(const xt_profile_t *p, const xt_register_group_t *group, xt_register_id_t id)
{
	return group->count && group->shapes >> xt_registers[id].shape & 1 &&
	       xt_register_present(id, xt_profile_features(p));
}

unsigned xt_register_items(const xt_profile_t *p, xt_register_id_t id)
{
	switch (xt_registers[id].shape) {
	case XT_SHAPE_PER_TC:
	case XT_SHAPE_PER_PORT_TC:
		return p->tcs;
	case XT_SHAPE_PER_PORT_VC:
		return xt_profile_vcs(p);
	case XT_SHAPE_PER_NIC_BIN:
		return XT_REG_LATENCY_BINS;
	case XT_SHAPE_SINGLE:
	case XT_SHAPE_PER_PORT:
	case XT_SHAPE_PER_LINK:
	case XT_SHAPE_GRT:
	case XT_SHAPE_LRT:
		break;
	}
	return 1;
}

unsigned xt_register_words(xt_register_id_t id)
{
	return xt_registers[id].shape == XT_SHAPE_GRT || xt_registers[id].shape == XT_SHAPE_LRT ? 2 : 1;
}

xt_write_effect_t xt_register_write_effect(xt_register_id_t id)
{
	switch (id) {
	case XT_REG_ERROR_FLAGS:
		return XT_WRITE_ONE_CLEARS;
	case XT_REG_CLEAR:
	case XT_REG_LINK_RETRAIN:
		return XT_WRITE_ONE_SETS;
	default:
		return XT_WRITE_VALUE;
	}
}

/* Whether the register always reads the same, and what. */
static bool constant(const xt_profile_t *p, xt_register_id_t id, uint32_t *value)
{
	switch (id) {
	case XT_REG_MAGIC:
		*value = XT_REG_MAGIC_VALUE;
		return true;
	case XT_REG_VERSION:
		*value = XT_REG_MAP_VERSION;
		return true;
	case XT_REG_PROFILE_HASH:
		*value = xt_profile_hash(p);
		return true;
	case XT_REG_SHAPE:
		*value = p->link_ports << XT_FIELD_SHAPE_LINK_PORTS_LSB | p->nic_ports << XT_FIELD_SHAPE_NIC_PORTS_LSB |
			 p->tcs << XT_FIELD_SHAPE_TCS_LSB | xt_profile_vcs(p) << XT_FIELD_SHAPE_VCS_LSB;
		return true;
	case XT_REG_FEATURES:
		*value = xt_profile_features(p);
		return true;
	default:
		return false;
	}
}

/* A field of a table entry for each TC: TC 0 and 1 are in the low word, TC 2 and 3 in the high one. */
static unsigned entry_fields(const xt_profile_t *p, unsigned word, xt_group_field_t *fields)
{
	static const struct {
		const char *name, *doc;
		unsigned lsb, bits;
	} parts[] = {
		{"PORT", "output port", XT_ENTRY_PORT_LSB, XT_ENTRY_PORT_BITS},
		{"VC", "deterministic VC within the TC", XT_ENTRY_VC_LSB, XT_ENTRY_VC_BITS},
		{"MASK", "adaptive mask: candidate link ports", XT_ENTRY_MASK_LSB, XT_ENTRY_MASK_BITS},
		{"VALID", "there is a route", XT_ENTRY_VALID_BIT, 1},
	};
	unsigned count = 0;

	for (unsigned t = 0; t < p->tcs; t++) {
		for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			unsigned lsb = XT_ENTRY_TC_BITS * t + parts[i].lsb;

			if (lsb / 32 == word) {
				xt_group_field_t *f = &fields[count++];

				*f = (xt_group_field_t){.doc = parts[i].doc, .lsb = lsb % 32, .bits = parts[i].bits};
				snprintf(f->name, sizeof(f->name), "TC%u_%s", t, parts[i].name);
			}
		}
	}
	return count;
}

unsigned xt_register_group_fields(
	const xt_profile_t *p, xt_register_id_t id, unsigned word, xt_group_field_t fields[XT_GROUP_MAX_FIELDS])
{
	uint32_t value = 0;
	bool fixed = constant(p, id, &value);
	unsigned count = xt_register_words(id) > 1 ? entry_fields(p, word, fields) : 0;

	for (const xt_register_field_t *f = xt_register_fields; f->name; f++) {
		if (f->id == id) {
			fields[count] =
				(xt_group_field_t){.doc = f->doc, .lsb = f->lsb, .bits = f->bits, .constant = fixed};
			fields[count].reset = value >> f->lsb & (uint32_t)((1ull << f->bits) - 1);
			snprintf(fields[count++].name, sizeof(fields->name), "%s", f->name);
		}
	}
	if (!count) {
		fields[count++] = (xt_group_field_t){
			"VALUE", xt_registers[id].doc, .lsb = 0, .bits = 32, .constant = fixed, .reset = value};
	}
	return count;
}
