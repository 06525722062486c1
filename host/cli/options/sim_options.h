/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `extorus sim`. */
#pragma once

#include "device_options.h"
#include "extorus/run.h"
#include "extorus/settings.h"
#include "traffic_options.h"

enum { XT_SIM_MOST_LOADS = 256, XT_SIM_MOST_FAULTS = 16, XT_SIM_MOST_WEIGHTS = 64, XT_SIM_MOST_RANKS = 4096 };
/* Cards of which a thread has at least so many by default: with fewer it costs as much as it does. */
enum { XT_SIM_MODEL_SHARE = 32, XT_SIM_RTL_SHARE = 4 };

/* --kill-link; the port is looked up when the network is known. */
typedef struct {
	uint32_t card;
	char port[16];
	uint64_t cycle;
} sim_kill_t;

typedef struct {
	const char *image, *engine;
	xt_device_switch_t device_switch;
	xt_traffic_options_t traffic;
	double loads[XT_SIM_MOST_LOADS];
	unsigned load_count;
	uint64_t seed, latency;
	xt_run_options_t run;
	uint32_t rank_cards[XT_SIM_MOST_RANKS + 1]; /* as --partition says, from that of rank 1 on */
	unsigned rank_borders;
	unsigned flags;
	xt_fault_t faults[XT_SIM_MOST_FAULTS];
	unsigned fault_count;
	sim_kill_t kills[XT_SIM_MOST_FAULTS];
	unsigned kill_count;
	xt_settings_t settings;
	xt_weight_t weights[XT_SIM_MOST_WEIGHTS];
	const char *wave, *wave_cards;
	uint64_t wave_from, wave_to;
	const char *link_load, *packet_log, *heat_map, *html;
	int evaluate_all, counters, json;
} sim_options_t;

/* For a sim_options_t. */
extern const xt_syntax_t xt_sim_syntax;
