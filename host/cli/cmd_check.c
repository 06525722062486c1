/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>

#include "extorus/check.h"
#include "extorus/thread_pool.h"
#include "options/device_options.h"
#include "options/options.h"
#include "options/progress.h"
#include "report/transition_report.h"

typedef struct {
	const char *path, *cdg, *transition, *rewrites;
	unsigned threads;
	bool json;
} options_t;

static void check_options(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (o->transition && o->cdg) {
		argp_error(state, "--cdg draws one image, not a transition");
	}
	if (o->rewrites && !o->transition) {
		argp_error(state, "--rewrites lists what a transition rewrites: say which with --transition");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_JSON(options_t),
	{"cdg", "FILE",
		"Write the channel dependency graph (.dot), or have Graphviz draw it (.svg): of a large image the "
		"cycles, or a summary where there are none",
		.value = XT_AT(options_t, cdg), .writes = true},
	{"threads", "N", "Use N threads; the result is the same (default: as many as processors)",
		.value = XT_AT(options_t, threads), .min = 1, .max = XT_MOST_THREADS},
	{"transition", "NEW",
		"Prove or refute that the tables can be rewritten to those of image NEW one by one, under load; if not "
		"in any order, find one, or what traffic has to stop",
		.value = XT_AT(options_t, transition)},
	{"rewrites", "FILE", "Write what the transition rewrites, in a proven order, as CSV",
		.value = XT_AT(options_t, rewrites), .writes = true},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, path),
	.required = "say which image",
	.check = check_options,
	.args_doc = "FILE",
	.doc = "Proves or refutes a routing image: walks its tables for every TC, source and destination and searches "
	       "the channel dependencies of each TC for cycles. Where entries name adaptive candidates, every card "
	       "they lead to must deliver by its deterministic route, and the candidates must not lead round. Rings of "
	       "bubble flow control are allowed cycles.\v"
	       "Exit status 0: everything is delivered and no TC can deadlock; 1: not so, or the file is damaged. With "
	       "--transition 0: safe in any order, what an old route sends to a failed link aside; 1: not so; the loop "
	       "or cycle is printed, and the way of rewriting that is safe.\n\n"
	       "Examples:\n"
	       "  extorus check torus.img\n"
	       "  extorus check twin.img --json --cdg twin.dot\n"
	       "  extorus check old.img --transition new.img --rewrites new.csv",
};

static json_t *cycle_json(const xt_image_t *image, const xt_check_t *check)
{
	json_t *cycle = json_array();

	for (unsigned tc = 0; tc < check->tcs; tc++) {
		for (size_t i = 0; i < check->cycle_length[tc]; i++) {
			const xt_channel_t *c = &check->cycle[tc][i];
			xt_peer_t peer = xt_image_peer(image, c->card, c->port);

			json_array_append_new(cycle,
				json_pack("{s:i, s:i, s:s, s:i, s:s, s:i}", "tc", (int)tc, "card", (int)c->card, "port",
					xt_image_port_name(image, c->card, c->port), "to_card", (int)peer.card,
					"to_port", xt_image_port_name(image, peer.card, peer.port), "vc", (int)c->vc));
		}
	}
	return cycle;
}

static json_t *tcs_json(const xt_check_t *check, json_t *cyclic)
{
	json_t *tcs = json_array();

	for (unsigned tc = 0; tc < check->tcs; tc++) {
		bool is_cyclic = check->cyclic_tcs >> tc & 1;

		json_array_append_new(
			tcs, json_pack("{s:i, s:b, s:I, s:I, s:I, s:b}", "tc", (int)tc, "cyclic", is_cyclic, "channels",
				     (json_int_t)check->channels[tc], "dependencies",
				     (json_int_t)check->dependencies[tc], "rings", (json_int_t)check->rings[tc],
				     "adaptive", (int)(check->adaptive_tcs >> tc & 1)));
		if (is_cyclic) {
			json_array_append_new(cyclic, json_integer(tc));
		}
	}
	return tcs;
}

