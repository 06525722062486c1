/* SPDX-License-Identifier: Apache-2.0
 *
 * Cards and ports of the nodes and links that a reader has found. */
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "network_graph.h"

static bool is_number(const char *key)
{
	return key[0] && strlen(key) < 16 && key[strspn(key, "0123456789")] == '\0';
}

/* qsort has no context: what is sorted brings its node along. */
typedef struct {
	uint64_t number;
	uint32_t node;
} place_t;

static int by_number(const void *a, const void *b)
{
	const place_t *x = a, *y = b;

	return x->number != y->number ? (x->number < y->number ? -1 : 1) : (x->node < y->node ? -1 : x->node > y->node);
}

/* card[node]; *plain: the keys are the numbers of the cards. */
static int number_cards(const xt_network_t *n, uint32_t *card, bool *plain, xt_diag_t *diag)
{
	place_t *places = malloc((n->node_count + 1) * sizeof(*places));
	bool numbers = true;

	if (!places) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	for (size_t i = 0; i < n->node_count; i++) {
		numbers = numbers && is_number(n->nodes[i].key);
	}
	for (size_t i = 0; i < n->node_count; i++) {
		places[i] = (place_t){numbers ? strtoull(n->nodes[i].key, NULL, 10) : i, (uint32_t)i};
	}
	qsort(places, n->node_count, sizeof(*places), by_number);
	*plain = numbers;
	for (size_t i = 0; i < n->node_count; i++) {
		card[places[i].node] = (uint32_t)i;
		*plain = *plain && places[i].number == i && !n->nodes[places[i].node].label;
	}
	free(places);
	return XT_OK;
}

/* One end of a link, for sorting by card and port of the file. */
typedef struct {
	uint32_t card;
	int32_t port;
	uint32_t link, end;
} end_t;

static int by_card_and_port(const void *a, const void *b)
{
	const end_t *x = a, *y = b;

	if (x->card != y->card) {
		return x->card < y->card ? -1 : 1;
	}
	if (x->port != y->port) {
		return x->port < y->port ? -1 : 1;
	}
	return x->link < y->link ? -1 : x->link > y->link;
}

/* Links of the same two nodes, for finding those that are listed once in each direction. */
static int by_nodes(const void *a, const void *b)
{
	const xt_network_link_t *x = a, *y = b;
	uint32_t low[2] = {
		x->node[0] < x->node[1] ? x->node[0] : x->node[1], y->node[0] < y->node[1] ? y->node[0] : y->node[1]};
	uint32_t high[2] = {x->node[0] ^ x->node[1] ^ low[0], y->node[0] ^ y->node[1] ^ low[1]};

	if (low[0] != low[1]) {
		return low[0] < low[1] ? -1 : 1;
	}
	if (high[0] != high[1]) {
		return high[0] < high[1] ? -1 : 1;
	}
	if ((x->node[0] == low[0]) != (y->node[0] == low[1])) {
		return x->node[0] == low[0] ? -1 : 1;
	}
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_line(const void *a, const void *b)
{
	const xt_network_link_t *x = a, *y = b;

	return x->line != y->line ? (x->line < y->line ? -1 : 1) : by_nodes(a, b);
}

/* Of one-way mentions A to B and B to A the lesser number is dropped. */
static void pair_up(xt_network_t *n)
{
	size_t kept = 0, first = 0;

	for (size_t i = 0; i < n->link_count && n->links[i].one_way; i++) {
		first = i + 1;
	}
	if (first < n->link_count || first == 0) {
		return;
	}
	qsort(n->links, n->link_count, sizeof(*n->links), by_nodes);
	for (size_t i = 0; i < n->link_count;) {
		size_t end = i, forth = 0, back;

		while (end < n->link_count &&
			(n->links[end].node[0] ^ n->links[end].node[1]) ==
				(n->links[i].node[0] ^ n->links[i].node[1]) &&
			(n->links[end].node[0] == n->links[i].node[0] ||
				n->links[end].node[0] == n->links[i].node[1])) {
			forth += n->links[end].node[0] == n->links[i].node[0];
			end++;
		}
		back = end - i - forth;
		for (size_t j = forth >= back ? i : i + forth, last = forth >= back ? i + forth : end; j < last; j++) {
			n->links[kept++] = n->links[j];
		}
		i = end;
	}
	n->link_count = kept;
	qsort(n->links, n->link_count, sizeof(*n->links), by_line);
}

/* A profile that has enough, as a remedy. */
static const char *remedy(char *text, size_t size, unsigned links, unsigned nics)
{
	const xt_profile_t *profile = xt_profile_with_ports(links, nics);
	unsigned most_links, most_nics;

	if (profile) {
		snprintf(text, size, "use --profile %s, which has %u link ports and %u NIC port%s%s", profile->name,
			profile->link_ports, profile->nic_ports, profile->nic_ports == 1 ? "" : "s",
			profile->model_only ? ", for the model only" : "");
		return text;
	}
	xt_profile_most_ports(&most_links, &most_nics);
	snprintf(text, size, "no profile has more than %u link and %u NIC ports: divide the node among several cards",
		most_links, most_nics);
	return text;
}

static int check_terminals(
	const xt_network_t *n, const xt_profile_t *p, unsigned degree, unsigned most, xt_diag_t *diag)
{
	char help[160];
	uint32_t worst = 0;

	for (size_t i = 0; i < n->node_count; i++) {
		worst = n->nodes[i].terminals > n->nodes[worst].terminals ? (uint32_t)i : worst;
	}
	if (n->node_count == 0 || n->nodes[worst].terminals <= most) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_RANGE, "%.200s:%lu: router %.80s has %u nodes, profile %s has %u NIC port%s; %s",
		n->path, n->nodes[worst].line, n->nodes[worst].key, n->nodes[worst].terminals, p->name, p->nic_ports,
		p->nic_ports == 1 ? "" : "s", remedy(help, sizeof(help), degree, n->nodes[worst].terminals));
}

