/* SPDX-License-Identifier: Apache-2.0
 *
 * Many runs: networks x patterns x loads x seeds, on all processors, with results that are kept. */
#pragma once

#include <jansson.h>

#include "extorus/confidence.h"
#include "extorus/device.h"
#include "extorus/image.h"
#include "extorus/ranks.h"
#include "extorus/settings.h"
#include "options/device_options.h"
#include "options/traffic_options.h"

enum { XT_MOST_NETWORKS = 64, XT_MOST_LOADS = 256, XT_MOST_SEEDS = 1000, XT_NETWORK_NAME = 512 };

/* A topology with its routing, ready to run. */
typedef struct {
	char name[XT_NETWORK_NAME]; /* "twin:4x4x4@ts-dor+adaptive:3-priority", with everything said */
	const char *label;          /* in pictures and tables; NULL: the name */
	xt_image_t *image;
	char image_hash[17]; /* of tables, wiring and profile */
	char simulator[9];   /* its sum, by xt_sweep_network_identify */
	xt_settings_t settings;
} xt_sweep_network_t;

/* From "SPEC[@ROUTING]", ROUTING = ALGORITHM[+adaptive][:SELECT][/PROFILE]. Without one: `routing`, or if that is NULL
 * dor for tori and twisted tori, ts-dor for twin tori, layered for all others. The image is freed with
 * xt_sweep_network_free. */
int xt_sweep_network_make(const char *text, const char *routing, xt_sweep_network_t *network, xt_diag_t *diag);
/* What else the results on a network depend on: what simulates it. */
int xt_sweep_network_identify(
	xt_sweep_network_t *network, const char *engine, const xt_device_switch_t *device_switch, xt_diag_t *diag);
void xt_sweep_network_free(xt_sweep_network_t *network);
/* Simulated by `engine`, "rtl" or "model", with that switch and links of so many cycles; 0: the profile's. Loaded and
 * set up. *device is the caller's in any case, NULL if it could not be opened. */
int xt_sweep_network_open(const xt_sweep_network_t *network, const char *engine,
	const xt_device_switch_t *device_switch, unsigned link_latency, xt_device_t **device, xt_diag_t *diag);
const char *xt_sweep_network_label(const xt_sweep_network_t *network);

/* Of one run; latencies are means in cycles, not a number if nothing was measured. */
typedef struct {
	double offered, accepted;
	double network_packet, network_packet_ci, network_p99, network_cell, end_to_end_packet, end_to_end_cell;
	double link_mean, link_max, switch_mean;
	double internal; /* mean load of the internal links; not a number where there are none */
	double energy;   /* pJ per delivered cell, by the profile's coefficients */
	int saturated, ok;
	int done; /* there is a result */
} xt_point_t;

typedef struct {
	const char *command; /* for messages */
	const char *path;    /* of the results: one JSON object per line, appended */
	/* Only runs `shard` of 1 .. `shards`, in a file of their own; the whole's file is then `whole_path`. 0: all. */
	unsigned shard, shards;
	const char *whole_path;
	xt_ranks_t *ranks;  /* that share the runs; NULL: this process does all */
	const char *engine; /* "rtl" or "model" */
	xt_device_switch_t device_switch;
	unsigned latency; /* of links; 0: the profile's */
	int no_check;     /* as in xt_run_options_t */
	unsigned threads; /* runs at the same time; 0: one per processor */
	xt_sweep_network_t networks[XT_MOST_NETWORKS];
	unsigned network_count;
	const xt_traffic_options_t *traffic;
	unsigned pattern_count;
	double loads[XT_MOST_LOADS];
	unsigned load_count;
	uint64_t seed; /* of the first; the others follow */
	unsigned seed_count;
	xt_point_t *points; /* [network][pattern][load][seed], by xt_sweep_run */
	unsigned done;      /* runs of this shard, or all */
	unsigned kept;      /* of these, so many were in the file already */
} xt_sweep_t;

/* Runs what is not in the file at `path` yet, nor in those of shards, whose results it takes over, and fills `points`,
 * to be freed by xt_sweep_free. A file whose last line was cut off is mended with a message. XT_ERR_MISMATCH if it is
 * of another configuration, XT_ERR_FORMAT with the line if it is damaged, XT_ERR_IO. Of several ranks only the first
 * gets points. */
