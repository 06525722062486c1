/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "reproduce.h"

typedef struct {
	double value, ci95;
} figure_t;

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
static figure_t saturation(const xt_curve_t *curve)
{
	xt_summary_t m = at(curve, curve->sweep->load_count - 1);

	return (figure_t){m.accepted.mean * curve->width, m.accepted.ci95 * curve->width};
}

/* Mean over the loads at which neither is saturated, of which there are *loads. */
static figure_t latency(const xt_curve_t *curve, const xt_curve_t *other, unsigned most, unsigned *loads)
{
	figure_t figure = {0.0, 0.0};

	*loads = 0;
	for (unsigned l = 0; l < curve->sweep->load_count && l < other->sweep->load_count && *loads < most; l++) {
		xt_summary_t a = at(curve, l), b = at(other, l);

		if (!xt_sweep_saturated(&a) && !xt_sweep_saturated(&b)) {
			figure.value += a.network_packet.mean;
			figure.ci95 += a.network_packet.ci95;
			++*loads;
		}
	}
	figure.value /= *loads;
	figure.ci95 /= *loads;
	return figure;
}

/* Of the internal links, at the lowest load. */
static figure_t internal_load(const xt_curve_t *curve)
{
	xt_summary_t m = at(curve, 0);

	return (figure_t){m.internal.mean, m.internal.ci95};
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

/* Per cent by which the winner is better; the noise likewise, not a number if it is not known. */
static void compare(figure_t winner, figure_t loser, int more_is_better, double *percent, double *noise)
{
	double ratio = winner.value / loser.value;
	double relative = hypot(winner.ci95 / winner.value, loser.ci95 / loser.value);

	*percent = 100.0 * (more_is_better ? ratio - 1.0 : 1.0 - ratio);
	*noise = 100.0 * ratio * relative;
}

static void judge(const json_t *claim, double percent, double noise, xt_claim_t *out)
{
	const json_t *published = json_object_get(claim, "percent");

	if (json_is_number(published)) {
		snprintf(out->published, sizeof(out->published), "%+.0f %%", json_number_value(published));
		out->distance = fabs(percent - json_number_value(published));
	} else if (!out->published[0]) {
		snprintf(out->published, sizeof(out->published), "%s",
			json_is_true(json_object_get(claim, "unpublished")) ? "none" : "better");
	}
	if (json_is_true(json_object_get(claim, "unpublished"))) {
		out->verdict = XT_VERDICT_NONE;
	} else if (fabs(percent) < noise) {
		out->verdict = XT_VERDICT_NOISE;
	} else {
		out->verdict = percent > 0.0 ? XT_VERDICT_AGREES : XT_VERDICT_DISAGREES;
	}
}

/* The analytic model's answer to the same question, at the lowest load, in the place of a published figure. */
static int use_analytic(
	const xt_curve_t *winner, const xt_curve_t *loser, double percent, double noise, xt_claim_t *out)
{
	double expected = 100.0 * (1.0 - winner->analytic[0] / loser->analytic[0]);

	if (!winner->has_analytic || !loser->has_analytic) {
		return 0;
	}
	snprintf(out->published, sizeof(out->published), "%+.1f %% (%.1f, %.1f)", expected, winner->analytic[0],
		loser->analytic[0]);
	out->distance = fabs(percent - expected);
	out->verdict = (percent > 0) == (expected > 0) ? XT_VERDICT_AGREES
		       : fabs(percent) < noise         ? XT_VERDICT_NOISE
						       : XT_VERDICT_DISAGREES;
	return 1;
}

static int relation(
	const json_t *claim, const char *metric, const xt_curve_t *winner, const xt_curve_t *loser, xt_claim_t *out)
{
	int more = strcmp(metric, "throughput") == 0;
	int decimals = more || strcmp(metric, "internal load") == 0 ? 4 : 1;
	unsigned loads = 1;
	double percent, noise;
	figure_t a, b;

	if (more) {
		a = throughput(winner);
		b = throughput(loser);
	} else if (strcmp(metric, "internal load") == 0) {
		a = internal_load(winner);
		b = internal_load(loser);
	} else {
		unsigned most = strcmp(metric, "latency") == 0 ? XT_MOST_LOADS : 1;

		a = latency(winner, loser, most, &loads);
		b = latency(loser, winner, most, &loads);
	}
	snprintf(out->text, sizeof(out->text), "%s %s: %s than %s", more ? "more" : "less", metric, winner->label,
		loser->label);
	if (loads == 0) {
		snprintf(out->ours, sizeof(out->ours), "saturated at every load");
		out->verdict = XT_VERDICT_NONE;
		return 1;
	}
	compare(a, b, more, &percent, &noise);
	if (isnan(noise)) {
		snprintf(out->ours, sizeof(out->ours), "%+.1f %% (%.*f, %.*f)", percent, decimals, a.value, decimals,
			b.value);
	} else {
		snprintf(out->ours, sizeof(out->ours), "%+.1f +-%.1f %% (%.*f, %.*f)", percent, noise, decimals,
			a.value, decimals, b.value);
	}
	if (json_is_string(json_object_get(claim, "percent"))) {
		return use_analytic(winner, loser, percent, noise, out);
	}
	judge(claim, percent, noise, out);
	return 1;
}

/* A figure by itself: at least so much, or near a published one, of which the sign says nothing. */
static int single(const json_t *claim, const char *metric, const xt_curve_t *curve, xt_claim_t *out)
{
	figure_t figure = strcmp(metric, "saturation") == 0 ? saturation(curve) : throughput(curve);
	const json_t *least = json_object_get(claim, "at_least"), *value = json_object_get(claim, "value");

	snprintf(out->text, sizeof(out->text), "%s of %s",
		strcmp(metric, "saturation") == 0 ? "accepted in saturation" : metric, curve->label);
	snprintf(out->ours, sizeof(out->ours), isnan(figure.ci95) ? "%.4f" : "%.4f +-%.4f", figure.value, figure.ci95);
	if (json_is_number(least)) {
		snprintf(out->published, sizeof(out->published), "at least %.2f", json_number_value(least));
		out->verdict = figure.value >= json_number_value(least) ? XT_VERDICT_AGREES : XT_VERDICT_DISAGREES;
		return 1;
	}
	if (!json_is_number(value)) {
		return 0;
	}
	snprintf(out->published, sizeof(out->published), "%.4f (limit %.4f)", json_number_value(value),
		json_number_value(json_object_get(claim, "limit")));
	out->distance = 100.0 * fabs(figure.value / json_number_value(value) - 1.0);
	out->verdict = XT_VERDICT_NONE;
	return 1;
}

int xt_claim_make(const json_t *claim, const xt_curve_t *curves, unsigned count, xt_claim_t *out, xt_diag_t *diag)
{
	const xt_curve_t *winner = find(curves, count, json_object_get(claim, "winner"));
	const xt_curve_t *loser = find(curves, count, json_object_get(claim, "loser"));
	const xt_curve_t *of = find(curves, count, json_object_get(claim, "of"));
	const char *metric = json_string_value(json_object_get(claim, "metric"));

	*out = (xt_claim_t){.distance = NAN};
	if (metric && ((winner && loser && relation(claim, metric, winner, loser, out)) ||
			      (of && single(claim, metric, of, out)))) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_FORMAT, "experiments: a claim about %.40s names no metric or no curve of its group",
		metric ? metric : "nothing");
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
