/* SPDX-License-Identifier: Apache-2.0 */
#include "wiring.h"

#include <stdlib.h>
#include <string.h>

#include "breadth_first.h"

int xt_wiring_create(unsigned cards, const xt_profile_t *profile, xt_wiring_t **out, xt_diag_t *diag)
{
	unsigned ports = profile->link_ports;
	xt_wiring_t *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (w) {
		w->cards = cards;
		w->ports = ports;
		w->peer = calloc((size_t)cards * ports, sizeof(*w->peer));
		w->failed = calloc(cards, sizeof(*w->failed));
		w->pes = malloc(cards * sizeof(*w->pes));
		w->links = calloc((size_t)cards * ports, sizeof(*w->links));
	}
	if (!w || !w->peer || !w->failed || !w->pes || !w->links) {
		xt_wiring_free(w);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the wiring of %u cards", cards);
	}
	for (size_t i = 0; i < (size_t)cards * ports; i++) {
		w->peer[i].card = XT_NO_CARD;
	}
	memset(w->pes, (int)profile->nic_ports, cards);
	*out = w;
	return XT_OK;
}

void xt_wiring_link(xt_wiring_t *w, xt_peer_t a, xt_peer_t b)
{
	w->peer[(size_t)a.card * w->ports + a.port] = b;
	w->peer[(size_t)b.card * w->ports + b.port] = a;
}

void xt_wiring_free(xt_wiring_t *wiring)
{
	if (wiring) {
		free(wiring->peer);
		free(wiring->failed);
		free(wiring->pes);
		free(wiring->links);
		for (unsigned card = 0; wiring->labels && card < wiring->cards; card++) {
			free(wiring->labels[card].name);
		}
		free(wiring->labels);
		free(wiring->port_number);
		free(wiring);
	}
}

int xt_wiring_check(const xt_wiring_t *w, const char *spec, xt_diag_t *diag)
{
	uint32_t *distance = malloc(w->cards * sizeof(*distance)), *order = malloc(w->cards * sizeof(*order));
	unsigned first = 0, lost, listed = 0, pes = 0;
	char list[80] = "";
	size_t used = 0;

	if (!distance || !order) {
		free(distance);
		free(order);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	while (w->failed[first]) {
		first++;
	}
	for (unsigned card = 0; card < w->cards; card++) {
		pes += w->failed[card] ? 0 : w->pes[card];
	}
	if (pes == 0) {
		free(distance);
		free(order);
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": no card has a PE; leave one to a card in service", spec);
	}
	lost = w->cards - w->failed_cards - xt_breadth_first(w->peer, w->cards, w->ports, first, distance, order);
	for (unsigned card = 0; lost && card < w->cards && listed < 8; card++) {
		if (!w->failed[card] && distance[card] == UINT32_MAX) {
			used += (size_t)snprintf(list + used, sizeof(list) - used, " %u", card);
			listed++;
		}
	}
	free(distance);
	free(order);
	if (lost == 0) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": disconnected: from card %u there is no way to %u card%s,%s%s; %s", spec, first,
		lost, lost == 1 ? "" : "s", list, lost > listed ? " ..." : "",
		w->failed_links || w->failed_cards ? "let fewer links fail, or these cards as well"
						   : "add the links that are lacking");
}
