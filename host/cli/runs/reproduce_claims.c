/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims: what is published in the words of the list, what was measured, and whether the two agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* Figures that are no further apart count as alike; a published value is met within the same. */
static const double alike_percent = 5.0;

typedef struct {
	double value, ci95;
} figure_t;

/* By how much one curve is better than another. */
typedef struct {
	double percent, noise; /* the noise is not a number if it is not known */
	figure_t a, b;
	unsigned loads; /* compared; 0: none below saturation */
} difference_t;

typedef enum {
	THROUGHPUT,
	BEYOND,
	ONSET,
	LOSS,
	LATENCY,
	LOW_LOAD_LATENCY,
	BEYOND_LATENCY,
	INTERNAL_LOAD,
	OF_PROGRAM,                                      /* by xt_program_figure_t */
	END_TO_END = OF_PROGRAM + XT_PROGRAM_END_TO_END, /* sweeps measure it too */
	METRICS = OF_PROGRAM + XT_PROGRAM_FIGURES
} metric_t;

static const struct {
	const char *name, *of; /* `of`: in "... of CURVE" */
	int more;              /* is better */
	int decimals;
} metrics[METRICS] = {
	[THROUGHPUT] = {"throughput", "throughput", 1, 4},
	[BEYOND] = {"accepted beyond saturation", "accepted beyond saturation", 1, 4},
	[ONSET] = {"saturation load", "saturation load", 1, 4},
	[LOSS] = {"loss beyond saturation", "throughput lost beyond saturation", 0, 4},
	[LATENCY] = {"latency", "latency", 0, 1},
	[LOW_LOAD_LATENCY] = {"low-load latency", "low-load latency", 0, 1},
	[BEYOND_LATENCY] = {"latency beyond saturation", "latency beyond saturation", 0, 1},
	[INTERNAL_LOAD] = {"internal load", "internal load", 0, 4},
	[OF_PROGRAM + XT_PROGRAM_NETWORK] = {"network latency", "network latency", 0, 1},
	[END_TO_END] = {"end-to-end latency", "end-to-end latency", 0, 1},
	[OF_PROGRAM + XT_PROGRAM_UTILISATION] = {"router utilisation", "router utilisation", 0, 4},
	[OF_PROGRAM + XT_PROGRAM_TIME] = {"time", "time", 0, 0},
};

static xt_summary_t at(const xt_curve_t *curve, unsigned load)
{
	return xt_sweep_summary(curve->sweep, 0, 0, load);
}

static figure_t throughput(const xt_curve_t *curve)
{
	xt_mean_t most = xt_sweep_throughput(curve->sweep, 0, 0);

	return (figure_t){most.mean * curve->width, most.ci95 * curve->width};
}

/* What is accepted at the highest load. */
static figure_t beyond(const xt_curve_t *curve)
{
	xt_summary_t m = at(curve, curve->sweep->load_count - 1);

	return (figure_t){m.accepted.mean * curve->width, m.accepted.ci95 * curve->width};
}

/* The share of its throughput that a network no longer accepts at the highest load. */
static figure_t loss(const xt_curve_t *curve)
{
	figure_t most = throughput(curve), last = beyond(curve);

	return (figure_t){1.0 - last.value / most.value, hypot(most.ci95, last.ci95) / most.value};
}

/* The load from which on less than 95 % is accepted, between the loads by a straight line. */
static figure_t onset(const xt_curve_t *curve)
{
	double before = 1.0, load_before = 0.0, load = 0.0;

	for (unsigned l = 0; l < curve->sweep->load_count; l++) {
		xt_summary_t m = at(curve, l);
		double ratio = m.accepted.mean / m.offered.mean;

		load = curve->sweep->loads[l] * curve->width;
		if (ratio < 0.95) {
			load = load_before + (load - load_before) * (before - 0.95) / (before - ratio);
			break;
		}
		before = ratio;
		load_before = load;
	}
	return (figure_t){load, NAN};
}

/* Mean over the loads at which neither is saturated in any run, of which there are *loads. */
static figure_t latency(metric_t metric, const xt_curve_t *curve, const xt_curve_t *other, unsigned *loads)
{
	const unsigned most = metric == LOW_LOAD_LATENCY ? 1 : XT_MOST_LOADS;
	figure_t figure = {0.0, 0.0};

	*loads = 0;
	for (unsigned l = 0; l < curve->sweep->load_count && l < other->sweep->load_count && *loads < most; l++) {
		xt_summary_t a = at(curve, l), b = at(other, l);

		if (!a.saturated && !b.saturated) {
			const xt_mean_t *mean = metric == END_TO_END ? &a.end_to_end_packet : &a.network_packet;

			figure.value += mean->mean;
			figure.ci95 += mean->ci95;
			++*loads;
		}
	}
	figure.value /= *loads;
	figure.ci95 /= *loads;
	return figure;
}

