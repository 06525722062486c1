/* SPDX-License-Identifier: Apache-2.0 */
#include "packet_generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "extorus/random.h"
#include "matrix_rows.h"
#include "pattern.h"

/* What packets of a traffic class are like. */
typedef struct {
	double share; /* of the cells */
	const xt_pattern_t *pattern;
	xt_lengths_t length;
	double mean; /* cells */
} class_t;

typedef struct {
	xt_random_t random;
	uint64_t next;    /* generation of the packet that will be taken next */
	double time;      /* of Poisson arrivals; `next` is the cycle that it falls into */
	double rate;      /* packets per cycle */
	double log_quiet; /* log(1 - rate); -INFINITY for 1 */
	uint32_t sequence;
	uint8_t tcs; /* classes with packets: how many, which, and the chance of those up to each */
	uint8_t tc[XT_MAX_TCS];
	double up_to[XT_MAX_TCS];
} stream_t;

struct xt_source {
	unsigned pes;
	xt_arrivals_t arrivals;
	class_t classes[XT_MAX_TCS]; /* share 0: not used */
	xt_pattern_t *patterns[XT_MAX_TCS + 1];
	uint8_t *out_of_service; /* [pe]; NULL if there is none */
	stream_t *streams;
	stream_t *first; /* the streams as they began */
	uint64_t *ready_at;
};

static const uint64_t never_soon = UINT64_C(1) << 40;

/* To the next packet, which begins at cycle `next`. One draw, whatever the load. */
static void advance(const xt_source_t *source, stream_t *stream)
{
	double drawn = log1p(-xt_random_unit(&stream->random));

	if (source->arrivals == XT_ARRIVALS_POISSON) {
		stream->time -= drawn / stream->rate;
		stream->next = stream->time < 0x1p62 ? (uint64_t)stream->time : UINT64_C(1) << 62;
		return;
	}
	/* Cycles to the next success of a Bernoulli process, at least 1. */
	drawn = floor(drawn / stream->log_quiet);
	stream->next += drawn >= (double)never_soon ? never_soon : drawn > 0.0 ? (uint64_t)drawn + 1 : 1;
}

static void begin(const xt_source_t *source, stream_t *stream)
{
	if (source->arrivals == XT_ARRIVALS_BERNOULLI) {
		stream->next = UINT64_MAX; /* a chance in cycle 0 too */
	}
	advance(source, stream);
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

/* The nodes of the image's network; dimensions 0 if it has no coordinates. */
static int find_grid(const xt_image_t *image, xt_grid_t *grid, xt_diag_t *diag)
{
	xt_topology_t *topology;
	int status = xt_image_parse_topology(image, &topology, diag);

	*grid = (xt_grid_t){0};
	if (status != XT_OK) {
		return status;
	}
	grid->dimensions = xt_topology_dimensions(topology);
	grid->pes_per_node = xt_image_pes(image);
	for (unsigned d = 0; d < grid->dimensions; d++) {
		grid->radix[d] = xt_topology_radix(topology, d);
		grid->pes_per_node /= grid->radix[d];
	}
	xt_topology_free(topology);
	return XT_OK;
}

static int make_pattern(
	const xt_traffic_t *traffic, const char *name, const xt_image_t *image, xt_pattern_t **out, xt_diag_t *diag)
{
	xt_grid_t grid;
	int status = xt_pattern_needs_grid(name) ? find_grid(image, &grid, diag) : XT_OK;

	if (status != XT_OK) {
		return status;
	}
	return xt_pattern_create(
		traffic, name, xt_image_pes(image), xt_pattern_needs_grid(name) ? &grid : NULL, out, diag);
}

static int make_classes(xt_source_t *source, const xt_traffic_t *traffic, const xt_image_t *image, xt_diag_t *diag)
{
	int status = make_pattern(traffic, traffic->pattern, image, &source->patterns[XT_MAX_TCS], diag);

	for (unsigned tc = 0; tc < XT_MAX_TCS && !traffic->mix_count && status == XT_OK; tc++) {
		source->classes[tc] = (class_t){.share = traffic->tc_mask >> tc & 1,
			.pattern = source->patterns[XT_MAX_TCS],
			.length = traffic->length};
	}
	for (unsigned i = 0; i < traffic->mix_count && status == XT_OK; i++) {
		const xt_tc_mix_t *mix = &traffic->mix[i];
		class_t *class = &source->classes[mix->tc];

		if (mix->pattern) {
			status = make_pattern(traffic, mix->pattern, image, &source->patterns[mix->tc], diag);
		}
		class->share = mix->share;
		class->pattern = source->patterns[mix->pattern ? mix->tc : XT_MAX_TCS];
		class->length = mix->length.max ? mix->length : traffic->length;
	}
	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		source->classes[tc].mean = xt_lengths_mean(&source->classes[tc].length);
	}
	return status;
}

