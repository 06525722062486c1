/* SPDX-License-Identifier: Apache-2.0
 *
 * What the families of topologies share. spec.c reads a spec "FAMILY:K0xK1x...[,OPTIONS]" and the family
 * fills in the wiring; topology.c answers all queries from there. A family is a const xt_family_t in a
 * file family_NAME.c of its own, and a line in the list of spec.c. */
#pragma once

#include <stdbool.h>

#include "extorus/topology.h"
#include "tree_shape.h"
#include "wiring.h"

enum {
	XT_TOPOLOGY_OPTIONS_SIZE = 64,
	XT_TOPOLOGY_NAME_SIZE = 16,
	XT_TOPOLOGY_PORTS = 2 * XT_MAX_WIDE_PORTS, /* link and NIC ports */
	XT_TOPOLOGY_LAYOUTS = 4, /* different cards: the sides of a twin torus, the slices of a pruned one */
};

typedef struct {
	const char *name;    /* before the colon of a spec */
	const char *example; /* radices, for messages */
	xt_topology_kind_t kind;
	unsigned sides; /* cards per node */
	bool directed;  /* each link has one direction only */
	bool open;      /* the rows of a mesh: no rings */
	bool options;   /* a comma and options may follow the radices */
	/* Checks the radices, reads `options` (what follows the comma, or NULL) and sets period, layouts, options
	 * and what lay_out needs. NULL: any shape, no options. */
	int (*shape)(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag);
	/* Instead, of a family without radices: reads all that follows the colon, and makes the wiring. */
	int (*build)(xt_topology_t *t, const char *spec, const char *text, xt_diag_t *diag);
	/* Link ports that a card needs. */
	unsigned (*ports)(const xt_topology_t *t);
	/* Places the ports with xt_topology_add_port, for every layout from port 0 on. */
	void (*lay_out)(xt_topology_t *t);
	/* The layout of a card; NULL: its side. */
	unsigned (*layout)(const xt_topology_t *t, unsigned card);
	/* The node next to `node` in a dimension (direction 1) or before it (0); `node` itself for none. */
	unsigned (*neighbour)(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction);
	/* Whether a node of a directed network sends to that neighbour; otherwise it receives from there. */
	bool (*sends)(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction);
	/* Mean over all ordered pairs of the links of a dimension; NULL: counted on the shortest paths. */
	double (*dimension_distance)(const xt_topology_t *t, unsigned dimension);
	/* Closed form of the bisection with its source in *method; -1 if none is known for these radices. */
	int64_t (*bisection)(const xt_topology_t *t, const char **method);
} xt_family_t;

struct xt_topology {
	const xt_profile_t *profile; /* &none of a wide network */
	xt_profile_t none;
	bool may_be_wide; /* see xt_topology_parse_wide */
	const xt_family_t *family;
	unsigned dimensions;
	unsigned radix[XT_MAX_DIMENSIONS];
	unsigned stride[XT_MAX_DIMENSIONS]; /* in nodes */
	/* Moving every node by this much in a dimension changes nothing; 1: the nodes of the dimension are alike. */
	unsigned period[XT_MAX_DIMENSIONS];
	unsigned nodes;
	unsigned layouts;
	/* [layout][port]: what a port is. */
	struct {
		int dimension; /* -1: internal, NIC or not used */
		unsigned direction;
		char name[XT_TOPOLOGY_NAME_SIZE];
	} port[XT_TOPOLOGY_LAYOUTS][XT_TOPOLOGY_PORTS];
	int dimension_port[XT_TOPOLOGY_LAYOUTS][XT_MAX_DIMENSIONS][2]; /* [layout][dimension][direction] */
	unsigned side_of[XT_MAX_DIMENSIONS][2];                        /* twin: the card that has a port */
	int internal_port;                                             /* -1: none */
	char options[XT_TOPOLOGY_OPTIONS_SIZE];                        /* of the spec, from the comma on */
	xt_wiring_t *wiring;  /* of a file, a tree or with failures; NULL: by the rule of the family */
	xt_tree_shape_t tree; /* of a tree */
	char spec[XT_SPEC_SIZE];
};

extern const xt_family_t xt_family_torus, xt_family_mesh, xt_family_twin, xt_family_rtt, xt_family_ptt, xt_family_pdtt,
	xt_family_pruned, xt_family_manhattan, xt_family_pruned_directed, xt_family_tree, xt_family_file;

/* Makes `port` of the cards of a layout that of a dimension and direction. */
void xt_topology_add_port(xt_topology_t *t, unsigned layout, unsigned port, unsigned dimension, unsigned direction);
/* Coordinate of a node. */
unsigned xt_topology_node_coordinate(const xt_topology_t *t, unsigned node, unsigned dimension);

unsigned xt_topology_largest_radix(const xt_topology_t *t);
/* Cards that differ by a multiple of the period in each dimension are of one class: a shift of the network
 * maps one to the other. Without a rule each card is a class. */
unsigned xt_topology_class(const xt_topology_t *t, unsigned card);
unsigned xt_topology_classes(const xt_topology_t *t);
/* Whether a card in service is the first of its class. */
bool xt_topology_stands_for_class(const xt_topology_t *t, unsigned card);
/* What several families have in common: ports d0- d0+ d1- ..., two per dimension; rings. */
unsigned xt_torus_ports(const xt_topology_t *t);
void xt_torus_lay_out(xt_topology_t *t);
unsigned xt_torus_neighbour(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction);
double xt_torus_dimension_distance(const xt_topology_t *t, unsigned dimension);