static figure_t figure_of(metric_t metric, const xt_curve_t *curve, const xt_curve_t *other, unsigned *loads)
{
	xt_summary_t first, last;

	if (!curve->sweep) {
		const xt_mean_t *mean = &curve->program[metric - OF_PROGRAM];

		return (figure_t){mean->mean, mean->ci95};
	}
	switch (metric) {
	case THROUGHPUT:
		return throughput(curve);
	case BEYOND:
		return beyond(curve);
	case ONSET:
		return onset(curve);
	case LOSS:
		return loss(curve);
	case BEYOND_LATENCY:
		last = at(curve, curve->sweep->load_count - 1);
		return (figure_t){last.network_packet.mean, last.network_packet.ci95};
	case INTERNAL_LOAD:
		first = at(curve, 0);
		return (figure_t){first.internal.mean, first.internal.ci95};
	default:
		return latency(metric, curve, other, loads);
	}
}

/* Per cent by which the winner is better; of losses the points by which the winner loses less. */
static difference_t compare(metric_t metric, const xt_curve_t *winner, const xt_curve_t *loser)
{
	difference_t d = {.loads = 1};
	double ratio;

	d.a = figure_of(metric, winner, loser, &d.loads);
	d.b = figure_of(metric, loser, winner, &d.loads);
	if (metric == LOSS) {
		d.percent = 100.0 * (d.b.value - d.a.value);
		d.noise = 100.0 * hypot(d.a.ci95, d.b.ci95);
		return d;
	}
	ratio = d.a.value / d.b.value;
	d.percent = 100.0 * (metrics[metric].more ? ratio - 1.0 : 1.0 - ratio);
	d.noise = 100.0 * ratio * hypot(d.a.ci95 / d.a.value, d.b.ci95 / d.b.value);
	return d;
}

/* ---------------------------------------------------------------- in words */

static int metric_of(const json_t *claim, metric_t *metric)
{
	const char *name = json_string_value(json_object_get(claim, "metric"));

	for (*metric = 0; name && *metric < METRICS; ++*metric) {
		if (strcmp(metrics[*metric].name, name) == 0) {
			return 1;
		}
	}
	return 0;
}

/* A label, or several with commas between them. */
static void write_labels(const json_t *labels, char *text, size_t size)
{
	size_t used = 0;

	if (json_is_string(labels)) {
		snprintf(text, size, "%s", json_string_value(labels));
		return;
	}
	text[0] = '\0';
	for (size_t i = 0; i < json_array_size(labels) && used < size; i++) {
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", i ? ", " : "", json_string_value(json_array_get(labels, i)));
	}
}

static void write_published(const json_t *claim, char *text, size_t size)
{
	const json_t *percent = json_object_get(claim, "percent"), *limit = json_object_get(claim, "limit");
	const json_t *value = json_object_get(claim, "value"), *most = json_object_get(claim, "at_most");
	const char *words = json_string_value(json_object_get(claim, "words"));
	const char *sign = json_object_get(claim, "of") ? "" : "+";

	if (words) {
		snprintf(text, size, "%s", words);
	} else if (json_is_number(percent)) {
		snprintf(text, size, "%s%.3g %%", sign, json_number_value(percent));
	} else if (json_array_size(percent) == 2) {
		snprintf(text, size, "%s%g to %s%g %%", sign, json_number_value(json_array_get(percent, 0)), sign,
			json_number_value(json_array_get(percent, 1)));
	} else if (json_is_number(value) && json_is_number(limit)) {
		snprintf(text, size, "%.4f (limit %.4f)", json_number_value(value), json_number_value(limit));
	} else if (json_is_number(value)) {
		snprintf(text, size, "%.2f", json_number_value(value));
	} else if (json_is_number(most)) {
		snprintf(text, size, "at most %.2f", json_number_value(most));
	} else {
		snprintf(text, size, "%s", json_is_true(json_object_get(claim, "alike")) ? "alike" : "better");
	}
}

int xt_claim_describe(const json_t *claim, int is_claim, xt_claim_t *out, xt_diag_t *diag)
{
	const json_t *of = json_object_get(claim, "of");
	char winner[128], loser[128];
	metric_t metric;

	*out = (xt_claim_t){.distance = NAN, .published = "-"};
	if (!metric_of(claim, &metric) ||
		!(of || (json_object_get(claim, "winner") && json_object_get(claim, "loser")))) {
		return xt_fail(diag, XT_ERR_FORMAT, "experiments: a claim has no metric or no curve of its group");
	}
	if (is_claim) {
		write_published(claim, out->published, sizeof(out->published));
	}
	if (of) {
		write_labels(of, winner, sizeof(winner));
		snprintf(out->text, sizeof(out->text), "%s of %s", metrics[metric].of, winner);
		return XT_OK;
	}
	write_labels(json_object_get(claim, "winner"), winner, sizeof(winner));
	write_labels(json_object_get(claim, "loser"), loser, sizeof(loser));
	snprintf(out->text, sizeof(out->text), "%s %s: %s than %s", metrics[metric].more ? "more" : "less",
		metrics[metric].name, winner, loser);
	return XT_OK;
}

