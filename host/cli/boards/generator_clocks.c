/* SPDX-License-Identifier: Apache-2.0 */
#include "generator_clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "options/monotonic.h"

enum {
	/* Packets that look for the least latency. Their distance has no divisor in common with the cycles of a frame
	 * on a link, so that they meet the frames at any point. */
	PINGS = 40,
	FEW_PINGS = 4, /* for a first look */
	PING_CYCLES = 67,
	RATE_ONE = 65536,
	POLL_MS = 1,
	TC_MASK = 0xf << XT_GENERATOR_TC_LSB,
	MOST_APART = XT_FRAME_TRAFFIC_LATENCY_ZERO, /* cycles; beyond, latencies would wrap */
	BELOW_ZERO = 1 << 14,
	ROUNDING = 1,               /* cycles, of an offset */
	MOST_DRIFT = (1 << 23) - 1, /* of the register */
	MOST_ROUNDS = 5,
	SETTLED = 2, /* cycles, from one measurement to the next */
};

/* What is known of a generator's clock against the first one's. */
typedef struct {
	int offset;    /* cycles by which it is ahead */
	uint32_t when; /* on the first one's clock */
	double drift;  /* what the register holds */
} offset_t;

/* The least of the latencies from one generator to another, as its checker has it. time->reason is set if packets do
 * not come. */
static int ping(xt_generator_t from, xt_generator_t *to, unsigned pings, uint32_t *least, xt_common_time_t *time,
	xt_diag_t *diag)
{
	/* From XT_FRAME_REG_TRAFFIC_TO on. */
	const uint32_t settings[] = {to->address, from.address, RATE_ONE / PING_CYCLES, pings};
	const uint32_t control = from.control & TC_MASK;
	uint64_t quiet;
	uint64_t came = 0;
	int status = xt_generator_set(
		to, XT_FRAME_REG_TRAFFIC_CONTROL, control | XT_GENERATOR_CHECK | XT_GENERATOR_CLEAR, diag);

	if (status == XT_OK) {
		status = xt_generator_write(&from, XT_FRAME_REG_TRAFFIC_TO, settings, 4, diag);
	}
	if (status == XT_OK) {
		status = xt_generator_set(&from, XT_FRAME_REG_TRAFFIC_CONTROL,
			control | XT_GENERATOR_CHECK | XT_GENERATOR_CLEAR | XT_GENERATOR_SEND, diag);
	}
	to->counts = (xt_generator_counts_t){0};
	quiet = xt_now_ms() + XT_GENERATOR_QUIET_MS;
	while (status == XT_OK && to->counts.came < pings && xt_now_ms() < quiet) {
		status = xt_generator_read(to, diag);
		if (to->counts.came != came) {
			came = to->counts.came;
			quiet = xt_now_ms() + XT_GENERATOR_QUIET_MS;
		} else {
			xt_sleep_ms(POLL_MS);
		}
	}
	if (status == XT_OK) {
		status = xt_generator_set(&from, XT_FRAME_REG_TRAFFIC_CONTROL, control | XT_GENERATOR_CHECK, diag);
	}
	if (status == XT_OK && to->counts.came != pings) {
		snprintf(time->reason, sizeof(time->reason), "of %u packets from address %u to %u %" PRIu64 " came",
			pings, from.address, to->address, to->counts.came);
	}
	*least = to->counts.range & 0xffff;
	return status;
}

/* Latencies and clocks are modulo 65536; so is the sum of two, which a drift in between may take below zero. */
static int measure(const xt_generators_t *generators, unsigned i, unsigned pings, offset_t *found,
	xt_common_time_t *time, xt_diag_t *diag)
{
	xt_generator_t first = generators->all[0], other = generators->all[i];
	uint32_t there = 0, back = 0;
	int status = ping(first, &other, pings, &there, time, diag);

	/* Between the two: the offset at that time. */
	if (status == XT_OK && !*time->reason) {
		status = xt_device_read(first.device, first.card,
			XT_FRAME_REG_TRAFFIC_CLOCK + first.nic * XT_FRAME_TRAFFIC_STRIDE, &found->when, 1, diag);
	}
	if (status == XT_OK && !*time->reason) {
		other.control = first.control; /* of one class, for equal ways */
		status = ping(other, &first, pings, &back, time, diag);
	}
	if (status == XT_OK && !*time->reason) {
		const uint16_t one = (uint16_t)(there - XT_FRAME_TRAFFIC_LATENCY_ZERO);
		const uint16_t both = (uint16_t)(one + back - XT_FRAME_TRAFFIC_LATENCY_ZERO);

		const int way = (uint16_t)(both + BELOW_ZERO) / 2 - BELOW_ZERO / 2;

		found->offset = (int16_t)(uint16_t)(one - way);
	}
	return status;
}

