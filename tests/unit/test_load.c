/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading, reading back and comparing tables, on cards whose registers are memory. */
#include "fake_network.h"

TEST(loads_and_verifies)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_device_t *device = fake_open(image);
	uint64_t *grt = calloc(1u << 6, sizeof(*grt)), *lrt = calloc(1u << 10, sizeof(*lrt));
	xt_diag_t diag = {""};
	uint64_t writes;

	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_OK);
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_OK);
	for (unsigned port = 0; port < 7; port++) {
		assert_int_equal(xt_device_read_tables(device, 5, port, grt, lrt, &diag), XT_OK);
		assert_memory_equal(grt, xt_image_grt(image, 5), (1u << 6) * sizeof(*grt));
		assert_memory_equal(lrt, xt_image_lrt(image, 5), (1u << 10) * sizeof(*lrt));
	}
	assert_int_equal(xt_device_read_tables(device, 5, 7, grt, lrt, &diag), XT_ERR_RANGE);

	/* A second time there is nothing to write but the settings of each card, the choice of ports, and who enters
	 * the ring of each link. */
	writes = device->engine->writes;
	assert_int_equal(xt_device_load(device, image, XT_LOAD_NO_VERIFY, NULL, NULL, &diag), XT_OK);
	assert_int_equal(device->engine->writes - writes, 16 * (1 + 3 + 4 + 6));
	free(grt);
	free(lrt);
	fake_close(device);
	xt_image_free(image);
}

/* What another image left behind is overwritten, also where the new one has nothing. */
TEST(loads_over_another)
{
	xt_image_t *image = make_image("torus:4x4", 0), *other = make_image("torus:4x4", 0);
	xt_device_t *device = fake_open(image);

	xt_image_lrt_mutable(other, 3)[900] = 0x123456789abcdef0;
	assert_int_equal(xt_device_load(device, other, 0, NULL, NULL, NULL), XT_OK);
	assert_int_equal(xt_device_verify(device, other, NULL, NULL, NULL), XT_OK);
	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, NULL), XT_OK);
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, NULL), XT_OK);
	fake_close(device);
	xt_image_free(image);
	xt_image_free(other);
}

TEST(names_a_difference)
{
	xt_image_t *image = make_image("twin:2x2", 0);
	xt_device_t *device = fake_open(image);
	xt_engine_t *e = device->engine;
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_OK);
	e->tables[(6 * e->ports + 2) * e->entries + e->grt_entries + 5] ^= UINT64_C(1) << 40;
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "card 6 input");
	assert_says(&diag, "LRT entry 5");
	/* Loading does not trust what it wrote before: it reads back. */
	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_ERR_MISMATCH);
	e->tables[(6 * e->ports + 2) * e->entries + e->grt_entries + 5] ^= UINT64_C(1) << 40;
	*fake_register(e, 2, xt_register_address(XT_REG_MATCH_MASK, 0, 1)) ^= 1;
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "card 2: MATCH_MASK 1");
	fake_close(device);
	xt_image_free(image);
}

/* The rings of bubble flow control and the ports that adaptive routing avoids are settings as well. */
TEST(loads_what_goes_with_the_tables)
{
	xt_image_t *rings = make_routed_image("twin:4x4x4,config=A", "bubble4", XT_ALGORITHM_BUBBLE, 0);
	xt_image_t *adaptive = make_routed_image("twin:2x2x2", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_device_t *device = fake_open(rings);
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_load(device, rings, 0, NULL, NULL, &diag), XT_OK);
	for (unsigned port = 0; port < 6; port++) {
		assert_int_equal(*fake_register(device->engine, 7, xt_register_address(XT_REG_RING, port, 0)),
			xt_image_ring(rings, 7, port));
	}
	assert_int_equal(*fake_register(device->engine, 7, xt_register_address(XT_REG_VC_RING_FROM, 3, 0)), 0x021);
	*fake_register(device->engine, 9, xt_register_address(XT_REG_RING, 3, 0)) = 0;
	assert_int_equal(xt_device_verify(device, rings, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "card 9: RING 3 reads 0x0");
	fake_close(device);
	device = fake_open(adaptive);
	assert_int_equal(xt_device_load(device, adaptive, 0, NULL, NULL, &diag), XT_OK);
	assert_int_equal(*fake_register(device->engine, 3, xt_register_address(XT_REG_ADAPTIVE_PORTS, 0, 0)), 0x0108);
	fake_close(device);
	xt_image_free(rings);
	xt_image_free(adaptive);
}

TEST(refuses_what_does_not_fit)
{
	xt_image_t *image = make_image("torus:4x4", 0), *smaller = make_image("torus:4x2", 0);
	xt_image_t *other = make_image("torus:2x8", 0), *mini = make_profile_image("torus:4x4", "mini", 0);
	xt_device_t *device = fake_open(image);
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_load(device, smaller, 0, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "8 cards, the device has 16");
	assert_int_equal(xt_device_load(device, other, XT_LOAD_FORCE, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "wiring");
	assert_int_equal(xt_device_load(device, mini, 0, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "profile mini");
	assert_int_equal(device->engine->writes, 0);
	fake_close(device);
	xt_image_free(image);
	xt_image_free(smaller);
	xt_image_free(other);
	xt_image_free(mini);
}

TEST(refuses_what_can_deadlock)
{
	xt_image_t *image = make_image("twin:4x4", 1);
	xt_device_t *device = fake_open(image);
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_ERR_UNSAFE);
	assert_int_equal(device->engine->writes, 0);
	assert_int_equal(xt_device_load(device, image, XT_LOAD_FORCE, NULL, NULL, &diag), XT_OK);
	fake_close(device);
	xt_image_free(image);
}

TEST(refuses_what_does_not_arrive)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_device_t *device = fake_open(image);
	xt_diag_t diag = {""};

	xt_image_lrt_mutable(image, 3)[7] = 0;
	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_ERR_UNSAFE);
	fake_close(device);
	xt_image_free(image);
}

