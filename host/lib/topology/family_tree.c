/* SPDX-License-Identifier: Apache-2.0
 *
 * k-ary n-tree, of single or combined cards: tree:k=4,n=5,cards=2,links=1,ports=paired. See tree_shape.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "topology_internal.h"

enum { MOST_LEVELS = 16 };

const xt_tree_shape_t *xt_topology_tree(const xt_topology_t *t)
{
	return t->family->kind == XT_TOPOLOGY_TREE && !strchr(t->spec, '~') ? &t->tree : NULL;
}

/* Cards are in the order of their switches, those of level 0 first. Parts that are apart come one after the other, so
 * that the cards with PEs have the lowest numbers. */
xt_tree_place_t xt_tree_place(const xt_tree_shape_t *tree, unsigned card)
{
	unsigned all = tree->switches * tree->levels;
	unsigned place = tree->apart ? card % all : card / tree->cards;

	return (xt_tree_place_t){
		place / tree->switches, place % tree->switches, tree->apart ? card / all : card % tree->cards};
}

static unsigned card_at(const xt_tree_shape_t *tree, xt_tree_place_t place)
{
	unsigned number = place.level * tree->switches + place.w;

	return tree->apart ? place.part * tree->switches * tree->levels + number : number * tree->cards + place.part;
}

static unsigned weight(const xt_tree_shape_t *tree, unsigned at)
{
	unsigned product = 1;

	while (at-- > 0) {
		product *= tree->arity;
	}
	return product;
}

unsigned xt_tree_digit(const xt_tree_shape_t *tree, unsigned number, unsigned at)
{
	return number / weight(tree, at) % tree->arity;
}

unsigned xt_tree_ports(const xt_tree_shape_t *tree)
{
	return tree->apart ? tree->arity : tree->arity / tree->cards;
}

unsigned xt_tree_part(const xt_tree_shape_t *tree, bool up, unsigned digit)
{
	return tree->apart ? up : digit / xt_tree_ports(tree);
}

unsigned xt_tree_port(const xt_tree_shape_t *tree, bool up, unsigned digit)
{
	return digit % xt_tree_ports(tree) + (up && !tree->apart ? xt_tree_ports(tree) : 0);
}

unsigned xt_tree_internal_port(const xt_tree_shape_t *tree, unsigned from, unsigned to, unsigned link)
{
	unsigned external = xt_tree_ports(tree) * (tree->apart ? 1 : 2);

	return external + (to < from ? to : to - 1) * tree->links + link;
}

/* What may follow the colon: the first two must. */
typedef struct {
	unsigned k, n, cards, links, apart;
	bool has_links, has_ports;
} words_t;

static int malformed(const char *spec, const char *word, xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": \"%.40s\" is not understood; write for example tree:k=4,n=5 or "
		"tree:k=4,n=5,cards=2,links=1,ports=paired (or apart)",
		spec, word);
}

/* "NAME=NUMBER" */
static bool take(const char *word, const char *name, unsigned *value)
{
	size_t length = strlen(name);
	char *end;
	unsigned long number;

	if (strncmp(word, name, length) != 0 || !isdigit((unsigned char)word[length])) {
		return false;
	}
	number = strtoul(word + length, &end, 10);
	*value = number > XT_MAX_CARDS ? XT_MAX_CARDS : (unsigned)number;
	return *end == '\0';
}

static int read_words(const char *spec, const char *text, words_t *words, xt_diag_t *diag)
{
	char word[40];

	for (const char *c = text;; c++) {
		size_t length = strcspn(c, ",");

		snprintf(word, sizeof(word), "%.*s", (int)length, c);
		if (length >= sizeof(word)) {
			return malformed(spec, c, diag);
		}
		if (strcmp(word, "ports=paired") == 0 || strcmp(word, "ports=apart") == 0) {
			words->apart = word[6] == 'a';
			words->has_ports = true;
		} else if (take(word, "links=", &words->links)) {
			words->has_links = true;
		} else if (!take(word, "k=", &words->k) && !take(word, "n=", &words->n) &&
			   !take(word, "cards=", &words->cards)) {
			return malformed(spec, word, diag);
		}
		c += length;
		if (*c == '\0') {
			return words->k && words->n ? XT_OK : malformed(spec, text, diag);
		}
	}
}

static int check_words(const xt_topology_t *t, const char *spec, const words_t *w, xt_diag_t *diag)
{
	const xt_profile_t *p = t->profile;
	unsigned external, nics, links;

	if (w->k < 2 || w->n > MOST_LEVELS) {
		return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": a tree has k from 2 on and n from 1 to %u",
			spec, MOST_LEVELS);
	}
	if (w->cards == 0 || w->cards > XT_TOPOLOGY_LAYOUTS || w->k % w->cards != 0 ||
		(w->cards == 1 && (w->has_links || w->has_ports)) || (w->cards > 1 && w->links == 0) ||
		(w->apart && w->cards != 2)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": a switch is of 1 to %u cards that divide k; several have links between "
			"each two of them, and ports=apart is for two",
			spec, XT_TOPOLOGY_LAYOUTS);
	}
	external = w->apart ? w->k : 2 * w->k / w->cards;
	links = external + (w->cards - 1) * w->links;
	nics = w->apart ? w->k : w->k / w->cards;
	if (links > p->link_ports || nics > p->nic_ports) {
		const xt_profile_t *other = xt_profile_with_ports(links, nics);

		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": needs %u link and %u NIC ports per card, profile %s has %u and %u; %s%s",
			spec, links, nics, p->name, p->link_ports, p->nic_ports,
			other ? "use --profile " : "no profile has as many: lower k, or divide a switch into cards",
			other ? other->name : "");
	}
	return XT_OK;
}

