/* SPDX-License-Identifier: Apache-2.0 */
#include "reproduce.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/latency.h"

enum { MOST_CLAIMS = 256, QUICK_WARMUP = 200, QUICK_MEASURE = 400 };

typedef struct {
	const json_t *experiment;
	const xt_reproduce_options_t *options;
	const char *folder;
	xt_claim_t claims[MOST_CLAIMS];
	const char *groups[MOST_CLAIMS]; /* of the claims */
	const char *causes[MOST_CLAIMS]; /* of what differs; NULL: none is known */
	unsigned count;
	unsigned wrong;
	json_t *claim_list;
} work_t;

/* A group under way: its curves, each with a sweep of its own as lengths and loads may differ. */
typedef struct {
	xt_curve_t curves[XT_MOST_CURVES];
	xt_traffic_options_t traffic[XT_MOST_CURVES];
	char paths[XT_MOST_CURVES][XT_REPRODUCE_PATH + 256];
	unsigned count;
} group_t;

/* What the group says, or else the experiment. */
static const json_t *setting(const work_t *work, const json_t *group, const char *name)
{
	const json_t *value = json_object_get(group, name);

	return value ? value : json_object_get(work->experiment, name);
}

static uint64_t number(const work_t *work, const json_t *group, const char *name, uint64_t otherwise)
{
	const json_t *value = setting(work, group, name);

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : otherwise;
}

/* Letters and digits of a name, others as '-'. */
static void file_name(const char *text, char *name, size_t size)
{
	size_t i = 0;

	for (; text[i] && i + 1 < size; i++) {
		name[i] = isalnum((unsigned char)text[i]) ? (char)tolower((unsigned char)text[i]) : '-';
	}
	name[i] = '\0';
}

static int set_traffic(
	const work_t *work, const json_t *group, const json_t *curve, xt_traffic_options_t *t, xt_diag_t *diag)
{
	const json_t *packet = json_object_get(curve, "packet");
	const json_t *own_tc = json_object_get(curve, "tc");
	const char *tcs = json_string_value(own_tc ? own_tc : setting(work, group, "tc"));
	const json_t *exponent = setting(work, group, "zipf_exponent");

	*t = (xt_traffic_options_t)XT_TRAFFIC_OPTIONS;
	t->patterns[t->pattern_count++] = json_string_value(setting(work, group, "traffic"));
	t->zipf_exponent = json_is_number(exponent) ? json_number_value(exponent) : 1.0;
	for (; tcs && *tcs; tcs += tcs[1] ? 2 : 1) {
		t->tc_mask |= 1u << (*tcs - '0');
	}
	t->warmup = work->options->quick ? QUICK_WARMUP : number(work, group, "warmup", 2000);
	t->measure = work->options->quick ? QUICK_MEASURE : number(work, group, "measure", 2000);
	t->drain = work->options->quick ? QUICK_MEASURE : number(work, group, "drain", t->measure);
	t->has_warmup = t->has_measure = t->has_drain = 1;
	return xt_lengths_parse(json_string_value(packet ? packet : setting(work, group, "packet")), &t->length, diag);
}

static xt_sweep_t *make_sweep(const work_t *work, const json_t *group, double width)
{
	const json_t *loads = json_object_get(group, "loads");
	xt_sweep_t *sweep = calloc(1, sizeof(*sweep));

	if (!sweep) {
		return NULL;
	}
	sweep->command = "reproduce";
	sweep->engine = "model";
	sweep->device_switch = work->options->device_switch;
	sweep->threads = work->options->threads;
	sweep->ranks = work->options->ranks;
	sweep->seed = 1;
	sweep->seed_count = work->options->quick ? 1 : (unsigned)number(work, group, "seeds", 1);
	/* A PE does not generate more than one cell per cycle; that is a load of `width`. */
	for (size_t i = 0; i < json_array_size(loads); i++) {
		double load = json_number_value(json_array_get(loads, i)) / width;

		sweep->loads[sweep->load_count++] = load < 1.0 ? load : 1.0;
	}
	return sweep;
}

