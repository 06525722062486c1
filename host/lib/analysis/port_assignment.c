/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "port_assignment_internal.h"
#include "topology/breadth_first.h"
#include "topology/topology_internal.h"

int xt_turns_create(unsigned stages, unsigned ports, xt_turns_t **out, xt_diag_t *diag)
{
	xt_turns_t *t = calloc(1, sizeof(*t));

	if (t) {
		t->stages = stages;
		t->ports = ports + ports % 2;
		t->weight = calloc((size_t)stages * t->ports * t->ports, sizeof(*t->weight));
	}
	if (!t || !t->weight) {
		xt_turns_free(t);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	snprintf(t->name[t->ports - 1], XT_SWITCH_PORT_NAME_SIZE, "none");
	*out = t;
	return XT_OK;
}

void xt_turns_free(xt_turns_t *turns)
{
	if (turns) {
		free(turns->weight);
		free(turns);
	}
}

unsigned xt_turns_stages(const xt_turns_t *turns)
{
	return turns->stages;
}

unsigned xt_turns_switches(const xt_turns_t *turns)
{
	return turns->switches;
}

unsigned xt_turns_ports(const xt_turns_t *turns)
{
	return turns->ports;
}

const char *xt_turns_port_name(const xt_turns_t *turns, unsigned port)
{
	return turns->name[port];
}

double xt_turns_weight(const xt_turns_t *turns, unsigned stage, unsigned in, unsigned out)
{
	return turns->weight[((size_t)stage * turns->ports + in) * turns->ports + out];
}

/* Over one stage or all, everything (`all`) or what changes cards. */
static double sum(const xt_turns_t *t, int stage, bool all, uint64_t card0)
{
	unsigned first = stage < 0 ? 0 : (unsigned)stage, end = stage < 0 ? t->stages : first + 1;
	double total = 0;

	for (unsigned s = first; s < end; s++) {
		for (unsigned in = 0; in < t->ports; in++) {
			for (unsigned out = 0; out < t->ports; out++) {
				if (all || ((card0 >> in ^ card0 >> out) & 1)) {
					total += xt_turns_weight(t, s, in, out);
				}
			}
		}
	}
	return total;
}

double xt_turns_total(const xt_turns_t *turns, int stage)
{
	return sum(turns, stage, true, 0);
}

double xt_turns_crossings(const xt_turns_t *turns, int stage, uint64_t card0)
{
	return sum(turns, stage, false, card0);
}

uint64_t xt_twin_card0(const xt_topology_t *t)
{
	uint64_t card0 = 0;

	for (unsigned d = 0; d < t->dimensions; d++) {
		for (unsigned direction = 0; direction < 2; direction++) {
			card0 |= (uint64_t)(t->side_of[d][direction] == 0) << (2 * d + direction);
		}
	}
	return card0;
}

/* What is walked. */
typedef struct {
	const xt_topology_t *topology;
	unsigned nodes, ports;
	xt_peer_t *peer;            /* [node][port]: node and port at the other end */
	uint32_t *from;             /* [node][port]: the node that sends to the port, or XT_NO_CARD */
	double *row;                /* [node]: traffic of the source that is being looked at */
	uint32_t *distance, *order; /* [node] */
	double *paths, *passing;    /* [node]: shortest paths to it; traffic that goes on from it */
	xt_turns_t *turns;
} walk_t;

static void end_walk(walk_t *w)
{
	free(w->peer);
	free(w->from);
	free(w->row);
	free(w->distance);
	free(w->order);
	free(w->paths);
	free(w->passing);
}

static xt_peer_t peer_of_node(const xt_topology_t *t, unsigned node, unsigned port)
{
	unsigned there;

	if (t->family->kind != XT_TOPOLOGY_TWIN) {
		return xt_topology_peer(t, node, port);
	}
	there = t->family->neighbour(t, node, port / 2, port % 2);
	return there == node ? (xt_peer_t){XT_NO_CARD, 0} : (xt_peer_t){there, port ^ 1u};
}

static int begin_walk(walk_t *w, const xt_topology_t *t, xt_diag_t *diag)
{
	size_t ends;

	memset(w, 0, sizeof(*w));
	w->topology = t;
	w->nodes = t->nodes;
	w->ports = t->family->kind == XT_TOPOLOGY_TWIN ? 2 * t->dimensions : t->profile->link_ports;
	if (!t->wiring && t->family->kind != XT_TOPOLOGY_TWIN) {
		w->ports = t->family->ports(t);
	}
	ends = (size_t)w->nodes * w->ports;
	w->peer = malloc(ends * sizeof(*w->peer));
	w->from = malloc(ends * sizeof(*w->from));
	w->row = malloc(w->nodes * sizeof(*w->row));
	w->distance = malloc(w->nodes * sizeof(*w->distance));
	w->order = malloc(w->nodes * sizeof(*w->order));
	w->paths = malloc(w->nodes * sizeof(*w->paths));
	w->passing = malloc(w->nodes * sizeof(*w->passing));
	if (!w->peer || !w->from || !w->row || !w->distance || !w->order || !w->paths || !w->passing) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	memset(w->from, 0xff, ends * sizeof(*w->from));
	for (size_t end = 0; end < ends; end++) {
		xt_peer_t peer = peer_of_node(t, (unsigned)(end / w->ports), (unsigned)(end % w->ports));

		w->peer[end] = peer;
		if (peer.card != XT_NO_CARD) {
			w->from[(size_t)peer.card * w->ports + peer.port] = (uint32_t)(end / w->ports);
		}
	}
	return xt_turns_create(1, w->ports, &w->turns, diag);
}

/* A port has the name that it has on all cards, or its number. */
static void name_ports(const walk_t *w)
{
	const xt_topology_t *t = w->topology;

	for (unsigned port = 0; port < w->ports; port++) {
		char *name = w->turns->name[port];

		if (t->family->kind == XT_TOPOLOGY_TWIN) {
			snprintf(name, XT_SWITCH_PORT_NAME_SIZE, "d%u%c", port / 2, port % 2 ? '+' : '-');
		} else if (t->layouts == 1) {
			snprintf(name, XT_SWITCH_PORT_NAME_SIZE, "%s", xt_topology_port_name(t, 0, port));
		} else {
			snprintf(name, XT_SWITCH_PORT_NAME_SIZE, "p%u", port);
		}
	}
}

/* Follows DOR hop by hop and notes by which port each node on the way is entered and left. */
static void walk_dor(walk_t *w, unsigned source, unsigned dest)
{
	const xt_topology_t *t = w->topology;
	xt_peer_t at = {source, XT_NO_CARD};

	for (unsigned d = 0; d < t->dimensions; d++) {
		unsigned k = t->radix[d], here = xt_topology_node_coordinate(t, source, d);
		unsigned there = xt_topology_node_coordinate(t, dest, d);
		unsigned ahead = there >= here ? there - here : there + k - here;
		unsigned up = t->family->open ? there > here : 2 * ahead <= k;
		unsigned steps = up ? ahead : t->family->open ? here - there : k - ahead;

		for (; ahead && steps > 0; steps--) {
			if (at.port != XT_NO_CARD) {
				*xt_turns_place(w->turns, 0, at.port, 2 * d + up) += w->row[dest];
			}
			at = w->peer[(size_t)at.card * w->ports + 2 * d + up];
		}
	}
}

/* `traffic` that leaves a node by `out` came in by the ports of the shortest paths to it, by each as much as
 * there are such paths through it. */
static void add_turns(walk_t *w, unsigned node, unsigned out, double traffic)
{
	for (unsigned in = 0; in < w->ports; in++) {
		unsigned from = w->from[(size_t)node * w->ports + in];

		if (from != XT_NO_CARD && w->distance[from] + 1 == w->distance[node]) {
			*xt_turns_place(w->turns, 0, in, out) += traffic * w->paths[from] / w->paths[node];
		}
	}
}

/* What a source sends, divided evenly over the shortest paths (Brandes' method). */
static void walk_shortest(walk_t *w, unsigned source)
{
	unsigned reached = xt_shortest_paths(w->peer, w->nodes, w->ports, source, w->distance, w->order, w->paths);

	memset(w->passing, 0, w->nodes * sizeof(*w->passing));
	for (unsigned i = reached; i-- > 0;) {
		unsigned node = w->order[i];

		for (unsigned out = 0; out < w->ports; out++) {
			unsigned peer = w->peer[(size_t)node * w->ports + out].card;
			double traffic;

			if (peer == XT_NO_CARD || w->distance[peer] != w->distance[node] + 1) {
				continue;
			}
			traffic = w->paths[node] / w->paths[peer] * (w->row[peer] + w->passing[peer]);
			w->passing[node] += traffic;
			add_turns(w, node, out, traffic);
		}
	}
}

/* What is in row, from a source in service, without what a pattern sends to failed cards. */
static int check_row(walk_t *w, unsigned source, bool listed, xt_diag_t *diag)
{
	bool source_failed = xt_topology_card_failed(w->topology, source);

	for (unsigned node = 0; node < w->nodes; node++) {
		bool failed = source_failed || (w->topology->wiring && w->topology->wiring->failed[node]);

		if (!failed || w->row[node] == 0) {
			continue;
		}
		if (listed) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%s: traffic from %u to %u is listed, but card %u has failed; leave the line out",
				w->topology->spec, source, node, source_failed ? source : node);
		}
		w->row[node] = 0;
	}
	return XT_OK;
}

