/* SPDX-License-Identifier: Apache-2.0
 *
 * Combined switches: the ports of every switch of a network are shared out over two cards, joined by an internal
 * link. How much traffic then crosses that link, and which ports should be on which card. A twin torus is a
 * torus of such switches. */
#ifndef EXTORUS_PORT_ASSIGNMENT_H
#define EXTORUS_PORT_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "extorus/export.h"
#include "extorus/topology.h"
#include "extorus/traffic_matrix.h"

XT_BEGIN_C

/* Which ways the packets go. */
typedef enum {
	XT_PATHS_DOR,      /* dimensions ascending, minimal, a tie to the positive port */
	XT_PATHS_SHORTEST, /* evenly divided over all shortest ones */
	XT_PATHS_DESTRO,   /* of a tree */
} xt_paths_t;

enum {
	XT_MAX_SWITCH_PORTS = 64,
	XT_MAX_SWITCHES = 4096, /* and ends, of which all pairs are walked */
};

/* k-ary n-tree (Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel
 * architectures", IPPS 1997): k^n ends, n stages of k^(n-1) switches. With the digits of an end's number to base
 * k, digit 0 the lowest, end d is at port down[digit 0] of switch d / k of stage 0. Port up[u] of a switch of stage s
 * leads to the switch of stage s + 1 whose number differs in digit s only, which is u there, and arrives at the
 * port down[digit s of the lower switch]. The switches of the last stage use no up port. */
typedef struct {
	unsigned k, n;
} xt_tree_t;

/* Whether a spec is one of a tree, "tree:k=4,n=3". */
XT_API bool xt_tree_is_spec(const char *spec);
/* XT_ERR_INVALID if malformed, XT_ERR_RANGE for more ends or ports than the limits above. */
XT_API int xt_tree_parse(const char *spec, xt_tree_t *tree, xt_diag_t *diag);
XT_API unsigned xt_tree_ends(const xt_tree_t *tree);

/* How often switches are passed from port to port. */
typedef struct xt_turns xt_turns_t;

/* In a tree with DESTRO, deterministic routing by the destination (Gomez et al., "Deterministic versus Adaptive
 * Routing in Fat-Trees", IPDPS workshops 2007; D-mod-k): a packet ascends to the first stage from which its
 * destination can be reached downwards, leaving stage s by the up port that is digit s of the destination, and
 * then descends, leaving stage s by the down port that is digit s. XT_ERR_NOMEM. *out is freed with
 * xt_turns_free. */
XT_API int xt_turns_of_tree(
	const xt_tree_t *tree, const xt_traffic_matrix_t *matrix, xt_turns_t **out, xt_diag_t *diag);
/* In a topology, whose switches are its nodes (the two cards of a node of a twin torus are one) and ends of the
 * traffic. Ports are those of the cards, 2 * dimension + direction in a twin torus; traffic that begins or ends at a
 * node does not pass it. XT_ERR_UNSUPPORTED for DOR in anything but an undamaged torus, mesh or twin torus, for
 * a damaged twin torus and for DESTRO; XT_ERR_RANGE for more than XT_MAX_SWITCHES nodes; XT_ERR_INVALID if
 * traffic is listed to or from a failed card; XT_ERR_NOMEM. */
XT_API int xt_turns_of_topology(const xt_topology_t *topology, xt_paths_t paths, const xt_traffic_matrix_t *matrix,
	xt_turns_t **out, xt_diag_t *diag);
/* XT_PATHS_DOR where it is possible. */
XT_API xt_paths_t xt_turns_usual_paths(const xt_topology_t *topology);
XT_API void xt_turns_free(xt_turns_t *turns); /* NULL is allowed */

/* Stages of a tree, from that of the ends on; otherwise 1. The switches of a stage are alike. */
XT_API unsigned xt_turns_stages(const xt_turns_t *turns);
XT_API unsigned xt_turns_switches(const xt_turns_t *turns); /* of a stage, in service */
/* An even number; the last one may be there to make it even and be used by nobody. */
XT_API unsigned xt_turns_ports(const xt_turns_t *turns);
XT_API const char *xt_turns_port_name(const xt_turns_t *turns, unsigned port);
/* Traffic that enters switches by one port and leaves them by the other, added up over a stage. */
XT_API double xt_turns_weight(const xt_turns_t *turns, unsigned stage, unsigned in, unsigned out);

enum { XT_ALL_STAGES = -1 };

/* Traffic that passes the switches of a stage, or of all of them. */
XT_API double xt_turns_total(const xt_turns_t *turns, int stage);
/* Of that, what crosses the internal links if the ports in the mask `card0` are on one card and the others
 * on the other. */
XT_API double xt_turns_crossings(const xt_turns_t *turns, int stage, uint64_t card0);

/* Ports of card 0 of a twin torus, for xt_turns_crossings. */
XT_API uint64_t xt_twin_card0(const xt_topology_t *twin);

typedef struct {
	uint64_t card0; /* half of the ports, port 0 among them */
	double crossings;
	bool optimal;         /* all assignments were tried; otherwise the best that was found */
	uint64_t assignments; /* if optimal: that there are, exchanging the cards not counted; else 0 */
} xt_assignment_t;

/* The assignment of half of the ports to each card with the least crossings, one for all switches of the stage or
 * of all stages; of equal ones that with the lower ports on card 0. Up to 28 ports all are tried; beyond, exchanges
 * of ports from 256 beginnings drawn with the seed (Kernighan and Lin, "An efficient heuristic procedure for
 * partitioning graphs", Bell System Technical Journal 1970). */
XT_API void xt_turns_best(const xt_turns_t *turns, int stage, uint64_t seed, xt_assignment_t *best);

/* Called with each assignment in ascending order of card0's ports. */
typedef void (*xt_assignment_visit_t)(void *context, uint64_t card0, double crossings);
/* All of them; XT_ERR_RANGE for more than 28 ports. */
XT_API int xt_turns_each(
	const xt_turns_t *turns, int stage, xt_assignment_visit_t visit, void *context, xt_diag_t *diag);

/* Of the paths between all ordered pairs of nodes of a k x k x k twin torus, those through one node that cross its
 * internal link, with the configuration A + `config`; see xt_turns_crossings. As published, by closed forms of degree 4
 * in k (the work on 3D twin tori that names the configurations A to J). -1 unless config is below XT_TWIN_CONFIGS and k
 * from 2 to 1024. */
XT_API int64_t xt_twin_crossings_closed_form(unsigned config, unsigned k);

XT_END_C
#endif