/* Links of a card so wide that all have as many pins as a full 3D torus with links of a cell. */
static int work_out(const work_t *work, xt_curve_t *curve, xt_diag_t *diag)
{
	const json_t *analytic = json_object_get(work->experiment, "analytic");
	const xt_image_t *image = curve->sweep->networks[0].image;
	const xt_profile_t *profile = xt_image_profile(image);
	double bits = profile->cell_bits;
	xt_latency_model_t model = {
		.packet_bits = xt_lengths_mean(&curve->sweep->traffic->length) * bits * curve->width,
		.pins = 12 * bits,
		.router = json_number_value(json_object_get(analytic, "router")),
		.wire = json_number_value(json_object_get(analytic, "wire")),
	};
	xt_latency_curve_t *latency;
	xt_topology_t *topology;
	int status;

	if (!analytic) {
		return XT_OK;
	}
	if ((status = xt_image_parse_topology(image, &topology, diag)) != XT_OK) {
		return status;
	}
	if ((status = xt_latency_curve_create(topology, &model, &latency, diag)) == XT_OK) {
		for (unsigned l = 0; l < curve->sweep->load_count; l++) {
			curve->analytic[l] = xt_latency_at(latency, curve->sweep->loads[l] * curve->width * bits);
		}
		curve->has_analytic = 1;
		xt_latency_curve_free(latency);
	}
	xt_topology_free(topology);
	return status;
}

static int run_curve(work_t *work, const json_t *group, const json_t *spec, group_t *g, xt_diag_t *diag)
{
	const json_t *width = json_object_get(spec, "width");
	const char *label = json_string_value(json_object_get(spec, "label"));
	const json_t *const objects[] = {spec, group, work->experiment, NULL};
	const char *group_label = json_string_value(json_object_get(group, "label"));
	const int is_first = xt_ranks_own(work->options->ranks) == 0;
	xt_curve_t *curve = &g->curves[g->count];
	xt_traffic_options_t *traffic = &g->traffic[g->count];
	char first[64], second[64];
	int status;

	if (g->count == XT_MOST_CURVES || !label || !group_label) {
		return xt_fail(diag, XT_ERR_FORMAT, "experiments: a curve has no label, or there are too many");
	}
	*curve = (xt_curve_t){.label = label, .width = json_is_number(width) ? json_number_value(width) : 1.0};
	if (!(curve->sweep = make_sweep(work, group, curve->width))) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	curve->runs = curve->sweep->seed_count;
	file_name(group_label, first, sizeof(first));
	file_name(label, second, sizeof(second));
	snprintf(g->paths[g->count], sizeof(g->paths[0]), "%s/%s_%s.jsonl", work->folder, first, second);
	curve->sweep->path = g->paths[g->count++];
	curve->sweep->traffic = traffic;
	curve->sweep->network_count = 1;
	if ((status = set_traffic(work, group, spec, traffic, diag)) != XT_OK ||
		(status = xt_reproduce_network(objects, &curve->sweep->networks[0], diag)) != XT_OK ||
		(status = xt_sweep_run(curve->sweep, diag)) != XT_OK || !is_first) {
		return status;
	}
	for (unsigned i = 0; i < curve->sweep->load_count * curve->sweep->seed_count; i++) {
		work->wrong += (unsigned)!curve->sweep->points[i].ok;
	}
	return work_out(work, curve, diag);
}

/* A curve for each configuration of a 3D twin torus, by letter: "routings" has letters with their routing. */
static void add_configurations(json_t *group)
{
	const char *spec = json_string_value(json_object_get(group, "spec")), *letters;
	json_t *curves = json_array(), *routing;

	for (char letter = 'A'; letter <= 'J'; letter++) {
		json_object_foreach(json_object_get(group, "routings"), letters, routing)
		{
			if (strchr(letters, letter)) {
				json_array_append_new(curves, json_pack("{s:s%, s:o}", "label", &letter, 1, "network",
								      json_sprintf("%s,config=%c@%s", spec, letter,
									      json_string_value(routing))));
			}
		}
	}
	json_object_set_new(group, "curves", curves);
}

static int plot_group(const work_t *work, const char *label, const group_t *g, xt_diag_t *diag)
{
	xt_series_t *series = calloc(2 * XT_MOST_CURVES, sizeof(*series));
	char prefix[XT_REPRODUCE_PATH + 256], title[256], name[64];
	unsigned count = 0;
	int status;

	if (!series) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for pictures");
	}
	for (unsigned i = 0; i < g->count; i++) {
		const xt_curve_t *curve = &g->curves[i];

		xt_sweep_series(curve->sweep, 0, 0, curve->width, &series[count++]);
		if (curve->has_analytic) {
			series[count] = series[count - 1];
			series[count].analytic = 1;
			series[count].label = "analytic";
			memcpy(series[count].latency, curve->analytic, sizeof(curve->analytic));
			memset(series[count].latency_ci, 0, sizeof(series[count].latency_ci));
			count++;
		}
	}
	file_name(label, name, sizeof(name));
	snprintf(prefix, sizeof(prefix), "%s/%s", work->folder, name);
	snprintf(title, sizeof(title), "%s: %s", json_string_value(json_object_get(work->experiment, "title")), label);
	status = xt_series_plot(series, count, title, prefix, diag);
	free(series);
	return status;
}

