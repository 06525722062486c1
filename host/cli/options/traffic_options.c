/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WARMUP = 20000 };

/* FIRST:LAST:STEP */
static unsigned parse_range(struct argp_state *state, char *words, double *loads, unsigned most)
{
	const char *begin = strsep(&words, ":"), *end = strsep(&words, ":");
	double first, last, step;
	unsigned count = 0;

	if (!end || !words) {
		argp_error(state, "--load: write a range as FIRST:LAST:STEP, like 0.1:0.9:0.2");
		return 0;
	}
	first = xt_parse_real(state, "load", begin, 0.0, 1.0);
	last = xt_parse_real(state, "load", end, 0.0, 1.0);
	step = xt_parse_real(state, "load", words, 1e-9, 1.0);
	if (last < first) {
		argp_error(state, "--load: the range ends at %s, below its begin, %s; write %s:%s:%s", end, begin, end,
			begin, words);
		return 0;
	}
	while (count < most && first + count * step < last + 1e-9) {
		/* The last decimals of a product are noise, which would be part of a result's name. */
		loads[count] = round((first + count * step) * 1e9) / 1e9;
		count++;
	}
	return first + count * step < last + 1e-9 ? most + 1 : count;
}

unsigned xt_parse_loads(struct argp_state *state, const char *arg, double *loads, unsigned most)
{
	char *copy = strdup(arg), *rest = copy;
	unsigned count = 0;

	if (!copy) {
		argp_failure(state, XT_EXIT_USAGE, errno, "--load");
		return 0;
	}
	if (strchr(arg, ':')) {
		count = parse_range(state, copy, loads, most);
	} else {
		while (rest && count <= most) {
			double load = xt_parse_real(state, "load", strsep(&rest, ","), 0.0, 1.0);

			if (count++ < most) {
				loads[count - 1] = load;
			}
		}
	}
	if (count > most) {
		argp_error(state, "--load: more than %u loads", most);
	}
	free(copy);
	return count;
}

