/* SPDX-License-Identifier: Apache-2.0 */
#include "transition_report.h"

#include <inttypes.h>

#include "options/options.h"

static const char *const how_names[] = {
	[XT_TRANSITION_ANY_ORDER] = "any order",
	[XT_TRANSITION_ORDERED] = "ordered",
	[XT_TRANSITION_DRAIN] = "drain",
};

static const char *const routes_names[] = {
	[XT_UPDATE_KEPT] = "kept",
	[XT_UPDATE_REGROWN] = "regrown",
	[XT_UPDATE_WHOLE] = "whole",
};

/* Numbers in a row as a range. */
static void print_pes(const uint32_t *pes, unsigned count, FILE *out)
{
	for (unsigned first = 0, last; first < count; first = last + 1) {
		last = first;
		while (last + 1 < count && pes[last + 1] == pes[last] + 1) {
			last++;
		}
		fprintf(out, last > first ? " %u-%u" : " %u", (unsigned)pes[first], (unsigned)pes[last]);
	}
	fprintf(out, "\n");
}

static void print_phase(const xt_transition_t *t, size_t index, FILE *out)
{
	const xt_transition_phase_t *p = &t->phase[index];
	uint32_t last = p->first_step + p->steps - 1;

	if (p->stops && t->stops_all) {
		fprintf(out, "             stop all traffic (QUIESCE of the NIC ports, until PORT_IDLE)\n");
	} else if (p->stops) {
		fprintf(out, "             stop traffic to %u PEs until they are done, and wait until it has arrived:",
			p->stops);
		print_pes(p->stopped, p->stops, out);
	}
	fprintf(out, "             step%s %u", p->steps > 1 ? "s" : "", (unsigned)p->first_step);
	if (p->steps > 1) {
		fprintf(out, " to %u", (unsigned)last);
	}
	fprintf(out, ": %" PRIu64 " words, for %u PEs%s\n", p->rewrites, p->destinations,
		index + 1 < t->phases ? "; then wait until what was under way to these has arrived" : "");
}

void xt_print_transition(const xt_image_t *after, const xt_transition_t *t, FILE *out)
{
	fprintf(out, "%s, %s, profile %s: %" PRIu64 " entries to rewrite on %u cards, for %u PEs",
		xt_image_topology(after), xt_image_algorithm(after), xt_image_profile(after)->name, t->entries,
		t->cards, t->destinations);
	if (t->rewrites > t->entries) {
		fprintf(out, ", and %" PRIu64 " registers", (uint64_t)t->rewrites - t->entries);
	}
	fprintf(out,
		"\npairs        %" PRIu64 ", of which %" PRIu64 " get another route; %" PRIu64
		" needed what has failed, and lose packets until then\n",
		t->pairs, t->rerouted, t->broken);
	if (t->out_of_service) {
		fprintf(out, "lost         %" PRIu64 " pairs with PEs out of service\n", t->out_of_service);
	}
	fprintf(out, "hops         mean %.4f before, %.4f after; max %u, %u\n", t->mean_hops_before, t->mean_hops_after,
		t->max_hops_before, t->max_hops_after);
	fprintf(out,
		"mixtures     %" PRIu64 " loops, %" PRIu64 " places that do not deliver, %" PRIu64
		" more pairs that can lose packets\n",
		t->loops, t->undelivered, t->exposed);
	for (unsigned tc = 0; tc < t->mixed->tcs; tc++) {
		if (t->mixed->channels[tc]) {
			fprintf(out,
				"TC %u         %s: %" PRIu64 " channels, %" PRIu64
				" dependencies, old, new and mixed\n",
				tc, t->mixed->cyclic_tcs >> tc & 1 ? "CYCLIC" : "acyclic", t->mixed->channels[tc],
				t->mixed->dependencies[tc]);
		}
	}
	fprintf(out, "transition   %s\n",
		t->rewrites == 0                    ? "nothing to do"
		: t->how == XT_TRANSITION_ANY_ORDER ? "safe in any order, under load"
		: t->how == XT_TRANSITION_ORDERED
			? "safe step by step, under load; within a step in any order:"
			: "safe step by step, when some traffic stops; within a step in any order:");
	for (size_t i = 0; t->how != XT_TRANSITION_ANY_ORDER && i < t->phases; i++) {
		print_phase(t, i, out);
	}
}

