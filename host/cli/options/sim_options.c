/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/thread_pool.h"

static void take_loads(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	sim_options_t *o = options;

	(void)option;
	o->load_count = xt_parse_loads(state, arg, o->loads, XT_SIM_MOST_LOADS);
}

static void take_stall(struct argp_state *state, const xt_option_t *option, char *arg, void *run)
{
	xt_run_options_t *r = run;
	char *slash = strchr(arg, '/');

	if (slash) {
		*slash = '\0';
		r->nic_stall = (uint32_t)xt_parse_number(state, option->name, arg, 0, UINT32_MAX);
		r->nic_period = (uint32_t)xt_parse_number(state, option->name, slash + 1, 1, UINT32_MAX);
		*slash = '/';
	}
	if (!slash || r->nic_stall >= r->nic_period) {
		argp_error(state, "--%s: \"%s\" is not LOW/PERIOD with LOW below PERIOD, like 3/4", option->name, arg);
	}
}

static void take_fault(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	sim_options_t *o = options;
	xt_diag_t diag;

	if (o->fault_count == XT_SIM_MOST_FAULTS) {
		argp_error(state, "--%s: at most %d", option->name, XT_SIM_MOST_FAULTS);
	} else if (xt_fault_parse(arg, &o->faults[o->fault_count++], &diag) != XT_OK) {
		argp_error(state, "%s", diag.text);
	}
}

/* CARD:PORT@CYCLE */
static void take_kill(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	sim_options_t *o = options;
	sim_kill_t *kill = &o->kills[o->kill_count];
	const char *colon = strchr(arg, ':'), *at = colon ? strchr(colon, '@') : NULL;
	size_t length = at ? (size_t)(at - colon - 1) : 0;
	char card[16] = "";

	if (o->kill_count == XT_SIM_MOST_FAULTS) {
		argp_error(state, "--%s: at most %d", option->name, XT_SIM_MOST_FAULTS);
		return;
	}
	if (length == 0 || length >= sizeof(kill->port) || (size_t)(colon - arg) >= sizeof(card)) {
		argp_error(
			state, "--%s: \"%s\" is not of the form CARD:PORT@CYCLE, like 3:d0+@4000", option->name, arg);
		return;
	}
	memcpy(card, arg, (size_t)(colon - arg));
	memcpy(kill->port, colon + 1, length);
	kill->card = (uint32_t)xt_parse_number(state, option->name, card, 0, UINT32_MAX);
	kill->cycle = xt_parse_number(state, option->name, at + 1, 0, UINT32_MAX);
	o->kill_count++;
}

