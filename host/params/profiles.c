/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profiles.h"

#include <zlib.h>

#include "extorus/registers.h"

static uint32_t hash_word(uint32_t hash, unsigned value)
{
	const uint8_t bytes[4] = {
		(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

	return (uint32_t)crc32(hash, bytes, sizeof(bytes));
}

uint32_t xt_profile_hash(const xt_profile_t *p)
{
	uint32_t h = 0;

	h = hash_word(h, p->link_ports);
	h = hash_word(h, p->nic_ports);
	h = hash_word(h, p->tcs);
	for (unsigned t = 0; t < XT_MAX_TCS; t++) {
		for (unsigned v = 0; v < XT_MAX_RTL_VCS_PER_TC; v++) {
			h = hash_word(h, (unsigned)p->tc[t].vc[v]);
		}
	}
	h = hash_word(h, p->cell_bits);
	h = hash_word(h, p->packet_cells);
	h = hash_word(h, p->buffer_cells);
	h = hash_word(h, p->reserved_cells);
	h = hash_word(h, p->bubble);
	h = hash_word(h, p->eject_cells);
	h = hash_word(h, p->length_classes);
	for (unsigned i = 0; i < XT_MAX_LENGTH_CLASSES; i++) {
		h = hash_word(h, p->length_class[i]);
	}
	h = hash_word(h, p->id_bits);
	h = hash_word(h, p->grt_bits);
	h = hash_word(h, p->lrt_bits);
	h = hash_word(h, p->table_ecc);
	h = hash_word(h, p->islip_iterations);
	h = hash_word(h, p->link_latency);
	h = hash_word(h, p->replay_cells);
	h = hash_word(h, p->block_ram_only);
	h = hash_word(h, p->monitors);
	/* Profiles from before this field keep their hashes. */
	if (p->no_u_turns) {
		h = hash_word(h, p->no_u_turns);
	}
	if (p->no_credit_sums) {
		h = hash_word(h, 8 + p->no_credit_sums);
	}
	if (p->no_replay_bypass) {
		h = hash_word(h, 16 + p->no_replay_bypass);
	}
	if (p->crossbar_register) {
		h = hash_word(h, 32 + p->crossbar_register);
	}
	if (p->vc_rings) {
		h = hash_word(h, 2 + p->vc_rings);
	}
	/* What RTL cannot have does not count in the hashes of cards. */
	if (p->model_only || p->ring_adaptive_vcs) {
		h = hash_word(h, p->ring_adaptive_vcs);
		for (unsigned t = 0; t < XT_MAX_TCS; t++) {
			for (unsigned v = XT_MAX_RTL_VCS_PER_TC; v < XT_MAX_VCS_PER_TC; v++) {
				h = hash_word(h, (unsigned)p->tc[t].vc[v]);
			}
		}
	}
	return h;
}

unsigned xt_clog2(unsigned value)
{
	unsigned bits = 0;

	while (bits < 32 && (1ull << bits) < value) {
		bits++;
	}
	return bits;
}

unsigned xt_profile_tc_vcs(const xt_profile_t *profile, unsigned tc)
{
	unsigned n = 0;

	while (n < XT_MAX_VCS_PER_TC && profile->tc[tc].vc[n] != XT_VC_NONE) {
		n++;
	}
	return n;
}

unsigned xt_profile_first_vc(const xt_profile_t *profile, unsigned tc)
{
	unsigned n = 0;

	for (unsigned t = 0; t < tc; t++) {
		n += xt_profile_tc_vcs(profile, t);
	}
	return n;
}

unsigned xt_profile_vcs(const xt_profile_t *profile)
{
	return xt_profile_first_vc(profile, profile->tcs);
}

unsigned xt_profile_deterministic_vcs(const xt_profile_t *profile, unsigned tc)
{
	unsigned n = 0;

	while (n < XT_MAX_VCS_PER_TC && profile->tc[tc].vc[n] == XT_VC_DETERMINISTIC) {
		n++;
	}
	return n;
}

unsigned xt_profile_vc_stride(const xt_profile_t *profile)
{
	for (unsigned t = 0; t < profile->tcs; t++) {
		if (xt_profile_tc_vcs(profile, t) > XT_MAX_RTL_VCS_PER_TC) {
			return XT_MAX_VCS_PER_TC;
		}
	}
	return XT_MAX_RTL_VCS_PER_TC;
}

unsigned xt_profile_address_bits(const xt_profile_t *profile)
{
	const uint64_t end = xt_registers[XT_REG_LRT].offset + ((uint64_t)XT_REG_ENTRY_STRIDE << profile->lrt_bits);

	return end > 1u << XT_REG_ADDRESS_BITS ? xt_clog2((unsigned)end) : XT_REG_ADDRESS_BITS;
}

unsigned xt_profile_shared_cells(const xt_profile_t *profile)
{
	return profile->bubble ? 0 : profile->buffer_cells - xt_profile_vcs(profile) * profile->reserved_cells;
}

unsigned xt_profile_lookup_cycles(const xt_profile_t *profile)
{
	return profile->block_ram_only ? 1 : 2;
}

unsigned xt_profile_adaptive_tcs(const xt_profile_t *profile)
{
	unsigned tcs = 0;

	for (unsigned t = 0; t < profile->tcs; t++) {
		tcs |= (xt_profile_tc_vcs(profile, t) > xt_profile_deterministic_vcs(profile, t)) << t;
	}
	return tcs;
}

unsigned xt_profile_unit_bits(const xt_profile_t *profile)
{
	return xt_clog2(profile->nic_ports);
}

unsigned xt_profile_len_bits(const xt_profile_t *profile)
{
	return xt_clog2(profile->packet_cells);
}

unsigned xt_profile_tc_bits(const xt_profile_t *profile)
{
	return profile->tcs > 1 ? xt_clog2(profile->tcs) : 1;
}

unsigned xt_profile_vc_bits(const xt_profile_t *profile)
{
	unsigned vcs = xt_profile_vcs(profile);

	return vcs > 1 ? xt_clog2(vcs) : 1;
}

xt_header_layout_t xt_profile_header(const xt_profile_t *profile)
{
	xt_header_layout_t h;

	h.dest_lsb = 0;
	h.dest_bits = profile->id_bits;
	h.src_lsb = h.dest_lsb + h.dest_bits;
	h.src_bits = profile->id_bits;
	h.len_lsb = h.src_lsb + h.src_bits;
	h.len_bits = xt_profile_len_bits(profile);
	h.tc_lsb = h.len_lsb + h.len_bits;
	h.tc_bits = xt_profile_tc_bits(profile);
	h.tag_lsb = h.tc_lsb + h.tc_bits;
	h.tag_bits = profile->cell_bits > h.tag_lsb ? profile->cell_bits - h.tag_lsb : 0;
	/* The user keeps at least one bit of the tag. */
	h.stamp_bits = h.tag_bits > XT_STAMP_BITS ? XT_STAMP_BITS : 0;
	h.stamp_lsb = profile->cell_bits - h.stamp_bits;
	return h;
}

/* Numbers with three ones. Each bit of the code is inverted by eight bits of the field: no bit is later than another.
 */
static const uint8_t entry_columns[XT_ENTRY_TC_BITS] = {
	0x0b, 0x0d, 0x0e, 0x13, 0x15, 0x16, 0x1a, 0x1c, 0x23, 0x25, 0x29, 0x2a, 0x2c, 0x31, 0x32, 0x34};

uint8_t xt_entry_column(unsigned bit)
{
	return bit < XT_ENTRY_TC_BITS ? entry_columns[bit] : 0;
}

uint8_t xt_entry_code(uint16_t field)
{
	uint8_t code = 0;

	for (unsigned rest = field; rest; rest &= rest - 1) {
		code ^= entry_columns[__builtin_ctz(rest)];
	}
	return code;
}

uint32_t xt_profile_features(const xt_profile_t *profile)
{
	uint32_t features = XT_FEATURE_CORE;

	if (xt_profile_adaptive_tcs(profile)) {
		features |= XT_FEATURE_ADAPTIVE;
	}
	if (profile->replay_cells) {
		features |= XT_FEATURE_LINK_LAYER;
	}
	if (profile->bubble) {
		features |= XT_FEATURE_BUBBLE;
	}
	if (profile->table_ecc) {
		features |= XT_FEATURE_TABLE_ECC;
	}
	if (profile->tcs > 1) {
		features |= XT_FEATURE_QOS;
	}
	if (xt_profile_header(profile).stamp_bits) {
		features |= XT_FEATURE_LATENCY;
	}
	if (profile->monitors) {
		features |= XT_FEATURE_MONITORS;
	}
	if (profile->vc_rings) {
		features |= XT_FEATURE_VC_RINGS;
	}
	return features;
}

xt_frame_layout_t xt_profile_frame(const xt_profile_t *profile)
{
	xt_frame_layout_t f;
	unsigned layer = profile->replay_cells > 0, vc_bits = xt_profile_vc_bits(profile);
	/* A bit more than the buffer's address tells a full window from an empty one. */
	unsigned cell_seq_bits = layer ? xt_clog2(profile->replay_cells) + 1 : 0;
	unsigned credit_seq_bits = layer ? xt_clog2(profile->buffer_cells) + 1 : 0;
	unsigned lsb = 0;

#define FIELD(name, width)       \
	f.name##_bits = (width); \
	f.name##_lsb = lsb;      \
	lsb += f.name##_bits
	f.layer = layer;
	FIELD(ctrl, layer ? 2 : 0);
	FIELD(cell_valid, 1);
	FIELD(cell_seq, cell_seq_bits);
	FIELD(vc, vc_bits);
	FIELD(poison, layer);
	FIELD(cell, profile->cell_bits);
	FIELD(credit_valid, 1);
	FIELD(credit_seq, credit_seq_bits);
	FIELD(credit_vc, vc_bits);
	FIELD(cell_ack, cell_seq_bits);
	FIELD(cell_nack, layer);
	FIELD(credit_ack, credit_seq_bits);
	FIELD(credit_nack, layer);
	FIELD(check, layer ? 32 : 0);
#undef FIELD
	f.bits = lsb;
	return f;
}
