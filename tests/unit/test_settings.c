/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings: their text forms, and that they reach the registers of every card. */
#include "extorus/settings.h"

#include "fake_network.h"

typedef struct {
	xt_image_t *image;
	xt_device_t *device;
} fixture_t;

static void open_on(fixture_t *f, const char *spec, const char *profile)
{
	f->image = make_profile_image(spec, profile, 0);
	f->device = fake_open(f->image);
}

static void close_it(fixture_t *f)
{
	fake_close(f->device);
	xt_image_free(f->image);
}

static uint32_t value_of(fixture_t *f, unsigned card, xt_register_id_t id, unsigned port, unsigned item)
{
	return *fake_register(f->device->engine, card, xt_register_address(id, port, item));
}

TEST(understands_selections)
{
	xt_select_t select;
	xt_diag_t diag = {""};

	for (unsigned i = 0; i < XT_SELECTS; i++) {
		assert_int_equal(xt_select_parse(xt_select_name((xt_select_t)i), &select, NULL), XT_OK);
		assert_int_equal(select, i);
	}
	assert_int_equal(xt_select_parse("4-priority", &select, &diag), XT_ERR_INVALID);
	assert_says(&diag, "rr, no-internal, 2-priority, 3-priority");
}

TEST(understands_weights)
{
	static const char *const wrong[] = {"", "d0+", "d0+:1", "d0+:1=", "d0+:1=16", "d0+:4=1", ":1=1", "d0+:x=1",
		"d0+:1=3x", "d0+:-1=3", "a name that is too long:1=3"};
	xt_weight_t weight;
	xt_diag_t diag;

	assert_int_equal(xt_weight_parse("d0-:3=15", &weight, NULL), XT_OK);
	assert_string_equal(weight.port, "d0-");
	assert_int_equal(weight.tc, 3);
	assert_int_equal(weight.weight, 15);
	assert_int_equal(xt_weight_parse("6:0=0", &weight, NULL), XT_OK);
	assert_string_equal(weight.port, "6");
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(xt_weight_parse(wrong[i], &weight, &diag), XT_ERR_INVALID);
		assert_says(&diag, "PORT:TC=WEIGHT");
	}
}

TEST(writes_every_card)
{
	const xt_weight_t weights[] = {{"d0+", 1, 3}, {"nic", 0, 2}, {"int", 2, 9}, {"0", 3, 4}};
	const xt_settings_t settings = {
		.given = XT_SETTING_SELECT | XT_SETTING_ADAPTIVE_LOW | XT_SETTING_ADAPTIVE_HIGH | XT_SETTING_PATIENCE,
		.select = XT_SELECT_3_PRIORITY,
		.adaptive_low = 20,
		.adaptive_high = 60,
		.patience = 500,
		.weights = weights,
		.weight_count = 4,
	};
	const xt_settings_t high = {.given = XT_SETTING_ADAPTIVE_HIGH, .adaptive_high = 70};
	const xt_settings_t wait = {.given = XT_SETTING_INJECT_WAIT, .inject_wait = 300};
	const xt_settings_t room = {.given = XT_SETTING_INJECT_ROOM, .inject_room = 50};
	fixture_t f;

	open_on(&f, "twin:2x2x2", "extoll");
	assert_int_equal(xt_device_configure(f.device, &settings, NULL), XT_OK);
	assert_int_equal(xt_device_configure(f.device, &high, NULL), XT_OK);
	assert_int_equal(xt_device_configure(f.device, &room, NULL), XT_OK);
	assert_int_equal(xt_device_configure(f.device, &wait, NULL), XT_OK);
	for (unsigned card = 0; card < f.device->cards; card++) {
		assert_int_equal(value_of(&f, card, XT_REG_ADAPTIVE_SELECT, 0, 0), 3);
		assert_int_equal(value_of(&f, card, XT_REG_ADAPTIVE_THRESHOLDS, 0, 0), 70 << 16 | 20);
		assert_int_equal(value_of(&f, card, XT_REG_ADAPTIVE_PATIENCE, 0, 0), 500);
		assert_int_equal(value_of(&f, card, XT_REG_INJECTION, 0, 0), 50 << 16 | 300);
		assert_int_equal(value_of(&f, card, XT_REG_TC_WEIGHT, 0, 3), 4);
		for (unsigned port = 0; port < f.device->engine->ports; port++) {
			const char *name = xt_device_port_name(f.device, card, port);

			assert_int_equal(value_of(&f, card, XT_REG_TC_WEIGHT, port, 1), strcmp(name, "d0+") ? 0 : 3);
			assert_int_equal(value_of(&f, card, XT_REG_TC_WEIGHT, port, 0), strcmp(name, "nic") ? 0 : 2);
			assert_int_equal(value_of(&f, card, XT_REG_TC_WEIGHT, port, 2), strcmp(name, "int") ? 0 : 9);
		}
	}
	close_it(&f);
}

