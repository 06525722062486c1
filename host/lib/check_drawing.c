/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "extorus/check.h"
#include "profiles.h"

static unsigned vertex_number(const xt_image_t *image, const xt_channel_t *c)
{
	return c->card * xt_image_profile(image)->link_ports * XT_MAX_VCS_PER_TC + xt_channel_bit(c->port, c->vc);
}

static void write_edges(const xt_image_t *image, const xt_check_t *check, unsigned tc, unsigned card, unsigned bit,
	const uint32_t *next_in_cycle, FILE *out)
{
	unsigned bits = xt_image_profile(image)->link_ports * XT_MAX_VCS_PER_TC, vertex = card * bits + bit;
	unsigned base = xt_image_peer(image, card, bit / XT_MAX_VCS_PER_TC).card * bits;

	for (uint32_t rest = check->successors[tc][vertex]; rest; rest &= rest - 1) {
		unsigned next = base + (unsigned)__builtin_ctz(rest);

		fprintf(out, "\t\tt%u_%u -> t%u_%u%s;\n", tc, vertex, tc, next,
			next_in_cycle[vertex] == next ? " [color=red penwidth=2]" : "");
	}
}

static int write_tc(const xt_image_t *image, const xt_check_t *check, unsigned tc, FILE *out, xt_diag_t *diag)
{
	unsigned bits = xt_image_profile(image)->link_ports * XT_MAX_VCS_PER_TC, cards = xt_image_cards(image);
	uint32_t *next_in_cycle = malloc((size_t)cards * bits * sizeof(*next_in_cycle));

	if (!next_in_cycle) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < (size_t)cards * bits; i++) {
		next_in_cycle[i] = UINT32_MAX;
	}
	for (size_t i = 0; i < check->cycle_length[tc]; i++) {
		next_in_cycle[vertex_number(image, &check->cycle[tc][i])] =
			vertex_number(image, &check->cycle[tc][(i + 1) % check->cycle_length[tc]]);
	}
	fprintf(out, "\tsubgraph cluster_tc%u {\n\t\tlabel=\"TC %u\";\n", tc, tc);
	for (unsigned card = 0; card < cards; card++) {
		for (uint32_t rest = check->used[tc][card]; rest; rest &= rest - 1) {
			unsigned bit = (unsigned)__builtin_ctz(rest), vertex = card * bits + bit;

			fprintf(out, "\t\tt%u_%u [label=\"%u %s vc%u\"%s];\n", tc, vertex, card,
				xt_image_port_name(image, card, bit / XT_MAX_VCS_PER_TC), bit % XT_MAX_VCS_PER_TC,
				next_in_cycle[vertex] != UINT32_MAX ? " color=red fontcolor=red" : "");
			write_edges(image, check, tc, card, bit, next_in_cycle, out);
		}
	}
	fprintf(out, "\t}\n");
	free(next_in_cycle);
	return XT_OK;
}

int xt_check_write_cdg(const xt_image_t *image, const xt_check_t *check, FILE *out, xt_diag_t *diag)
{
	int status = XT_OK;

	fprintf(out,
		"// SPDX-License-Identifier: Apache-2.0\n// Draw it with: dot -Tsvg\n"
		"digraph \"channel dependencies of %s, %s\" {\n"
		"\tnode [shape=box fontname=Helvetica fontsize=9 height=0.2];\n\tedge [arrowsize=0.5];\n",
		xt_image_topology(image), xt_image_algorithm(image));
	for (unsigned tc = 0; tc < check->tcs && status == XT_OK; tc++) {
		if (check->channels[tc] > 0) {
			status = write_tc(image, check, tc, out, diag);
		}
	}
	fprintf(out, "}\n");
	return status;
}
