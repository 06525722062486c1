/* SPDX-License-Identifier: Apache-2.0 */
#include "flat_graph.h"

#include <stdlib.h>
#include <string.h>

void xt_graph_end(xt_graph_t *g)
{
	free(g->first);
	free(g->peer);
	free(g->link);
	free(g->card);
	free(g->sender);
}

/* Gives each link its number: a two-way link that of its end with the lower card and port. */
static void number_links(xt_graph_t *g, const xt_topology_t *t, unsigned ports, unsigned *number)
{
	bool directed = xt_topology_directed(t);

	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);
			size_t here = (size_t)card * ports + port, there = (size_t)peer.card * ports + peer.port;

			if (peer.card == XT_NO_CARD) {
				continue;
			}
			if (!directed && there < here) {
				number[here] = number[there];
				continue;
			}
			g->sender[g->links] = (xt_peer_t){card, port};
			number[here] = g->links++;
		}
	}
}

static void fill(xt_graph_t *g, const xt_topology_t *t, unsigned ports, const unsigned *number, unsigned *vertex)
{
	unsigned arcs = 0;

	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		if (!xt_topology_card_failed(t, card)) {
			vertex[card] = g->vertices;
			g->card[g->vertices++] = card;
		}
	}
	for (unsigned v = 0; v < g->vertices; v++) {
		g->first[v] = arcs;
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, g->card[v], port);

			if (peer.card != XT_NO_CARD) {
				g->peer[arcs] = vertex[peer.card];
				g->link[arcs++] = number[(size_t)g->card[v] * ports + port];
			}
		}
	}
	g->first[g->vertices] = arcs;
}

int xt_graph_begin(xt_graph_t *g, const xt_topology_t *t, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(t), ports = xt_topology_profile(t)->link_ports;
	size_t ends = (size_t)cards * ports;
	unsigned *number = calloc(ends, sizeof(*number)), *vertex = calloc(cards, sizeof(*vertex));
	bool complete;

	memset(g, 0, sizeof(*g));
	g->first = calloc(cards + (size_t)1, sizeof(*g->first));
	g->peer = calloc(ends, sizeof(*g->peer));
	g->link = calloc(ends, sizeof(*g->link));
	g->card = calloc(cards, sizeof(*g->card));
	g->sender = calloc(ends, sizeof(*g->sender));
	complete = number && vertex && g->first && g->peer && g->link && g->card && g->sender;
	if (complete) {
		number_links(g, t, ports, number);
		fill(g, t, ports, number, vertex);
	}
	free(number);
	free(vertex);
	return complete ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory for the graph of %u cards", cards);
}
