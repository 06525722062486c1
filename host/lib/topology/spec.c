/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of families, and the parser of specs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "network_file.h"
#include "topology_internal.h"

static const xt_family_t *const families[] = {
	&xt_family_torus,
	&xt_family_twin,
	&xt_family_mesh,
	&xt_family_rtt,
	&xt_family_ptt,
	&xt_family_pdtt,
	&xt_family_pruned,
	&xt_family_manhattan,
	&xt_family_pruned_directed,
	&xt_family_tree,
	&xt_family_file,
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* The family whose name is before the colon, or NULL. */
static const xt_family_t *family_of(const char *spec)
{
	const char *colon = strchr(spec, ':');

	for (unsigned f = 0; colon && f < FAMILIES; f++) {
		size_t length = strlen(families[f]->name);

		if (length == (size_t)(colon - spec) && strncmp(families[f]->name, spec, length) == 0) {
			return families[f];
		}
	}
	return NULL;
}

bool xt_topology_is_spec(const char *text)
{
	return family_of(text) != NULL;
}

/* Radices after the colon, "4x4x2", each from 1 on, up to the end or the comma before options; *end is
 * left there. */
static int parse_radices(xt_topology_t *t, const char *spec, const char *text, const char **end, xt_diag_t *diag)
{
	const char *c = text;

	for (;;) {
		unsigned long value = 0;

		if (!isdigit((unsigned char)*c)) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": a radix is missing at character %d; write for example %s:%s", spec,
				(int)(c - spec) + 1, t->family->name, t->family->example);
		}
		while (isdigit((unsigned char)*c) && value <= XT_MAX_CARDS) {
			value = value * 10 + (unsigned long)(*c++ - '0');
		}
		if (value == 0) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": dimension %u has radix 0; the least is 1", spec, t->dimensions);
		}
		if (t->dimensions == XT_MAX_DIMENSIONS) {
			return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u dimensions", spec,
				XT_MAX_DIMENSIONS);
		}
		if (value > XT_MAX_CARDS || (uint64_t)t->nodes * value * t->family->sides > XT_MAX_CARDS) {
			return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u cards; lower the radices",
				spec, XT_MAX_CARDS);
		}
		t->radix[t->dimensions] = (unsigned)value;
		t->period[t->dimensions] = 1;
		t->stride[t->dimensions++] = t->nodes;
		t->nodes *= (unsigned)value;
		*end = c;
		if (*c == '\0' || (*c == ',' && t->family->options)) {
			return XT_OK;
		}
		if (*c != 'x') {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": unexpected character %d; radices are separated by x", spec,
				(int)(c - spec) + 1);
		}
		c++;
	}
}

static int unknown_kind(const char *spec, xt_diag_t *diag)
{
	char known[128] = "";
	size_t used = 0;

	for (unsigned f = 0; f < FAMILIES && used < sizeof(known); f++) {
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s:", f ? ", " : "", families[f]->name);
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": unknown kind; write %s:%s, or one of %s with the radix of each dimension, "
		"or a path after file:",
		spec, families[0]->name, families[0]->example, known);
}

/* `spec` without failures */
static int parse_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *text = strchr(spec, ':') + 1, *end = spec;
	int status;

	t->nodes = 1;
	t->layouts = 1;
	if (t->family->build) {
		return t->family->build(t, spec, text, diag);
	}
	if ((status = parse_radices(t, spec, text, &end, diag)) != XT_OK || !t->family->shape) {
		return status;
	}
	return t->family->shape(t, spec, *end == ',' ? end + 1 : NULL, diag);
}

static int check_ports(const xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	unsigned needed = t->family->ports(t);
	const xt_profile_t *p = t->profile;
	uint64_t cards = (uint64_t)t->nodes * t->family->sides;

	if (needed > p->link_ports) {
		const xt_profile_t *other = xt_profile_with_ports(needed, 1);

		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": needs %u link ports per card, profile %s has %u; use fewer dimensions%s%s",
			spec, needed, p->name, p->link_ports, other ? ", or --profile " : ": no profile has as many",
			other ? other->name : "");
	}
	if (p != &t->none && cards << xt_profile_unit_bits(p) > 1ull << p->id_bits) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": %u PEs do not fit the %u address bits of profile %s", spec,
			(unsigned)cards * p->nic_ports, p->id_bits, p->name);
	}
	return XT_OK;
}

