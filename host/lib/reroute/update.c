/* SPDX-License-Identifier: Apache-2.0
 *
 * New routes after failures: which destinations are repaired, in which order, and whose routes make way. */
#include "extorus/update.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "extorus/routing.h"
#include "repair.h"
#include "routing/group_tables.h"
#include "transition_internal.h"

static bool has_rings(const xt_image_t *image)
{
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		for (unsigned port = 0; port < xt_image_profile(image)->link_ports; port++) {
			if (xt_image_ring(image, card, port)) {
				return true;
			}
		}
	}
	return false;
}

/* The old routes of all destinations, failed ones too: packets to them are still under way. */
static bool add_old_routes(xt_repair_t *r)
{
	for (unsigned dest = 0; dest < r->m.pes; dest++) {
		for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
			if (r->m.same_as[tc] == tc &&
				!xt_dependencies_add_routes(r->dependencies, &r->m, tc, dest, XT_MIX_OLD)) {
				return false;
			}
		}
	}
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		if (r->m.same_as[tc] != tc) {
			xt_dependencies_copy(r->dependencies, r->m.same_as[tc], tc);
		}
	}
	return true;
}

/* Some entry of a card with a failed link names it. */
static bool may_be_affected(xt_repair_t *r, unsigned dest)
{
	r->dest = dest;
	for (uint32_t card = 0; card < r->cards; card++) {
		for (unsigned tc = 0; r->failed_ports[card] && tc < r->profile->tcs; tc++) {
			xt_route_t route = xt_entry_route(*xt_repair_entry(r, card), tc);

			if ((1u << route.port | route.adaptive_mask) & r->failed_ports[card]) {
				return true;
			}
		}
	}
	return false;
}

typedef enum {
	AS_BEFORE = 0, /* no route needs what has failed */
	AFFECTED,
	REPAIRED,
	ANEW, /* its old routes are given up */
} fortune_t;

static void find_affected(xt_repair_t *r, uint8_t *fortune, uint8_t *must, uint8_t *cut)
{
	for (unsigned dest = 0; dest < r->m.pes; dest++) {
		bool may = xt_image_pe_in_service(r->after, dest) && may_be_affected(r, dest);
		uint64_t least = may ? xt_repair_least_changes(r, dest, must, cut) : 0;

		r->figures->must_change += least;
		r->figures->affected += least != 0;
		fortune[dest] = least ? AFFECTED : AS_BEFORE;
	}
}

static void give_up(xt_repair_t *r, uint8_t *fortune, uint32_t *queue, unsigned *queued, unsigned dest)
{
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		xt_dependencies_remove_routes(r->dependencies, &r->m, tc, dest, XT_MIX_OLD);
	}
	fortune[dest] = ANEW;
	queue[(*queued)++] = dest;
}

static bool regrow_destination(xt_repair_t *r, unsigned dest)
{
	return xt_repair_destination(r, dest, XT_KEEP_GOOD) || xt_repair_destination(r, dest, XT_KEEP_NONE);
}

/* Routes the queued destinations anew. Where there is no place for one, room is made by giving up the routes to
 * others, more each time. */
static bool regrow(xt_repair_t *r, uint8_t *fortune, uint32_t *queue, unsigned queued)
{
	for (unsigned i = 0; i < queued; i++) {
		for (unsigned more = 1; !regrow_destination(r, queue[i]); more *= 2) {
			unsigned until = queued;

			for (unsigned k = 1; k < r->m.pes && queued < until + more; k++) {
				unsigned dest = (queue[i] + k) % r->m.pes;

				if (fortune[dest] == AS_BEFORE && xt_image_pe_in_service(r->after, dest)) {
					give_up(r, fortune, queue, &queued, dest);
				}
			}
			if (queued == until || r->out_of_memory) {
				return false;
			}
		}
	}
	r->figures->regrown = queued;
	return true;
}

static bool repair_all(xt_repair_t *r)
{
	uint8_t *must = malloc(r->cards), *cut = malloc(r->cards), *fortune = calloc(r->m.pes, 1);
	uint32_t *queue = calloc(r->m.pes, sizeof(*queue));
	bool done = must && cut && fortune && queue;
	unsigned queued = 0;

	r->out_of_memory |= !done;
	if (done) {
		find_affected(r, fortune, must, cut);
		done = !has_rings(r->before) && add_old_routes(r);
	}
	for (unsigned dest = 0; done && dest < r->m.pes; dest++) {
		if (fortune[dest] == AFFECTED && xt_repair_destination(r, dest, XT_KEEP_ALL)) {
			fortune[dest] = REPAIRED;
		}
	}
	for (unsigned dest = 0; done && dest < r->m.pes; dest++) {
		if (fortune[dest] == AFFECTED) {
			give_up(r, fortune, queue, &queued, dest);
		}
	}
	done = done && regrow(r, fortune, queue, queued) && !r->out_of_memory;
	free(must);
	free(cut);
	free(fortune);
	free(queue);
	return done;
}