static json_t *adaptive_json(const xt_check_t *c)
{
	const xt_adaptive_failure_t *f = &c->adaptive_failure;
	json_t *object = json_pack("{s:I, s:I, s:I, s:i}", "candidates", (json_int_t)c->adaptive_candidates,
		"escapes_checked", (json_int_t)c->escapes, "faults", (json_int_t)c->adaptive_faults, "max_hops",
		(int)c->adaptive_max_hops);

	if (object && c->adaptive_faults) {
		json_object_set_new(object, "first_fault",
			json_pack("{s:s, s:i, s:i, s:i}", "how", xt_adaptive_fault_name(f->how), "tc", (int)f->tc,
				"dest", (int)f->dest, "card", (int)f->card));
	}
	return object;
}

static json_t *check_json(const xt_image_t *image, const xt_check_t *c)
{
	json_t *cyclic = json_array(), *tcs = tcs_json(c, cyclic);
	json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:f, s:I, s:o, s:o, s:o}",
		"topology", xt_image_topology(image), "algorithm", xt_image_algorithm(image), "profile",
		xt_image_profile(image)->name, "cards", (int)xt_image_cards(image), "pairs", (json_int_t)c->pairs,
		"unreachable", (json_int_t)c->unreachable, "livelock", (json_int_t)c->livelock, "misdelivered",
		(json_int_t)c->misdelivered, "illegal", (json_int_t)c->illegal, "unconnected",
		(json_int_t)c->unconnected, "max_hops", (int)c->max_hops, "mean_hops", c->mean_hops, "non_minimal",
		(json_int_t)c->non_minimal, "cyclic_tcs", cyclic, "cycle", cycle_json(image, c), "tcs", tcs);

	if (object && c->unreachable) {
		json_object_set_new(object, "first_failure",
			json_pack("{s:s, s:i, s:i, s:i, s:i}", "how", xt_walk_name(c->failure.how), "tc",
				(int)c->failure.tc, "source", (int)c->failure.source, "dest", (int)c->failure.dest,
				"card", (int)c->failure.card));
	}
	json_object_set_new(object, "pes_out_of_service", json_integer(c->out_of_service));
	json_object_set_new(object, "adaptive", adaptive_json(c));
	json_object_set_new(object, "ring_merges", json_integer((json_int_t)c->ring_merges));
	return object;
}

static void print_tc(const xt_check_t *c, unsigned tc)
{
	bool escape = c->adaptive_tcs >> tc & 1;

	if (c->channels[tc] == 0) {
		printf("TC %u         not used\n", tc);
		return;
	}
	printf("TC %u         %s: %" PRIu64 " %schannels, %" PRIu64 " dependencies", tc,
		c->cyclic_tcs >> tc & 1 ? "CYCLIC"
		: c->rings[tc]          ? "safe"
					: "acyclic",
		c->channels[tc], escape ? "escape " : "", c->dependencies[tc]);
	if (c->rings[tc]) {
		printf(", %" PRIu64 " rings kept moving by bubbles", c->rings[tc]);
	}
	printf("\n");
}

static void print_text(const xt_image_t *image, const xt_check_t *c)
{
	printf("%s, %s, profile %s, %u cards\n", xt_image_topology(image), xt_image_algorithm(image),
		xt_image_profile(image)->name, xt_image_cards(image));
	printf("pairs        %" PRIu64 ", unreachable %" PRIu64 " (livelock %" PRIu64 ", misdelivered %" PRIu64
	       ", illegal %" PRIu64 ", unconnected %" PRIu64 ")\n",
		c->pairs, c->unreachable, c->livelock, c->misdelivered, c->illegal, c->unconnected);
	if (c->out_of_service) {
		printf("failed       %u PEs out of service, no part of the pairs\n", c->out_of_service);
	}
	printf("hops         max %u, mean %.4f; %" PRIu64 " pairs not minimal\n", c->max_hops, c->mean_hops,
		c->non_minimal);
	if (c->adaptive_candidates || c->adaptive_faults) {
		printf("adaptive     %" PRIu64 " candidates, %" PRIu64 " escapes checked, %" PRIu64
		       " faults; max %u hops\n",
			c->adaptive_candidates, c->escapes, c->adaptive_faults, c->adaptive_max_hops);
	}
	for (unsigned tc = 0; tc < c->tcs; tc++) {
		print_tc(c, tc);
	}
}