/* ---------------------------------------------------------------- against the figures */

static double outside(const json_t *percent, double value)
{
	double low = json_number_value(json_is_array(percent) ? json_array_get(percent, 0) : percent);
	double high = json_number_value(json_is_array(percent) ? json_array_get(percent, 1) : percent);

	return value < low ? low - value : value > high ? value - high : 0.0;
}

/* Of several losers the worst decides. */
static xt_verdict_t judge(const json_t *claim, const difference_t *d)
{
	const int is_alike = json_is_true(json_object_get(claim, "alike"));

	if (is_alike && fabs(d->percent) <= alike_percent) {
		return XT_VERDICT_AGREES;
	}
	if (fabs(d->percent) < d->noise) {
		return XT_VERDICT_NOISE;
	}
	return d->percent > 0.0 && !is_alike ? XT_VERDICT_AGREES : XT_VERDICT_DISAGREES;
}

static const xt_curve_t *find(const xt_curve_t *curves, unsigned count, const json_t *label)
{
	for (unsigned i = 0; i < count && json_is_string(label); i++) {
		if (strcmp(curves[i].label, json_string_value(label)) == 0) {
			return &curves[i];
		}
	}
	return NULL;
}

static void write_difference(const difference_t *d, metric_t metric, char *text, size_t size)
{
	int decimals = metrics[metric].decimals;

	if (isnan(d->noise)) {
		snprintf(text, size, "%+.1f %% (%.*f, %.*f)", d->percent, decimals, d->a.value, decimals, d->b.value);
	} else {
		snprintf(text, size, "%+.1f +-%.1f %% (%.*f, %.*f)", d->percent, d->noise, decimals, d->a.value,
			decimals, d->b.value);
	}
}

/* The analytic model's answer to the same question, at the lowest load. */
static void add_analytic(const xt_curve_t *winner, const xt_curve_t *loser, xt_claim_t *out)
{
	size_t used = strlen(out->ours);

	if (winner->has_analytic && loser->has_analytic) {
		snprintf(out->ours + used, sizeof(out->ours) - used, "; analytic model %+.1f %% (%.1f, %.1f)",
			100.0 * (1.0 - winner->analytic[0] / loser->analytic[0]), winner->analytic[0],
			loser->analytic[0]);
	}
}

/* The same with other curves in the winner's place, of which nothing is judged. */
static int add_others(const json_t *claim, metric_t metric, const xt_curve_t *curves, unsigned count,
	const xt_curve_t *loser, xt_claim_t *out)
{
	const json_t *label;
	size_t index;

	json_array_foreach(json_object_get(claim, "also"), index, label)
	{
		const xt_curve_t *curve = find(curves, count, label);
		size_t used = strlen(out->ours);
		difference_t d;

		if (!curve) {
			return 0;
		}
		d = compare(metric, curve, loser);
		snprintf(out->ours + used, sizeof(out->ours) - used, d.loads ? "; %s %+.1f %%" : "; %s saturated",
			curve->label, d.percent);
	}
	return 1;
}

static int relation(const json_t *claim, metric_t metric, const xt_curve_t *curves, unsigned count, xt_claim_t *out)
{
	const json_t *percent = json_object_get(claim, "percent"), *losers = json_object_get(claim, "loser");
	const xt_curve_t *winner = find(curves, count, json_object_get(claim, "winner")), *loser = NULL;
	size_t number = json_is_array(losers) ? json_array_size(losers) : 1;
	int is_alike = json_is_true(json_object_get(claim, "alike"));
	difference_t worst = {0};
	double lowest = INFINITY, highest = -INFINITY;

	for (size_t i = 0; i < number; i++) {
		difference_t d;

		loser = find(curves, count, json_is_array(losers) ? json_array_get(losers, i) : losers);
		if (!winner || !loser) {
			return 0;
		}
		d = compare(metric, winner, loser);
		if (d.loads == 0) {
			snprintf(out->ours, sizeof(out->ours), "saturated at every load");
			return 1;
		}
		if (i == 0 || (is_alike ? fabs(d.percent) > fabs(worst.percent) : d.percent < worst.percent)) {
			worst = d;
		}
		lowest = fmin(lowest, d.percent);
		highest = fmax(highest, d.percent);
	}
	if (number > 1) {
		snprintf(out->ours, sizeof(out->ours),
			isnan(worst.noise) ? "%+.1f to %+.1f %%" : "%+.1f to %+.1f +-%.1f %%", lowest, highest,
			worst.noise);
	} else {
		write_difference(&worst, metric, out->ours, sizeof(out->ours));
		add_analytic(winner, loser, out);
	}
	out->verdict = judge(claim, &worst);
	if (percent) {
		out->distance = fmax(outside(percent, lowest), outside(percent, highest));
	}
	return add_others(claim, metric, curves, count, loser, out);
}