static void take_weight(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	sim_options_t *o = options;
	xt_diag_t diag;

	if (o->settings.weight_count == XT_SIM_MOST_WEIGHTS) {
		argp_error(state, "--%s: at most %d", option->name, XT_SIM_MOST_WEIGHTS);
	} else if (xt_weight_parse(arg, &o->weights[o->settings.weight_count++], &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

static void take_partition(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	sim_options_t *o = options;
	char *rest = NULL;

	for (char *word = strtok_r(arg, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (o->rank_borders == XT_SIM_MOST_RANKS - 1) {
			argp_error(state, "--%s: at most %d ranks", option->name, XT_SIM_MOST_RANKS);
			return;
		}
		o->rank_cards[++o->rank_borders] = (uint32_t)xt_parse_number(state, option->name, word, 0, UINT32_MAX);
	}
}

static void check(struct argp_state *state, const void *options)
{
	const sim_options_t *o = options;

	if (strcmp(o->engine, "rtl") != 0 && strcmp(o->engine, "model") != 0) {
		argp_error(state, "--engine: \"%s\" is not known; use rtl or model", o->engine);
	}
	xt_check_switch(state, &o->device_switch, o->engine);
	if (o->device_switch.kind && (o->settings.weight_count || (o->settings.given & ~(unsigned)XT_SETTING_SELECT))) {
		argp_error(state, "--switch %s has neither priorities, weights nor thresholds", o->device_switch.kind);
	}
	if (!o->wave && (o->wave_cards || o->wave_from || o->wave_to != UINT64_MAX)) {
		argp_error(state, "--wave-cards, --wave-from and --wave-to go with --wave");
	}
	if (o->traffic.pattern_count > 1) {
		argp_error(state, "--traffic: one pattern; extorus sweep takes several");
	}
	if (xt_is_stdout(o->html)) {
		argp_error(state, "--html: standard output has the result; name a file");
	}
	if (o->run.checkpoint && (strcmp(o->engine, "model") != 0 || o->device_switch.kind)) {
		argp_error(state, "--checkpoint: only --engine model keeps the state of a run, and without --switch");
	}
	if (o->run.checkpoint && (o->load_count > 1 || xt_is_stdout(o->run.checkpoint) || o->wave)) {
		argp_error(state, "--checkpoint goes with one load and without waves, into a file");
	}
	if (o->run.checkpoint && xt_is_stdout(o->packet_log)) {
		argp_error(state, "--checkpoint: the packet log needs a file too, in which a run goes on");
	}
	if (!o->run.checkpoint && o->run.checkpoint_every) {
		argp_error(state, "--every goes with --checkpoint");
	}
	if (o->load_count > 1 && (o->link_load || o->packet_log || o->heat_map || o->wave)) {
		argp_error(state, "--channel-load, --packet-log, --heat-map and --wave go with one load");
	}
}

static const xt_option_t option_list[] = {
	{.doc = "Load:", .group = 1},
	{"load", "L[,L...]",
		"Offered load: cells generated per cycle and PE (default 0.1); a list makes a run for each", .most = 1,
		.take = take_loads},
	{"seed", "S", "Seed of all random choices (default 1)", .value = XT_AT(sim_options_t, seed),
		.max = XT_MOST_SEED},
	{.doc = "Network:", .group = 3},
	{"engine", "NAME",
		"rtl: the Verilated switch (default); model: the fast model, which does the same cycle by cycle",
		.value = XT_AT(sim_options_t, engine)},
	XT_OPTION_SWITCH(sim_options_t, device_switch),
	{"latency", "N", "Cycles of every link (default: the profile's)", .value = XT_AT(sim_options_t, latency),
		.min = 1, .max = XT_MAX_LINK_LATENCY},
	{"watchdog", "N", "A network with packets in which nothing moves for N cycles has stalled (default 4000)",
		.value = XT_AT(sim_options_t, run.watchdog), .min = 1, .max = UINT32_MAX},
	{"nic-stall", "LOW/PERIOD", "PEs take nothing in the first LOW of every PERIOD cycles",
		.value = XT_AT(sim_options_t, run), .take = take_stall},
	{"no-skip", NULL, "Evaluate idle cards too; changes nothing but the time",
		.mark = XT_AT(sim_options_t, evaluate_all)},
	{"no-check", NULL,
		"Do not hold every hop against the tables: faster, with the same numbers; not with --kill-link",
		.mark = XT_AT(sim_options_t, run.no_check)},
	{"threads", "N",
		"Simulate the network on N threads (default: one per processor, but one in a small network and under "
		"mpirun); changes nothing but the time",
		.value = XT_AT(sim_options_t, run.threads), .min = 1, .max = XT_MOST_THREADS},
	{"partition", "CARD[,CARD...]",
		"First cards of rank 1, 2 and so on under mpirun (default: as much work for each, with few links "
		"between ranks)",
		.take = take_partition},
	{"rank-timeout", "S", "Seconds for which a rank waits for another one under mpirun (default 600)",
		.value = XT_AT(sim_options_t, run.rank_timeout), .least = 0.1, .most = 1e9},
	{"checkpoint", "FILE",
		"Keep the state of the run in FILE (engine model); if FILE is there, go on from it, on any number of "
		"threads and ranks",
		.value = XT_AT(sim_options_t, run.checkpoint), .writes = true},
	{"every", "CYCLES", "Cycles between checkpoints (default 1000000)",
		.value = XT_AT(sim_options_t, run.checkpoint_every), .min = 1, .max = UINT64_MAX},
	XT_OPTION_FORCE(sim_options_t),
	{"backdoor", NULL, "Write the tables straight into the cards' memories, not by registers: faster",
		.mark = XT_AT(sim_options_t, flags), .bits = XT_LOAD_BACKDOOR},
	{"fault", "KIND:ARGS", "Break something on purpose, see below; may be repeated", .take = take_fault},
	{"error-rate", "R", "Chance that a frame on a link meets an error: bits flip, it is lost, or a burst",
		.value = XT_AT(sim_options_t, run.error_rate), .most = XT_MAX_ERROR_RATE},
	{"kill-link", "CARD:PORT@CYCLE",
		"From CYCLE on nothing passes the link at that port, a name (d0+) or a number; may be repeated",
		.take = take_kill},
	{"select", "NAME",
		"Choice of adaptive packets: rr, no-internal, 2-priority (internal link last) or 3-priority (the split "
		"dimension before it)",
		.value = XT_AT(sim_options_t, settings.select), .take = xt_take_select,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_SELECT},
	{"adaptive-low", "N", "Adaptive VCs with fewer cells in use than N are preferred",
		.value = XT_AT(sim_options_t, settings.adaptive_low), .max = UINT16_MAX,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_ADAPTIVE_LOW},
	{"adaptive-high", "N", "Adaptive VCs with N cells in use or more are not chosen",
		.value = XT_AT(sim_options_t, settings.adaptive_high), .max = UINT16_MAX,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_ADAPTIVE_HIGH},
	{"patience", "N", "Cycles that a packet waits for an adaptive VC before it escapes",
		.value = XT_AT(sim_options_t, settings.patience), .max = UINT16_MAX,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_PATIENCE},
	{"inject-wait", "N",
		"Cycles for which packets from a NIC give way to packets from links, from then on as equals (default: "
		"256; 64 in a torus of up to two dimensions or a twin torus of up to three; 0 in a twin torus of five "
		"rings of over two nodes, and with --force); 0: never",
		.value = XT_AT(sim_options_t, settings.inject_wait), .max = UINT16_MAX,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_INJECT_WAIT},
	{"inject-room", "N",
		"Meanwhile they start only where so many shared cells are free behind the link (default: a third of "
		"them in a torus or a twin torus of up to three dimensions, otherwise a sixth). In plain and twin tori "
		"packets that turn into a ring wait for them too",
		.value = XT_AT(sim_options_t, settings.inject_room), .max = UINT16_MAX,
		.mark = XT_AT(sim_options_t, settings.given), .bits = XT_SETTING_INJECT_ROOM},
	{"weight", "PORT:TC=W", "Share, 1 to 15, of a traffic class at that output of every card; may be repeated",
		.take = take_weight},
	{.doc = "Output:", .group = 4},
	{"json", NULL, "Print JSON; an array if there are several loads", .mark = XT_AT(sim_options_t, json)},
	{"counters", NULL, "Print the cards' counters too", .mark = XT_AT(sim_options_t, counters)},
	{"channel-load", "FILE", "Write cells per cycle of every channel (link or NIC port) as CSV",
		.value = XT_AT(sim_options_t, link_load), .writes = true},
	{"link-load", .flags = OPTION_ALIAS},
	{"heat-map", "FILE.svg", "Draw the load of every channel", .value = XT_AT(sim_options_t, heat_map),
		.writes = true},
	{"html", "FILE", "Write tables and pictures as one page of HTML", .value = XT_AT(sim_options_t, html),
		.writes = true},
	{"packet-log", "FILE", "Write every delivered packet as CSV", .value = XT_AT(sim_options_t, packet_log),
		.writes = true},
	{"per-packet", .flags = OPTION_ALIAS},
	{"wave", "FILE.fst", "Write waves, and FILE.gtkw that shows them in GTKWave (needs `make traces`)",
		.value = XT_AT(sim_options_t, wave), .writes = true},
	{"wave-cards", "N,N", "Waves of these cards (default 0)", .value = XT_AT(sim_options_t, wave_cards)},
	{"wave-from", "CYCLE", "Waves from this cycle of the run on (default 0)",
		.value = XT_AT(sim_options_t, wave_from), .max = UINT64_MAX},
	{"wave-to", "CYCLE", "Waves up to this cycle (default: the end)", .value = XT_AT(sim_options_t, wave_to),
		.max = UINT64_MAX},
	{0},
};

const xt_syntax_t xt_sim_syntax = {
	.options = option_list,
	.argument = XT_AT(sim_options_t, image),
	.required = "say which image",
	.check = check,
	.child = &xt_traffic_syntax,
	.child_title = "Traffic:",
	.child_group = 2,
	.child_offset = offsetof(sim_options_t, traffic),
	.args_doc = "IMAGE",
	.doc = "Loads an image into a simulated network, sends traffic through it, and checks that every packet "
	       "arrives once, at the right PE, unaltered and in order, and that the network is empty afterwards.\v"
	       "Latencies are in cycles; network: from the head's entry into the first switch to the tail's exit from "
	       "the last; end to end: from the packet's generation. Exit status 1 if anything was wrong.\n\n"
	       "Faults; PORT is a number, links from 0 on, then NICs:\n"
	       "  drop-credit:CARD,PORT,NTH      credit NTH, from 0, for cells that left there is lost\n"
	       "  flip-bit:CARD,PORT,CYCLE,BIT   the first cell out from CYCLE on is altered\n"
	       "  block-nic:CARD,PORT,CYCLE      the PE takes nothing from CYCLE on\n"
	       "  swap-entry:CARD,A,B            LRT entries A and B change places\n"
	       "  kill-link:CARD,PORT,CYCLE      nothing passes the link from CYCLE on, as --kill-link\n"
	       "Where links have a link layer it repairs the first two. Of a killed link both ends go down, at the "
	       "latest four times 256 cycles (LINK_KEEPALIVE) and the link's latency afterwards; packets that it cut "
	       "off are delivered poisoned or dropped, all others must arrive.\n\n"
	       "Examples:\n"
	       "  extorus sim twin.img --load 0.3 --packet 1-32 --json\n"
	       "  extorus sim torus.img --load 0.1,0.2,0.3,0.4\n"
	       "  extorus sim torus.img --engine model --switch input-queued --packet 4\n"
	       "  extorus sim torus.img --fault flip-bit:3,1,500,77\n"
	       "  extorus sim torus.img --load 0.3 --error-rate 0.001 --kill-link 3:d0+@4000\n"
	       "  extorus sim torus.img --measure 200 --wave out.fst --wave-cards 0,5",
};
