/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts that the algorithms of collectives share: sends, segments, trees. */
#include "algorithms.h"

uint32_t xt_send_bytes(xt_program_t *p, uint32_t to, uint64_t offset, uint64_t length, int reduce)
{
	uint32_t send = xt_program_send(p, to, length);

	xt_workload_carry(p->w, send, offset, length, reduce);
	return send;
}

uint32_t xt_send_blocks(xt_program_t *p, uint32_t to, uint32_t first, uint32_t count, uint64_t bytes)
{
	uint32_t send = xt_program_send(p, to, count * bytes);
	uint32_t straight = count < p->ranks - first ? count : p->ranks - first;

	xt_workload_carry(p->w, send, first * bytes, straight * bytes, 0);
	xt_workload_carry(p->w, send, 0, (count - straight) * bytes, 0);
	return send;
}

xt_segments_t xt_cut(uint64_t bytes, uint64_t segment, uint32_t element)
{
	xt_segments_t s = {bytes, bytes, 1};

	if (segment >= element && segment < bytes) {
		uint64_t elements = segment / element + (segment % element > element / 2);

		s.segment = elements * element;
		s.count = (bytes + s.segment - 1) / s.segment;
	}
	return s;
}

uint32_t xt_play_tree(xt_play_t *play, xt_tree_part_t part)
{
	const xt_collective_t *c = play->c;
	xt_tree_t tree;

	if (!xt_tree_make(&tree, play->tree, c->ranks, c->root, c->fanout)) {
		play->w->status = XT_ERR_NOMEM;
	}
	for (uint32_t r = 0; r < c->ranks && play->w->status == XT_OK; r++) {
		part(play, &tree, &play->programs[r]);
	}
	xt_tree_free(&tree);
	return tree.root;
}
