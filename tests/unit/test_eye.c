/* SPDX-License-Identifier: Apache-2.0
 *
 * The scan of eyes against boards of this test's own, whose wrong bits follow from a skew: where the eye is found, that
 * all is put back, and what is said where that fails. */
#include "extorus/board.h"
#include "extorus/eye.h"
#include "extorus/protocol.h"
#include "support.h"

enum { STEPS = 24, CLOCK_KHZ = 40000, BIT = STEPS / 2, BOARDS = 2, LINKS = 2, WORDS = 500 };

/* A link port, and what it hears. */
typedef struct {
	int from;  /* board; -1: no cable */
	int skew;  /* steps by which the lanes lag behind the clock */
	int walls; /* steps of a bit in which bits are wrong; 0: none ever */
	int dead;  /* no words where others have wrong bits */
	uint32_t words, wrong;
} ear_t;

struct xt_device {
	int steps; /* 0: the phase is fixed */
	int phase, stuck;
	uint32_t test, pins;
	ear_t ears[LINKS];
	int shielded;
	unsigned reads, fail_at; /* the read that fails */
};

static xt_device_t boards[BOARDS];

unsigned xt_device_cards(const xt_device_t *device)
{
	(void)device;
	return 1;
}

const xt_profile_t *xt_device_profile(const xt_device_t *device)
{
	(void)device;
	return xt_profile_find("extoll64");
}

int xt_device_board(const xt_device_t *device, xt_board_info_t *info)
{
	(void)device;
	info->clock_khz = CLOCK_KHZ;
	return 1;
}

void xt_device_shield(xt_device_t *device, int shielded)
{
	device->shielded = shielded;
}

/* Words come while they are read, and only of the bit error test. Step 0 is in the middle of a bit. */
static void hear(ear_t *ear)
{
	int at;

	if (ear->from < 0 || !boards[ear->from].test) {
		return;
	}
	at = (boards[ear->from].phase - ear->skew + BIT / 2 + 4 * BIT) % BIT;
	if (at >= ear->walls) {
		ear->words += 100;
	} else if (!ear->dead) {
		ear->words += 100;
		ear->wrong += 7;
	}
}

int xt_device_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	const unsigned link = address / 8 % 8;

	assert_int_equal(card, 0);
	assert_int_equal(count, 1);
	if (++device->reads == device->fail_at) {
		return xt_fail(diag, XT_ERR_IO, "read %u fails", device->reads);
	}
	if (address == XT_FRAME_REG_WINDOW) {
		*values = 0xff00 | device->pins;
	} else if (address == XT_FRAME_REG_LINK_PHASE) {
		*values = (uint32_t)device->steps << 16 | (uint32_t)(device->phase & 0xff) * 0x101;
	} else if (address % 8 == 0) {
		hear(&device->ears[link]);
		*values = device->ears[link].words;
	} else {
		*values = device->ears[link].wrong;
	}
	return XT_OK;
}

int xt_device_write(
	xt_device_t *device, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	(void)diag;
	(void)card;
	assert_int_equal(count, 1);
	if (address == XT_FRAME_REG_LINK_TEST) {
		device->test = *values;
	} else {
		assert_int_equal(address, XT_FRAME_REG_LINK_PHASE);
		device->phase = device->stuck ? device->phase : (int8_t)*values;
	}
	return XT_OK;
}

static int set_up(void **state)
{
	(void)state;
	for (unsigned b = 0; b < BOARDS; b++) {
		boards[b] =
			(xt_device_t){.steps = STEPS, .pins = (1u << LINKS) - 1, .ears = {{.from = -1}, {.from = -1}}};
	}
	return 0;
}

static int scan(xt_eye_t **eye, xt_diag_t *diag)
{
	xt_device_t *const devices[BOARDS] = {&boards[0], &boards[1]};
	int status = xt_eye_scan(devices, BOARDS, 0, WORDS, eye, diag);

	for (unsigned b = 0; b < BOARDS; b++) {
		assert_int_equal(boards[b].test, 0);
		assert_int_equal(boards[b].shielded, 0);
	}
	return status;
}

