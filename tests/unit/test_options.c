/* SPDX-License-Identifier: Apache-2.0
 *
 * Options structs of older and newer callers. */
#include <string.h>

#include "base/options_take.h"
#include "extorus/extorus.h"
#include "support.h"

typedef struct {
	size_t size;
	unsigned first, second;
} known_t;

typedef struct {
	known_t known;
	unsigned later;
} newer_t;

TEST(test_none_are_the_defaults)
{
	known_t taken;
	xt_diag_t diag = {""};

	memset(&taken, 0xff, sizeof(taken));
	assert_int_equal(xt_options_take(NULL, &taken, sizeof(taken), "test", &diag), XT_OK);
	assert_int_equal(taken.size, sizeof(taken));
	assert_int_equal(taken.first | taken.second, 0);
}

TEST(test_a_shorter_struct_leaves_the_defaults)
{
	const known_t given = {.size = offsetof(known_t, second), .first = 3, .second = 4};
	known_t taken;
	xt_diag_t diag = {""};

	memset(&taken, 0xff, sizeof(taken));
	assert_int_equal(xt_options_take(&given, &taken, sizeof(taken), "test", &diag), XT_OK);
	assert_int_equal(taken.size, sizeof(taken));
	assert_int_equal(taken.first, 3);
	assert_int_equal(taken.second, 0);
}

TEST(test_a_longer_struct_must_end_in_zeros)
{
	newer_t given;
	known_t taken;
	xt_diag_t diag = {""};

	memset(&given, 0, sizeof(given));
	given.known = (known_t){.size = sizeof(given), .first = 3, .second = 4};
	assert_int_equal(xt_options_take(&given, &taken, sizeof(taken), "test", &diag), XT_OK);
	assert_int_equal(taken.size, sizeof(taken));
	assert_int_equal(taken.second, 4);
	given.later = 1;
	assert_int_equal(xt_options_take(&given, &taken, sizeof(taken), "test", &diag), XT_ERR_UNSUPPORTED);
	assert_says(&diag, "test: byte 16 of the options is set, this library knows 16");
}

TEST(test_every_function_refuses_a_size_of_0)
{
	const xt_open_options_t open = {0};
	const xt_route_options_t route = {0};
	const xt_check_options_t with = {0};
	const xt_run_options_t run = {0};
	const xt_replay_options_t replay = {0};
	const xt_server_options_t serve = {0};
	xt_topology_t *topology = make_topology("torus:2x2", "mini");
	xt_image_t *image = make_profile_image("torus:2x2", "mini", 0), *no_image;
	xt_device_t *device;
	xt_check_t *check;
	xt_result_t *result;
	xt_replay_result_t *replayed;
	xt_server_t *server;
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_open_with("model:torus:2x2", &open, &device, &diag), XT_ERR_INVALID);
	assert_says(&diag, "open: the options say a size of 0 bytes");
	assert_int_equal(xt_route(topology, &route, &no_image, &diag), XT_ERR_INVALID);
	assert_says(&diag, "route:");
	assert_int_equal(xt_check_image_with(image, &with, &check, &diag), XT_ERR_INVALID);
	assert_says(&diag, "check:");
	assert_int_equal(xt_device_run(NULL, image, NULL, &run, &result, &diag), XT_ERR_INVALID);
	assert_says(&diag, "run:");
	assert_int_equal(xt_device_replay(NULL, image, NULL, &replay, &replayed, &diag), XT_ERR_INVALID);
	assert_says(&diag, "replay:");
	assert_int_equal(xt_server_create(NULL, &serve, &server, &diag), XT_ERR_INVALID);
	assert_says(&diag, "serve:");
	assert_null(device);
	assert_null(no_image);
	assert_null(check);
	assert_null(result);
	assert_null(replayed);
	assert_null(server);
	xt_image_free(image);
	xt_topology_free(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_are_the_defaults),
		cmocka_unit_test(test_a_shorter_struct_leaves_the_defaults),
		cmocka_unit_test(test_a_longer_struct_must_end_in_zeros),
		cmocka_unit_test(test_every_function_refuses_a_size_of_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
