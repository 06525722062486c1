/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "device_options.h"
#include "injection.h"
#include "monotonic.h"

enum {
	KEY_PACKETS = XT_KEY_COMMAND,
	KEY_CELLS,
	KEY_FROM,
	KEY_TO,
	KEY_TC,
	KEY_SEED,
	KEY_TIMEOUT,
	KEY_ONE_WAY,
	KEY_IN_FLIGHT,
	KEY_UPDATE,
	KEY_LIVE
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	xt_inject_options_t *o = state->input;

	switch (key) {
	case KEY_PACKETS:
		o->packets = xt_parse_number(state, "packets", arg, 1, UINT32_MAX);
		return 0;
	case KEY_CELLS:
		o->cells = xt_parse_number(state, "cells", arg, 1, 256);
		return 0;
	case KEY_FROM:
		o->from = xt_parse_number(state, "from", arg, 0, UINT16_MAX);
		o->one_from = 1;
		return 0;
	case KEY_TO:
		o->to = xt_parse_number(state, "to", arg, 0, UINT16_MAX);
		o->one_to = 1;
		return 0;
	case KEY_TC:
		o->tc = xt_parse_number(state, "tc", arg, 0, XT_MAX_TCS - 1);
		return 0;
	case KEY_SEED:
		o->seed = xt_parse_number(state, "seed", arg, 0, UINT64_MAX);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ms = xt_parse_number(state, "timeout", arg, 1, 3600000);
		return 0;
	case KEY_IN_FLIGHT:
		o->in_flight = xt_parse_number(state, "in-flight", arg, 1, 1 << 16);
		return 0;
	case KEY_ONE_WAY:
		o->one_way = 1;
		return 0;
	case KEY_UPDATE:
		o->update = arg;
		return 0;
	case KEY_LIVE:
		o->update_flags |= XT_LOAD_LIVE;
		return 0;
	case ARGP_KEY_END:
		if (o->update_flags && !o->update) {
			argp_error(state, "--live is for --update");
		}
		return xt_take_target(key, arg, state, &o->target);
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	{"packets", KEY_PACKETS, "N", 0, "How many (default 1000)", 0},
	{"cells", KEY_CELLS, "N", 0, "Cells of each (default: drawn, from 1 to the longest)", 0},
	{"from", KEY_FROM, "PE", 0, "Only from this PE (default: all in turn)", 0},
	{"to", KEY_TO, "PE", 0, "Only to this PE (default: drawn, not the sender)", 0},
	{"tc", KEY_TC, "TC", 0, "Traffic class (default 0); PE1 of a twin node needs an odd one under TS-DOR", 0},
	{"seed", KEY_SEED, "N", 0, "Of what is drawn (default 1)", 0},
	{"in-flight", KEY_IN_FLIGHT, "N", 0, "Packets that may be under way (default 256)", 0},
	{"timeout", KEY_TIMEOUT, "MS", 0, "How long nothing may arrive (default 2000)", 0},
	{"one-way", KEY_ONE_WAY, 0, 0, "Send only, for `capture` elsewhere", 0},
	{"update", KEY_UPDATE, "FILE", 0, "Boards: load this image when a quarter has been sent, while packets flow",
		0},
	{"live", KEY_LIVE, 0, 0, "With --update: do not hold the cards still for it", 0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp inject_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Sends packets from the PEs of a device and receives them: each must come out once, at its destination, "
	       "whole "
	       "and unchanged. PEs are counted over the NIC ports of all cards.\v" XT_DEVICE_DOC "\n"
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
		printf("%" PRIu64 " packets sent, %" PRIu64 " received, %u lost, %" PRIu64
		       " wrong; %.2f MB in %.2f s\n",
			j->sent, j->received, j->in_flight, j->wrong, megabytes, seconds);
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

static int inject(const xt_inject_options_t *o)
{
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
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&inject_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	result = status == XT_OK ? inject(&o) : xt_report("inject", status, &diag);
	xt_target_close(&o.target);
	return result;
}

extern const xt_command_t xt_command_inject;
const xt_command_t xt_command_inject = {"inject", "send packets through a device and check them", run};