static void link_up(xt_topology_t *t, xt_tree_place_t low, unsigned up)
{
	const xt_tree_shape_t *tree = &t->tree;
	unsigned down = xt_tree_digit(tree, low.w, low.level);
	xt_tree_place_t high = {low.level + 1, low.w + up * weight(tree, low.level) - down * weight(tree, low.level),
		xt_tree_part(tree, false, down)};

	low.part = xt_tree_part(tree, true, up);
	xt_wiring_link(t->wiring, (xt_peer_t){card_at(tree, low), xt_tree_port(tree, true, up)},
		(xt_peer_t){card_at(tree, high), xt_tree_port(tree, false, down)});
}

static void link_parts(xt_topology_t *t, xt_tree_place_t a)
{
	const xt_tree_shape_t *tree = &t->tree;

	for (xt_tree_place_t b = {a.level, a.w, 0}; b.part < a.part; b.part++) {
		for (unsigned link = 0; link < tree->links; link++) {
			xt_wiring_link(t->wiring,
				(xt_peer_t){card_at(tree, a), xt_tree_internal_port(tree, a.part, b.part, link)},
				(xt_peer_t){card_at(tree, b), xt_tree_internal_port(tree, b.part, a.part, link)});
		}
	}
}

static void wire(xt_topology_t *t)
{
	const xt_tree_shape_t *tree = &t->tree;

	for (unsigned card = 0; card < t->nodes; card++) {
		xt_tree_place_t at = xt_tree_place(tree, card);
		bool has_down = xt_tree_part(tree, false, tree->arity - 1) >= at.part;

		t->wiring->pes[card] = (uint8_t)(at.level == 0 && has_down ? xt_tree_ports(tree) : 0);
		link_parts(t, at);
		for (unsigned up = 0; up < tree->arity && at.part == 0 && at.level + 1 < tree->levels; up++) {
			link_up(t, at, up);
		}
	}
}

static int build(xt_topology_t *t, const char *spec, const char *text, xt_diag_t *diag)
{
	words_t w = {.cards = 1};
	uint64_t switches = 1;
	int status = read_words(spec, text, &w, diag);

	if (status != XT_OK || (status = check_words(t, spec, &w, diag)) != XT_OK) {
		return status;
	}
	for (unsigned i = 1; i < w.n && switches <= XT_MAX_CARDS; i++) {
		switches *= w.k;
	}
	if (switches * w.n * w.cards > XT_MAX_CARDS) {
		return xt_fail(
			diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u cards; lower k or n", spec, XT_MAX_CARDS);
	}
	t->tree = (xt_tree_shape_t){w.k, w.n, (unsigned)switches, w.cards, w.links, w.apart};
	t->nodes = (unsigned)switches * w.n * w.cards;
	t->layouts = w.cards;
	snprintf(t->options, sizeof(t->options), "k=%u,n=%u", w.k, w.n);
	if (w.cards > 1) {
		size_t used = strlen(t->options);

		snprintf(t->options + used, sizeof(t->options) - used, ",cards=%u,links=%u%s", w.cards, w.links,
			w.apart ? ",ports=apart" : "");
	}
	if ((status = xt_wiring_create(t->nodes, t->profile, &t->wiring, diag)) == XT_OK) {
		wire(t);
	}
	return status;
}

/* The shape has checked them. */
static unsigned ports(const xt_topology_t *t)
{
	(void)t;
	return 0;
}

static unsigned layout(const xt_topology_t *t, unsigned card)
{
	return xt_tree_place(&t->tree, card).part;
}

static void name_ports(xt_topology_t *t, bool up)
{
	for (unsigned digit = 0; digit < t->tree.arity; digit++) {
		unsigned part = xt_tree_part(&t->tree, up, digit), port = xt_tree_port(&t->tree, up, digit);

		snprintf(t->port[part][port].name, XT_TOPOLOGY_NAME_SIZE, "%s%u", up ? "up" : "down", digit);
	}
}

static void lay_out(xt_topology_t *t)
{
	const xt_tree_shape_t *tree = &t->tree;

	name_ports(t, false);
	name_ports(t, true);
	for (unsigned from = 0; from < tree->cards; from++) {
		for (unsigned to = 0; to < tree->cards; to++) {
			for (unsigned link = 0; from != to && link < tree->links; link++) {
				snprintf(t->port[from][xt_tree_internal_port(tree, from, to, link)].name,
					XT_TOPOLOGY_NAME_SIZE, "int%u.%u", to % 10, link % XT_MAX_PORTS);
			}
		}
	}
}

const xt_family_t xt_family_tree = {
	.name = "tree",
	.example = "k=4,n=5",
	.kind = XT_TOPOLOGY_TREE,
	.sides = 1,
	.build = build,
	.ports = ports,
	.lay_out = lay_out,
	.layout = layout,
};
