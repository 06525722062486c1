/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/eye.h"

#include <stdlib.h>

#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/protocol.h"

enum {
	SETTLE = 1024, /* words to discard: a lane that has slipped stays locked for hundreds */
	SILENCE = 128, /* reads in a row without a new word: a receiver needs fewer to align its lanes */
	MOVING = 1000, /* reads until the phase is where it is to be */
};

typedef struct {
	xt_eye_link_t link;
	xt_eye_point_t *points;
	uint32_t before[2], now[2]; /* words, wrong bits */
	unsigned silent;
	int waits;
} ear_t;

typedef struct {
	xt_device_t *const *devices;
	unsigned count, sender;
	uint32_t words;
	int half; /* steps of half a period */
	ear_t *ears;
	unsigned ear_count;
	xt_diag_t *diag;
} scan_t;

static int read_one(scan_t *s, unsigned device, unsigned card, uint32_t address, uint32_t *value)
{
	return xt_device_read(s->devices[device], card, address, value, 1, s->diag);
}

static int write_one(scan_t *s, unsigned device, unsigned card, uint32_t address, uint32_t value)
{
	return xt_device_write(s->devices[device], card, address, &value, 1, s->diag);
}

/* The register WINDOW; 0 of a device that has none. */
static int window_of(scan_t *s, unsigned device, unsigned card, uint32_t *window)
{
	int status = read_one(s, device, card, XT_FRAME_REG_WINDOW, window);

	if (status == XT_ERR_RANGE) {
		*window = 0;
		status = XT_OK;
	}
	return status;
}

static int add_ears(scan_t *s, unsigned device, unsigned card, uint32_t pins)
{
	for (unsigned port = 0; port < xt_device_profile(s->devices[device])->link_ports; port++) {
		ear_t *more;

		if (!(pins >> port & 1)) {
			continue;
		}
		more = realloc(s->ears, (s->ear_count + 1) * sizeof(*more));
		if (!more) {
			return xt_fail(s->diag, XT_ERR_NOMEM, "out of memory");
		}
		s->ears = more;
		more[s->ear_count] = (ear_t){.link = {.device = device, .card = card, .port = port}};
		more[s->ear_count].points = calloc(2 * (size_t)s->half + 1, sizeof(xt_eye_point_t));
		if (!more[s->ear_count++].points) {
			return xt_fail(s->diag, XT_ERR_NOMEM, "out of memory");
		}
	}
	return XT_OK;
}

static int find_ears(scan_t *s)
{
	int status = XT_OK;

	for (unsigned d = 0; d < s->count; d++) {
		for (unsigned card = 0; card < xt_device_cards(s->devices[d]) && status == XT_OK; card++) {
			uint32_t window = 0;

			status = window_of(s, d, card, &window);
			if (status == XT_OK) {
				status = add_ears(s, d, card, window & 0xff);
			}
		}
	}
	if (status == XT_OK && !s->ear_count) {
		status = xt_fail(s->diag, XT_ERR_UNSUPPORTED,
			"no link of these boards has pins; load a bitstream whose links are at pins");
	}
	return status;
}

/* Stops frames at all links with pins, or lets them go. */
static int test_all(scan_t *s, int on)
{
	int first = XT_OK;

	for (unsigned d = 0; d < s->count; d++) {
		for (unsigned card = 0; card < xt_device_cards(s->devices[d]) && (first == XT_OK || !on); card++) {
			uint32_t window = 0;
			int status = window_of(s, d, card, &window);

			if (status == XT_OK && window & 0xff) {
				status = write_one(s, d, card, XT_FRAME_REG_LINK_TEST, on ? window & 0xff : 0);
			}
			first = first == XT_OK ? status : first;
		}
	}
	return first;
}

static int move_to(scan_t *s, int step)
{
	uint32_t value = 0;
	int status = write_one(s, s->sender, 0, XT_FRAME_REG_LINK_PHASE, (uint32_t)step & 0xff);

	for (unsigned i = 0; i < MOVING && status == XT_OK; i++) {
		status = read_one(s, s->sender, 0, XT_FRAME_REG_LINK_PHASE, &value);
		if (status == XT_OK && (int8_t)(value >> 8 & 0xff) == step) {
			return XT_OK;
		}
	}
	return status != XT_OK
		       ? status
		       : xt_fail(s->diag, XT_ERR_TIMEOUT, "the phase of the clock stays at step %d on the way to %d",
				 (int8_t)(value >> 8 & 0xff), step);
}

static int read_counts(scan_t *s, ear_t *ear, uint32_t *counts)
{
	const xt_eye_link_t *l = &ear->link;
	int status = read_one(s, l->device, l->card, XT_FRAME_REG_LINK_WORDS + 8 * l->port, &counts[0]);

	return status != XT_OK ? status
			       : read_one(s, l->device, l->card, XT_FRAME_REG_LINK_WRONG + 8 * l->port, &counts[1]);
}

/* Waits until `words` more have come at each link that `waits`. One where none come waits no longer. */
static int await_words(scan_t *s, uint32_t words)
{
	int status = XT_OK, waiting = 1;

	for (unsigned i = 0; i < s->ear_count && status == XT_OK; i++) {
		s->ears[i].silent = 0;
		status = s->ears[i].waits ? read_counts(s, &s->ears[i], s->ears[i].before) : XT_OK;
		s->ears[i].now[0] = s->ears[i].before[0];
	}
	while (waiting && status == XT_OK) {
		waiting = 0;
		for (unsigned i = 0; i < s->ear_count && status == XT_OK; i++) {
			ear_t *ear = &s->ears[i];
			const uint32_t had = ear->now[0];

			if (!ear->waits || had - ear->before[0] >= words) {
				continue;
			}
			status = read_counts(s, ear, ear->now);
			ear->silent = ear->now[0] == had ? ear->silent + 1 : 0;
			ear->waits = ear->silent < SILENCE;
			waiting |= ear->waits;
		}
	}
	return status;
}