/* A figure by itself: a share that is lost, a value, or a bound. */
static int single(const json_t *claim, metric_t metric, const xt_curve_t *curve, xt_claim_t *out)
{
	const json_t *percent = json_object_get(claim, "percent"), *value = json_object_get(claim, "value");
	const json_t *most = json_object_get(claim, "at_most");
	int is_share = metric == LOSS, holds = 1;
	unsigned loads;
	figure_t f;
	double scale = is_share ? 100.0 : 1.0;

	if (!curve) {
		return 0;
	}
	f = figure_of(metric, curve, curve, &loads);
	snprintf(out->ours, sizeof(out->ours), is_share ? "%.1f" : "%.4f", scale * f.value);
	if (!isnan(f.ci95)) {
		size_t used = strlen(out->ours);

		snprintf(out->ours + used, sizeof(out->ours) - used, is_share ? " +-%.1f" : " +-%.4f", scale * f.ci95);
	}
	if (is_share) {
		strncat(out->ours, " %", sizeof(out->ours) - strlen(out->ours) - 1);
	}
	if (json_is_number(value)) {
		out->distance = 100.0 * fabs(f.value / json_number_value(value) - 1.0);
		holds = out->distance <= alike_percent;
	} else if (json_is_number(most)) {
		holds = f.value <= json_number_value(most);
	} else if (percent) {
		/* Nothing lost is published as 0. The direction is whether more than a little is lost. */
		out->distance = outside(percent, 100.0 * f.value);
		holds = (100.0 * f.value > alike_percent) == !(json_is_number(percent) && !json_number_value(percent));
	}
	out->verdict = holds ? XT_VERDICT_AGREES : XT_VERDICT_DISAGREES;
	return 1;
}

int xt_claim_make(
	const json_t *claim, int is_claim, const xt_curve_t *curves, unsigned count, xt_claim_t *out, xt_diag_t *diag)
{
	const json_t *of = json_object_get(claim, "of");
	int status = xt_claim_describe(claim, is_claim, out, diag);
	metric_t metric;

	if (status != XT_OK || !metric_of(claim, &metric)) {
		return status;
	}
	if (count && !(curves[0].sweep ? metric < OF_PROGRAM || metric == END_TO_END : metric >= OF_PROGRAM)) {
		return xt_fail(diag, XT_ERR_FORMAT, "experiments: \"%.80s\" is not measured in its group", out->text);
	}
	if (!(of ? single(claim, metric, find(curves, count, of), out) : relation(claim, metric, curves, count, out))) {
		return xt_fail(diag, XT_ERR_FORMAT, "experiments: \"%.80s\" names no curve of its group", out->text);
	}
	if (!is_claim) {
		out->verdict = XT_VERDICT_NONE;
		out->distance = NAN;
	}
	return XT_OK;
}

const char *xt_verdict_name(xt_verdict_t verdict)
{
	static const char *const names[] = {"-", "agrees", "within noise", "DISAGREES"};

	return names[verdict];
}

void xt_claims_sentence(const xt_claim_t *claims, unsigned count, char *text, unsigned size)
{
	unsigned judged = 0, agree = 0, noise = 0, figures = 0;
	double distance = 0.0;
	int used;

	for (unsigned i = 0; i < count; i++) {
		judged += claims[i].verdict != XT_VERDICT_NONE;
		agree += claims[i].verdict == XT_VERDICT_AGREES;
		noise += claims[i].verdict == XT_VERDICT_NOISE;
		if (!isnan(claims[i].distance)) {
			distance += claims[i].distance;
			figures++;
		}
	}
	if (judged == 0) {
		snprintf(text, size, "Nothing is published to agree with; the table says what was measured.");
		return;
	}
	used = snprintf(text, size,
		"%u of %u published comparisons come out as published, %u disagree%s, and %u are "
		"within the noise",
		agree, judged, judged - agree - noise, judged - agree - noise == 1 ? "s" : "", noise);
	if (figures && (unsigned)used < size) {
		used += snprintf(text + used, size - (unsigned)used,
			"; the figures are %.1f percentage points from the published ones on average",
			distance / figures);
	}
	if ((unsigned)used < size) {
		snprintf(text + used, size - (unsigned)used, ".");
	}
}
