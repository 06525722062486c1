/* SPDX-License-Identifier: Apache-2.0
 *
 * On which PE each rank runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_line.h"
#include "extorus/random.h"
#include "extorus/replay.h"
#include "host_file.h"

typedef struct {
	const char *path;
	const xt_image_t *image;
	uint32_t *pe;
	uint32_t ranks, count;
} list_t;

/* The number of a PE, or nothing before a '#'. */
static int take_line(void *context, unsigned long line, char *text, xt_diag_t *diag)
{
	list_t *l = context;
	char *begin = text + strspn(text, " \t");
	size_t length = strlen(begin);
	uint64_t value;

	while (length && strchr(" \t", begin[length - 1])) {
		begin[--length] = '\0';
	}
	if (!*begin || *begin == '#') {
		return XT_OK;
	}
	if (l->count == l->ranks) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: more lines than the %" PRIu32 " ranks", l->path, line,
			l->ranks);
	}
	if (xt_number_parse(begin, xt_image_pes(l->image) - 1, &value) != XT_OK) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: not the number of a PE, 0 to %u", l->path, line,
			xt_image_pes(l->image) - 1);
	}
	if (!xt_image_pe_in_service(l->image, (unsigned)value)) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: PE %s is out of service; choose another", l->path,
			line, begin);
	}
	l->pe[l->count++] = (uint32_t)value;
	return XT_OK;
}

/* No PE has more ranks than it may have. */
static int check_shares(
	const char *path, const xt_image_t *image, const uint32_t *pe, uint32_t ranks, uint32_t each, xt_diag_t *diag)
{
	uint32_t *share = calloc(xt_image_pes(image), sizeof(*share));
	int status = share ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory for %u PEs", xt_image_pes(image));

	for (uint32_t r = 0; status == XT_OK && r < ranks; r++) {
		if (++share[pe[r]] > each) {
			status = xt_fail(diag, XT_ERR_INVALID,
				"%.200s: rank %" PRIu32 " is rank %" PRIu32 " on PE %" PRIu32 ", which has %" PRIu32
				" at most; raise the tasks per PE or choose another",
				path, r, share[pe[r]], pe[r], each);
		}
	}
	free(share);
	return status;
}

static int from_file(const char *path, const xt_image_t *image, uint32_t ranks, uint32_t *pe, xt_diag_t *diag)
{
	list_t list = {.path = path, .image = image, .pe = pe, .ranks = ranks};
	int status = xt_lines_read(path, "list of PEs", take_line, &list, diag);

	if (status == XT_OK && list.count < ranks) {
		status = xt_fail(diag, XT_ERR_INVALID, "%.200s: PEs for %" PRIu32 " of %" PRIu32 " ranks; add lines",
			path, list.count, ranks);
	}
	return status;
}

/* By the place in the node, then by node; `list` has the PEs by node. */
static void by_node(const xt_image_t *image, uint32_t *list, uint32_t *sorted, uint32_t count)
{
	uint32_t each = xt_map_node_pes(image), done = 0;

	for (uint32_t place = 0; place < each; place++) {
		for (uint32_t i = 0; i < count; i++) {
			if (list[i] % each == place) {
				sorted[done++] = list[i];
			}
		}
	}
	memcpy(list, sorted, count * sizeof(*list));
}

static void shuffle(uint32_t *list, uint32_t count, uint64_t seed)
{
	xt_random_t random;

	xt_random_seed(&random, seed, 0);
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = xt_random_below(&random, i), kept = list[i - 1];

		list[i - 1] = list[other];
		list[other] = kept;
	}
}

int xt_map_ranks(const xt_map_t *map, const xt_image_t *image, uint32_t ranks, uint32_t *pe, xt_diag_t *diag)
{
	uint32_t pes = xt_image_pes(image), each = map->tasks_per_pe ? map->tasks_per_pe : 1, usable = 0;
	uint32_t *list;

	if (map->kind == XT_MAP_HOSTS) {
		return xt_map_hosts(map, image, ranks, pe, diag);
	}
	if (map->kind == XT_MAP_FILE) {
		int status = from_file(map->path, image, ranks, pe, diag);

		return status == XT_OK ? check_shares(map->path, image, pe, ranks, each, diag) : status;
	}
	list = malloc(2 * (size_t)pes * sizeof(*list));
	if (!list) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " PEs", pes);
	}
	for (uint32_t i = 0; i < pes; i++) {
		if (xt_image_pe_in_service(image, i)) {
			list[usable++] = i;
		}
	}
	if (ranks > (uint64_t)usable * each) {
		free(list);
		return xt_fail(diag, XT_ERR_RANGE,
			"%" PRIu32 " ranks do not fit on %" PRIu32 " PEs with %" PRIu32 " each; raise the tasks per PE",
			ranks, usable, each);
	}
	if (map->kind == XT_MAP_RANDOM) {
		shuffle(list, usable, map->seed);
	} else if (map->kind == XT_MAP_NODE) {
		by_node(image, list, list + pes, usable);
	}
	for (uint32_t r = 0; r < ranks; r++) {
		pe[r] = list[map->kind == XT_MAP_NODE ? r % usable : r / each];
	}
	free(list);
	return XT_OK;
}
