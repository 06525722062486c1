/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "extorus/confidence.h"
#include "sweep.h"

static const xt_point_t *points_of(const xt_sweep_t *s, unsigned network, unsigned pattern, unsigned load)
{
	return s->points + ((network * s->pattern_count + pattern) * s->load_count + load) * s->seed_count;
}

/* Over the runs in which the value is a number. */
static xt_mean_t mean_of(const xt_point_t *points, unsigned count, size_t offset)
{
	double values[XT_MOST_SEEDS];
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++) {
		values[n] = *(const double *)((const char *)&points[i] + offset);
		n += !isnan(values[n]);
	}
	return xt_mean_of(values, n);
}

#define MEAN(field) mean_of(points, s->seed_count, offsetof(xt_point_t, field))

xt_summary_t xt_sweep_summary(const xt_sweep_t *s, unsigned network, unsigned pattern, unsigned load)
{
	const xt_point_t *points = points_of(s, network, pattern, load);
	xt_summary_t summary = {
		.offered = MEAN(offered),
		.accepted = MEAN(accepted),
		.network_packet = MEAN(network_packet),
		.network_p99 = MEAN(network_p99),
		.network_cell = MEAN(network_cell),
		.end_to_end_packet = MEAN(end_to_end_packet),
		.end_to_end_cell = MEAN(end_to_end_cell),
		.link_mean = MEAN(link_mean),
		.link_max = MEAN(link_max),
		.switch_mean = MEAN(switch_mean),
		.internal = MEAN(internal),
		.energy = MEAN(energy),
		.runs = s->seed_count,
	};

	if (s->seed_count == 1) {
		summary.network_packet.ci95 = points->network_packet_ci;
	}
	for (unsigned i = 0; i < s->seed_count; i++) {
		summary.saturated += (unsigned)points[i].saturated;
		summary.wrong += (unsigned)!points[i].ok;
	}
	return summary;
}

int xt_sweep_saturated(const xt_summary_t *summary)
{
	return 2 * summary->saturated > summary->runs;
}

xt_mean_t xt_sweep_throughput(const xt_sweep_t *s, unsigned network, unsigned pattern)
{
	xt_mean_t most = {0.0, NAN};

	for (unsigned load = 0; load < s->load_count; load++) {
		xt_summary_t summary = xt_sweep_summary(s, network, pattern, load);

		if (summary.accepted.mean > most.mean) {
			most = summary.accepted;
		}
	}
	return most;
}

static json_t *mean_json(xt_mean_t mean)
{
	return json_pack("{s:o, s:o}", "mean", isnan(mean.mean) ? json_null() : json_real(mean.mean), "ci95",
		isnan(mean.ci95) ? json_null() : json_real(mean.ci95));
}

static json_t *summary_json(const xt_sweep_t *s, unsigned network, unsigned pattern, unsigned load)
{
	xt_summary_t m = xt_sweep_summary(s, network, pattern, load);

	return json_pack("{s:s, s:s, s:f, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i}",
		"network", s->networks[network].name, "traffic", xt_sweep_pattern(s, pattern), "load", s->loads[load],
		"seeds", (int)m.runs, "offered_load", mean_json(m.offered), "accepted_load", mean_json(m.accepted),
		"network_latency_packet", mean_json(m.network_packet), "network_latency_packet_p99",
		mean_json(m.network_p99), "network_latency_cell", mean_json(m.network_cell),
		"end_to_end_latency_packet", mean_json(m.end_to_end_packet), "end_to_end_latency_cell",
		mean_json(m.end_to_end_cell), "link_utilisation", mean_json(m.link_mean), "link_utilisation_max",
		mean_json(m.link_max), "switch_utilisation", mean_json(m.switch_mean), "energy_pj_per_cell",
		mean_json(m.energy), "saturated", (int)m.saturated, "wrong", (int)m.wrong);
}