static void copy_card_settings(const xt_image_t *from, xt_image_t *to, unsigned card)
{
	xt_image_set_route_order(to, card, xt_image_route_order(from, card));
	for (unsigned tc = 0; tc < xt_image_profile(from)->tcs; tc++) {
		xt_image_set_match_mask(to, card, tc, xt_image_match_mask(from, card, tc));
	}
}

static void copy_settings(const xt_image_t *from, xt_image_t *to)
{
	for (unsigned card = 0; card < xt_image_cards(from); card++) {
		copy_card_settings(from, to, card);
	}
}

static void copy_tables(const xt_image_t *from, xt_image_t *to, unsigned card)
{
	const xt_profile_t *p = xt_image_profile(from);

	memcpy(xt_image_grt_mutable(to, card), xt_image_grt(from, card), sizeof(uint64_t) << p->grt_bits);
	memcpy(xt_image_lrt_mutable(to, card), xt_image_lrt(from, card), sizeof(uint64_t) << p->lrt_bits);
}

/* The old tables on the wiring that is left. */
static int copy_image(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out, xt_diag_t *diag)
{
	static const char suffix[] = "-repaired";
	const char *name = xt_image_algorithm(before);
	size_t length = strlen(name);
	bool again = length >= strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
	char text[64];
	int status;

	snprintf(text, sizeof(text), "%.40s%s", name, again ? "" : suffix);
	if ((status = xt_image_create(damaged, text, out, diag)) != XT_OK) {
		return status;
	}
	copy_settings(before, *out);
	for (unsigned card = 0; card < xt_image_cards(before); card++) {
		copy_tables(before, *out, card);
	}
	for (unsigned pe = 0; pe < xt_image_pes(before); pe++) {
		bool failed = xt_topology_card_failed(damaged, xt_image_pe_card(before, pe));

		xt_image_set_pe_tc_mask(*out, pe, failed ? 0 : xt_image_pe_tc_mask(before, pe));
	}
	return XT_OK;
}

static int check_network(const xt_image_t *before, const xt_topology_t *damaged, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_image_profile(before);

	if (xt_topology_profile(damaged) != p || xt_topology_cards(damaged) != xt_image_cards(before)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"the image of %.80s is for %u cards of profile %s, not for the %u of %.80s",
			xt_image_topology(before), xt_image_cards(before), p->name, xt_topology_cards(damaged),
			xt_topology_spec(damaged));
	}
	for (unsigned card = 0; card < xt_image_cards(before); card++) {
		for (unsigned port = 0; port < p->link_ports; port++) {
			xt_peer_t was = xt_image_peer(before, card, port), is = xt_topology_peer(damaged, card, port);

			if (is.card != XT_NO_CARD && (is.card != was.card || is.port != was.port)) {
				return xt_fail(diag, XT_ERR_MISMATCH,
					"%.80s has a link at card %u port %s that the image does not have; route it "
					"anew, without --from",
					xt_topology_spec(damaged), card, xt_topology_port_name(damaged, card, port));
			}
		}
	}
	return XT_OK;
}

/* PEs share GRT entries, so that single routes cannot be changed. */
static bool shares_entries(const xt_image_t *image)
{
	return xt_image_last_address(image) >> xt_image_profile(image)->lrt_bits != 0;
}

/* Failed cards keep their words. With an LRT entry for each PE the others keep their entries to PEs of failed cards. */
static void copy_out_of_service(const xt_image_t *from, const xt_topology_t *damaged, xt_image_t *to)
{
	unsigned cards = xt_image_cards(from), pes = shares_entries(from) ? 0 : xt_image_pes(from);

	for (unsigned card = 0; card < cards; card++) {
		if (xt_topology_card_failed(damaged, card)) {
			copy_card_settings(from, to, card);
			copy_tables(from, to, card);
		}
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		uint32_t address = xt_image_pe_address(from, pe);

		if (!xt_image_has_pe(to, pe) || !xt_topology_card_failed(damaged, xt_image_pe_card(from, pe))) {
			continue;
		}
		for (unsigned card = 0; card < cards; card++) {
			xt_image_lrt_mutable(to, card)[address] = xt_image_lrt(from, card)[address];
		}
	}
}

