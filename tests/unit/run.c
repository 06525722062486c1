/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs over a network whose behaviour is known: what is measured, and that what goes wrong is found. */
#include <math.h>

#include "fake_network.h"

typedef struct {
	xt_image_t *image;
	xt_device_t *device;
	xt_traffic_t traffic;
} fixture_t;

static void open_on(fixture_t *f, const char *spec, const char *profile)
{
	f->image = make_profile_image(spec, profile, 0);
	f->device = fake_open(f->image);
	f->traffic = xt_traffic_default(xt_image_profile(f->image));
	f->traffic.warmup = 500;
	f->traffic.measure = 4000;
}

static void close_it(fixture_t *f)
{
	fake_close(f->device);
	xt_image_free(f->image);
}

static xt_result_t *run(fixture_t *f, const xt_run_options_t *options)
{
	xt_diag_t diag = {""};
	xt_result_t *result;

	if (xt_device_run(f->device, f->image, &f->traffic, options, &result, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return result;
}

/* One cell at a time and far below saturation: the flight is the latency, but for a wait now and then. */
static void measures(void **state)
{
	fixture_t f;
	xt_result_t *r;

	(void)state;
	open_on(&f, "torus:4x4", "extoll");
	f.traffic.load = 0.2;
	f.traffic.packet_min = f.traffic.packet_max = 1;
	r = run(&f, NULL);
	assert_true(xt_result_ok(r));
	assert_true(fabs(r->offered_load - 0.2) < 0.01);
	assert_true(fabs(r->accepted_load - r->offered_load) < 0.002);
	assert_int_equal(r->network_packet.p50, FAKE_FLIGHT);
	assert_int_equal(r->network_packet.count, r->measured_packets);
	assert_int_equal(r->measured_unsent, 0);
	assert_true(r->network_packet.mean >= FAKE_FLIGHT && r->network_packet.mean < FAKE_FLIGHT + 1);
	assert_true(r->network_packet.mean == r->network_cell.mean);
	assert_true(r->end_to_end_packet.mean == r->network_packet.mean);
	assert_true(r->network_packet.ci95 > 0.0 && r->network_packet.ci95 < 0.1);
	assert_int_equal(r->packets_sent, r->packets_delivered);
	for (unsigned tc = 0; tc < 4; tc++) {
		assert_true(r->tc[tc].packets_sent == r->tc[tc].packets_delivered);
	}
	assert_int_equal(r->tc[0].packets_sent + r->tc[1].packets_sent + r->tc[2].packets_sent + r->tc[3].packets_sent,
		r->packets_sent);
	xt_result_free(r);

	/* Of a packet of 4 cells the head comes FAKE_FLIGHT cycles after the tail was sent. */
	f.traffic.packet_min = f.traffic.packet_max = 4;
	f.traffic.load = 0.01;
	r = run(&f, NULL);
	assert_int_equal(r->network_packet.p50, FAKE_FLIGHT + 6);
	assert_int_equal(r->network_cell.p50, FAKE_FLIGHT + 3);
	xt_result_free(r);
	close_it(&f);
}

/* More than the network can take: the source queues grow, and generation stops after `drain`. */
static void saturates(void **state)
{
	fixture_t f;
	xt_result_t *r;

	(void)state;
	open_on(&f, "torus:2x2", "extoll");
	f.traffic.load = 1.0;
	f.traffic.drain = 100;
	r = run(&f, NULL);
	assert_true(xt_result_ok(r));
	assert_true(r->offered_load > 0.95);
	assert_true(r->measured_unsent > 0);
	assert_true(r->end_to_end_packet.mean > r->network_packet.mean);
	assert_int_equal(r->network_packet.count + r->measured_unsent, r->measured_packets);
	xt_result_free(r);
	close_it(&f);
}

static void repeats_itself(void **state)
{
	fixture_t f;
	xt_result_t *a, *b, *c;

	(void)state;
	open_on(&f, "twin:2x2", "extoll");
	a = run(&f, NULL);
	b = run(&f, NULL);
	f.traffic.seed = 2;
	c = run(&f, NULL);
	assert_memory_equal(&a->network_packet, &b->network_packet, sizeof(a->network_packet));
	assert_int_equal(a->cycles, b->cycles);
	assert_true(a->packets_sent != c->packets_sent || a->network_packet.mean != c->network_packet.mean);
	xt_result_free(a);
	xt_result_free(b);
	xt_result_free(c);
	close_it(&f);
}

static void nothing_to_send(void **state)
{
	fixture_t f;
	xt_result_t *r;

	(void)state;
	open_on(&f, "torus:2x2", "extoll");
	f.traffic.load = 0.0;
	r = run(&f, NULL);
	assert_true(xt_result_ok(r));
	assert_int_equal(r->cycles, 4500);
	assert_int_equal(r->packets_sent, 0);
	assert_true(isnan(r->network_packet.mean));
	xt_result_free(r);
	close_it(&f);
}

static void finds_what_goes_wrong(void **state)
{
	static const struct {
		fake_wrong_t wrong;
		xt_finding_t finding;
	} cases[] = {
		{FAKE_LOSE, XT_FINDING_LOST},
		{FAKE_DUPLICATE, XT_FINDING_DUPLICATED},
		{FAKE_MISROUTE, XT_FINDING_MISROUTED},
		{FAKE_FLIP, XT_FINDING_CORRUPTED},
		{FAKE_DELAY, XT_FINDING_REORDERED},
	};
	static const char *const profiles[] = {"extoll", "mini"};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_t f;
		xt_result_t *r;

		open_on(&f, "torus:2x2", profiles[i % 2]);
		f.traffic.load = 0.5;
		f.device->engine->wrong = cases[i / 2].wrong;
		f.device->engine->victim = 70;
		r = run(&f, NULL);
		assert_false(xt_result_ok(r));
		assert_true(r->drained);
		assert_int_equal(r->findings[cases[i / 2].finding], 1);
		assert_int_equal(r->report_count, 1);
		for (unsigned k = 0; k < XT_FINDINGS; k++) {
			assert_true(k == cases[i / 2].finding || r->findings[k] == 0);
		}
		xt_result_free(r);
		close_it(&f);
	}
}

static void notices_a_stall(void **state)
{
	const xt_run_options_t options = {.watchdog = 300};
	fixture_t f;
	xt_result_t *r;

	(void)state;
	open_on(&f, "torus:2x2", "extoll");
	f.device->engine->wrong = FAKE_STOP;
	f.device->engine->victim = 10;
	r = run(&f, &options);
	assert_false(xt_result_ok(r));
	assert_false(r->drained);
	assert_int_equal(r->findings[XT_FINDING_STALL], 1);
	assert_int_equal(r->findings[XT_FINDING_LOST], 0);
	assert_non_null(strstr(r->reports[0], "nothing has moved since cycle"));
	assert_true(r->cycles < 4500);
	xt_result_free(r);
	close_it(&f);
}

/* The registers have the last word. */
static void reads_the_registers(void **state)
{
	static const struct {
		xt_register_id_t id;
		unsigned port, item;
		uint32_t value;
		xt_finding_t finding;
		const char *says;
	} cases[] = {
		{XT_REG_CREDITS_USED, 1, 4, 2, XT_FINDING_CREDIT, "card 3 port d0+ VC 4: 2 credits"},
		{XT_REG_FREE_CELLS, 6, 0, 511, XT_FINDING_BUFFER, "card 3 input nic: 511 of 512"},
		{XT_REG_ILLEGAL_ROUTES, 0, 0, 1, XT_FINDING_ILLEGAL_ROUTE, "card 3 input d0- dropped 1 packet"},
		{XT_REG_FRAMING_ERRORS, 6, 0, 5, XT_FINDING_FRAMING, "card 3 port nic counted 5"},
		{XT_REG_TX_CELLS, 2, 1, 9, XT_FINDING_CONSERVATION, "TC 1: card 3 port d1-"},
		{XT_REG_STATUS, 0, 0, 1, XT_FINDING_BUSY, "card 3 is not idle"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_t f;
		xt_result_t *r;

		open_on(&f, "torus:4x4", "extoll");
		*fake_register(f.device->engine, 3, xt_register_address(cases[i].id, cases[i].port, cases[i].item)) =
			cases[i].value;
		r = run(&f, NULL);
		assert_false(xt_result_ok(r));
		assert_int_equal(r->findings[cases[i].finding], 1);
		assert_int_equal(r->report_count, 1);
		assert_non_null(strstr(r->reports[0], cases[i].says));
		xt_result_free(r);
		close_it(&f);
	}
}

static void logs_packets(void **state)
{
	char *text = NULL;
	size_t size = 0;
	xt_run_options_t options = {.packet_log = open_memstream(&text, &size)};
	uint64_t lines = 0;
	fixture_t f;
	xt_result_t *r;

	(void)state;
	open_on(&f, "torus:2x2", "extoll");
	r = run(&f, &options);
	fclose(options.packet_log);
	for (size_t i = 0; i < size; i++) {
		lines += text[i] == '\n';
	}
	assert_int_equal(lines, 1 + r->packets_delivered);
	assert_memory_equal(text, "packet,source,destination,tc,cells,generated,sent,delivered\n", 60);
	xt_result_free(r);
	free(text);
	close_it(&f);
}

static void refuses(void **state)
{
	const xt_run_options_t deaf = {.nic_stall = 4, .nic_period = 4};
	xt_image_t *other = make_image("torus:4x4", 0);
	xt_result_t *result;
	xt_diag_t diag = {""};
	fixture_t f;

	(void)state;
	open_on(&f, "torus:2x2", "extoll");
	assert_int_equal(xt_device_run(f.device, other, &f.traffic, NULL, &result, &diag), XT_ERR_MISMATCH);
	assert_int_equal(xt_device_run(f.device, f.image, &f.traffic, &deaf, &result, &diag), XT_ERR_RANGE);
	f.traffic.load = 2.0;
	assert_int_equal(xt_device_run(f.device, f.image, &f.traffic, NULL, &result, &diag), XT_ERR_RANGE);
	assert_null(result);
	close_it(&f);
	xt_image_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures),
		cmocka_unit_test(saturates),
		cmocka_unit_test(repeats_itself),
		cmocka_unit_test(nothing_to_send),
		cmocka_unit_test(finds_what_goes_wrong),
		cmocka_unit_test(notices_a_stall),
		cmocka_unit_test(reads_the_registers),
		cmocka_unit_test(logs_packets),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