/* Most links of a node; *node has them. */
static unsigned degree_of(const end_t *ends, size_t count, uint32_t *card)
{
	unsigned most = 0;

	for (size_t i = 0, run = 0; i < count; i++) {
		run = i && ends[i].card == ends[i - 1].card ? run + 1 : 1;
		if (run > most) {
			most = (unsigned)run;
			*card = ends[i].card;
		}
	}
	return most;
}

static const xt_network_node_t *node_of(const xt_network_t *n, const uint32_t *card, uint32_t wanted)
{
	for (size_t i = 0; i < n->node_count; i++) {
		if (card[i] == wanted) {
			return &n->nodes[i];
		}
	}
	return n->nodes;
}

/* *ports: how many of a card the network needs, not less than the profile has. */
static int check_ends(const xt_network_t *n, const xt_profile_t *p, bool may_be_wide, const end_t *ends, size_t count,
	const uint32_t *card, unsigned *ports, xt_diag_t *diag)
{
	uint32_t busiest = 0;
	unsigned degree = degree_of(ends, count, &busiest);
	const xt_network_node_t *node;
	char help[160];

	for (size_t i = 1; i < count; i++) {
		if (ends[i].card == ends[i - 1].card && ends[i].port == ends[i - 1].port &&
			ends[i].port != XT_NO_PORT) {
			return xt_network_refuse(n, n->links[ends[i].link].line, diag,
				"port %d of %.80s is used by line %lu already; use a free port", (int)ends[i].port,
				node_of(n, card, ends[i].card)->key, n->links[ends[i - 1].link].line);
		}
	}
	*ports = degree > p->link_ports ? degree : p->link_ports;
	if (degree > (may_be_wide ? XT_MAX_WIDE_PORTS : p->link_ports)) {
		node = node_of(n, card, busiest);
		return xt_fail(diag, XT_ERR_RANGE, "%.200s:%lu: %.80s has %u links, profile %s has %u link ports; %s",
			n->path, node->line, node->label ? node->label : node->key, degree, p->name, p->link_ports,
			remedy(help, sizeof(help), degree, 1));
	}
	return check_terminals(n, p, degree, may_be_wide ? XT_MAX_WIDE_PORTS : p->nic_ports, diag);
}