static int walk_all(walk_t *w, xt_paths_t paths, const xt_traffic_matrix_t *matrix, xt_diag_t *diag)
{
	int status;

	for (unsigned source = 0; source < w->nodes; source++) {
		xt_traffic_matrix_row(matrix, source, w->row);
		if ((status = check_row(w, source, xt_traffic_matrix_is_listed(matrix), diag)) != XT_OK) {
			return status;
		}
		if (paths == XT_PATHS_SHORTEST) {
			walk_shortest(w, source);
			continue;
		}
		for (unsigned dest = 0; dest < w->nodes; dest++) {
			walk_dor(w, source, dest);
		}
	}
	return XT_OK;
}

xt_paths_t xt_turns_usual_paths(const xt_topology_t *t)
{
	xt_topology_kind_t kind = t->family->kind;
	bool straight = kind == XT_TOPOLOGY_TORUS || kind == XT_TOPOLOGY_MESH || kind == XT_TOPOLOGY_TWIN;

	return straight && !t->wiring ? XT_PATHS_DOR : XT_PATHS_SHORTEST;
}

int xt_turns_of_topology(
	const xt_topology_t *t, xt_paths_t paths, const xt_traffic_matrix_t *matrix, xt_turns_t **out, xt_diag_t *diag)
{
	walk_t walk;
	int status;

	*out = NULL;
	if (paths == XT_PATHS_DESTRO || (paths == XT_PATHS_DOR && xt_turns_usual_paths(t) != XT_PATHS_DOR)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%s: %s; count shortest paths instead", t->spec,
			paths == XT_PATHS_DESTRO ? "only a tree has DESTRO"
						 : "only undamaged tori, meshes and twin tori have DOR");
	}
	if (t->wiring && t->family->kind == XT_TOPOLOGY_TWIN) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s: in a damaged twin torus the two cards of a node are no switch; leave the failures out",
			t->spec);
	}
	if (t->nodes > XT_MAX_SWITCHES) {
		return xt_fail(diag, XT_ERR_RANGE,
			"%s: more than %d nodes are too many to walk all pairs; lower a radix", t->spec,
			XT_MAX_SWITCHES);
	}
	if ((status = begin_walk(&walk, t, diag)) == XT_OK) {
		name_ports(&walk);
		walk.turns->switches = t->nodes - xt_topology_failed_cards(t);
		status = walk_all(&walk, paths, matrix, diag);
	}
	end_walk(&walk);
	if (status != XT_OK) {
		xt_turns_free(walk.turns);
		return status;
	}
	*out = walk.turns;
	return XT_OK;
}

