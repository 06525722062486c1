/* SPDX-License-Identifier: Apache-2.0
 *
 * The profiles that were built in, and what follows from a profile's table. */
#ifndef EXTORUS_PROFILES_H
#define EXTORUS_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/profile.h"

XT_BEGIN_C

/* All profiles, ended by NULL. The build writes the definition from the names of the files
 * host/params/profile_NAME.c. */
XT_API extern const xt_profile_t *const xt_profiles[];

/* The built-in profile of that name, or NULL; it lives as long as the program. */
XT_API const xt_profile_t *xt_profile_find(const char *name);
/* As xt_profile_find, but a missing profile is XT_ERR_RANGE with the known names in `diag`. */
XT_API int xt_profile_require(const char *name, const xt_profile_t **out, xt_diag_t *diag);

/* The smallest built-in profile that has at least so many link and NIC ports: one with RTL before one of the model
 * only, of equal ones extoll; NULL: none. */
XT_API const xt_profile_t *xt_profile_with_ports(unsigned links, unsigned nics);
/* The profiles to try where one may lack ports or VCs, in turn: `preferred` for `after` NULL, then those that have
 * at least its ports and at most its address bits, by that order and then by fewer VCs. NULL: no more. */
XT_API const xt_profile_t *xt_profile_next(const xt_profile_t *preferred, const xt_profile_t *after);
/* The first in that order with so many LRT entries, at least the ports and the flow control of `like`, and so many
 * deterministic VCs in each TC; NULL: none. */
XT_API const xt_profile_t *xt_profile_with_entries(const xt_profile_t *like, unsigned entries, unsigned vcs);
/* The most that any built-in profile has of each. */
XT_API void xt_profile_most_ports(unsigned *links, unsigned *nics);

/* XT_OK if hardware and tools can be made from the table; otherwise XT_ERR_INVALID, and `diag` names
 * the profile, the entry and the reason. The functions below expect a table that passed. */
XT_API int xt_profile_check(const xt_profile_t *profile, xt_diag_t *diag);

/* Takes parts out of a copy of a profile, so that what they cost can be measured. `parts` is words joined by
 * commas: "link" (layer: frames, retries), "monitors", "ecc" (of table entries), "adaptive" (its VCs stay, as
 * deterministic ones), "u-turns" (no_u_turns is set), "credit-sums" (no_credit_sums is set), "bypass" (no_replay_bypass
 * is set), "classes" (of lengths; the longest stays).
 * XT_ERR_RANGE for another word, XT_ERR_INVALID for a part that the profile does not have. */
XT_API int xt_profile_without(xt_profile_t *profile, const char *parts, xt_diag_t *diag);

/* CRC-32 (zlib's polynomial) over every number of the table, each as a little-endian 32-bit word, in
 * the order of xt_profile_t; name, summary and energy are left out. Works for illegal tables too. */
XT_API uint32_t xt_profile_hash(const xt_profile_t *profile);

/* Smallest b with 1 << b >= value; 0 for 0 and 1. */
XT_API unsigned xt_clog2(unsigned value);

static inline unsigned xt_profile_ports(const xt_profile_t *profile)
{
	return profile->link_ports + profile->nic_ports;
}

/* VCs of one TC, of all TCs, and the number of a TC's VC 0 among all. */
XT_API unsigned xt_profile_tc_vcs(const xt_profile_t *profile, unsigned tc);
XT_API unsigned xt_profile_vcs(const xt_profile_t *profile);
XT_API unsigned xt_profile_first_vc(const xt_profile_t *profile, unsigned tc);
/* Deterministic VCs of one TC; they come before the adaptive ones. */
XT_API unsigned xt_profile_deterministic_vcs(const xt_profile_t *profile, unsigned tc);
/* Whether each TC has so many of these. */
XT_API bool xt_profile_has_vcs(const xt_profile_t *profile, unsigned vcs);
/* Places that channels of a link have for the VCs of a TC: 4, or 8 if a TC has more than 4. */
XT_API unsigned xt_profile_vc_stride(const xt_profile_t *profile);
/* Width of a card's register addresses: XT_REG_ADDRESS_BITS, more where the LRT is larger than RTL has it. */
XT_API unsigned xt_profile_address_bits(const xt_profile_t *profile);
/* The TCs that have an adaptive VC, bit per TC. */
XT_API unsigned xt_profile_adaptive_tcs(const xt_profile_t *profile);
/* Cycles in which the route of a packet is looked up before it is at the switch. */
XT_API unsigned xt_profile_lookup_cycles(const xt_profile_t *profile);
/* Cells of an input buffer that any VC may use beyond those it owns. */
XT_API unsigned xt_profile_shared_cells(const xt_profile_t *profile);

