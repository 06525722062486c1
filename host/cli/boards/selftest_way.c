/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of a board's clock and of the way to it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "options/monotonic.h"
#include "selftest.h"

enum { CLOCK_MS = 100, CLOCK_READS = 8, WAY_MS = 200 };
/* Of the clock's rate, beside what the reads leave open: far more than an oscillator is off, and than the drift that a
 * common time of generators asks for. */
static const double clock_tolerance = 0.01;

const char *xt_selftest_way_name(const selftest_t *t)
{
	static const char *const names[] = {"usb", "ftdi", "uart", "tcp"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(t->uri, names[i], strlen(names[i])) == 0) {
			return names[i];
		}
	}
	return "way";
}

/* The quickest of some reads, as the clock is read somewhen in between: from *begin on, for *took seconds. */
static int read_clock(selftest_t *t, unsigned card, uint32_t *clock, double *begin, double *took)
{
	int status = XT_OK;

	*took = INFINITY;
	for (unsigned i = 0; i < CLOCK_READS && status == XT_OK; i++) {
		const double start = xt_now_s();
		uint32_t value = 0;

		status = xt_selftest_read(t, card, XT_FRAME_REG_TRAFFIC_CLOCK, &value);
		if (xt_now_s() - start < *took) {
			*took = xt_now_s() - start;
			*begin = start;
			*clock = value;
		}
	}
	return status;
}

int xt_selftest_clock(selftest_t *t, unsigned card)
{
	xt_board_info_t board = {0};
	uint32_t before = 0, after = 0;
	double begin = 0, end = 0, first = 0, last = 0, rate, open;
	uint32_t window = 0;
	int status = xt_selftest_read(t, card, XT_FRAME_REG_WINDOW, &window);

	if (status == XT_OK && window >> 8 & 0xff) {
		status = read_clock(t, card, &before, &begin, &first);
		xt_sleep_ms(CLOCK_MS);
	}
	if (status == XT_OK && window >> 8 & 0xff) {
		status = read_clock(t, card, &after, &end, &last);
	}
	if (status != XT_OK) {
		return status;
	}
	(void)xt_device_board(t->device, &board);
	if (before == 0 && after == 0) {
		snprintf(t->found, sizeof(t->found), "not measured: this bitstream has no counter of cycles");
		return XT_OK;
	}
	rate = (after - before) / (end + last / 2 - begin - first / 2) / 1e6;
	open = (first + last) / 2 / (end - begin);
	if (strncmp(t->uri, "tcp:", 4) == 0 || !board.clock_khz) {
		snprintf(t->found, sizeof(t->found), "%.4g MHz measured; not judged, the board may be simulated", rate);
		return XT_OK;
	}
	if (fabs(rate - board.clock_khz / 1e3) > (clock_tolerance + open) * board.clock_khz / 1e3) {
		return xt_fail(&t->diag, XT_ERR_MISMATCH,
			"%.4g MHz by the host's clock, the bitstream says %.4g; %.2g %% are allowed", rate,
			board.clock_khz / 1e3, 100 * (clock_tolerance + open));
	}
	snprintf(t->found, sizeof(t->found), "%.4g MHz by the host's clock, within %.2g %% of what the bitstream says",
		rate, 100 * (clock_tolerance + open));
	return XT_OK;
}

int xt_selftest_way(selftest_t *t, unsigned card)
{
	const unsigned grt = 1u << t->profile->grt_bits;
	xt_board_info_t before = {0}, after = {0};
	double begin = xt_now_s(), seconds = 0;
	int status = XT_OK;

	(void)xt_device_board(t->device, &before);
	while (status == XT_OK && seconds < WAY_MS / 1e3) {
		status = xt_device_read_tables(t->device, card, 0, t->read, t->read + grt, &t->diag);
		t->words += 2ull * t->entries;
		seconds = xt_now_s() - begin;
	}
	if (status != XT_OK) {
		return status;
	}
	(void)xt_device_board(t->device, &after);
	/* Since the device was opened: all tests before are a test of the way too. */
	if (after.damaged || after.repeated) {
		return xt_fail(&t->diag, XT_ERR_MISMATCH,
			"%" PRIu64 " damaged frames came, and %" PRIu64 " requests were repeated", after.damaged,
			after.repeated);
	}
	snprintf(t->found, sizeof(t->found),
		"%" PRIu64 " bytes there, %" PRIu64 " back, all whole; %.4g kB/s of answers", after.bytes_sent,
		after.bytes_received, (double)(after.bytes_received - before.bytes_received) / seconds / 1e3);
	return XT_OK;
}