int64_t xt_twin_crossings_closed_form(unsigned config, unsigned k)
{
	int64_t n = k, n2 = n * n, n3 = n2 * n, n4 = n2 * n2;

	if (config >= XT_TWIN_CONFIGS || k < 2 || k > 1024) {
		return -1;
	}
	switch ("ABCDEFGHIJ"[config]) {
	case 'A':
		return (n % 2 ? 3 * n4 - 8 * n3 + 3 * n2 + 2 : 3 * n4 - 8 * n3 + 6 * n2 + 4 * n + 4) / 4;
	case 'B':
	case 'F':
		return (n % 2 ? 3 * n4 - 8 * n3 + 3 * n2 + 2 : 3 * n4 - 8 * n3 + 6 * n2) / 4;
	case 'E':
		return (n % 2 ? 3 * n4 - 8 * n3 + 3 * n2 + 2 : 3 * n4 - 8 * n3 + 6 * n2 - 4 * n + 4) / 4;
	case 'C':
	case 'I':
		return (n % 2 ? n4 + 2 * n3 - 7 * n2 + 2 * n + 2 : n4 + 2 * n3 - 4 * n2 - 2 * n + 4) / 4;
	case 'H':
	case 'J':
		return (n % 2 ? n4 + 2 * n3 - 7 * n2 + 2 * n + 2 : n4 + 2 * n3 - 8 * n2 + 6 * n) / 4;
	case 'D':
		return (n % 2 ? n4 - n2 - 4 * n + 4 : n4 - 4 * n2 + 4) / 4;
	default: /* G */
		return (n % 2 ? n4 - n2 - 4 * n + 4 : n4 + 4 * n2 - 8 * n + 4) / 4;
	}
}