/* Width of the lowest digit of a PE address, which tells the NIC ports of a card apart. */
XT_API unsigned xt_profile_unit_bits(const xt_profile_t *profile);

/* Width of the header's length-1 and tc fields and of a VC number. */
XT_API unsigned xt_profile_len_bits(const xt_profile_t *profile);
XT_API unsigned xt_profile_tc_bits(const xt_profile_t *profile);
XT_API unsigned xt_profile_vc_bits(const xt_profile_t *profile);

/* Packet header, in the low bits of the first cell. */
typedef struct {
	unsigned dest_lsb, dest_bits;
	unsigned src_lsb, src_bits;
	unsigned len_lsb, len_bits; /* cells - 1 */
	unsigned tc_lsb, tc_bits;
	unsigned tag_lsb, tag_bits; /* the rest of the cell */
	/* Time of injection, over the top of the tag while LATENCY_CONTROL.STAMP is set; 0 bits: no room. */
	unsigned stamp_lsb, stamp_bits;
} xt_header_layout_t;

enum { XT_STAMP_BITS = 16 };

XT_API xt_header_layout_t xt_profile_header(const xt_profile_t *profile);

/* What FEATURES reads in a card of this profile: xt_feature_t of registers.h, one bit each. */
XT_API uint32_t xt_profile_features(const xt_profile_t *profile);

/* What a link carries per cycle and direction, least significant field first. A field that the profile's
 * links do not have is 0 bits wide. */
typedef struct {
	unsigned layer; /* 1: sequence numbers, acks and a check word; 0: a plain link */
	unsigned ctrl_lsb, ctrl_bits;
	unsigned cell_valid_lsb, cell_valid_bits;
	unsigned cell_seq_lsb, cell_seq_bits;
	unsigned vc_lsb, vc_bits;
	unsigned poison_lsb, poison_bits;
	unsigned cell_lsb, cell_bits;
	unsigned credit_valid_lsb, credit_valid_bits;
	unsigned credit_seq_lsb, credit_seq_bits;
	unsigned credit_vc_lsb, credit_vc_bits;
	unsigned cell_ack_lsb, cell_ack_bits;
	unsigned cell_nack_lsb, cell_nack_bits;
	unsigned credit_ack_lsb, credit_ack_bits;
	unsigned credit_nack_lsb, credit_nack_bits;
	unsigned check_lsb, check_bits; /* check word of all lower bits: see rtl/link/xt_link_check.sv */
	unsigned bits;
} xt_frame_layout_t;

XT_API xt_frame_layout_t xt_profile_frame(const xt_profile_t *profile);

/* A TC's field of a table entry; TC t's starts at bit XT_ENTRY_TC_BITS * t. */
enum {
	XT_ENTRY_TC_BITS = 16,
	XT_ENTRY_PORT_LSB = 0,
	XT_ENTRY_PORT_BITS = 4,
	XT_ENTRY_VC_LSB = 4,
	XT_ENTRY_VC_BITS = 2,
	XT_ENTRY_MASK_LSB = 6,
	XT_ENTRY_MASK_BITS = 6,
	XT_ENTRY_VC_TOP_BIT = 12, /* third bit of the VC, of a TC with more than 4 VCs; no RTL has such */
	XT_ENTRY_VALID_BIT = 15,
	/* With table_ecc a field is stored with a code of so many bits above its data. */
	XT_ENTRY_CODE_BITS = 6,
	XT_ENTRY_WORD_TCS = 2, /* TCs of a word of an entry */
	XT_ENTRY_MAX_BITS = XT_ENTRY_TC_BITS * XT_MAX_TCS,
};

/* The code (Hsiao's): bit i of a TC's field inverts the bits xt_entry_column(i) of its code, i below
 * XT_ENTRY_TC_BITS. Every column has an odd number of ones, at least three, and no two are the same: one
 * wrong bit is found and two are noticed. */
XT_API uint8_t xt_entry_column(unsigned bit);
XT_API uint8_t xt_entry_code(uint16_t field);

XT_END_C
#endif
