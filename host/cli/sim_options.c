/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/thread_pool.h"

enum {
	KEY_ENGINE = XT_KEY_COMMAND,
	KEY_LOAD,
	KEY_SEED,
	KEY_LATENCY,
	KEY_WATCHDOG,
	KEY_NIC_STALL,
	KEY_NO_SKIP,
	KEY_THREADS,
	KEY_FAULT,
	KEY_ERROR_RATE,
	KEY_KILL_LINK,
	KEY_SELECT,
	KEY_ADAPTIVE_LOW,
	KEY_ADAPTIVE_HIGH,
	KEY_PATIENCE,
	KEY_WEIGHT,
	KEY_WAVE,
	KEY_WAVE_CARDS,
	KEY_WAVE_FROM,
	KEY_WAVE_TO,
	KEY_LINK_LOAD,
	KEY_PACKET_LOG,
	KEY_HEAT_MAP,
	KEY_COUNTERS,
};

static void parse_stall(struct argp_state *state, const char *arg, sim_options_t *o)
{
	char rest;

	if (sscanf(arg, "%" SCNu32 "/%" SCNu32 "%c", &o->run.nic_stall, &o->run.nic_period, &rest) != 2 ||
		o->run.nic_stall >= o->run.nic_period) {
		argp_error(state, "--nic-stall: \"%s\" is not LOW/PERIOD with LOW below PERIOD, like 3/4", arg);
	}
}

static void parse_error_rate(struct argp_state *state, const char *arg, sim_options_t *o)
{
	char *end;

	o->run.error_rate = strtod(arg, &end);
	if (end == arg || *end || !(o->run.error_rate >= 0.0 && o->run.error_rate <= XT_MAX_ERROR_RATE)) {
		argp_error(state, "--error-rate: \"%s\" is not a number from 0 to %g", arg, XT_MAX_ERROR_RATE);
	}
}

/* CARD:PORT@CYCLE */
static void parse_kill(struct argp_state *state, const char *arg, sim_options_t *o)
{
	sim_kill_t *kill = &o->kills[o->kill_count];
	const char *colon = strchr(arg, ':'), *at = colon ? strchr(colon, '@') : NULL;
	size_t length = at ? (size_t)(at - colon - 1) : 0;
	char card[16] = "";

	if (o->kill_count == XT_SIM_MOST_FAULTS) {
		argp_error(state, "--kill-link: at most %d", XT_SIM_MOST_FAULTS);
		return;
	}
	if (length == 0 || length >= sizeof(kill->port) || (size_t)(colon - arg) >= sizeof(card)) {
		argp_error(state, "--kill-link: \"%s\" is not of the form CARD:PORT@CYCLE, like 3:d0+@4000", arg);
		return;
	}
	memcpy(card, arg, (size_t)(colon - arg));
	memcpy(kill->port, colon + 1, length);
	kill->card = (uint32_t)xt_parse_number(state, "kill-link", card, 0, UINT32_MAX);
	kill->cycle = xt_parse_number(state, "kill-link", at + 1, 0, UINT32_MAX);
	o->kill_count++;
}