static void take_patterns(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	xt_traffic_options_t *o = options;
	char *rest = NULL;

	free(o->pattern_words);
	o->pattern_words = strdup(arg);
	o->pattern_count = 0;
	for (char *word = strtok_r(o->pattern_words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (o->pattern_count == XT_MOST_PATTERNS) {
			argp_error(state, "--%s: at most %d patterns", option->name, XT_MOST_PATTERNS);
			return;
		}
		o->patterns[o->pattern_count++] = word;
	}
}

static void take_tcs(struct argp_state *state, const xt_option_t *option, char *arg, void *mask)
{
	for (const char *text = arg;; text += 2) {
		if (*text < '0' || *text >= '0' + XT_MAX_TCS || (text[1] && text[1] != ',')) {
			argp_error(state, "--%s: \"%s\" is not a list of traffic classes from 0 to %d, like 0,1",
				option->name, arg, XT_MAX_TCS - 1);
			return;
		}
		*(unsigned *)mask |= 1u << (*text - '0');
		if (!text[1]) {
			return;
		}
	}
}

static void take_arrivals(struct argp_state *state, const xt_option_t *option, char *arg, void *arrivals)
{
	xt_diag_t diag;

	if (xt_arrivals_parse(arg, arrivals, &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

static void take_lengths(struct argp_state *state, const xt_option_t *option, char *arg, void *lengths)
{
	xt_diag_t diag;

	if (xt_lengths_parse(arg, lengths, &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

static void take_mix(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	xt_traffic_options_t *o = options;
	xt_diag_t diag;

	if (o->mix_count == XT_MAX_TCS) {
		argp_error(state, "--%s: at most %d traffic classes", option->name, XT_MAX_TCS);
	} else if (xt_mix_parse(arg, &o->mix[o->mix_count++], &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

/* N, auto or auto:MOST. */
static void take_warmup(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	xt_traffic_options_t *o = options;
	size_t word = strlen("auto");

	o->detect_warmup = strncmp(arg, "auto", word) == 0 && (!arg[word] || arg[word] == ':');
	if (!o->detect_warmup) {
		o->warmup = xt_parse_number(state, option->name, arg, 0, UINT32_MAX);
	} else {
		o->warmup = arg[word] ? xt_parse_number(state, "warmup auto", arg + word + 1, 1, UINT32_MAX)
				      : LONGEST_WARMUP;
	}
}

static void check(struct argp_state *state, const void *options)
{
	const xt_traffic_options_t *o = options;

	if (o->mix_count && o->tc_mask) {
		argp_error(state, "--mix says which traffic classes are used; leave --tc out");
	}
}

static const xt_option_t option_list[] = {
	{"traffic", "PATTERN",
		"Which PEs packets go to, see below: uniform (default), zipf, zipf-common, hot-region, bit-complement, "
		"bit-reversal, shuffle, transpose, tornado, neighbor, nearest or matrix",
		.take = take_patterns},
	{"zipf-exponent", "S", "Of patterns zipf and zipf-common: the exponent (default 1)",
		.value = XT_AT(xt_traffic_options_t, zipf_exponent), .most = XT_MAX_ZIPF_EXPONENT},
	{"matrix", "FILE",
		"Of pattern matrix, which this implies: CSV with the line src,dst,weight, then one for each pair of "
		"PEs",
		.value = XT_AT(xt_traffic_options_t, matrix_path)},
	{"arrivals", "NAME", "bernoulli (default), a chance in every cycle, or poisson, at random points of time",
		.value = XT_AT(xt_traffic_options_t, arrivals), .take = take_arrivals},
	{"tc", "N[,N...]", "Traffic classes to use, of those that the image allows each PE, equally (default: all)",
		.value = XT_AT(xt_traffic_options_t, tc_mask), .take = take_tcs},
	{"mix", "TC=SHARE[,PATTERN[,CELLS]]",
		"Share of the cells, pattern and lengths of a traffic class, the only ones used; may be repeated",
		.take = take_mix},
	{"packet", "CELLS",
		"Cells per packet: N, uniform A-B, or two lengths A/B:P with the chance P of A (default: 1 to the "
		"profile's longest)",
		.value = XT_AT(xt_traffic_options_t, length), .take = take_lengths},
	{.doc = "Cycles:", .group = 1},
	{"warmup", "N|auto[:MOST]",
		"Cycles before the measurement (default 2000); auto: until delivered cells and latency are steady by "
		"the rule MSER-5, at most MOST (20000)",
		.take = take_warmup, .mark = XT_AT(xt_traffic_options_t, has_warmup)},
	{"measure", "N", "Cycles whose packets are measured (default 5000)",
		.value = XT_AT(xt_traffic_options_t, measure), .max = UINT32_MAX,
		.mark = XT_AT(xt_traffic_options_t, has_measure)},
	{"drain", "N",
		"After the measurement traffic goes on until the measured packets are delivered, for at most N cycles "
		"(default: as --measure); then the network empties",
		.value = XT_AT(xt_traffic_options_t, drain), .max = UINT32_MAX,
		.mark = XT_AT(xt_traffic_options_t, has_drain)},
	{0},
};

/* The patterns at the end of the help, from their own list. */
static char *help(int key, const char *text, void *input)
{
	const char *name, *summary;
	char *list = NULL;
	size_t size;
	FILE *out;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC || !(out = open_memstream(&list, &size))) {
		return (char *)text;
	}
	fprintf(out, "Patterns of N PEs:\n");
	for (unsigned i = 0; (name = xt_pattern_list(i, &summary)); i++) {
		fprintf(out, "  %-15s%s\n", name, summary);
	}
	fprintf(out, "Permutations are those of Dally and Towles (2004), table 3.1; coordinates are of the node, the "
		     "place in the node stays. A PE that would send to itself sends nothing.\n");
	fclose(out);
	return list;
}

const xt_syntax_t xt_traffic_syntax = {.options = option_list, .check = check, .doc = "\v ", .help_filter = help};

int xt_traffic_options_read(xt_traffic_options_t *o, unsigned pes, xt_diag_t *diag)
{
	if (!o->matrix_path) {
		return XT_OK;
	}
	if (o->pattern_count == 0) {
		o->patterns[o->pattern_count++] = "matrix";
	}
	xt_traffic_matrix_free(o->matrix);
	return xt_traffic_matrix_read(o->matrix_path, pes, &o->matrix, diag);
}

void xt_traffic_options_free(xt_traffic_options_t *o)
{
	xt_traffic_matrix_free(o->matrix);
	free(o->pattern_words);
}

xt_traffic_t xt_traffic_from_options(
	const xt_traffic_options_t *o, const xt_profile_t *profile, unsigned index, double load, uint64_t seed)
{
	xt_traffic_t traffic = xt_traffic_default(profile);

	traffic.pattern = index < o->pattern_count ? o->patterns[index] : traffic.pattern;
	traffic.zipf_exponent = o->zipf_exponent;
	traffic.matrix = o->matrix;
	traffic.arrivals = o->arrivals;
	traffic.tc_mask = o->tc_mask ? o->tc_mask : traffic.tc_mask;
	traffic.load = load;
	traffic.length = o->length.max ? o->length : traffic.length;
	traffic.mix = o->mix_count ? o->mix : NULL;
	traffic.mix_count = o->mix_count;
	traffic.warmup = o->has_warmup ? o->warmup : traffic.warmup;
	traffic.detect_warmup = o->detect_warmup;
	traffic.measure = o->has_measure ? o->measure : traffic.measure;
	traffic.drain = o->has_drain ? o->drain : traffic.measure;
	traffic.seed = seed;
	return traffic;
}

static void add_lengths(const xt_lengths_t *lengths, json_t *object)
{
	json_object_set_new(object, "packet_min", json_integer(lengths->min));
	json_object_set_new(object, "packet_max", json_integer(lengths->max));
	if (lengths->min_share > 0.0) {
		json_object_set_new(object, "packet_min_share", json_real(lengths->min_share));
	}
}

static json_t *mix_json(const xt_traffic_t *t)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < t->mix_count; i++) {
		const xt_tc_mix_t *mix = &t->mix[i];
		json_t *object = json_pack("{s:i, s:f, s:s}", "tc", (int)mix->tc, "share", mix->share, "traffic",
			mix->pattern ? mix->pattern : t->pattern);

		add_lengths(mix->length.max ? &mix->length : &t->length, object);
		json_array_append_new(list, object);
	}
	return list;
}

static int is_zipf(const char *pattern)
{
	return pattern && strncmp(pattern, "zipf", 4) == 0;
}

void xt_traffic_json(const xt_traffic_t *t, json_t *object)
{
	int zipf = is_zipf(t->pattern);

	for (unsigned i = 0; i < t->mix_count; i++) {
		zipf = zipf || is_zipf(t->mix[i].pattern);
	}
	json_object_set_new(object, "traffic", json_string(t->pattern));
	if (zipf) {
		json_object_set_new(object, "zipf_exponent", json_real(t->zipf_exponent));
	}
	json_object_set_new(object, "arrivals", json_string(xt_arrivals_name(t->arrivals)));
	json_object_set_new(object, "load", json_real(t->load));
	add_lengths(&t->length, object);
	if (t->mix_count) {
		json_object_set_new(object, "mix", mix_json(t));
	}
	json_object_set_new(object, "warmup", json_integer((json_int_t)t->warmup));
	json_object_set_new(object, "measure", json_integer((json_int_t)t->measure));
	json_object_set_new(object, "drain", json_integer((json_int_t)t->drain));
	json_object_set_new(object, "seed", json_integer((json_int_t)t->seed));
}
