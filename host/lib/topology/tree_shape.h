/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a k-ary n-tree: k^n end nodes, n levels of k^(n-1) switches. A switch is (w, level): w has n - 1 digits
 * to the base k. It is joined to the k switches of the level above that differ in digit `level` of w only. End node p
 * is at the switch of level 0 whose w is p without its lowest digit.
 *
 * A switch is one card, or several that internal links join, `links` between each two. Its ports are shared evenly, up
 * port i on the card of down port i; or, with `apart`, all down ports are on card 0 and all up ports on card 1. */
#pragma once

#include "extorus/topology.h"

typedef struct {
	unsigned arity, levels;
	unsigned switches;     /* of a level */
	unsigned cards, links; /* of a switch; internal links between each two of its cards */
	bool apart;
} xt_tree_shape_t;

/* NULL if it is no tree, or failures changed it. */
const xt_tree_shape_t *xt_topology_tree(const xt_topology_t *topology);

typedef struct {
	unsigned level, w, part; /* part: which card of the switch */
} xt_tree_place_t;

xt_tree_place_t xt_tree_place(const xt_tree_shape_t *tree, unsigned card);
/* Digit `at` of a number to the base k. */
unsigned xt_tree_digit(const xt_tree_shape_t *tree, unsigned number, unsigned at);

/* Down ports of a card that has any, and as many up ports. */
unsigned xt_tree_ports(const xt_tree_shape_t *tree);
/* The card of a switch that has its up or down port with a digit, and the number of the port there. */
unsigned xt_tree_part(const xt_tree_shape_t *tree, bool up, unsigned digit);
unsigned xt_tree_port(const xt_tree_shape_t *tree, bool up, unsigned digit);
/* The port of card `from` of a switch for internal link `link` to card `to`. */
unsigned xt_tree_internal_port(const xt_tree_shape_t *tree, unsigned from, unsigned to, unsigned link);
