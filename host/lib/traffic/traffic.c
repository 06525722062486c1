/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "matrix_rows.h"
#include "pattern.h"

static const char *const arrivals_names[] = {"bernoulli", "poisson"};

enum { ARRIVALS = sizeof(arrivals_names) / sizeof(arrivals_names[0]) };

int xt_arrivals_parse(const char *name, xt_arrivals_t *arrivals, xt_diag_t *diag)
{
	for (unsigned i = 0; i < ARRIVALS; i++) {
		if (strcmp(arrivals_names[i], name) == 0) {
			*arrivals = (xt_arrivals_t)i;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_RANGE, "traffic: arrivals \"%.40s\" are not known; use bernoulli or poisson", name);
}

const char *xt_arrivals_name(xt_arrivals_t arrivals)
{
	return arrivals_names[arrivals];
}

double xt_lengths_mean(const xt_lengths_t *lengths)
{
	double part = lengths->min_share > 0.0 ? lengths->min_share : 0.5;

	return part * lengths->min + (1.0 - part) * lengths->max;
}

xt_traffic_t xt_traffic_default(const xt_profile_t *profile)
{
	xt_traffic_t traffic = {
		.pattern = "uniform",
		.zipf_exponent = 1.0,
		.load = 0.1,
		.tc_mask = (1u << profile->tcs) - 1,
		.length = {.min = 1, .max = profile->packet_cells},
		.warmup = 2000,
		.measure = 5000,
		.drain = 5000,
		.seed = 1,
	};

	return traffic;
}

static int check_pattern(const xt_traffic_t *traffic, const char *name, unsigned pes, xt_diag_t *diag)
{
	char names[256];

	if (!xt_pattern_known(name)) {
		xt_pattern_names(names, sizeof(names));
		return xt_fail(diag, XT_ERR_RANGE, "traffic: pattern \"%.40s\" is not known; use %s", name, names);
	}
	if (strcmp(name, "matrix") != 0) {
		return XT_OK;
	}
	if (!traffic->matrix) {
		return xt_fail(diag, XT_ERR_INVALID, "traffic: pattern matrix needs a file src,dst,weight");
	}
	if (xt_matrix_ends(traffic->matrix) != pes) {
		return xt_fail(diag, XT_ERR_MISMATCH, "traffic: the matrix is for %u ends, the network has %u PEs",
			xt_matrix_ends(traffic->matrix), pes);
	}
	return XT_OK;
}

static int check_lengths(const xt_lengths_t *lengths, const xt_profile_t *profile, xt_diag_t *diag)
{
	if (lengths->min < 1 || lengths->min > lengths->max || lengths->max > profile->packet_cells) {
		return xt_fail(diag, XT_ERR_RANGE,
			"traffic: packets of %u to %u cells are not within the 1 to %u of profile %s", lengths->min,
			lengths->max, profile->packet_cells, profile->name);
	}
	if (!(lengths->min_share >= 0.0 && lengths->min_share < 1.0)) {
		return xt_fail(diag, XT_ERR_RANGE, "traffic: a share of %g of the short packets is not in 0 .. 1",
			lengths->min_share);
	}
	return XT_OK;
}

static int check_mix(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned pes, xt_diag_t *diag)
{
	unsigned seen = 0;
	int status = XT_OK;

	for (unsigned i = 0; i < traffic->mix_count && status == XT_OK; i++) {
		const xt_tc_mix_t *mix = &traffic->mix[i];

		if (mix->tc >= profile->tcs || seen >> mix->tc & 1) {
			return xt_fail(diag, XT_ERR_RANGE,
				mix->tc >= profile->tcs ? "traffic: TC %u of the mix is not one of the %u of profile %s"
							: "traffic: TC %u is in the mix twice",
				mix->tc, profile->tcs, profile->name);
		}
		if (!(mix->share > 0.0) || isinf(mix->share)) {
			return xt_fail(diag, XT_ERR_RANGE, "traffic: the share %g of TC %u is not above 0", mix->share,
				mix->tc);
		}
		seen |= 1u << mix->tc;
		if (mix->pattern) {
			status = check_pattern(traffic, mix->pattern, pes, diag);
		}
		if (status == XT_OK && mix->length.max) {
			status = check_lengths(&mix->length, profile, diag);
		}
	}
	return status;
}

int xt_traffic_check(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned pes, xt_diag_t *diag)
{
	int status;

	if ((status = check_pattern(traffic, traffic->pattern, pes, diag)) != XT_OK) {
		return status;
	}
	if (!(traffic->zipf_exponent >= 0.0 && traffic->zipf_exponent <= XT_MAX_ZIPF_EXPONENT)) {
		return xt_fail(diag, XT_ERR_RANGE, "traffic: an exponent of %g is not in 0 .. %g",
			traffic->zipf_exponent, XT_MAX_ZIPF_EXPONENT);
	}
	if (pes < 2) {
		return xt_fail(diag, XT_ERR_INVALID, "traffic: a network of %u PE has nobody to send to", pes);
	}
	if (!(traffic->load >= 0.0 && traffic->load <= 1.0)) {
		return xt_fail(diag, XT_ERR_RANGE, "traffic: load %g is not in 0 .. 1 (fraction of the NIC bandwidth)",
			traffic->load);
	}
	if ((status = check_lengths(&traffic->length, profile, diag)) != XT_OK ||
		(status = check_mix(traffic, profile, pes, diag)) != XT_OK) {
		return status;
	}
	if (traffic->measure == 0) {
		return xt_fail(diag, XT_ERR_RANGE, "traffic: the measurement window must have at least 1 cycle");
	}
	if (traffic->warmup > UINT32_MAX || traffic->measure > UINT32_MAX || traffic->drain > UINT32_MAX) {
		return xt_fail(diag, XT_ERR_RANGE,
			"traffic: warm-up, measurement and drain are limited to 2^32 - 1 cycles each");
	}
	return XT_OK;
}

static int parse_cells(const char *text, const char **end, unsigned *cells)
{
	uint64_t value = 0;
	int status = xt_number_take(&text, UINT16_MAX, &value);

	*cells = (unsigned)value;
	*end = text;
	return status == XT_OK && value < 1 ? XT_ERR_RANGE : status;
}

/* A number above 0 and, unless `limit` is 0, below it; *end is moved past it. */
static int parse_positive(const char *text, const char **end, double limit, double *value)
{
	int status = xt_real_take(&text, value);

	*end = text;
	return status == XT_OK && *value > 0.0 && (limit == 0.0 || *value < limit) ? XT_OK : XT_ERR_RANGE;
}

int xt_lengths_parse(const char *text, xt_lengths_t *lengths, xt_diag_t *diag)
{
	xt_lengths_t found = {0};
	const char *rest = text;
	int status = parse_cells(text, &rest, &found.min);

	found.max = found.min;
	if (status == XT_OK && (*rest == '-' || *rest == '/')) {
		found.min_share = *rest == '/' ? 0.5 : 0.0;
		status = parse_cells(rest + 1, &rest, &found.max);
		if (status == XT_OK && found.min_share > 0.0 && *rest == ':') {
			status = parse_positive(rest + 1, &rest, 1.0, &found.min_share);
		}
	}
	if (status != XT_OK || *rest || found.min > found.max) {
		return xt_fail(diag, XT_ERR_INVALID,
			"packet length \"%.40s\" is neither a number of cells like 8, nor a range like 1-32, nor two "
			"lengths like 1/32 or 1/32:0.8, the shorter one with its share",
			text);
	}
	*lengths = found;
	return XT_OK;
}

void xt_lengths_write(const xt_lengths_t *lengths, char *text, unsigned size)
{
	XT_POINT_IN_FRACTIONS;
	if (lengths->min_share > 0.0) {
		snprintf(text, size, "%u/%u:%g", lengths->min, lengths->max, lengths->min_share);
	} else if (lengths->min == lengths->max) {
		snprintf(text, size, "%u", lengths->min);
	} else {
		snprintf(text, size, "%u-%u", lengths->min, lengths->max);
	}
}

int xt_mix_parse(const char *text, xt_tc_mix_t *mix, xt_diag_t *diag)
{
	xt_tc_mix_t found = {0};
	const char *rest = text;
	char name[32] = "";
	size_t length;
	int status = XT_ERR_INVALID;

	if (text[0] >= '0' && text[0] < '0' + XT_MAX_TCS && text[1] == '=') {
		found.tc = (unsigned)(text[0] - '0');
		status = parse_positive(text + 2, &rest, 0.0, &found.share);
	}
	if (status == XT_OK && *rest == ',') {
		length = strcspn(rest + 1, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, rest + 1);
		rest += 1 + length;
		for (unsigned i = 0; !found.pattern && xt_pattern_list(i, NULL); i++) {
			found.pattern = strcmp(xt_pattern_list(i, NULL), name) == 0 ? xt_pattern_list(i, NULL) : NULL;
		}
		if (!found.pattern) {
			return xt_fail(diag, XT_ERR_RANGE, "mix \"%.60s\": pattern \"%s\" is not known", text, name);
		}
		if (*rest == ',') {
			if ((status = xt_lengths_parse(rest + 1, &found.length, diag)) != XT_OK) {
				return status;
			}
			rest = "";
		}
	}
	if (status != XT_OK || *rest) {
		return xt_fail(diag, XT_ERR_INVALID,
			"mix \"%.60s\" is not TC=SHARE, TC=SHARE,PATTERN or TC=SHARE,PATTERN,LENGTHS, like "
			"1=0.2,tornado,1/32:0.8",
			text);
	}
	*mix = found;
	return XT_OK;
}