static void write_curves(const char *label, const group_t *g, FILE *out)
{
	fprintf(out,
		"\n| %s | load | accepted | latency in the network |%s p99 | links, most | "
		"|\n|---|---|---|---|---|---|%s---|\n",
		label, g->curves[0].has_analytic ? " analytic |" : "", g->curves[0].has_analytic ? "---|" : "");
	for (unsigned c = 0; c < g->count; c++) {
		const xt_curve_t *curve = &g->curves[c];

		for (unsigned l = 0; l < curve->sweep->load_count; l++) {
			xt_summary_t m = xt_sweep_summary(curve->sweep, 0, 0, l);

			fprintf(out, "| %s | %.3f | %.4f", curve->label, curve->sweep->loads[l] * curve->width,
				m.accepted.mean * curve->width);
			fprintf(out, isnan(m.accepted.ci95) ? " | " : " +-%.4f | ", m.accepted.ci95 * curve->width);
			fprintf(out, "%.1f | ", m.network_packet.mean);
			if (curve->has_analytic) {
				fprintf(out, isfinite(curve->analytic[l]) ? "%.1f | " : "- | ", curve->analytic[l]);
			}
			fprintf(out, "%.0f | %.3f, %.3f | %s |\n", m.network_p99.mean, m.link_mean.mean,
				m.link_max.mean, xt_sweep_saturated(&m) ? "saturated" : "");
		}
	}
}

/* The claims of a group, or with the name "measures" what is only measured. */
static int judge_all(work_t *work, const json_t *group, const char *name, const group_t *g, xt_diag_t *diag)
{
	const char *label = json_string_value(json_object_get(group, "label"));
	int is_claim = strcmp(name, "claims") == 0;
	const json_t *given;
	size_t index;

	json_array_foreach(json_object_get(group, name), index, given)
	{
		const char *cause = json_string_value(json_object_get(given, "cause"));
		xt_claim_t *claim = &work->claims[work->count];
		json_t *row;
		int status;

		if (work->count == MOST_CLAIMS) {
			return xt_fail(diag, XT_ERR_FORMAT, "experiments: more than %d claims", MOST_CLAIMS);
		}
		if ((status = xt_claim_make(given, is_claim, g->curves, g->count, claim, diag)) != XT_OK) {
			return status;
		}
		row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "group", label, "claim", claim->text, "published",
			claim->published, "ours", claim->ours, "verdict", xt_verdict_name(claim->verdict), "runs",
			(int)g->curves[0].runs);
		/* The causes are those of the comparison's own switch. */
		if (cause && !work->options->device_switch.named &&
			(claim->verdict == XT_VERDICT_DISAGREES || claim->verdict == XT_VERDICT_NOISE)) {
			work->causes[work->count] = cause;
			json_object_set_new(row, "cause", json_string(cause));
		}
		work->groups[work->count++] = label;
		json_array_append_new(work->claim_list, row);
	}
	return XT_OK;
}

static int judge_group(work_t *work, const json_t *group, const group_t *g, xt_diag_t *diag)
{
	int status = judge_all(work, group, "claims", g, diag);

	return status == XT_OK ? judge_all(work, group, "measures", g, diag) : status;
}

static int run_program(work_t *work, const json_t *group, group_t *g, FILE *tables, xt_diag_t *diag)
{
	const char *label = json_string_value(json_object_get(group, "label"));
	char path[XT_REPRODUCE_PATH + 32];
	int status;

	snprintf(path, sizeof(path), "%s/runs.jsonl", work->folder);
	status = xt_reproduce_program(
		work->experiment, group, work->options, path, g->curves, &g->count, &work->wrong, diag);
	fprintf(tables,
		"\n| %s | runs | time, cycles | latency in the network | end to end | utilisation |\n"
		"|---|---|---|---|---|---|\n",
		label);
	for (unsigned c = 0; c < g->count; c++) {
		const xt_mean_t *of = g->curves[c].program;

		fprintf(tables, "| %s | %u | %.0f | %.1f | %.1f | %.4f |\n", g->curves[c].label, g->curves[c].runs,
			of[XT_PROGRAM_TIME].mean, of[XT_PROGRAM_NETWORK].mean, of[XT_PROGRAM_END_TO_END].mean,
			of[XT_PROGRAM_UTILISATION].mean);
	}
	return status == XT_OK && xt_ranks_own(work->options->ranks) == 0 ? judge_group(work, group, g, diag) : status;
}