/* Gives the labels of the nodes to the cards. */
static int take_labels(xt_network_t *n, const uint32_t *card, xt_wiring_t *w, xt_diag_t *diag)
{
	w->labels = calloc(w->cards, sizeof(*w->labels));
	w->port_number = calloc((size_t)w->cards * w->ports, sizeof(*w->port_number));
	if (!w->labels || !w->port_number) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	for (size_t i = 0; i < n->node_count; i++) {
		xt_network_node_t *node = &n->nodes[i];
		char **name = node->label ? &node->label : &node->key;

		w->labels[card[i]] = (xt_card_label_t){*name, node->guid, node->lid, node->host};
		*name = NULL;
	}
	return XT_OK;
}

/* Whether every link names ports that the cards have; otherwise the ports are counted anew, in their order. */
static bool has_ports(const xt_network_t *n, unsigned ports)
{
	for (size_t i = 0; i < 2 * n->link_count; i++) {
		int32_t port = n->links[i / 2].port[i % 2];

		if (port == XT_NO_PORT || port >= (int32_t)ports) {
			return false;
		}
	}
	return true;
}

static int wire(xt_network_t *n, const xt_profile_t *p, bool may_be_wide, uint32_t *card, end_t *ends,
	xt_wiring_t **out, xt_diag_t *diag)
{
	size_t count = 2 * n->link_count;
	uint32_t *port = malloc((count + 1) * sizeof(*port));
	bool plain = false, told = false;
	unsigned ports = 0;
	int status = port ? number_cards(n, card, &plain, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	for (size_t i = 0; i < count && status == XT_OK; i++) {
		const xt_network_link_t *link = &n->links[i / 2];

		ends[i] = (end_t){card[link->node[i % 2]], link->port[i % 2], (uint32_t)(i / 2), (uint32_t)(i % 2)};
	}
	if (status == XT_OK) {
		qsort(ends, count, sizeof(*ends), by_card_and_port);
		status = check_ends(n, p, may_be_wide, ends, count, card, &ports, diag);
		told = status == XT_OK && has_ports(n, ports);
	}
	if (status == XT_OK) {
		xt_profile_t needed = *p;

		needed.link_ports = ports;
		status = xt_wiring_create((unsigned)n->node_count, &needed, out, diag);
	}
	for (size_t i = 0; i < n->node_count && status == XT_OK; i++) {
		(*out)->terminals =
			n->nodes[i].terminals > (*out)->terminals ? n->nodes[i].terminals : (*out)->terminals;
	}
	if (status == XT_OK && !plain) {
		status = take_labels(n, card, *out, diag);
	}
	for (size_t i = 0; i < count && status == XT_OK; i++) {
		uint32_t here = told ? (uint32_t)ends[i].port
				: i && ends[i].card == ends[i - 1].card
					? port[2 * ends[i - 1].link + ends[i - 1].end] + 1
					: 0;

		port[2 * (size_t)ends[i].link + ends[i].end] = here;
		if ((*out)->port_number && ends[i].port != XT_NO_PORT) {
			(*out)->port_number[(size_t)ends[i].card * ports + here] = (uint16_t)ends[i].port;
		}
	}
	for (size_t i = 0; i < count && status == XT_OK; i++) {
		const xt_network_link_t *link = &n->links[i / 2];

		(*out)->peer[(size_t)card[link->node[i % 2]] * ports + port[i]] =
			(xt_peer_t){card[link->node[!(i % 2)]], port[i ^ 1]};
	}
	free(port);
	return status;
}

int xt_network_wire(xt_network_t *n, const xt_profile_t *profile, bool may_be_wide, xt_wiring_t **out, xt_diag_t *diag)
{
	uint32_t *card;
	end_t *ends;
	int status;

	*out = NULL;
	if (n->node_count == 0) {
		return xt_fail(
			diag, XT_ERR_INVALID, "%.200s:1: no nodes and no links; list at least one link", n->path);
	}
	for (size_t i = 0; i < n->node_count; i++) {
		xt_network_make_printable(n->nodes[i].key);
		if (n->nodes[i].label) {
			xt_network_make_printable(n->nodes[i].label);
		}
	}
	pair_up(n);
	card = malloc(n->node_count * sizeof(*card));
	ends = malloc((2 * n->link_count + 1) * sizeof(*ends));
	status = card && ends ? wire(n, profile, may_be_wide, card, ends, out, diag)
			      : xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	free(card);
	free(ends);
	if (status != XT_OK) {
		xt_wiring_free(*out);
		*out = NULL;
	}
	return status;
}
