/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "boards/injection.h"
#include "options/device_options.h"
#include "options/monotonic.h"

static void check(struct argp_state *state, const void *options)
{
	const xt_inject_options_t *o = options;

	if (o->update_flags && !o->update) {
		argp_error(state, "--live is for --update");
	}
	xt_need_device(state, &o->target);
}

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_IMAGE,
	XT_TARGET_FORCE,
	{"packets", "N", "How many (default 1000)", .value = XT_AT(xt_inject_options_t, packets), .min = 1,
		.max = UINT32_MAX},
	{"cells", "N", "Cells of each (default: drawn, from 1 to the longest)",
		.value = XT_AT(xt_inject_options_t, cells), .min = 1, .max = 256},
	{"from", "PE", "Only from this PE (default: all in turn)", .value = XT_AT(xt_inject_options_t, from),
		.max = UINT16_MAX, .mark = XT_AT(xt_inject_options_t, one_from)},
	{"to", "PE", "Only to this PE (default: drawn, not the sender)", .value = XT_AT(xt_inject_options_t, to),
		.max = UINT16_MAX, .mark = XT_AT(xt_inject_options_t, one_to)},
	{"tc", "TC", "Traffic class (default 0); PE1 of a twin node needs an odd one under TS-DOR",
		.value = XT_AT(xt_inject_options_t, tc), .max = XT_MAX_TCS - 1},
	{"seed", "N", "Of what is drawn (default 1)", .value = XT_AT(xt_inject_options_t, seed), .max = XT_MOST_SEED},
	{"in-flight", "N", "Packets that may be under way (default 256)",
		.value = XT_AT(xt_inject_options_t, in_flight), .min = 1, .max = 1 << 16},
	{"timeout", "MS", "How long nothing may arrive (default 2000)", .value = XT_AT(xt_inject_options_t, timeout_ms),
		.min = 1, .max = 3600000},
	{"one-way", NULL, "Send only, for `capture` elsewhere", .mark = XT_AT(xt_inject_options_t, one_way)},
	{"update", "FILE", "Boards: load this image when a quarter has been sent, while packets flow",
		.value = XT_AT(xt_inject_options_t, update)},
	{"live", NULL, "With --update: do not hold the cards still for it",
		.mark = XT_AT(xt_inject_options_t, update_flags), .bits = XT_LOAD_LIVE},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Sends packets from the PEs of a device and receives them: each must come out once, at its destination, "
	       "whole and unchanged. PEs are counted over the NIC ports of all cards.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: all arrived; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus inject --device usb: --packets 10000\n"
	       "  extorus inject --device usb: --packets 10000 --update new.img\n"
	       "  extorus inject --device model:torus:4x4 --image torus.img --from 0 --to 5 --cells 4",
};

static int report(const xt_injection_t *j, int status, double seconds, const xt_diag_t *diag)
{
	double megabytes = (double)j->cells * j->profile->cell_bits / 8e6;
	int good = status == XT_OK && !j->wrong;
	const xt_injection_update_t *u = &j->update;

	if (j->o->target.json) {
		json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:f, s:b, s:s?}", "sent", (json_int_t)j->sent,
			"received", (json_int_t)j->received, "lost", (json_int_t)j->in_flight, "wrong",
			(json_int_t)j->wrong, "seconds", seconds, "ok", good, "problem",
			good       ? NULL
			: j->wrong ? j->first.text
				   : diag->text);
		int printed;

		if (object) {
			json_object_set_new(object, "leftover", json_integer((json_int_t)j->leftover));
		}
		if (object && u->begun) {
			json_object_set_new(object, "update",
				json_pack("{s:I, s:I, s:I}", "entries_written", (json_int_t)u->counts.changed,
					"registers_written", (json_int_t)u->counts.settings, "packets_meanwhile",
					(json_int_t)u->packets));
		}
		printed = xt_print_json("inject", object);
		if (printed != XT_EXIT_OK) {
			return printed;
		}
	} else {
		printf("%" PRIu64 " packets sent, %" PRIu64 " received, %u %s, %" PRIu64 " wrong; %.2f MB in %.2f s\n",
			j->sent, j->received, j->in_flight, status == XT_ERR_INTERRUPTED ? "under way" : "lost",
			j->wrong, megabytes, seconds);
		if (j->leftover) {
			printf("%" PRIu64 " packets of an earlier run were still there, and were dropped\n",
				j->leftover);
		}
		if (u->begun) {
			printf("update: %" PRIu64 " entries and %" PRIu64 " registers written while %" PRIu64
			       " packets arrived\n",
				u->counts.changed, u->counts.settings, u->packets);
		}
	}
	if (status != XT_OK) {
		return xt_report("inject", status, diag);
	}
	return good ? XT_EXIT_OK : xt_report("inject", XT_ERR_MISMATCH, &j->first);
}

static int inject(void *options)
{
	const xt_inject_options_t *o = options;
	xt_injection_t j;
	uint64_t start = xt_now_ms();
	xt_diag_t diag = {""};
	int status = xt_injection_begin(&j, o, &diag), result;

	if (status == XT_OK) {
		status = xt_injection_run(&j, &diag);
		result = report(&j, status, (double)(xt_now_ms() - start) / 1000, &diag);
	} else {
		result = xt_report("inject", status, &diag);
	}
	xt_injection_end(&j);
	return result;
}

static int run(int argc, char **argv)
{
	xt_inject_options_t o = {.packets = 1000, .seed = 1, .timeout_ms = 2000, .in_flight = 256};

	return xt_target_run("inject", &syntax, argc, argv, &o, inject);
}

XT_COMMAND(inject, "send packets through a device and check them", run);