static json_t *phases_json(const xt_transition_t *t)
{
	json_t *phases = json_array();

	for (size_t i = 0; i < t->phases; i++) {
		const xt_transition_phase_t *p = &t->phase[i];
		json_t *stopped = json_array();

		for (unsigned k = 0; k < p->stops; k++) {
			json_array_append_new(stopped, json_integer(p->stopped[k]));
		}
		json_array_append_new(phases, json_pack("{s:i, s:i, s:I, s:i, s:o}", "first_step", (int)p->first_step,
						      "steps", (int)p->steps, "rewrites", (json_int_t)p->rewrites,
						      "destinations", (int)p->destinations, "stopped", stopped));
	}
	return phases;
}

static json_t *findings_json(const xt_image_t *after, const xt_transition_t *t)
{
	json_t *cyclic = json_array(), *tcs = json_array(), *cycle = json_array(), *loop = json_array();

	for (unsigned tc = 0; tc < t->mixed->tcs; tc++) {
		if (t->mixed->cyclic_tcs >> tc & 1) {
			json_array_append_new(cyclic, json_integer(tc));
		}
		json_array_append_new(
			tcs, json_pack("{s:i, s:I, s:I}", "tc", (int)tc, "channels", (json_int_t)t->mixed->channels[tc],
				     "dependencies", (json_int_t)t->mixed->dependencies[tc]));
		for (size_t i = 0; i < t->mixed->cycle_length[tc]; i++) {
			const xt_channel_t *c = &t->mixed->cycle[tc][i];

			json_array_append_new(
				cycle, json_pack("{s:i, s:i, s:s, s:i}", "tc", (int)tc, "card", (int)c->card, "port",
					       xt_image_port_name(after, c->card, c->port), "vc", (int)c->vc));
		}
	}
	for (size_t i = 0; i < t->loop.length; i++) {
		json_array_append_new(loop, json_integer(t->loop.card[i]));
	}
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:i, s:i}", "loops", (json_int_t)t->loops, "undelivered",
		(json_int_t)t->undelivered, "exposed_pairs", (json_int_t)t->exposed, "cyclic_tcs", cyclic, "tcs", tcs,
		"cycle", cycle, "loop", loop, "loop_tc", (int)t->loop.tc, "loop_dest", (int)t->loop.dest);
}

json_t *xt_transition_json(const xt_image_t *after, const xt_transition_t *t)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:i}", "topology", xt_image_topology(after),
		"algorithm", xt_image_algorithm(after), "profile", xt_image_profile(after)->name, "entries",
		(json_int_t)t->entries, "registers", (json_int_t)(t->rewrites - t->entries), "cards", (int)t->cards,
		"destinations", (int)t->destinations);

	json_object_update_new(
		object, json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:i, s:i}", "pairs", (json_int_t)t->pairs,
				"rerouted_pairs", (json_int_t)t->rerouted, "broken_pairs", (json_int_t)t->broken,
				"out_of_service_pairs", (json_int_t)t->out_of_service, "mean_hops_before",
				t->mean_hops_before, "mean_hops_after", t->mean_hops_after, "max_hops_before",
				(int)t->max_hops_before, "max_hops_after", (int)t->max_hops_after));
	json_object_update_new(
		object, json_pack("{s:s, s:i, s:o, s:o}", "transition", how_names[t->how], "stops", (int)t->stops,
				"phases", phases_json(t), "mixtures", findings_json(after, t)));
	return object;
}

void xt_print_update(const xt_image_t *after, const xt_update_figures_t *f, const xt_transition_t *t)
{
	printf("routes       to %u PEs need what has failed; ", f->affected);
	switch (f->how) {
	case XT_UPDATE_KEPT:
		printf("those that work are kept");
		break;
	case XT_UPDATE_REGROWN:
		printf("those that work are kept, but for some to %u PEs", f->regrown);
		break;
	case XT_UPDATE_WHOLE:
		printf("the others are not kept, all are new (%s)", xt_image_algorithm(after));
		break;
	}
	printf("; at least %" PRIu64 " entries must change, %" PRIu64 " do\n", f->must_change, t->entries);
	xt_print_transition(after, t, stdout);
}

json_t *xt_update_json(
	const xt_image_t *after, const xt_update_figures_t *f, const xt_transition_t *t, const char *image)
{
	json_t *object = xt_transition_json(after, t);

	json_object_update_new(
		object, json_pack("{s:s, s:i, s:i, s:I, s:s?}", "routes", routes_names[f->how], "affected_destinations",
				(int)f->affected, "regrown_destinations", (int)f->regrown, "entries_at_least",
				(json_int_t)f->must_change, "image", image));
	return object;
}

static int write_csv(void *transition, FILE *out, xt_diag_t *diag)
{
	(void)diag;
	xt_transition_write_csv(transition, out);
	return XT_OK;
}

int xt_write_rewrites(xt_transition_t *t, const char *path, xt_diag_t *diag)
{
	return xt_write_file(path, write_csv, t, diag);
}