static int route_whole(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out, xt_diag_t *diag)
{
	xt_route_options_t options = {
		.size = sizeof(options),
		.algorithm = strncmp(xt_image_algorithm(before), "updown", 6) == 0 ? XT_ALGORITHM_UPDOWN
										   : XT_ALGORITHM_LAYERED,
		.adaptive = xt_image_is_adaptive(before) != 0,
	};
	bool in_groups = shares_entries(before);
	char name[64];
	int status;

	snprintf(name, sizeof(name), "%s-in-groups%s", xt_algorithm_name(options.algorithm),
		options.adaptive ? "-adaptive" : "");
	status = in_groups ? xt_route_in_groups(damaged, &options, name, before, out, diag)
			   : xt_route(damaged, &options, out, diag);
	/* With an LRT entry for each PE the registers decide nothing, and need no rewriting. */
	if (status == XT_OK && !in_groups) {
		copy_settings(before, *out);
	}
	if (status == XT_OK) {
		copy_out_of_service(before, damaged, *out);
	}
	return status;
}

/* By which cards in service can no longer send; of failed cards no packet comes. Returns how many. */
static unsigned list_failed_ends(const xt_image_t *before, const xt_topology_t *damaged, uint32_t *end)
{
	unsigned ports = xt_image_profile(before)->link_ports, count = 0;

	for (uint32_t i = 0; i < xt_image_cards(before) * ports; i++) {
		if (!xt_topology_card_failed(damaged, i / ports) &&
			xt_image_peer(before, i / ports, i % ports).card != XT_NO_CARD &&
			xt_topology_peer(damaged, i / ports, i % ports).card == XT_NO_CARD) {
			end[count++] = i;
		}
	}
	return count;
}

/* Whether some packet to a PE leaves a card by one of these. */
static bool needs_failed_end(const xt_image_t *before, const uint32_t *end, unsigned ends, uint32_t address)
{
	const xt_profile_t *p = xt_image_profile(before);

	for (unsigned i = 0; i < ends * p->tcs; i++) {
		uint32_t failed = end[i / p->tcs];
		xt_route_t route = xt_image_lookup(before, failed / p->link_ports, i % p->tcs, address);

		if (route.valid && (1u << route.port | route.adaptive_mask) >> failed % p->link_ports & 1) {
			return true;
		}
	}
	return false;
}

static int count_affected(const xt_image_t *before, const xt_topology_t *damaged, unsigned *affected, xt_diag_t *diag)
{
	uint32_t *end = calloc((size_t)xt_image_cards(before) * xt_image_profile(before)->link_ports, sizeof(*end));
	unsigned ends;

	if (!end) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for new routes");
	}
	ends = list_failed_ends(before, damaged, end);
	for (unsigned pe = 0; pe < xt_image_pes(before); pe++) {
		*affected += xt_image_pe_in_service(before, pe) &&
			     !xt_topology_card_failed(damaged, xt_image_pe_card(before, pe)) &&
			     needs_failed_end(before, end, ends, xt_image_pe_address(before, pe));
	}
	free(end);
	return XT_OK;
}

int xt_route_update(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out,
	xt_update_figures_t *figures, xt_diag_t *diag)
{
	xt_update_figures_t ignored;
	xt_repair_t r = {.figures = figures ? figures : &ignored};
	xt_image_t *after = NULL;
	bool repaired;
	int status;

	*out = NULL;
	memset(r.figures, 0, sizeof(*r.figures));
	if ((status = check_network(before, damaged, diag)) != XT_OK ||
		(status = xt_check_safe(before, diag)) != XT_OK) {
		return status;
	}
	if (shares_entries(before)) {
		r.figures->how = XT_UPDATE_WHOLE;
		status = count_affected(before, damaged, &r.figures->affected, diag);
		return status == XT_OK ? route_whole(before, damaged, out, diag) : status;
	}
	if ((status = copy_image(before, damaged, &after, diag)) != XT_OK) {
		return status;
	}
	if ((status = xt_repair_create(&r, before, after, diag)) == XT_OK) {
		repaired = repair_all(&r) && xt_check_safe(after, NULL) == XT_OK;
		r.figures->how = !repaired ? XT_UPDATE_WHOLE : r.figures->regrown ? XT_UPDATE_REGROWN : XT_UPDATE_KEPT;
		if (r.out_of_memory) {
			status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for new routes");
		} else if (!repaired) {
			r.figures->regrown = 0;
			xt_image_free(after);
			status = route_whole(before, damaged, &after, diag);
		}
	}
	xt_repair_free(&r);
	if (status != XT_OK) {
		xt_image_free(after);
		return status;
	}
	*out = after;
	return XT_OK;
}
