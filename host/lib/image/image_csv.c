/* SPDX-License-Identifier: Apache-2.0
 *
 * The routing function of an image as CSV. */
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "image_internal.h"

enum { BY_SOURCE_OR_ADAPTIVE = 1, BY_ANY = 2 };

/* visited[card]: not 0 where packets of `tc` to `dest` from the sources that may send them come by. On
 * adaptive VCs a packet may take any candidate, once it has left them it follows the entries only.
 * `stack` has a place per card. */
static void mark_visits(const xt_image_t *image, unsigned tc, unsigned dest, uint8_t *visited, uint32_t *stack)
{
	unsigned adaptive = xt_profile_adaptive_tcs(image->profile) >> tc & 1, depth = 0;
	uint32_t address = image->pe_address[dest];

	memset(visited, 0, image->cards);
	for (unsigned source = 0; source < image->pes; source++) {
		uint32_t card = xt_image_pe_card(image, source);

		if ((image->pe_tc_mask[source] >> tc & 1) && !visited[card]) {
			visited[card] = BY_SOURCE_OR_ADAPTIVE;
			stack[depth++] = card;
		}
	}
	while (depth > 0) {
		uint32_t card = stack[--depth];
		xt_route_t route = xt_image_lookup(image, card, tc, address);

		for (uint32_t rest = adaptive && route.valid ? route.adaptive_mask : 0; rest; rest &= rest - 1) {
			uint32_t next = xt_image_peer(image, card, (unsigned)__builtin_ctz(rest)).card;

			if (next != XT_NO_CARD && !visited[next]) {
				visited[next] = BY_SOURCE_OR_ADAPTIVE;
				stack[depth++] = next;
			}
		}
	}
	for (unsigned start = 0; start < image->cards; start++) {
		uint32_t card = visited[start] ? start : XT_NO_CARD;

		while (card != XT_NO_CARD && !(visited[card] & BY_ANY)) {
			xt_route_t route = xt_image_lookup(image, card, tc, address);

			visited[card] |= BY_ANY;
			card = route.valid ? xt_image_peer(image, card, route.port).card : XT_NO_CARD;
		}
	}
}

int xt_image_is_adaptive(const xt_image_t *image)
{
	const xt_profile_t *p = image->profile;
	uint64_t masks = 0, used = 0;

	for (unsigned tc = 0; tc < p->tcs; tc++) {
		if (xt_profile_adaptive_tcs(p) >> tc & 1) {
			masks |= xt_entry_with_route(0, tc, (xt_route_t){.adaptive_mask = UINT8_MAX});
		}
	}
	for (uint32_t card = 0; card < image->cards; card++) {
		for (size_t i = 0; image->grt_at[card] == card && i < (size_t)1 << p->grt_bits; i++) {
			used |= xt_image_grt(image, card)[i];
		}
		for (size_t i = 0; image->lrt_at[card] == card && i < (size_t)1 << p->lrt_bits; i++) {
			used |= xt_image_lrt(image, card)[i];
		}
	}
	return (used & masks) != 0;
}

static void write_candidates(const xt_image_t *image, unsigned card, unsigned tc, xt_route_t route, FILE *out)
{
	unsigned adaptive = xt_profile_adaptive_tcs(image->profile) >> tc & 1;
	const char *separator = ",";

	for (uint32_t rest = adaptive ? route.adaptive_mask : 0; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest);

		if (port < image->profile->link_ports) {
			fprintf(out, "%s%s", separator, xt_image_port_name(image, card, port));
			separator = " ";
		}
	}
	if (*separator == ',') {
		fputc(',', out);
	}
}

static void write_csv_line(const xt_image_t *image, unsigned card, unsigned tc, unsigned dest, int adaptive, FILE *out)
{
	xt_route_t route = xt_image_lookup(image, card, tc, image->pe_address[dest]);

	if (!route.valid) {
		fprintf(out, "%u,%u,%u,none,0", card, tc, dest);
	} else {
		fprintf(out, "%u,%u,%u,%s,%u", card, tc, dest, xt_image_port_name(image, card, route.port),
			route.port < image->profile->link_ports ? route.vc : 0u);
	}
	if (adaptive) {
		write_candidates(image, card, tc, route, out);
	}
	fputc('\n', out);
}

int xt_image_write_csv(const xt_image_t *image, FILE *out, xt_diag_t *diag)
{
	unsigned tcs = image->profile->tcs;
	uint8_t *visited = malloc((size_t)image->cards * tcs * image->pes);
	uint32_t *stack = malloc(image->cards * sizeof(*stack));
	int adaptive = xt_image_is_adaptive(image);

	if (!visited || !stack) {
		free(visited);
		free(stack);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned tc = 0; tc < tcs; tc++) {
		for (unsigned dest = 0; dest < image->pes; dest++) {
			mark_visits(image, tc, dest, visited + ((size_t)tc * image->pes + dest) * image->cards, stack);
		}
	}
	fprintf(out, "card,tc,dest,port,vc%s\n", adaptive ? ",adaptive" : "");
	for (unsigned card = 0; card < image->cards; card++) {
		for (unsigned tc = 0; tc < tcs; tc++) {
			for (unsigned dest = 0; dest < image->pes; dest++) {
				if (xt_image_pe_in_service(image, dest) &&
					visited[((size_t)tc * image->pes + dest) * image->cards + card]) {
					write_csv_line(image, card, tc, dest, adaptive, out);
				}
			}
		}
	}
	free(visited);
	free(stack);
	return XT_OK;
}