/* A matrix names PEs, which must be there. */
static int check_matrix(const xt_source_t *source, const xt_traffic_t *traffic, xt_diag_t *diag)
{
	for (unsigned pe = 0; traffic->matrix && source->out_of_service && pe < source->pes; pe++) {
		if (source->out_of_service[pe] && xt_matrix_uses(traffic->matrix, pe)) {
			return xt_fail(diag, XT_ERR_INVALID,
				"traffic: the matrix has traffic of PE %u, which is out of service; leave its lines "
				"out",
				pe);
		}
	}
	return XT_OK;
}

/* Of a class's packets, how many a PE sends: none to itself or to one that is out of service. */
static double part_sent(const xt_source_t *source, const class_t *class, unsigned pe)
{
	uint32_t target = xt_pattern_target(class->pattern, pe);

	if (target != XT_NO_PE && source->out_of_service && source->out_of_service[target]) {
		return 0.0;
	}
	return xt_pattern_share(class->pattern, pe);
}

/* The classes that `mask` allows, and how many packets of each. */
static void share_out(const xt_source_t *source, stream_t *stream, unsigned pe, unsigned mask, double load)
{
	double all = 0.0;

	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		all += mask >> tc & 1 ? source->classes[tc].share : 0.0;
	}
	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		const class_t *class = &source->classes[tc];
		double rate = mask >> tc & 1 && class->share > 0.0
				      ? load * class->share / all / class->mean * part_sent(source, class, pe)
				      : 0.0;

		if (rate > 0.0) {
			stream->rate += rate;
			stream->up_to[stream->tcs] = stream->rate;
			stream->tc[stream->tcs++] = (uint8_t)tc;
		}
	}
	for (unsigned i = 0; i < stream->tcs; i++) {
		stream->up_to[i] /= stream->rate;
	}
	stream->log_quiet = log1p(-(stream->rate < 1.0 ? stream->rate : 1.0));
}

static int make_stream(
	xt_source_t *source, const xt_traffic_t *traffic, const xt_image_t *image, unsigned pe, xt_diag_t *diag)
{
	stream_t *stream = &source->streams[pe];
	unsigned used = 0, mask = xt_image_pe_tc_mask(image, pe);

	stream->next = UINT64_MAX;
	if (source->out_of_service && source->out_of_service[pe]) {
		return XT_OK;
	}
	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		used |= source->classes[tc].share > 0.0 ? 1u << tc : 0;
	}
	if (!(mask & used)) {
		return xt_fail(diag, XT_ERR_INVALID, "traffic: the image allows PE %u no traffic class%s", pe,
			mask ? " of those chosen" : "");
	}
	xt_random_seed(&stream->random, traffic->seed, pe);
	share_out(source, stream, pe, mask & used, traffic->load);
	if (stream->tcs) {
		begin(source, stream);
	}
	return XT_OK;
}

int xt_source_create(const xt_traffic_t *traffic, const xt_image_t *image, xt_source_t **out, xt_diag_t *diag)
{
	unsigned pes = xt_image_pes(image);
	xt_source_t *source = calloc(1, sizeof(*source));
	int status;

	*out = NULL;
	if (source) {
		source->pes = pes;
		source->arrivals = traffic->arrivals;
		source->streams = calloc(pes, sizeof(*source->streams));
		source->first = calloc(pes, sizeof(*source->first));
		source->ready_at = calloc(pes, sizeof(*source->ready_at));
	}
	if (!source || !source->streams || !source->first || !source->ready_at) {
		xt_source_free(source);
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for %u PEs", pes);
	}
	if ((status = find_out_of_service(source, image, diag)) == XT_OK &&
		(status = make_classes(source, traffic, image, diag)) == XT_OK) {
		status = check_matrix(source, traffic, diag);
	}
	for (unsigned pe = 0; pe < pes && status == XT_OK; pe++) {
		status = make_stream(source, traffic, image, pe, diag);
		source->ready_at[pe] = source->streams[pe].next;
	}
	if (status != XT_OK) {
		xt_source_free(source);
		return status;
	}
	memcpy(source->first, source->streams, pes * sizeof(*source->first));
	*out = source;
	return XT_OK;
}

