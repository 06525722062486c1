/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_tellings.h"

typedef struct {
	uint32_t tellings, packets;
} counts_t;

/* Words of the cells that go along. */
static size_t size_of(const telling_t *telling)
{
	const unsigned cells = telling->kind == TELL_HOP || telling->remake ? 1
			       : telling->kind == TELL_RECEIVED             ? telling->count
									    : 0;

	return (size_t)cells * CELL_WORDS * sizeof(uint32_t);
}

int rank_tellings_pack(const sheet_t *sheet, unsigned cycles, xt_bytes_t *out)
{
	const telling_t *tellings = sheet->tellings.items;
	const counts_t counts = {sheet->tellings.count, sheet->packets.count};
	int made = xt_bytes_add(out, &counts, sizeof(counts)) &&
		   xt_bytes_add(out, sheet->cycle, cycles * sizeof(*sheet->cycle)) &&
		   xt_bytes_add(out, tellings, counts.tellings * sizeof(*tellings)) &&
		   xt_bytes_add(out, sheet->packets.items, counts.packets * sizeof(xt_packet_t));

	for (uint32_t i = 0; i < counts.tellings && made; i++) {
		made = xt_bytes_add(out, tellings[i].cells, size_of(&tellings[i]));
	}
	return made;
}

/* A packet that is made from its head has the cells that are received. */
static int is_sound(const telling_t *telling)
{
	return !telling->remake || (telling->kind == TELL_RECEIVED && telling->remake <= PACKET_CELLS &&
					   telling->index + telling->count <= telling->remake);
}

static int take(list_t *list, uint32_t count, size_t size, xt_bytes_reader_t *reader)
{
	const void *items = xt_bytes_next(reader, count * size);

	if (items && count > list->room) {
		void *more = realloc(list->items, 2 * (size_t)count * size);

		if (!more) {
			return 0;
		}
		list->items = more;
		list->room = 2 * count;
	}
	if (items && count) {
		memcpy(list->items, items, count * size);
	}
	list->count = items ? count : 0;
	return items != NULL;
}

int rank_tellings_unpack(sheet_t *sheet, unsigned cycles, xt_bytes_reader_t *reader)
{
	const counts_t *counts = xt_bytes_next(reader, sizeof(*counts));
	const void *cycle = counts ? xt_bytes_next(reader, cycles * sizeof(*sheet->cycle)) : NULL;
	telling_t *tellings;

	if (!cycle || !take(&sheet->tellings, counts->tellings, sizeof(telling_t), reader) ||
		!take(&sheet->packets, counts->packets, sizeof(xt_packet_t), reader)) {
		return 0;
	}
	memcpy(sheet->cycle, cycle, cycles * sizeof(*sheet->cycle));
	tellings = sheet->tellings.items;
	for (uint32_t i = 0; i < counts->tellings; i++) {
		tellings[i].cells = is_sound(&tellings[i]) ? xt_bytes_next(reader, size_of(&tellings[i])) : NULL;
		if (!tellings[i].cells) {
			return 0;
		}
	}
	return 1;
}
