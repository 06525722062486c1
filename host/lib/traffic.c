/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/traffic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "lib/source.h"
#include "lib/traffic_weights.h"

/* The PEs by their rank under a Zipf law. */
typedef struct {
	double *below;  /* [rank]: weights of all ranks before it; one more entry: the sum of all */
	uint32_t *pe;   /* [rank], from 0 */
	uint32_t *rank; /* [pe] */
} zipf_t;

/* A pattern picks the destination of a packet of `pe`; `pes` is at least 2. */
typedef struct {
	const char *name;
	const char *summary;
	uint32_t (*destination)(const zipf_t *zipf, xt_random_t *random, uint32_t pe, uint32_t pes);
	/* The chance that `dest`, another PE, is picked, times pes - 1. */
	double (*weight)(const zipf_t *zipf, uint32_t pe, uint32_t dest, uint32_t pes);
	int ranked;
} pattern_t;

static uint32_t uniform(const zipf_t *zipf, xt_random_t *random, uint32_t pe, uint32_t pes)
{
	uint32_t other = xt_random_below(random, pes - 1);

	(void)zipf;
	return other + (other >= pe);
}

static double uniform_weight(const zipf_t *zipf, uint32_t pe, uint32_t dest, uint32_t pes)
{
	(void)zipf, (void)pe, (void)dest, (void)pes;
	return 1.0;
}

/* One draw from the ranks without that of `pe`. */
static uint32_t by_rank(const zipf_t *zipf, xt_random_t *random, uint32_t pe, uint32_t pes)
{
	uint32_t own = zipf->rank[pe], low = 0, high = pes - 1;
	double weight = zipf->below[own + 1] - zipf->below[own];
	double drawn = xt_random_unit(random) * (zipf->below[pes] - weight);

	drawn += drawn >= zipf->below[own] ? weight : 0.0;
	/* The last rank that begins at or before what was drawn. */
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (zipf->below[middle] <= drawn) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	/* Rounding at the edges of its own rank, or beyond the end. */
	if (low == own) {
		low = own + 1 < pes ? own + 1 : own - 1;
	}
	return zipf->pe[low];
}

static double weight_by_rank(const zipf_t *zipf, uint32_t pe, uint32_t dest, uint32_t pes)
{
	const double *of_pe = &zipf->below[zipf->rank[pe]], *of_dest = &zipf->below[zipf->rank[dest]];

	return (pes - 1.0) * (of_dest[1] - of_dest[0]) / (zipf->below[pes] - (of_pe[1] - of_pe[0]));
}

static const pattern_t patterns[] = {
	{"uniform", "every other PE with the same probability", uniform, uniform_weight, 0},
	{"zipf", "the PE of rank r with a probability like 1/r^s; the seed ranks the PEs", by_rank, weight_by_rank, 1},
};

enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

/* A stream of random numbers that no PE has. */
static const uint64_t rank_stream = UINT64_C(1) << 32;

static int zipf_create(zipf_t *zipf, unsigned pes, double exponent, uint64_t seed)
{
	xt_random_t random;

	zipf->below = calloc(pes + (size_t)1, sizeof(*zipf->below));
	zipf->pe = calloc(pes, sizeof(*zipf->pe));
	zipf->rank = calloc(pes, sizeof(*zipf->rank));
	if (!zipf->below || !zipf->pe || !zipf->rank) {
		return XT_ERR_NOMEM;
	}
	xt_random_seed(&random, seed, rank_stream);
	for (uint32_t r = 0; r < pes; r++) {
		uint32_t other = xt_random_below(&random, r + 1);

		zipf->below[r + 1] = zipf->below[r] + pow(r + 1.0, -exponent);
		zipf->pe[r] = zipf->pe[other];
		zipf->pe[other] = r;
	}
	for (uint32_t r = 0; r < pes; r++) {
		zipf->rank[zipf->pe[r]] = r;
	}
	return XT_OK;
}

static void zipf_free(zipf_t *zipf)
{
	free(zipf->below);
	free(zipf->pe);
	free(zipf->rank);
}

struct xt_weights {
	const pattern_t *pattern;
	zipf_t zipf; /* if the pattern is ranked */
	unsigned pes;
};

static const pattern_t *find_pattern(const char *name)
{
	for (unsigned i = 0; i < PATTERNS; i++) {
		if (strcmp(patterns[i].name, name) == 0) {
			return &patterns[i];
		}
	}
	return NULL;
}

int xt_weights_create(const xt_traffic_t *traffic, unsigned pes, xt_weights_t **out, xt_diag_t *diag)
{
	xt_weights_t *weights = calloc(1, sizeof(*weights));

	*out = weights;
	if (!weights) {
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory");
	}
	weights->pattern = find_pattern(traffic->pattern);
	weights->pes = pes;
	if (weights->pattern->ranked && zipf_create(&weights->zipf, pes, traffic->zipf_exponent, traffic->seed)) {
		xt_weights_free(weights);
		*out = NULL;
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for the ranks of %u PEs", pes);
	}
	return XT_OK;
}

