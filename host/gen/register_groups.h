/* SPDX-License-Identifier: Apache-2.0
 *
 * The register map of a profile as the interchange formats see it: groups that repeat with a stride, and registers in
 * them. */
#pragma once

#include <stdbool.h>

#include "extorus/profiles.h"
#include "extorus/registers.h"

/* A window of the address space. Its `count` elements are `stride` bytes apart; without a name it is the map itself. */
typedef struct {
	const char *name, *doc;
	uint32_t base, stride, count;
	uint32_t shapes; /* bit per xt_register_shape_t */
} xt_register_group_t;

enum { XT_REGISTER_GROUPS = 6 };

/* What a write does, beyond replacing the value. */
typedef enum {
	XT_WRITE_VALUE,
	XT_WRITE_ONE_CLEARS,
	XT_WRITE_ONE_SETS, /* and the card clears it at once */
} xt_write_effect_t;

/* A field as it is written out; `reset` counts where `constant` says so. */
typedef struct {
	char name[16];
	const char *doc;
	unsigned lsb, bits;
	bool constant;
	uint32_t reset;
} xt_group_field_t;

enum { XT_GROUP_MAX_FIELDS = 32 };

/* Fills groups[XT_REGISTER_GROUPS]; a group that the profile lacks has count 0. */
void xt_register_groups(const xt_profile_t *profile, xt_register_group_t *groups);
/* Whether the profile has the register in the group. */
bool xt_register_in_group(const xt_profile_t *profile, const xt_register_group_t *group, xt_register_id_t id);
/* Elements of a register within one element of its group; 1: it is no array. */
unsigned xt_register_items(const xt_profile_t *profile, xt_register_id_t id);
/* 32-bit words of an element of a register: two of a table entry. */
unsigned xt_register_words(xt_register_id_t id);
/* The fields of a word, lowest first; a register that is one number has the field VALUE. Returns their number. */
unsigned xt_register_group_fields(
	const xt_profile_t *profile, xt_register_id_t id, unsigned word, xt_group_field_t fields[XT_GROUP_MAX_FIELDS]);
xt_write_effect_t xt_register_write_effect(xt_register_id_t id);