void xt_source_free(xt_source_t *source)
{
	if (source) {
		for (unsigned i = 0; i <= XT_MAX_TCS; i++) {
			xt_pattern_free(source->patterns[i]);
		}
		free(source->streams);
		free(source->first);
		free(source->ready_at);
		free(source->out_of_service);
		free(source);
	}
}

const uint64_t *xt_source_ready_at(const xt_source_t *source)
{
	return source->ready_at;
}

/* Draws again for a PE that is out of service; after some tries, which a pattern may have spent on the same
 * PE, the next one that is not. */
static uint32_t destination(const xt_source_t *source, const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	uint32_t dest = 0;

	for (unsigned tries = 0; tries < 64; tries++) {
		dest = xt_pattern_draw(pattern, random, pe);
		if (!source->out_of_service || !source->out_of_service[dest]) {
			return dest;
		}
	}
	while (source->out_of_service[dest] || dest == pe) {
		dest = (dest + 1) % source->pes;
	}
	return dest;
}

static unsigned draw_length(const xt_lengths_t *lengths, xt_random_t *random)
{
	if (lengths->min_share > 0.0) {
		return xt_random_unit(random) < lengths->min_share ? lengths->min : lengths->max;
	}
	return lengths->min + xt_random_below(random, lengths->max - lengths->min + 1);
}

static void draw(const xt_source_t *source, stream_t *stream, uint32_t pe, xt_packet_t *packet)
{
	double chance = xt_random_unit(&stream->random);
	const class_t *class;
	unsigned i = 0;

	while (i + 1u < stream->tcs && chance >= stream->up_to[i]) {
		i++;
	}
	class = &source->classes[stream->tc[i]];
	packet->generated = stream->next;
	packet->source = pe;
	packet->sequence = stream->sequence++;
	packet->tc = stream->tc[i];
	packet->destination = destination(source, class->pattern, &stream->random, pe);
	packet->cells = (uint16_t)draw_length(&class->length, &stream->random);
	advance(source, stream);
}

void xt_source_take(xt_source_t *source, unsigned pe, xt_packet_t *packet)
{
	stream_t *stream = &source->streams[pe];

	draw(source, stream, pe, packet);
	source->ready_at[pe] = stream->next;
}

bool xt_source_sends(const xt_source_t *source, unsigned pe)
{
	return source->first[pe].next != UINT64_MAX;
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

/* ---------------------------------------------------------------- checkpoints */

int xt_source_save(const xt_source_t *source, unsigned first, unsigned end, xt_bytes_t *out)
{
	const uint32_t range[2] = {first, end};
	const unsigned count = end - first;

	return xt_bytes_add(out, range, sizeof(range)) &&
	       xt_bytes_add(out, &source->streams[first], count * sizeof(*source->streams)) &&
	       xt_bytes_add(out, &source->ready_at[first], count * sizeof(*source->ready_at));
}

int xt_source_load(xt_source_t *source, xt_bytes_reader_t *in)
{
	uint32_t range[2];

	if (!xt_bytes_take(in, range, sizeof(range)) || range[0] > range[1] || range[1] > source->pes) {
		return 0;
	}
	return xt_bytes_take(in, &source->streams[range[0]], (range[1] - range[0]) * sizeof(*source->streams)) &&
	       xt_bytes_take(in, &source->ready_at[range[0]], (range[1] - range[0]) * sizeof(*source->ready_at));
}

/* How the streams began says all but for the destinations and the lengths, of which the first packets tell enough. */
uint32_t xt_source_sum(const xt_source_t *source)
{
	enum { TOLD = 4 };
	unsigned long sum = crc32(0, (const unsigned char *)&source->arrivals, sizeof(source->arrivals));

	for (unsigned pe = 0; pe < source->pes; pe++) {
		stream_t stream = source->first[pe];

		sum = crc32(sum, (const unsigned char *)&stream.random, sizeof(stream.random));
		for (unsigned i = 0; i < TOLD && stream.next != UINT64_MAX; i++) {
			xt_packet_t packet = {0};

			draw(source, &stream, pe, &packet);
			sum = crc32(sum, (const unsigned char *)&packet.generated, sizeof(packet.generated));
			sum = crc32(sum, (const unsigned char *)&packet.destination, sizeof(packet.destination));
			sum = crc32(sum, (const unsigned char *)&packet.cells, sizeof(packet.cells));
			sum = crc32(sum, &packet.tc, sizeof(packet.tc));
		}
	}
	return (uint32_t)sum;
}