void xt_weights_row(const xt_weights_t *weights, unsigned pe, double *row)
{
	for (unsigned dest = 0; dest < weights->pes; dest++) {
		row[dest] = dest == pe ? 0.0 : weights->pattern->weight(&weights->zipf, pe, dest, weights->pes);
	}
}

void xt_weights_free(xt_weights_t *weights)
{
	if (weights) {
		zipf_free(&weights->zipf);
		free(weights);
	}
}

const char *xt_pattern_list(unsigned index, const char **summary)
{
	if (index >= PATTERNS) {
		return NULL;
	}
	if (summary) {
		*summary = patterns[index].summary;
	}
	return patterns[index].name;
}

xt_traffic_t xt_traffic_default(const xt_profile_t *profile)
{
	xt_traffic_t traffic = {
		.pattern = "uniform",
		.zipf_exponent = 1.0,
		.load = 0.1,
		.tc_mask = (1u << profile->tcs) - 1,
		.packet_min = 1,
		.packet_max = profile->packet_cells,
		.warmup = 2000,
		.measure = 5000,
		.drain = 5000,
		.seed = 1,
	};

	return traffic;
}

int xt_traffic_check(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned pes, xt_diag_t *diag)
{
	if (!find_pattern(traffic->pattern)) {
		return xt_fail(diag, XT_ERR_RANGE, "traffic: pattern \"%.40s\" is not known; use %s or %s",
			traffic->pattern, patterns[0].name, patterns[1].name);
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
	if (traffic->packet_min < 1 || traffic->packet_min > traffic->packet_max ||
		traffic->packet_max > profile->packet_cells) {
		return xt_fail(diag, XT_ERR_RANGE,
			"traffic: packets of %u to %u cells are not within the 1 to %u of profile %s",
			traffic->packet_min, traffic->packet_max, profile->packet_cells, profile->name);
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
	char *stop;
	unsigned long value;

	if (*text < '0' || *text > '9') {
		return XT_ERR_INVALID;
	}
	errno = 0;
	value = strtoul(text, &stop, 10);
	if (errno || value < 1 || value > UINT16_MAX) {
		return XT_ERR_RANGE;
	}
	*cells = (unsigned)value;
	*end = stop;
	return XT_OK;
}

int xt_traffic_parse_packet(const char *text, unsigned *packet_min, unsigned *packet_max, xt_diag_t *diag)
{
	unsigned low = 0, high = 0;
	const char *rest = text;
	int status = parse_cells(text, &rest, &low);

	high = low;
	if (status == XT_OK && *rest == '-') {
		status = parse_cells(rest + 1, &rest, &high);
	}
	if (status != XT_OK || *rest || low > high) {
		return xt_fail(diag, XT_ERR_INVALID,
			"packet length \"%.40s\" is neither a number of cells like 8 nor a range like 1-32", text);
	}
	*packet_min = low;
	*packet_max = high;
	return XT_OK;
}

typedef struct {
	xt_random_t random;
	uint64_t next; /* generation of the packet that will be taken next */
	uint32_t sequence;
	uint8_t tcs; /* allowed traffic classes: how many, and which */
	uint8_t tc[XT_MAX_TCS];
} stream_t;

struct xt_source {
	const pattern_t *pattern;
	zipf_t zipf; /* if the pattern is ranked */
	unsigned pes;
	unsigned packet_min, packet_span;
	uint8_t *out_of_service; /* [pe]; NULL if there is none */
	double log_quiet;        /* log(1 - p), p the chance of a packet in a cycle; -INFINITY for p = 1 */
	stream_t *streams;
	stream_t *first; /* the streams as they began */
	uint64_t *ready_at;
};

/* Cycles to the next success of a Bernoulli process, at least 1. One draw, whatever the load. */
static uint64_t gap(const xt_source_t *source, xt_random_t *random)
{
	double quiet = floor(log1p(-xt_random_unit(random)) / source->log_quiet);

	return quiet >= 0x1p40 ? UINT64_C(1) << 40 : quiet > 0.0 ? (uint64_t)quiet + 1 : 1;
}

/* Two PEs at least must be in service. */
static int find_out_of_service(xt_source_t *source, const xt_image_t *image, xt_diag_t *diag)
{
	unsigned out = 0;

	for (unsigned pe = 0; pe < source->pes; pe++) {
		out += !xt_image_pe_in_service(image, pe);
	}
	if (out == 0) {
		return XT_OK;
	}
	if (source->pes - out < 2) {
		return xt_fail(diag, XT_ERR_INVALID,
			"traffic: %u of %u PEs are out of service: the rest has nobody to send to", out, source->pes);
	}
	source->out_of_service = calloc(source->pes, sizeof(*source->out_of_service));
	if (!source->out_of_service) {
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for %u PEs", source->pes);
	}
	for (unsigned pe = 0; pe < source->pes; pe++) {
		source->out_of_service[pe] = !xt_image_pe_in_service(image, pe);
	}
	return XT_OK;
}

int xt_source_create(const xt_traffic_t *traffic, const xt_image_t *image, xt_source_t **out, xt_diag_t *diag)
{
	unsigned pes = xt_image_pes(image);
	xt_source_t *source = calloc(1, sizeof(*source));
	double mean = 0.5 * (traffic->packet_min + traffic->packet_max);
	int status;

	*out = NULL;
	if (source) {
		source->streams = calloc(pes, sizeof(*source->streams));
		source->first = calloc(pes, sizeof(*source->first));
		source->ready_at = calloc(pes, sizeof(*source->ready_at));
	}
	if (!source || !source->streams || !source->first || !source->ready_at) {
		xt_source_free(source);
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for %u PEs", pes);
	}
	source->pattern = find_pattern(traffic->pattern);
	if (source->pattern->ranked && zipf_create(&source->zipf, pes, traffic->zipf_exponent, traffic->seed)) {
		xt_source_free(source);
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for the ranks of %u PEs", pes);
	}
	source->pes = pes;
	if ((status = find_out_of_service(source, image, diag)) != XT_OK) {
		xt_source_free(source);
		return status;
	}
	source->packet_min = traffic->packet_min;
	source->packet_span = traffic->packet_max - traffic->packet_min + 1;
	source->log_quiet = log1p(-traffic->load / mean);
	for (unsigned pe = 0; pe < pes; pe++) {
		stream_t *stream = &source->streams[pe];
		unsigned mask = xt_image_pe_tc_mask(image, pe) & traffic->tc_mask;

		if (source->out_of_service && source->out_of_service[pe]) {
			stream->next = source->ready_at[pe] = UINT64_MAX;
			continue;
		}
		for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
			if (mask >> tc & 1) {
				stream->tc[stream->tcs++] = (uint8_t)tc;
			}
		}
		if (!stream->tcs) {
			xt_source_free(source);
			return xt_fail(diag, XT_ERR_INVALID, "traffic: the image allows PE %u no traffic class%s", pe,
				xt_image_pe_tc_mask(image, pe) ? " of those chosen" : "");
		}
		xt_random_seed(&stream->random, traffic->seed, pe);
		stream->next = traffic->load > 0.0 ? gap(source, &stream->random) - 1 : UINT64_MAX;
		source->ready_at[pe] = stream->next;
	}
	memcpy(source->first, source->streams, pes * sizeof(*source->first));
	*out = source;
	return XT_OK;
}

void xt_source_free(xt_source_t *source)
{
	if (source) {
		free(source->streams);
		free(source->first);
		free(source->ready_at);
		free(source->out_of_service);
		zipf_free(&source->zipf);
		free(source);
	}
}

const uint64_t *xt_source_ready_at(const xt_source_t *source)
{
	return source->ready_at;
}

/* Draws again for a PE that is out of service; after some tries, which a pattern may have spent on the same
 * PE, the next one that is not. */
static uint32_t destination(const xt_source_t *source, stream_t *stream, uint32_t pe)
{
	uint32_t dest = 0;

	for (unsigned tries = 0; tries < 64; tries++) {
		dest = source->pattern->destination(&source->zipf, &stream->random, pe, source->pes);
		if (!source->out_of_service || !source->out_of_service[dest]) {
			return dest;
		}
	}
	while (source->out_of_service[dest] || dest == pe) {
		dest = (dest + 1) % source->pes;
	}
	return dest;
}

static void draw(const xt_source_t *source, stream_t *stream, uint32_t pe, xt_packet_t *packet)
{
	packet->generated = stream->next;
	packet->source = pe;
	packet->sequence = stream->sequence++;
	packet->tc = stream->tc[xt_random_below(&stream->random, stream->tcs)];
	packet->destination = destination(source, stream, pe);
	packet->cells = (uint16_t)(source->packet_min + xt_random_below(&stream->random, source->packet_span));
	stream->next += gap(source, &stream->random);
}

void xt_source_take(xt_source_t *source, unsigned pe, xt_packet_t *packet)
{
	stream_t *stream = &source->streams[pe];

	draw(source, stream, pe, packet);
	source->ready_at[pe] = stream->next;
}

void xt_source_stop(xt_source_t *source)
{
	for (unsigned pe = 0; pe < source->pes; pe++) {
		source->ready_at[pe] = UINT64_MAX;
	}
}

void xt_source_offered(const xt_source_t *source, uint64_t from, uint64_t to, uint64_t *packets, uint64_t *cells)
{
	xt_packet_t packet;

	*packets = 0;
	*cells = 0;
	for (unsigned pe = 0; pe < source->pes; pe++) {
		stream_t stream = source->first[pe];

		while (stream.next < to) {
			draw(source, &stream, pe, &packet);
			if (packet.generated >= from) {
				++*packets;
				*cells += packet.cells;
			}
		}
	}
}