TEST(swaps_entries)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_device_t *device = fake_open(image);
	xt_fault_t fault = {.kind = XT_FAULT_SWAP_ENTRY, .card = 2, .entry_a = 5, .entry_b = 3};
	xt_diag_t diag = {""};
	uint64_t *lrt = xt_image_lrt_mutable(image, 2);
	uint64_t entry = lrt[5];

	assert_int_equal(xt_device_load(device, image, 0, NULL, NULL, &diag), XT_OK);
	assert_true(lrt[5] != lrt[3]);
	assert_int_equal(xt_device_fault(device, &fault, &diag), XT_OK);
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_ERR_MISMATCH);
	lrt[5] = lrt[3];
	lrt[3] = entry;
	assert_int_equal(xt_device_verify(device, image, NULL, NULL, &diag), XT_OK);
	fault.entry_b = 1024;
	assert_int_equal(xt_device_fault(device, &fault, &diag), XT_ERR_RANGE);
	fault.card = 16;
	assert_int_equal(xt_device_fault(device, &fault, &diag), XT_ERR_RANGE);
	fake_close(device);
	xt_image_free(image);
}

TEST(bounds_of_registers)
{
	xt_image_t *image = make_image("torus:2x2", 0);
	xt_device_t *device = fake_open(image);
	uint32_t value;

	assert_int_equal(xt_device_read(device, 3, 0, &value, 1, NULL), XT_OK);
	assert_int_equal(xt_device_read(device, 4, 0, &value, 1, NULL), XT_ERR_RANGE);
	assert_int_equal(xt_device_read(device, 0, 2, &value, 1, NULL), XT_ERR_RANGE);
	assert_int_equal(xt_device_read(device, 0, 0x10000, &value, 1, NULL), XT_ERR_RANGE);
	assert_int_equal(xt_device_read(device, 0, 0xfffc, &value, 2, NULL), XT_ERR_RANGE);
	assert_int_equal(xt_device_write(device, 0, 0xfffc, &value, SIZE_MAX, NULL), XT_ERR_RANGE);
	fake_close(device);
	xt_image_free(image);
}

TEST(refuses_uris)
{
	static const struct {
		const char *uri;
		int status;
		const char *says;
	} wrong[] = {
		{"usb:0", XT_ERR_INVALID, "usb:0"},
		{"pci:0", XT_ERR_NODEVICE, "pci:0"},
		{"uart:", XT_ERR_INVALID, "/dev/ttyUSB0"},
		{"uart:/no/such/port", XT_ERR_NODEVICE, "/no/such/port"},
		{"uart:/dev/null;baud=1", XT_ERR_RANGE, "1 baud"},
		{"uart:/dev/null", XT_ERR_INVALID, "serial port"},
		{"tcp:localhost", XT_ERR_INVALID, "tcp:localhost:5555"},
		{"tcp:localhost:1", XT_ERR_NODEVICE, "localhost"},
		{"tcp:localhost:1;colour=red", XT_ERR_INVALID, "colour=red"},
		{"tcp:localhost:1;timeout=0", XT_ERR_RANGE, "timeout=: \"0\" is not a number from 1 to"},
		{"", XT_ERR_NODEVICE, "sim:SPEC"},
		{"sim:", XT_ERR_INVALID, "topology or an image"},
		{"sim:/no/such/file", XT_ERR_IO, "/no/such/file"},
		{"sim:torus:0x4", XT_ERR_INVALID, "torus"},
		{"sim:torus:4x4;profile=maxi", XT_ERR_RANGE, "maxi"},
		{"sim:torus:4x4;latency=0", XT_ERR_RANGE, "latency"},
		{"sim:torus:4x4;latency=x", XT_ERR_RANGE, "latency=: \"x\" is not a number from 1 to"},
		{"sim:torus:4x4;colour=red", XT_ERR_INVALID, "colour=red"},
		{"sim:torus:4x4;wave=x.fst;wave-cards=16", XT_ERR_RANGE, "card 16"},
		{"sim:torus:4x4;wave=x.fst;wave-cards=1,,2", XT_ERR_RANGE, "wave-cards"},
		{"sim:torus:4x4;wave-from=9;wave-to=8", XT_ERR_INVALID, "wave-from"},
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		xt_device_t *device;
		xt_diag_t diag = {""};

		assert_int_equal(xt_device_open(wrong[i].uri, &device, &diag), wrong[i].status);
		assert_null(device);
		assert_says(&diag, wrong[i].says);
	}
}

TEST(says_what_simulator_is_missing)
{
	xt_device_t *device;
	xt_diag_t diag = {""};

	setenv("EXTORUS_PLUGIN_DIR", "/no/such/folder", 1);
	assert_int_equal(xt_device_open("sim:torus:2x2", &device, &diag), XT_ERR_NODEVICE);
	assert_says(&diag, "extorus-cosim-extoll.so");
	assert_says(&diag, "/no/such/folder");
	unsetenv("EXTORUS_PLUGIN_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_verifies),
		cmocka_unit_test(loads_over_another),
		cmocka_unit_test(names_a_difference),
		cmocka_unit_test(loads_what_goes_with_the_tables),
		cmocka_unit_test(refuses_what_does_not_fit),
		cmocka_unit_test(refuses_what_can_deadlock),
		cmocka_unit_test(refuses_what_does_not_arrive),
		cmocka_unit_test(swaps_entries),
		cmocka_unit_test(bounds_of_registers),
		cmocka_unit_test(refuses_uris),
		cmocka_unit_test(says_what_simulator_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