json_t *xt_sweep_json(const xt_sweep_t *s)
{
	json_t *list = json_array();

	for (unsigned n = 0; n < s->network_count; n++) {
		for (unsigned p = 0; p < s->pattern_count; p++) {
			for (unsigned l = 0; l < s->load_count; l++) {
				json_array_append_new(list, summary_json(s, n, p, l));
			}
		}
	}
	return list;
}

static void print_mean(FILE *out, xt_mean_t mean, int width, int decimals)
{
	char text[64] = "-";

	if (!isnan(mean.mean)) {
		snprintf(text, sizeof(text), isnan(mean.ci95) ? "%.*f" : "%.*f +-%.*f", decimals, mean.mean, decimals,
			mean.ci95);
	}
	fprintf(out, " %*s", width, text);
}

void xt_sweep_print(const xt_sweep_t *s, FILE *out)
{
	for (unsigned p = 0; p < s->pattern_count; p++) {
		for (unsigned n = 0; n < s->network_count; n++) {
			fprintf(out, "%s, %s, %u seed%s from %llu\n", xt_sweep_network_label(&s->networks[n]),
				xt_sweep_pattern(s, p), s->seed_count, s->seed_count > 1 ? "s" : "",
				(unsigned long long)s->seed);
			fprintf(out, "%8s %8s %17s %17s %9s %17s %17s %11s %9s %8s\n", "load", "offered", "accepted",
				"network latency", "p99", "per cell", "end to end", "links, most", "switches",
				"pJ/cell");
			for (unsigned l = 0; l < s->load_count; l++) {
				xt_summary_t m = xt_sweep_summary(s, n, p, l);

				fprintf(out, "%8.4f %8.4f", s->loads[l], m.offered.mean);
				print_mean(out, m.accepted, 17, 4);
				print_mean(out, m.network_packet, 17, 1);
				print_mean(out, (xt_mean_t){m.network_p99.mean, NAN}, 9, 0);
				print_mean(out, m.network_cell, 17, 1);
				print_mean(out, m.end_to_end_packet, 17, 1);
				fprintf(out, "  %.3f %.3f    %.3f", m.link_mean.mean, m.link_max.mean,
					m.switch_mean.mean);
				print_mean(out, (xt_mean_t){m.energy.mean, NAN}, 8, 1);
				fprintf(out, " %s%s\n", xt_sweep_saturated(&m) ? "saturated" : "",
					m.wrong ? " WRONG" : "");
			}
			fprintf(out, "\n");
		}
	}
}

void xt_sweep_series(const xt_sweep_t *s, unsigned network, unsigned pattern, double scale, xt_series_t *series)
{
	*series = (xt_series_t){.label = xt_sweep_network_label(&s->networks[network]), .count = s->load_count};
	for (unsigned l = 0; l < s->load_count; l++) {
		xt_summary_t m = xt_sweep_summary(s, network, pattern, l);

		series->offered[l] = m.offered.mean * scale;
		series->accepted[l] = m.accepted.mean * scale;
		series->accepted_ci[l] = m.accepted.ci95 * scale;
		series->latency[l] = m.network_packet.mean;
		series->latency_ci[l] = m.network_packet.ci95;
	}
}

int xt_sweep_curves(const xt_sweep_t *s, unsigned pattern, xt_series_t **series, xt_diag_t *diag)
{
	*series = calloc(s->network_count, sizeof(**series));
	if (!*series) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for pictures");
	}
	for (unsigned n = 0; n < s->network_count; n++) {
		xt_sweep_series(s, n, pattern, 1.0, &(*series)[n]);
	}
	return XT_OK;
}

int xt_sweep_plot(const xt_sweep_t *s, unsigned pattern, const char *title, const char *prefix, xt_diag_t *diag)
{
	xt_series_t *series;
	int status = xt_sweep_curves(s, pattern, &series, diag);

	if (status != XT_OK) {
		return status;
	}
	status = xt_series_plot(series, s->network_count, title, prefix, diag);
	free(series);
	return status;
}
