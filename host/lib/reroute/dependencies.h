/* SPDX-License-Identifier: Apache-2.0
 *
 * The channel dependencies of all TCs, each with the number of its users, kept acyclic while routes come and go. */
#pragma once

#include "old_new_hops.h"

typedef struct {
	uint32_t channel; /* card * bits + xt_channel_bit */
	uint8_t next;     /* xt_channel_bit at the other end */
	uint8_t tc;
} xt_dependency_entry_t;

typedef struct xt_dependencies xt_dependencies_t;

/* Of the network as `image` has it; none yet. NULL: out of memory. */
xt_dependencies_t *xt_dependencies_create(const xt_image_t *image);
void xt_dependencies_free(xt_dependencies_t *d); /* NULL is allowed */

/* One more user; false, and nothing is changed, if that would close a cycle. */
bool xt_dependencies_add(xt_dependencies_t *d, xt_dependency_entry_t entry);
/* One user less; there must be one. */
void xt_dependencies_remove(xt_dependencies_t *d, xt_dependency_entry_t entry);

/* All of one TC, instead of what another one has. */
void xt_dependencies_copy(xt_dependencies_t *d, unsigned from, unsigned to);

/* What packets to a destination do in one TC, as one user (per state and option): follows them by xt_old_new_hops_walk.
 * False, and nothing is changed, if that would close a cycle. What `mix` reads of the images of `m` is the same in all
 * calls. */
bool xt_dependencies_add_routes(xt_dependencies_t *d, xt_old_new_hops_t *m, unsigned tc, unsigned dest, xt_mix_t mix);
void xt_dependencies_remove_routes(
	xt_dependencies_t *d, xt_old_new_hops_t *m, unsigned tc, unsigned dest, xt_mix_t mix);
/* Whether the routes of some TC closed a cycle when they were last added, and would close the same one now. */
bool xt_dependencies_blocked(const xt_dependencies_t *d, unsigned dest, xt_mix_t mix);