static int run_sweeps(work_t *work, const json_t *group, group_t *g, FILE *tables, xt_diag_t *diag)
{
	const char *label = json_string_value(json_object_get(group, "label"));
	const json_t *curves = json_object_get(group, "curves");
	int status = XT_OK;

	for (size_t i = 0; i < json_array_size(curves) && status == XT_OK; i++) {
		status = run_curve(work, group, json_array_get(curves, i), g, diag);
	}
	if (status == XT_OK && xt_ranks_own(work->options->ranks) == 0 &&
		(status = judge_group(work, group, g, diag)) == XT_OK) {
		write_curves(label, g, tables);
		status = plot_group(work, label, g, diag);
	}
	return status;
}

static int run_group(work_t *work, json_t *group, FILE *tables, xt_diag_t *diag)
{
	group_t *g = calloc(1, sizeof(*g));
	int status;

	if (!g) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (json_object_get(group, "spec")) {
		add_configurations(group);
	}
	status = (json_object_get(group, "program") ? run_program : run_sweeps)(work, group, g, tables, diag);
	for (unsigned i = 0; i < g->count; i++) {
		if (g->curves[i].sweep) {
			xt_sweep_free(g->curves[i].sweep);
			free(g->curves[i].sweep);
		}
	}
	free(g);
	return status;
}

static void write_claims(const work_t *work, FILE *out)
{
	char sentence[320];

	xt_reproduce_head(work->experiment, work->options,
		" Quick run: short windows and small networks only, which say little.", out);
	fprintf(out, "| group | | published | here | | cause |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < work->count; i++) {
		const xt_claim_t *claim = &work->claims[i];

		fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", work->groups[i], claim->text, claim->published,
			claim->ours, xt_verdict_name(claim->verdict), work->causes[i] ? work->causes[i] : "");
	}
	xt_claims_sentence(work->claims, work->count, sentence, sizeof(sentence));
	fprintf(out, "\n%s\n", sentence);
	xt_reproduce_needs(work->experiment, out);
}

/* table.md: what is claimed, then every curve. */
static int write_table(const work_t *work, const char *tables, xt_diag_t *diag)
{
	char path[XT_REPRODUCE_PATH + 32];
	xt_output_t *output;
	int status;

	snprintf(path, sizeof(path), "%s/table.md", work->folder);
	if ((status = xt_output_open(path, &output, diag)) != XT_OK) {
		return status;
	}
	write_claims(work, xt_output_stream(output));
	fputs(tables, xt_output_stream(output));
	return xt_output_commit(output, diag);
}

int xt_reproduce(const json_t *experiment, const xt_reproduce_options_t *options, const char *folder, FILE *out,
	json_t **table, unsigned *wrong, xt_diag_t *diag)
{
	const xt_reproduce_options_t own = xt_reproduce_options_of(options, experiment);
	work_t *work = calloc(1, sizeof(*work));
	char *tables = NULL, sentence[320];
	size_t size, index;
	json_t *group;
	FILE *text;
	const int is_first = xt_ranks_own(options->ranks) == 0;
	int status = is_first ? xt_make_folder(folder, diag) : XT_OK;

	if (status != XT_OK || !work || !(text = open_memstream(&tables, &size))) {
		free(work);
		return status != XT_OK ? status : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	*work = (work_t){.experiment = experiment, .options = &own, .folder = folder, .claim_list = json_array()};
	json_array_foreach(json_object_get(experiment, "groups"), index, group)
	{
		if (status == XT_OK && xt_reproduce_wants(group, options)) {
			status = run_group(work, group, text, diag);
		}
	}
	fclose(text);
	if (status == XT_OK && is_first) {
		status = write_table(work, tables, diag);
	}
	if (status == XT_OK && out) {
		write_claims(work, out);
		fprintf(out, "\nTables, pictures and results are in %s.\n\n", folder);
	}
	xt_claims_sentence(work->claims, work->count, sentence, sizeof(sentence));
	*table = json_pack("{s:O, s:b, s:o, s:s, s:i}", "name", json_object_get(experiment, "name"), "quick",
		options->quick, "claims", work->claim_list, "agreement", sentence, "wrong", (int)work->wrong);
	*wrong += work->wrong;
	free(tables);
	free(work);
	return status;
}