static void name_port(xt_topology_t *t, unsigned layout, unsigned port)
{
	const xt_profile_t *p = t->profile;
	char *name = t->port[layout][port].name;

	t->port[layout][port].dimension = -1;
	if (port < p->link_ports) {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "p%u", port);
	} else if (p->nic_ports == 1) {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "nic");
	} else {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "nic%u", port - p->link_ports);
	}
}

static void lay_out_ports(xt_topology_t *t)
{
	t->internal_port = -1;
	for (unsigned layout = 0; layout < t->layouts; layout++) {
		for (unsigned port = 0; port < xt_profile_ports(t->profile); port++) {
			name_port(t, layout, port);
		}
		for (unsigned d = 0; d < t->dimensions; d++) {
			t->dimension_port[layout][d][0] = t->dimension_port[layout][d][1] = -1;
		}
	}
	t->family->lay_out(t);
	for (unsigned layout = 0; t->internal_port >= 0 && layout < t->layouts; layout++) {
		snprintf(t->port[layout][t->internal_port].name, XT_TOPOLOGY_NAME_SIZE, "int");
	}
}

static int write_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	size_t size = sizeof(t->spec), used = (size_t)snprintf(t->spec, size, "%s:", t->family->name);

	if (t->family->kind == XT_TOPOLOGY_FILE) {
		used += xt_network_encode_path(spec + used, t->spec + used, size - used);
		return used < size ? XT_OK
				   : xt_fail(diag, XT_ERR_RANGE,
					     "topology \"%.80s...\": more than %u characters; use a shorter path", spec,
					     XT_SPEC_SIZE - 1);
	}
	for (unsigned d = 0; d < t->dimensions && used < size; d++) {
		used += (size_t)snprintf(t->spec + used, size - used, "%s%u", d ? "x" : "", t->radix[d]);
	}
	if (used < size) {
		snprintf(t->spec + used, size - used, "%s", t->options);
	}
	return XT_OK;
}

/* From the rule to the list, less what has failed. */
static int apply_failures(xt_topology_t *t, const char *spec, const char *failures, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(t), ports = t->profile->link_ports;
	size_t used = strlen(t->spec);
	xt_wiring_t *w = t->wiring;
	int status;

	if (t->family->directed) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"topology \"%.80s\": no failures in a network of one-way links yet", spec);
	}
	if (!w) {
		if ((status = xt_wiring_create(cards, t->profile, &w, diag)) != XT_OK) {
			return status;
		}
		for (size_t i = 0; i < (size_t)cards * ports; i++) {
			w->peer[i] = xt_topology_peer(t, (unsigned)(i / ports), (unsigned)(i % ports));
		}
		t->wiring = w;
	}
	status = xt_wiring_fail(w, t, spec, failures, t->spec + used, sizeof(t->spec) - used, diag);
	return status == XT_OK ? xt_wiring_check(w, spec, diag) : status;
}

/* The name of a file may have a ~ of its own: failures begin behind the longest name of which there is a file. */
static const char *failures_of(const char *spec)
{
	const char *first = xt_failures_of(spec);
	const xt_family_t *family = family_of(spec);

	for (const char *end = spec + strlen(spec);
		family && family->kind == XT_TOPOLOGY_FILE && *first && end >= first; end--) {
		if ((*end == '\0' || *end == '~') && xt_network_exists(strchr(spec, ':') + 1, end)) {
			return end;
		}
	}
	return first;
}

static int build(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *failures = failures_of(spec);
	char *whole = strndup(spec, (size_t)(failures - spec));
	int status = whole ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK && !(t->family = family_of(whole))) {
		status = unknown_kind(whole, diag);
	}
	if (status == XT_OK && (status = parse_spec(t, whole, diag)) == XT_OK &&
		(status = check_ports(t, whole, diag)) == XT_OK) {
		lay_out_ports(t);
		status = write_spec(t, whole, diag);
	}
	if (status == XT_OK && (*failures || t->wiring)) {
		status = apply_failures(t, spec, failures, diag);
	}
	free(whole);
	return status;
}