static int count_at(scan_t *s, int step)
{
	int status = move_to(s, step);

	for (unsigned i = 0; i < s->ear_count; i++) {
		s->ears[i].waits = 1;
	}
	if (status == XT_OK) {
		status = await_words(s, SETTLE);
	}
	if (status == XT_OK) {
		status = await_words(s, s->words);
	}
	for (unsigned i = 0; i < s->ear_count && status == XT_OK; i++) {
		const ear_t *ear = &s->ears[i];

		if (ear->waits) {
			ear->points[step + s->half] = (xt_eye_point_t){
				.words = ear->now[0] - ear->before[0], .wrong = ear->now[1] - ear->before[1]};
		}
	}
	return status;
}

/* Outwards from step 0 on both sides, so that a receiver comes to the edge of the eye from within. */
static int count_all(scan_t *s)
{
	int status = test_all(s, 1);

	for (int step = 0; step <= s->half && status == XT_OK; step++) {
		status = count_at(s, step);
	}
	for (int step = -1; step >= -s->half && status == XT_OK; step--) {
		status = count_at(s, step);
	}
	return status;
}

static int is_clean(const xt_eye_point_t *point)
{
	return point->words && !point->wrong;
}

static void find_eye(xt_eye_link_t *l, int half, double step)
{
	const xt_eye_point_t *middle = l->points + half;

	for (int away = 0; away <= half && !l->open; away++) {
		l->open = is_clean(middle + away) || is_clean(middle - away);
		l->first = l->last = is_clean(middle + away) ? away : -away;
	}
	l->centred = l->open && l->first == 0;
	while (l->open && l->first > -half && is_clean(middle + l->first - 1)) {
		l->first--;
	}
	while (l->open && l->last < half && is_clean(middle + l->last + 1)) {
		l->last++;
	}
	l->width = l->open ? (l->last - l->first + 1) * step : 0;
	l->shift = l->open ? (l->last + l->first) / 2.0 * step : 0;
}

/* A link that the moving clock never harms hears another board; one without any word has no cable. */
static int is_moved(const ear_t *ear, int half)
{
	unsigned clean = 0, words = 0;

	for (int i = 0; i <= 2 * half; i++) {
		clean += is_clean(&ear->points[i]) != 0;
		words += ear->points[i].words != 0;
	}
	return words && clean <= 2 * (unsigned)half;
}

static int take_eyes(scan_t *s, double step, int set, xt_eye_t **out)
{
	xt_eye_t *eye = calloc(1, sizeof(*eye));

	if (!eye || !(eye->links = calloc(s->ear_count, sizeof(*eye->links)))) {
		free(eye);
		return xt_fail(s->diag, XT_ERR_NOMEM, "out of memory");
	}
	eye->steps = 2 * (unsigned)s->half;
	eye->step = step;
	eye->words = s->words;
	eye->set = set;
	for (unsigned i = 0; i < s->ear_count; i++) {
		if (is_moved(&s->ears[i], s->half)) {
			xt_eye_link_t *l = &eye->links[eye->count++];

			*l = s->ears[i].link;
			l->points = s->ears[i].points;
			s->ears[i].points = NULL;
			find_eye(l, s->half, step);
		}
	}
	*out = eye;
	return XT_OK;
}

static int scan(scan_t *s, int set)
{
	int status = find_ears(s), restored;

	if (status != XT_OK) {
		return status;
	}
	status = count_all(s);
	for (unsigned d = 0; d < s->count; d++) {
		xt_device_shield(s->devices[d], 1);
	}
	if (status != XT_OK) {
		s->diag = NULL; /* has the first failure */
	}
	restored = move_to(s, set);
	status = status == XT_OK ? restored : status;
	restored = test_all(s, 0);
	for (unsigned d = 0; d < s->count; d++) {
		xt_device_shield(s->devices[d], 0);
	}
	return status == XT_OK ? restored : status;
}

int xt_eye_scan(
	xt_device_t *const *devices, unsigned count, unsigned sender, uint32_t words, xt_eye_t **out, xt_diag_t *diag)
{
	scan_t s = {.devices = devices, .count = count, .sender = sender, .words = words ? words : 1, .diag = diag};
	xt_board_info_t board = {0};
	uint32_t phase = 0;
	int status;

	*out = NULL;
	if (sender >= count) {
		return xt_fail(diag, XT_ERR_RANGE, "there are %u boards, and none is number %u", count, sender);
	}
	status = read_one(&s, sender, 0, XT_FRAME_REG_LINK_PHASE, &phase);
	if (status != XT_OK && status != XT_ERR_RANGE) {
		return status;
	}
	s.half = status == XT_OK ? (int)(phase >> 16 & 0xff) / 2 : 0;
	if (!s.half || !xt_device_board(devices[sender], &board) || !board.clock_khz) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"the phase of this board's links is fixed; boards with an ECP5 can move theirs");
	}
	status = scan(&s, (int8_t)(phase & 0xff));
	if (status == XT_OK) {
		status = take_eyes(&s, 1e9 / board.clock_khz / (2.0 * s.half), (int8_t)(phase & 0xff), out);
	}
	for (unsigned i = 0; i < s.ear_count; i++) {
		free(s.ears[i].points);
	}
	free(s.ears);
	return status;
}

void xt_eye_free(xt_eye_t *eye)
{
	if (eye) {
		for (unsigned i = 0; i < eye->count; i++) {
			free((void *)(uintptr_t)eye->links[i].points);
		}
		free(eye->links);
		free(eye);
	}
}