/* By the number of rings, whatever has failed; the wait, and one part of so many of the shared cells. */
TEST(gives_way_by_the_topology)
{
	static const struct {
		const char *spec;
		xt_algorithm_t algorithm;
		unsigned wait, share;
	} cases[] = {
		{"torus:4x4", XT_ALGORITHM_DOR, 64, 3},
		{"torus:4x4~5:d0+", XT_ALGORITHM_UPDOWN, 64, 3},
		{"torus:3x3x3", XT_ALGORITHM_DOR, 256, 3},
		{"twin:3x3x3", XT_ALGORITHM_TS_DOR, 64, 3},
		{"twin:3x3x3,config=D", XT_ALGORITHM_UPDOWN, 64, 3},
		{"twin:3x3x3x3", XT_ALGORITHM_TS_DOR, 256, 6},
		{"twin:3x3x3x3x2", XT_ALGORITHM_TS_DOR, 256, 6},
		{"twin:3x3x3x3x3", XT_ALGORITHM_TS_DOR, 0, 6},
		{"mesh:4x4", XT_ALGORITHM_UPDOWN, 256, 6},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_t f;
		unsigned shared;

		f.image = make_routed_image(cases[i].spec, "extoll", cases[i].algorithm, 0);
		f.device = fake_open(f.image);
		shared = xt_profile_shared_cells(xt_image_profile(f.image));
		assert_int_equal(xt_device_prioritise_transit(f.device, f.image, NULL), XT_OK);
		assert_int_equal(
			value_of(&f, 1, XT_REG_INJECTION, 0, 0), shared / cases[i].share << 16 | cases[i].wait);
		close_it(&f);
	}
}

TEST(refuses)
{
	const xt_weight_t no_port = {"d7+", 0, 1}, no_tc = {"d0+", 3, 1};
	const struct {
		xt_settings_t settings;
		const char *profile;
		int status;
		const char *says;
	} cases[] = {
		{{.given = XT_SETTING_SELECT}, "mini", XT_ERR_UNSUPPORTED, "mini have no adaptive routing"},
		{{.given = XT_SETTING_PATIENCE, .patience = 65536}, "extoll", XT_ERR_RANGE, "patience"},
		{{.given = XT_SETTING_INJECT_ROOM, .inject_room = 65536}, "mini", XT_ERR_RANGE, "room of 65536"},
		{{.given = XT_SETTING_ADAPTIVE_LOW | XT_SETTING_ADAPTIVE_HIGH, .adaptive_low = 9, .adaptive_high = 8},
			"extoll", XT_ERR_RANGE, "low 9, high 8"},
		{{.weights = &no_port, .weight_count = 1}, "extoll", XT_ERR_RANGE, "no card has a port \"d7+\""},
		{{.weights = &no_tc, .weight_count = 1}, "dort", XT_ERR_RANGE, "no TC 3"},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_diag_t diag = {""};
		fixture_t f;

		open_on(&f, "torus:2x2", cases[i].profile);
		assert_int_equal(xt_device_configure(f.device, &cases[i].settings, &diag), cases[i].status);
		assert_says(&diag, cases[i].says);
		close_it(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(understands_selections),
		cmocka_unit_test(understands_weights),
		cmocka_unit_test(writes_every_card),
		cmocka_unit_test(gives_way_by_the_topology),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