static int measure_all(
	const xt_generators_t *generators, unsigned pings, offset_t *found, xt_common_time_t *time, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned i = 1; i < generators->count && status == XT_OK && !*time->reason; i++) {
		status = measure(generators, i, pings, &found[i], time, diag);
	}
	return status;
}

/* What a generator's register of drift has to get more, for the rate of the first clock. */
static double drift_of(const offset_t *early, const offset_t *late)
{
	const uint32_t cycles = late->when - early->when;

	return cycles ? -ldexp((double)(late->offset - early->offset) / cycles, 32) : 0;
}

/* Sets the rates by how far the clocks move apart. That is not known exactly, because the host does not know when a
 * packet went; so it is measured again until they stay together. */
static int align_rates(const xt_generators_t *generators, unsigned apart_ms, offset_t *early, offset_t *late,
	xt_common_time_t *time, xt_diag_t *diag)
{
	bool settled = false;
	int status = XT_OK;

	for (unsigned round = 0; round < MOST_ROUNDS && status == XT_OK && !*time->reason && !settled; round++) {
		const uint64_t end = xt_now_ms() + apart_ms;

		status = measure_all(generators, PINGS, early, time, diag);
		while (status == XT_OK && !*time->reason && xt_now_ms() < end) {
			xt_sleep_ms(POLL_MS);
		}
		if (status == XT_OK) {
			status = measure_all(generators, PINGS, late, time, diag);
		}
		settled = true;
		for (unsigned i = 1; i < generators->count && status == XT_OK && !*time->reason; i++) {
			settled = settled && abs(late[i].offset - early[i].offset) <= SETTLED;
			late[i].drift =
				fmin(fmax(late[i].drift + drift_of(&early[i], &late[i]), -MOST_DRIFT), MOST_DRIFT);
			status = xt_generator_set(
				&generators->all[i], XT_FRAME_REG_TRAFFIC_DRIFT, (uint32_t)lround(late[i].drift), diag);
		}
	}
	return status;
}

static int align_offsets(
	const xt_generators_t *generators, unsigned pings, offset_t *found, xt_common_time_t *time, xt_diag_t *diag)
{
	int status = measure_all(generators, pings, found, time, diag);

	/* The clock's own step of that cycle is lost. */
	for (unsigned i = 1; i < generators->count && status == XT_OK && !*time->reason; i++) {
		status = xt_generator_set(
			&generators->all[i], XT_FRAME_REG_TRAFFIC_CLOCK, (uint32_t)(1 - found[i].offset), diag);
	}
	return status;
}

int xt_align_clocks(const xt_generators_t *generators, unsigned apart_ms, xt_common_time_t *time, xt_diag_t *diag)
{
	offset_t *found = calloc(2 * generators->count, sizeof(*found));
	int status = XT_OK;

	if (!found) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned i = 0; i < generators->count && !*time->reason; i++) {
		const xt_generator_t *g = &generators->all[i];

		if (!g->has_clock) {
			snprintf(time->reason, sizeof(time->reason), "%.100s: the traffic generators have no clocks",
				g->uri);
		}
	}
	if (!*time->reason) {
		/* First roughly, so that no latency wraps. */
		status = align_offsets(generators, FEW_PINGS, found, time, diag);
		if (status == XT_OK) {
			status = align_rates(generators, apart_ms, found, found + generators->count, time, diag);
		}
		if (status == XT_OK) {
			status = align_offsets(generators, PINGS, found, time, diag);
		}
	}
	free(found);
	return status;
}

int xt_compare_clocks(const xt_generators_t *generators, xt_common_time_t *time, xt_diag_t *diag)
{
	double most[2] = {0, 0}; /* of two generators */
	offset_t found = {0};
	int status = XT_OK;

	for (unsigned i = 1; i < generators->count && status == XT_OK && !*time->reason; i++) {
		double apart;

		status = measure(generators, i, PINGS, &found, time, diag);
		apart = abs(found.offset) + ROUNDING;
		if (status == XT_OK && !*time->reason && apart >= MOST_APART) {
			snprintf(time->reason, sizeof(time->reason),
				"%.100s: the clock of card %u is %.0f cycles off after the run", generators->all[i].uri,
				generators->all[i].card, apart);
		}
		if (apart > most[0]) {
			most[1] = most[0];
			most[0] = apart;
		} else if (apart > most[1]) {
			most[1] = apart;
		}
	}
	time->uncertainty = most[0] + most[1];
	return status;
}