int xt_sweep_run(xt_sweep_t *sweep, xt_diag_t *diag);
/* Instead of xt_sweep_run, where this rank cannot: the others learn of it. */
void xt_sweep_give_up(const xt_sweep_t *sweep, int status, const xt_diag_t *diag);
void xt_sweep_free(xt_sweep_t *sweep); /* networks too */
const char *xt_sweep_pattern(const xt_sweep_t *sweep, unsigned pattern);

/* Over the seeds. Of one seed the confidence is that of the run, for latency, or not a number. */
typedef struct {
	xt_mean_t offered, accepted, network_packet, network_p99, network_cell, end_to_end_packet, end_to_end_cell;
	xt_mean_t link_mean, link_max, switch_mean, internal, energy;
	unsigned saturated; /* runs */
	unsigned wrong;
	unsigned runs;
} xt_summary_t;

xt_summary_t xt_sweep_summary(const xt_sweep_t *sweep, unsigned network, unsigned pattern, unsigned load);
/* Most accepted at any load. */
xt_mean_t xt_sweep_throughput(const xt_sweep_t *sweep, unsigned network, unsigned pattern);
/* More than half of the runs are saturated. */
int xt_sweep_saturated(const xt_summary_t *summary);

json_t *xt_sweep_json(const xt_sweep_t *sweep);
void xt_sweep_print(const xt_sweep_t *sweep, FILE *out);
/* A curve of pictures; a value that is not a number is left out. */
typedef struct {
	const char *label;
	unsigned count;
	double offered[XT_MOST_LOADS], latency[XT_MOST_LOADS], latency_ci[XT_MOST_LOADS];
	double accepted[XT_MOST_LOADS], accepted_ci[XT_MOST_LOADS];
	int analytic; /* not simulated: a line without marks, in the picture of latency only */
} xt_series_t;

/* Of a pattern of a sweep; loads are multiplied by `scale`. */
void xt_sweep_series(const xt_sweep_t *sweep, unsigned network, unsigned pattern, double scale, xt_series_t *series);
/* The curves of all networks, to be freed. */
int xt_sweep_curves(const xt_sweep_t *sweep, unsigned pattern, xt_series_t **series, xt_diag_t *diag);
int xt_series_plot(const xt_series_t *series, unsigned count, const char *title, const char *prefix, xt_diag_t *diag);
/* The same pictures on a page of HTML, numbered from `number` on. */
int xt_series_page(
	const xt_series_t *series, unsigned count, const char *title, unsigned number, FILE *page, xt_diag_t *diag);
/* PREFIX_load_latency.svg, PREFIX_load_throughput.svg, PREFIX_burton_normal_form.svg of a pattern. */
int xt_sweep_plot(const xt_sweep_t *sweep, unsigned pattern, const char *title, const char *prefix, xt_diag_t *diag);

/* All of a sweep as a page of HTML. */
typedef struct {
	const xt_sweep_t *sweep;
	const char *path, *command_line;
} xt_sweep_page_t;
int xt_sweep_page_write(const xt_sweep_page_t *page, xt_diag_t *diag);

/* The file of results. */
typedef struct xt_store xt_store_t;

/* `common` is what all runs share, the program's version aside; it is taken over. Lines that hold no result, as
 * `is_result` has it, are named on standard error and passed over, so their runs are done again. */
int xt_store_open(const char *command, const char *path, json_t *common, int (*is_result)(const json_t *result),
	xt_store_t **out, xt_diag_t *diag);
/* The result for a key, NULL if there is none yet. Owned by the store. */
const json_t *xt_store_find(const xt_store_t *store, const json_t *key);
/* Appends a line, whole or not at all as far as that can be had; takes both over. May be called by several threads. */
int xt_store_add(xt_store_t *store, json_t *key, json_t *result, xt_diag_t *diag);
/* Results of another file, which stays as it is, are found too; nothing is done if there is no such file. */
int xt_store_include(xt_store_t *store, const char *command, const char *path, const json_t *common, xt_diag_t *diag);
/* A result that was found in another file is appended to this one. */
int xt_store_adopt(xt_store_t *store, const json_t *key, xt_diag_t *diag);
void xt_store_close(xt_store_t *store); /* NULL is allowed */

/* The file of a shard is PATH with "-I-of-N" before its end. A shard finds the results of the whole, and the whole
 * those of all shards. */
int xt_sweep_shard_path(const char *path, unsigned shard, unsigned shards, char *text, size_t size);
int xt_sweep_shards_include(const xt_sweep_t *sweep, xt_store_t *store, const json_t *common, xt_diag_t *diag);