static int create(const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag)
{
	int status = xt_profile_check(profile, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	(*out)->profile = profile;
	return XT_OK;
}

static int finish(int status, xt_topology_t **out)
{
	if (status != XT_OK) {
		xt_topology_free(*out);
		*out = NULL;
	}
	return status;
}

int xt_topology_parse(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag)
{
	int status = create(profile, out, diag);

	return status == XT_OK ? finish(build(*out, spec, diag), out) : status;
}

int xt_topology_parse_wide(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag)
{
	int status = create(profile, out, diag);

	if (status != XT_OK) {
		return status;
	}
	(*out)->may_be_wide = true;
	return finish(build(*out, spec, diag), out);
}

int xt_topology_parse_any(const char *spec, const xt_profile_t *preferred, xt_topology_t **out, xt_diag_t *diag)
{
	const xt_profile_t *p = preferred;
	xt_diag_t other;
	int status = xt_topology_parse(spec, preferred, out, diag);

	while (status == XT_ERR_RANGE && (p = xt_profile_next(preferred, p)) != NULL) {
		if (xt_topology_parse(spec, p, out, &other) == XT_OK) {
			return XT_OK;
		}
	}
	return status;
}

/* A card without links has failed, unless there is no other. */
static int take_peers(xt_topology_t *t, unsigned cards, const xt_peer_t *peer, const uint8_t *pes, xt_diag_t *diag)
{
	unsigned ports = t->profile->link_ports;
	int status = xt_wiring_create(cards, t->profile, &t->wiring, diag);

	for (unsigned card = 0; status == XT_OK && card < cards; card++) {
		bool linked = cards == 1;

		t->wiring->pes[card] = pes[card];
		for (size_t i = (size_t)card * ports; i < (size_t)(card + 1) * ports; i++) {
			xt_peer_t there = peer[i];

			if (there.card == XT_NO_CARD) {
				continue;
			}
			linked = true;
			t->wiring->peer[i] = there;
			if (there.card >= cards || there.port >= ports ||
				peer[(size_t)there.card * ports + there.port].card != card ||
				peer[(size_t)there.card * ports + there.port].port != i % ports) {
				return xt_fail(diag, XT_ERR_INVALID, "card %u: port %u has no link of both directions",
					card, (unsigned)(i % ports));
			}
		}
		t->wiring->failed[card] = !linked;
		t->wiring->failed_cards += !linked;
	}
	if (status == XT_OK && t->wiring->failed_cards == cards) {
		status = xt_fail(diag, XT_ERR_INVALID, "no card has a link");
	}
	return status;
}

static int rewire(xt_topology_t *t, const char *spec, const char *failures, unsigned cards, const xt_peer_t *peer,
	const uint8_t *pes, xt_diag_t *diag)
{
	int status = take_peers(t, cards, peer, pes, diag);

	t->family = &xt_family_file;
	t->nodes = cards;
	t->layouts = 1;
	if (status != XT_OK || (status = check_ports(t, spec, diag)) != XT_OK) {
		return status;
	}
	lay_out_ports(t);
	if ((size_t)snprintf(t->spec, sizeof(t->spec), "%s", spec) >= sizeof(t->spec)) {
		return xt_fail(
			diag, XT_ERR_RANGE, "topology \"%.80s...\": more than %u characters", spec, XT_SPEC_SIZE - 1);
	}
	return apply_failures(t, spec, failures, diag);
}

int xt_topology_rewire(const char *spec, const char *failures, const xt_profile_t *profile, unsigned cards,
	const xt_peer_t *peer, const uint8_t *pes, xt_topology_t **out, xt_diag_t *diag)
{
	const xt_family_t *family = family_of(spec);
	int status;

	if (!family || family->kind != XT_TOPOLOGY_FILE) {
		char *whole = NULL;

		*out = NULL;
		if (asprintf(&whole, "%s%s", spec, failures) < 0) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
		}
		status = xt_topology_parse(whole, profile, out, diag);
		free(whole);
		return status;
	}
	status = create(profile, out, diag);
	return status == XT_OK ? finish(rewire(*out, spec, failures, cards, peer, pes, diag), out) : status;
}