static error_t parse_setting(int key, char *arg, struct argp_state *state)
{
	sim_options_t *o = state->input;
	xt_settings_t *settings = &o->settings;
	xt_diag_t diag;

	switch (key) {
	case KEY_SELECT:
		if (xt_select_parse(arg, &settings->select, &diag) != XT_OK) {
			argp_error(state, "--select: %s", diag.text);
		}
		settings->given |= XT_SETTING_SELECT;
		return 0;
	case KEY_ADAPTIVE_LOW:
		settings->adaptive_low = (unsigned)xt_parse_number(state, "adaptive-low", arg, 0, UINT16_MAX);
		settings->given |= XT_SETTING_ADAPTIVE_LOW;
		return 0;
	case KEY_ADAPTIVE_HIGH:
		settings->adaptive_high = (unsigned)xt_parse_number(state, "adaptive-high", arg, 0, UINT16_MAX);
		settings->given |= XT_SETTING_ADAPTIVE_HIGH;
		return 0;
	case KEY_PATIENCE:
		settings->patience = (unsigned)xt_parse_number(state, "patience", arg, 0, UINT16_MAX);
		settings->given |= XT_SETTING_PATIENCE;
		return 0;
	case KEY_WEIGHT:
		if (settings->weight_count == XT_SIM_MOST_WEIGHTS) {
			argp_error(state, "--weight: at most %d", XT_SIM_MOST_WEIGHTS);
		} else if (xt_weight_parse(arg, &o->weights[settings->weight_count++], &diag) != XT_OK) {
			argp_error(state, "--weight: %s", diag.text);
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_simulation(int key, char *arg, struct argp_state *state)
{
	sim_options_t *o = state->input;
	xt_diag_t diag;

	switch (key) {
	case KEY_ENGINE:
		o->engine = arg;
		return 0;
	case KEY_LATENCY:
		o->latency = xt_parse_number(state, "latency", arg, 1, XT_MAX_LINK_LATENCY);
		return 0;
	case KEY_WATCHDOG:
		o->run.watchdog = xt_parse_number(state, "watchdog", arg, 1, UINT32_MAX);
		return 0;
	case KEY_NIC_STALL:
		parse_stall(state, arg, o);
		return 0;
	case KEY_NO_SKIP:
		o->evaluate_all = 1;
		return 0;
	case KEY_THREADS:
		o->run.threads = (unsigned)xt_parse_number(state, "threads", arg, 1, XT_MOST_THREADS);
		return 0;
	case KEY_FAULT:
		if (o->fault_count == XT_SIM_MOST_FAULTS) {
			argp_error(state, "--fault: at most %d", XT_SIM_MOST_FAULTS);
		} else if (xt_fault_parse(arg, &o->faults[o->fault_count++], &diag) != XT_OK) {
			argp_error(state, "%s", diag.text);
		}
		return 0;
	case KEY_ERROR_RATE:
		parse_error_rate(state, arg, o);
		return 0;
	case KEY_KILL_LINK:
		parse_kill(state, arg, o);
		return 0;
	case XT_KEY_FORCE:
		o->flags |= XT_LOAD_FORCE;
		return 0;
	case XT_KEY_BACKDOOR:
		o->flags |= XT_LOAD_BACKDOOR;
		return 0;
	case KEY_WAVE:
		o->wave = arg;
		return 0;
	case KEY_WAVE_CARDS:
		o->wave_cards = arg;
		return 0;
	case KEY_WAVE_FROM:
		o->wave_from = xt_parse_number(state, "wave-from", arg, 0, UINT64_MAX);
		return 0;
	case KEY_WAVE_TO:
		o->wave_to = xt_parse_number(state, "wave-to", arg, 0, UINT64_MAX);
		return 0;
	default:
		return parse_setting(key, arg, state);
	}
}

static error_t parse_end(struct argp_state *state, const sim_options_t *o)
{
	xt_need_image(state, o->image);
	if (strcmp(o->engine, "rtl") != 0 && strcmp(o->engine, "model") != 0) {
		argp_error(state, "--engine: \"%s\" is not known; use rtl or model", o->engine);
	}
	if (o->run.threads > 1 && strcmp(o->engine, "model") != 0) {
		argp_error(
			state, "--threads: engine %s simulates a network on one thread; use --engine model", o->engine);
	}
	if (!o->wave && (o->wave_cards || o->wave_from || o->wave_to != UINT64_MAX)) {
		argp_error(state, "--wave-cards, --wave-from and --wave-to go with --wave");
	}
	if (o->traffic.pattern_count > 1) {
		argp_error(state, "--traffic: one pattern; extorus sweep takes several");
	}
	if (o->load_count > 1 && (o->link_load || o->packet_log || o->heat_map || o->wave)) {
		argp_error(state, "--channel-load, --packet-log, --heat-map and --wave go with one load");
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	sim_options_t *o = state->input;

	switch (key) {
	case KEY_LOAD:
		o->load_count = xt_parse_loads(state, arg, o->loads, XT_SIM_MOST_LOADS);
		return 0;
	case KEY_SEED:
		o->seed = xt_parse_number(state, "seed", arg, 0, INT64_MAX);
		return 0;
	case KEY_LINK_LOAD:
		o->link_load = arg;
		return 0;
	case KEY_PACKET_LOG:
		o->packet_log = arg;
		return 0;
	case KEY_HEAT_MAP:
		o->heat_map = arg;
		return 0;
	case KEY_COUNTERS:
		o->counters = 1;
		return 0;
	case XT_KEY_JSON:
		o->json = 1;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->traffic;
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->image);
	case ARGP_KEY_END:
		return parse_end(state, o);
	default:
		return parse_simulation(key, arg, state);
	}
}

static const struct argp_option option_list[] = {
	{0, 0, 0, 0, "Load:", 1},
	{"load", KEY_LOAD, "L[,L...]", 0,
		"Offered load: cells generated per cycle and PE, 0 to 1 (default 0.1); a list makes a run for each", 1},
	{"seed", KEY_SEED, "S", 0, "Seed of all random choices (default 1)", 1},
	{0, 0, 0, 0, "Network:", 3},
	{"engine", KEY_ENGINE, "NAME", 0,
		"rtl: the Verilated switch (default); model: the fast model, which does the same cycle by cycle", 3},
	{"latency", KEY_LATENCY, "N", 0, "Cycles of every link (default: the profile's)", 3},
	{"watchdog", KEY_WATCHDOG, "N", 0,
		"A network with packets in which nothing moves for N cycles has stalled (default 4000)", 3},
	{"nic-stall", KEY_NIC_STALL, "LOW/PERIOD", 0, "PEs take nothing in the first LOW of every PERIOD cycles", 3},
	{"no-skip", KEY_NO_SKIP, 0, 0, "Evaluate idle cards too; changes nothing but the time", 3},
	{"threads", KEY_THREADS, "N", 0,
		"Simulate the network on N threads (engine model, default 1); changes nothing but the time", 3},
	{"force", XT_KEY_FORCE, 0, 0, "Load an image that the check refuses", 3},
	{"backdoor", XT_KEY_BACKDOOR, 0, 0,
		"Write the tables straight into the cards' memories, not by registers: faster", 3},
	{"fault", KEY_FAULT, "KIND:ARGS", 0, "Break something on purpose, see below; may be repeated", 3},
	{"error-rate", KEY_ERROR_RATE, "R", 0,
		"Chance, 0 to 0.5, that a frame on a link meets an error: bits flip, it is lost, or a burst", 3},
	{"kill-link", KEY_KILL_LINK, "CARD:PORT@CYCLE", 0,
		"From CYCLE on nothing passes the link at that port, a name (d0+) or a number; may be repeated", 3},
	{"select", KEY_SELECT, "NAME", 0,
		"Choice of adaptive packets: rr, no-internal, 2-priority (internal link last) or 3-priority (the split "
		"dimension before it)",
		3},
	{"adaptive-low", KEY_ADAPTIVE_LOW, "N", 0, "Adaptive VCs with fewer cells in use than N are preferred", 3},
	{"adaptive-high", KEY_ADAPTIVE_HIGH, "N", 0, "Adaptive VCs with N cells in use or more are not chosen", 3},
	{"patience", KEY_PATIENCE, "N", 0, "Cycles that a packet waits for an adaptive VC before it escapes", 3},
	{"weight", KEY_WEIGHT, "PORT:TC=W", 0,
		"Share, 1 to 15, of a traffic class at that output of every card; may be repeated", 3},
	{0, 0, 0, 0, "Output:", 4},
	{"json", XT_KEY_JSON, 0, 0, "Print JSON; an array if there are several loads", 4},
	{"counters", KEY_COUNTERS, 0, 0, "Print the cards' counters too", 4},
	{"channel-load", KEY_LINK_LOAD, "FILE", 0, "Write cells per cycle of every channel (link or NIC port) as CSV",
		4},
	{"link-load", KEY_LINK_LOAD, 0, OPTION_ALIAS, 0, 4},
	{"heat-map", KEY_HEAT_MAP, "FILE.svg", 0, "Draw the load of every channel", 4},
	{"packet-log", KEY_PACKET_LOG, "FILE", 0, "Write every delivered packet as CSV", 4},
	{"per-packet", KEY_PACKET_LOG, 0, OPTION_ALIAS, 0, 4},
	{"wave", KEY_WAVE, "FILE.fst", 0, "Write waves (needs `make traces`)", 4},
	{"wave-cards", KEY_WAVE_CARDS, "N,N", 0, "Waves of these cards (default 0)", 4},
	{"wave-from", KEY_WAVE_FROM, "CYCLE", 0, "Waves from this cycle of the run on (default 0)", 4},
	{"wave-to", KEY_WAVE_TO, "CYCLE", 0, "Waves up to this cycle (default: the end)", 4},
	{0},
};

static const struct argp_child children[] = {{&xt_traffic_argp, 0, "Traffic:", 2}, {0}};

const struct argp xt_sim_argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
	.args_doc = "IMAGE",
	.doc = "Loads an image into a simulated network, sends traffic through it, and checks that every packet "
	       "arrives "
	       "once, at the right PE, unaltered and in order, and that the network is empty afterwards.\v"
	       "Latencies are in cycles; network: from the head's entry into the first switch to the tail's exit from "
	       "the "
	       "last; end to end: from the packet's generation. Exit status 1 if anything was wrong.\n\n"
	       "Faults; PORT is a number, links from 0 on, then NICs:\n"
	       "  drop-credit:CARD,PORT,NTH      credit NTH, from 0, for cells that left there is lost\n"
	       "  flip-bit:CARD,PORT,CYCLE,BIT   the first cell out from CYCLE on is altered\n"
	       "  block-nic:CARD,PORT,CYCLE      the PE takes nothing from CYCLE on\n"
	       "  swap-entry:CARD,A,B            LRT entries A and B change places\n"
	       "  kill-link:CARD,PORT,CYCLE      nothing passes the link from CYCLE on, as --kill-link\n"
	       "Where links have a link layer it repairs the first two. Of a killed link both ends go down, at the "
	       "latest "
	       "four times 256 cycles (LINK_KEEPALIVE) and the link's latency afterwards; packets "
	       "that "
	       "it cut off are delivered poisoned or dropped, all others must arrive.\n\n"
	       "Examples:\n"
	       "  extorus sim twin.img --load 0.3 --packet 1-32 --json\n"
	       "  extorus sim torus.img --load 0.1,0.2,0.3,0.4\n"
	       "  extorus sim torus.img --fault flip-bit:3,1,500,77\n"
	       "  extorus sim torus.img --load 0.3 --error-rate 0.001 --kill-link 3:d0+@4000\n"
	       "  extorus sim torus.img --measure 200 --wave out.fst --wave-cards 0,5",
};