TEST(the_eye_is_where_the_skew_puts_it)
{
	static const struct {
		int skew, walls, dead, first, last, centred;
	} cases[] = {
		{0, 1, 0, 1 - BIT / 2, BIT / 2 - 1, 1},
		{0, 3, 0, 3 - BIT / 2, BIT / 2 - 1, 1},
		{2, 1, 1, 3 - BIT / 2, BIT / 2 + 1, 1},
		{-2, 1, 0, -1 - BIT / 2, BIT / 2 - 3, 1},
		{BIT / 2, 1, 0, 1, BIT - 1, 0},
		{BIT / 2 - 1, 2, 1, 1, BIT - 2, 0},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_eye_t *eye;
		xt_diag_t diag = {""};

		set_up(NULL);
		boards[1].ears[1] = (ear_t){0, cases[i].skew, cases[i].walls, cases[i].dead, 0, 0};
		boards[1].ears[0] = (ear_t){1, 0, 1, 0, 0, 0};   /* hears another board */
		boards[0].ears[0] = (ear_t){0, 0, BIT, 1, 0, 0}; /* never aligned */
		assert_int_equal(scan(&eye, &diag), XT_OK);
		assert_int_equal(eye->count, 1);
		assert_int_equal(eye->links[0].device, 1);
		assert_int_equal(eye->links[0].port, 1);
		assert_int_equal(eye->links[0].first, cases[i].first);
		assert_int_equal(eye->links[0].last, cases[i].last);
		assert_int_equal(eye->links[0].open, 1);
		assert_int_equal(eye->links[0].centred, cases[i].centred);
		assert_true(eye->steps == STEPS && eye->step > 1041.6 && eye->step < 1041.7);
		assert_true(eye->links[0].width == (cases[i].last - cases[i].first + 1) * eye->step);
		assert_true(eye->links[0].shift == (cases[i].last + cases[i].first) * eye->step / 2);
		for (int step = -BIT; step <= BIT; step++) {
			const xt_eye_point_t *p = &eye->links[0].points[step + BIT];
			const int bad = (step - cases[i].skew + BIT / 2 + 4 * BIT) % BIT < cases[i].walls;

			assert_int_equal(p->wrong > 0, bad && !cases[i].dead);
			assert_int_equal(p->words >= WORDS, !bad || !cases[i].dead);
		}
		xt_eye_free(eye);
	}
}

TEST(a_link_that_is_closed_everywhere)
{
	xt_eye_t *eye;
	xt_diag_t diag = {""};

	boards[1].ears[0] = (ear_t){0, 0, BIT, 0, 0, 0};
	assert_int_equal(scan(&eye, &diag), XT_OK);
	assert_int_equal(eye->count, 1);
	assert_false(eye->links[0].open || eye->links[0].centred);
	assert_true(eye->links[0].width == 0);
	xt_eye_free(eye);
}

TEST(the_phase_is_put_back)
{
	xt_eye_t *eye;
	xt_diag_t diag = {""};

	boards[0].phase = -3;
	boards[1].ears[0] = (ear_t){0, 0, 1, 0, 0, 0};
	boards[1].fail_at = 100;
	assert_int_equal(scan(&eye, &diag), XT_ERR_IO);
	assert_null(eye);
	assert_string_equal(diag.text, "read 100 fails");
	assert_int_equal(boards[0].phase, -3);
	boards[1].fail_at = 0;
	assert_int_equal(scan(&eye, &diag), XT_OK);
	assert_int_equal(eye->set, -3);
	assert_int_equal(boards[0].phase, -3);
	xt_eye_free(eye);
}

TEST(what_cannot_be_scanned)
{
	xt_device_t *const devices[BOARDS] = {&boards[0], &boards[1]};
	xt_eye_t *eye;
	xt_diag_t diag = {""};

	boards[0].stuck = 1;
	assert_int_equal(scan(&eye, &diag), XT_ERR_TIMEOUT);
	assert_string_equal(diag.text, "the phase of the clock stays at step 0 on the way to 1");
	boards[0].steps = 0;
	assert_int_equal(scan(&eye, &diag), XT_ERR_UNSUPPORTED);
	boards[0].steps = STEPS;
	boards[0].pins = boards[1].pins = 0;
	assert_int_equal(scan(&eye, &diag), XT_ERR_UNSUPPORTED);
	assert_int_equal(xt_eye_scan(devices, BOARDS, BOARDS, WORDS, &eye, &diag), XT_ERR_RANGE);
	assert_null(eye);
	xt_eye_free(eye);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_eye_is_where_the_skew_puts_it, set_up),
		cmocka_unit_test_setup(a_link_that_is_closed_everywhere, set_up),
		cmocka_unit_test_setup(the_phase_is_put_back, set_up),
		cmocka_unit_test_setup(what_cannot_be_scanned, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