typedef struct {
	const xt_image_t *image;
	const xt_check_t *check;
} cdg_t;

static int write_cdg(void *context, FILE *out, xt_diag_t *diag)
{
	const cdg_t *cdg = context;

	return xt_check_write_cdg(cdg->image, cdg->check, out, diag);
}

static int show(const xt_image_t *image, const xt_check_t *check, const options_t *o)
{
	cdg_t cdg = {image, check};
	xt_diag_t diag = {""};
	int status = o->cdg ? xt_write_graph(o->cdg, 0, "dot", NULL, write_cdg, &cdg, &diag) : XT_OK;

	if (status != XT_OK) {
		return xt_report("check", status, &diag);
	}
	if (o->json) {
		int result = xt_print_json("check", check_json(image, check));

		if (result != XT_EXIT_OK) {
			return result;
		}
	} else {
		print_text(image, check);
	}
	xt_check_print_cycles(image, check, o->json ? stderr : stdout);
	fflush(stdout);
	status = xt_check_verdict(image, check, &diag);
	return status == XT_OK ? XT_EXIT_OK : xt_report("check", status, &diag);
}

static int check_with_bar(const xt_image_t *image, unsigned threads, xt_check_t **check, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	xt_check_options_t with = {
		.size = sizeof(with), .threads = threads, .progress = xt_progress_step, .context = &bar};
	int status;

	xt_progress_begin(&bar, "check");
	status = xt_check_image_with(image, &with, check, diag);
	xt_progress_end(&bar);
	return status;
}

static int check_transition(const xt_image_t *before, const options_t *o)
{
	xt_transition_t *transition = NULL;
	xt_image_t *after = NULL;
	xt_diag_t diag = {""};
	xt_clock_t clock;
	int result, status;

	xt_clock_begin(&clock, "transition");
	if ((status = xt_image_read(o->transition, &after, &diag)) == XT_OK) {
		status = xt_check_transition(before, after, &transition, &diag);
	}
	xt_clock_end(&clock);
	if (status == XT_OK && o->rewrites) {
		status = xt_write_rewrites(transition, o->rewrites, &diag);
	}
	if (status != XT_OK) {
		result = xt_report("check", status, &diag);
	} else if (o->json) {
		result = xt_print_json("check", xt_transition_json(after, transition));
	} else {
		xt_print_transition(after, transition, stdout);
		result = XT_EXIT_OK;
	}
	if (status == XT_OK && result == XT_EXIT_OK) {
		xt_transition_print_findings(after, transition, o->json ? stderr : stdout);
		fflush(stdout);
		status = xt_transition_verdict(after, transition, &diag);
		result = status == XT_OK ? XT_EXIT_OK : xt_report("check", status, &diag);
	}
	xt_transition_free(transition);
	xt_image_free(after);
	return result;
}

static int run(int argc, char **argv)
{
	options_t options = {0};
	xt_image_t *image = NULL;
	xt_check_t *check = NULL;
	xt_diag_t diag = {""};
	int result, status;

	xt_parse_options(&syntax, argc, argv, &options);
	if ((status = xt_image_read(options.path, &image, &diag)) == XT_OK && options.transition) {
		result = check_transition(image, &options);
	} else if (status != XT_OK || (status = check_with_bar(image, options.threads, &check, &diag)) != XT_OK) {
		result = xt_report("check", status, &diag);
	} else {
		result = show(image, check, &options);
	}
	xt_check_free(check);
	xt_image_free(image);
	return result;
}

XT_COMMAND(check, "prove that an image delivers everything and cannot deadlock", run);
