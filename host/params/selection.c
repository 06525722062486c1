/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a built-in profile by name, and leaves parts of a profile out. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "extorus/profiles.h"

const xt_profile_t *xt_profile_find(const char *name)
{
	for (unsigned i = 0; xt_profiles[i]; i++) {
		if (strcmp(xt_profiles[i]->name, name) == 0) {
			return xt_profiles[i];
		}
	}
	return NULL;
}

int xt_profile_require(const char *name, const xt_profile_t **out, xt_diag_t *diag)
{
	char known[256] = "";
	size_t used = 0;

	*out = xt_profile_find(name);
	if (*out) {
		return xt_profile_check(*out, diag);
	}
	for (unsigned i = 0; xt_profiles[i] && used < sizeof(known); i++) {
		used += (size_t)snprintf(
			known + used, sizeof(known) - used, "%s%s", i ? ", " : "", xt_profiles[i]->name);
	}
	return xt_fail(diag, XT_ERR_RANGE, "no profile \"%.64s\"; there are: %s", name, known);
}

/* One with RTL, then one with fewer ports, then the default. */
static int is_better(const xt_profile_t *p, const xt_profile_t *best)
{
	if (!best || p->model_only != best->model_only) {
		return !best || !p->model_only;
	}
	return xt_profile_ports(p) < xt_profile_ports(best) ||
	       (xt_profile_ports(p) == xt_profile_ports(best) && strcmp(p->name, "extoll") == 0);
}

const xt_profile_t *xt_profile_with_ports(unsigned links, unsigned nics)
{
	const xt_profile_t *best = NULL;

	for (unsigned i = 0; xt_profiles[i]; i++) {
		const xt_profile_t *p = xt_profiles[i];

		if (p->link_ports >= links && p->nic_ports >= nics && is_better(p, best)) {
			best = p;
		}
	}
	return best;
}

/* As is_better, then fewer VCs; of equal ones the names decide. */
static bool is_before(const xt_profile_t *p, const xt_profile_t *other)
{
	const bool better = is_better(p, other), worse = is_better(other, p);

	if (better != worse) {
		return better;
	}
	return xt_profile_vcs(p) < xt_profile_vcs(other) ||
	       (xt_profile_vcs(p) == xt_profile_vcs(other) && strcmp(p->name, other->name) < 0);
}

const xt_profile_t *xt_profile_next(const xt_profile_t *preferred, const xt_profile_t *after)
{
	const xt_profile_t *next = NULL;

	if (!after) {
		return preferred;
	}
	for (unsigned i = 0; xt_profiles[i]; i++) {
		const xt_profile_t *p = xt_profiles[i];

		if (p != preferred && p->link_ports >= preferred->link_ports && p->nic_ports >= preferred->nic_ports &&
			p->id_bits <= preferred->id_bits && (after == preferred || is_before(after, p)) &&
			(!next || is_before(p, next))) {
			next = p;
		}
	}
	return next;
}

bool xt_profile_has_vcs(const xt_profile_t *profile, unsigned vcs)
{
	unsigned tc = 0;

	while (tc < profile->tcs && xt_profile_deterministic_vcs(profile, tc) >= vcs) {
		tc++;
	}
	return tc == profile->tcs;
}

const xt_profile_t *xt_profile_with_entries(const xt_profile_t *like, unsigned entries, unsigned vcs)
{
	const xt_profile_t *best = NULL;

	for (unsigned i = 0; xt_profiles[i]; i++) {
		const xt_profile_t *p = xt_profiles[i];

		if (1u << p->lrt_bits >= entries && p->link_ports >= like->link_ports &&
			p->nic_ports >= like->nic_ports && p->bubble == like->bubble && xt_profile_has_vcs(p, vcs) &&
			(!best || is_before(p, best))) {
			best = p;
		}
	}
	return best;
}

void xt_profile_most_ports(unsigned *links, unsigned *nics)
{
	*links = *nics = 0;
	for (unsigned i = 0; xt_profiles[i]; i++) {
		*links = xt_profiles[i]->link_ports > *links ? xt_profiles[i]->link_ports : *links;
		*nics = xt_profiles[i]->nic_ports > *nics ? xt_profiles[i]->nic_ports : *nics;
	}
}

static unsigned take_adaptive(xt_profile_t *profile)
{
	unsigned taken = 0;

	for (unsigned t = 0; t < profile->tcs; t++) {
		for (unsigned v = 0; v < XT_MAX_VCS_PER_TC; v++) {
			if (profile->tc[t].vc[v] == XT_VC_ADAPTIVE) {
				profile->tc[t].vc[v] = XT_VC_DETERMINISTIC;
				taken++;
			}
		}
	}
	return taken;
}

/* Sets a number to 0; what it was. */
static unsigned take(unsigned *number)
{
	unsigned was = *number;

	*number = 0;
	return was;
}

/* Keeps the last one, of the longest packets; how many were before it. */
static unsigned take_classes(xt_profile_t *profile)
{
	const unsigned taken = profile->length_classes - 1, longest = profile->length_class[taken];

	memset(profile->length_class, 0, sizeof(profile->length_class));
	profile->length_class[0] = longest;
	profile->length_classes = 1;
	return taken;
}

int xt_profile_without(xt_profile_t *profile, const char *parts, xt_diag_t *diag)
{
	size_t length;

	for (const char *part = parts;; part += length + 1) {
		char word[16] = "";
		unsigned taken;

		length = strcspn(part, ",");
		memcpy(word, part, length < sizeof(word) ? length : sizeof(word) - 1);
		if (strcmp(word, "link") == 0) {
			taken = take(&profile->replay_cells);
		} else if (strcmp(word, "monitors") == 0) {
			taken = take(&profile->monitors);
		} else if (strcmp(word, "ecc") == 0) {
			taken = take(&profile->table_ecc);
		} else if (strcmp(word, "adaptive") == 0) {
			taken = take_adaptive(profile);
		} else if (strcmp(word, "u-turns") == 0) {
			taken = !profile->no_u_turns;
			profile->no_u_turns = 1;
		} else if (strcmp(word, "credit-sums") == 0) {
			taken = !profile->no_credit_sums;
			profile->no_credit_sums = 1;
		} else if (strcmp(word, "bypass") == 0) {
			taken = profile->replay_cells && !profile->no_replay_bypass;
			profile->no_replay_bypass = 1;
		} else if (strcmp(word, "classes") == 0) {
			taken = take_classes(profile);
		} else {
			return xt_fail(diag, XT_ERR_RANGE,
				"no part \"%s\" of a profile; there are: link, monitors, ecc, adaptive, u-turns, "
				"credit-sums, bypass, classes",
				word);
		}
		if (!taken) {
			return xt_fail(diag, XT_ERR_INVALID, "profile %.32s has no part \"%s\" to leave out",
				profile->name, word);
		}
		if (!part[length]) {
			return XT_OK;
		}
	}
}
