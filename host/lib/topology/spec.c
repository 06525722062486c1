/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of families, and the parser of specs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
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
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": needs %u link ports per card, profile %s has %u; use fewer dimensions or "
			"another profile",
			spec, needed, p->name, p->link_ports);
	}
	if (cards << xt_profile_unit_bits(p) > 1ull << p->id_bits) {
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
		used = (size_t)snprintf(t->spec, size, "%s", spec);
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
static int apply_failures(xt_topology_t *t, const char *spec, xt_diag_t *diag)
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
	status = xt_wiring_fail(w, t, spec, t->spec + used, sizeof(t->spec) - used, diag);
	return status == XT_OK ? xt_wiring_check(w, spec, diag) : status;
}

static int build(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *failures = xt_failures_of(spec);
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
		status = apply_failures(t, spec, diag);
	}
	free(whole);
	return status;
}

int xt_topology_parse(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag)
{
	xt_topology_t *t;
	int status = xt_profile_check(profile, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	t->profile = profile;
	if ((status = build(t, spec, diag)) != XT_OK) {
		xt_topology_free(t);
		return status;
	}
	*out = t;
	return XT_OK;
}
