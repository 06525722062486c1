/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs over a network whose behaviour is known: what is measured, and that what goes wrong is found. */
#include <math.h>

#include "extorus/run.h"
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
TEST(measures)
{
	fixture_t f;
	xt_result_t *r;

	open_on(&f, "torus:4x4", "extoll");
	f.traffic.load = 0.2;
	f.traffic.length.min = f.traffic.length.max = 1;
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
	f.traffic.length.min = f.traffic.length.max = 4;
	f.traffic.load = 0.01;
	r = run(&f, NULL);
	assert_int_equal(r->network_packet.p50, FAKE_FLIGHT + 6);
	assert_int_equal(r->network_cell.p50, FAKE_FLIGHT + 3);
	xt_result_free(r);
	close_it(&f);
}

/* More than the network can take: the source queues grow, and generation stops after `drain`. */
TEST(saturates)
{
	fixture_t f;
	xt_result_t *r;

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

TEST(repeats_itself)
{
	fixture_t f;
	xt_result_t *a, *b, *c;

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

TEST(nothing_to_send)
{
	fixture_t f;
	xt_result_t *r;

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

TEST(finds_what_goes_wrong)
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

TEST(notices_a_stall)
{
	const xt_run_options_t options = {.size = sizeof(options), .watchdog = 300};
	fixture_t f;
	xt_result_t *r;

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
TEST(reads_the_registers)
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

static xt_fault_t kill(unsigned card, unsigned port)
{
	return (xt_fault_t){.kind = XT_FAULT_KILL_LINK, .card = card, .port = port, .n = 1000};
}

static uint32_t *reg(fixture_t *f, unsigned card, xt_register_id_t id, unsigned port, unsigned item)
{
	return fake_register(f->device->engine, card, xt_register_address(id, port, item));
}

/* A killed link: keepalives are on, cards are never idle, and what the link cut off is counted. */
TEST(accounts_for_a_killed_link)
{
	const xt_fault_t fault = kill(3, 1);
	xt_peer_t peer;
	fixture_t f;
	xt_result_t *r;

	open_on(&f, "torus:4x4", "extoll");
	peer = xt_image_peer(f.image, 3, 1);
	assert_int_equal(xt_device_fault(f.device, &fault, NULL), XT_OK);
	assert_int_equal(*reg(&f, 0, XT_REG_LINK_KEEPALIVE, 0, 0), XT_KILL_KEEPALIVE);
	f.device->engine->never_quiet = 1;
	f.device->engine->wrong = FAKE_CUT;
	f.device->engine->victim = 70;
	*reg(&f, 3, XT_REG_LINK_STATE, 1, 0) = XT_LINK_DOWN | XT_CAUSE_NO_SIGNAL << 2;
	*reg(&f, peer.card, XT_REG_LINK_STATE, peer.port, 0) = XT_LINK_DOWN | XT_CAUSE_RETRIES << 2;
	/* Neither credits nor buffers nor cells need agree there. */
	*reg(&f, 3, XT_REG_CREDITS_USED, 1, 0) = 7;
	*reg(&f, peer.card, XT_REG_FREE_CELLS, peer.port, 0) = 500;
	*reg(&f, 3, XT_REG_TX_CELLS, 1, 2) = 9;
	*reg(&f, 3, XT_REG_CRC_ERRORS, 1, 0) = 5;
	*reg(&f, 6, XT_REG_REPLAYS, 2, 0) = 3;
	r = run(&f, NULL);
	assert_true(xt_result_ok(r));
	assert_true(r->drained);
	assert_int_equal(r->packets_poisoned, 1);
	assert_int_equal(r->packets_dropped, 0);
	assert_int_equal(r->packets_sent, r->packets_delivered + 1);
	assert_int_equal(r->links_down_count, 2);
	assert_int_equal(r->links_down[0].killed && r->links_down[1].killed, 1);
	assert_string_equal(
		xt_link_cause_name(r->links_down[0].card == 3 ? r->links_down[0].cause : r->links_down[1].cause),
		"no-signal");
	assert_int_equal(r->link_totals.crc_errors, 5);
	assert_int_equal(r->link_totals.replays, 3);
	xt_result_free(r);
	close_it(&f);
}

/* The packet is gone, but its way did not lead over the link that was killed. */
TEST(misses_packets_beside_a_killed_link)
{
	const xt_fault_t fault = kill(15, 1);
	fixture_t f;
	xt_result_t *r;

	open_on(&f, "torus:4x4", "extoll");
	assert_int_equal(xt_device_fault(f.device, &fault, NULL), XT_OK);
	f.device->engine->wrong = FAKE_LOSE;
	f.device->engine->victim = 70;
	r = run(&f, NULL);
	assert_int_equal(r->findings[XT_FINDING_LOST], 1);
	assert_int_equal(r->packets_dropped, 0);
	xt_result_free(r);
	close_it(&f);
}

/* A run with a killed link whose ends differ by four packets, of which the port has counted so many as dropped. */
static xt_result_t *run_without_four(fixture_t *f, uint32_t dropped)
{
	const xt_fault_t fault = kill(3, 1);

	open_on(f, "torus:4x4", "extoll");
	assert_int_equal(xt_device_fault(f->device, &fault, NULL), XT_OK);
	*reg(f, 3, XT_REG_TX_PACKETS, 1, 2) = 4;
	*reg(f, 3, XT_REG_DROPPED, 1, 0) = dropped;
	return run(f, NULL);
}

/* Packets that ran into the link, and what its ends counted, must agree. */
TEST(checks_the_account)
{
	fixture_t f;
	xt_result_t *r = run_without_four(&f, 4);

	assert_int_equal(r->findings[XT_FINDING_CONSERVATION], 1);
	assert_int_equal(r->lost_on_links, 4);
	assert_non_null(strstr(r->reports[0], "0 packets ran into killed links"));
	xt_result_free(r);
	close_it(&f);
}

/* A port counts each packet that does not arrive. */
TEST(checks_what_a_port_dropped)
{
	fixture_t f;
	xt_result_t *r = run_without_four(&f, 3);

	assert_int_equal(r->findings[XT_FINDING_CONSERVATION], 2);
	assert_non_null(strstr(r->reports[0], "card 3 port"));
	assert_non_null(strstr(r->reports[0], "4 packets did not arrive, the port has counted 3 as dropped"));
	xt_result_free(r);
	close_it(&f);
}

TEST(notices_a_link_that_is_down)
{
	fixture_t f;
	xt_result_t *r;

	open_on(&f, "torus:4x4", "extoll");
	*reg(&f, 3, XT_REG_LINK_STATE, 1, 0) = XT_LINK_DOWN | XT_CAUSE_RETRIES << 2;
	r = run(&f, NULL);
	assert_int_equal(r->findings[XT_FINDING_LINK_DOWN], 1);
	assert_non_null(strstr(r->reports[0], "card 3 port d0+: the link is not up (state down, cause retries)"));
	assert_int_equal(r->links_down_count, 1);
	xt_result_free(r);

	*reg(&f, 3, XT_REG_LINK_STATE, 1, 0) = XT_LINK_DOWN | XT_CAUSE_DISABLED << 2;
	r = run(&f, NULL);
	assert_true(xt_result_ok(r));
	assert_int_equal(r->links_down_count, 1);
	xt_result_free(r);
	close_it(&f);
}

TEST(injects_errors)
{
	xt_run_options_t options = {.size = sizeof(options), .error_rate = 0.01, .error_seed = 5};
	xt_fault_t fault = kill(0, 1);
	xt_result_t *r;
	xt_diag_t diag = {""};
	fixture_t f;

	open_on(&f, "torus:2x2", "extoll");
	r = run(&f, &options);
	assert_true(f.device->engine->error_rate == 0.01);
	assert_int_equal(r->errors_injected, 42);
	xt_result_free(r);
	options.error_rate = 0.6;
	assert_int_equal(xt_device_run(f.device, f.image, &f.traffic, &options, &r, &diag), XT_ERR_RANGE);
	close_it(&f);

	open_on(&f, "torus:2x2", "mini");
	options.error_rate = 0.01;
	assert_int_equal(xt_device_run(f.device, f.image, &f.traffic, &options, &r, &diag), XT_ERR_UNSUPPORTED);
	assert_says(&diag, "mini have no link layer");
	assert_int_equal(xt_device_fault(f.device, &fault, &diag), XT_ERR_UNSUPPORTED);
	assert_says(&diag, "mini have no link layer");
	close_it(&f);
}

TEST(logs_packets)
{
	char *text = NULL;
	size_t size = 0;
	xt_run_options_t options = {.size = sizeof(options), .packet_log = open_memstream(&text, &size)};
	uint64_t lines = 0;
	fixture_t f;
	xt_result_t *r;

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

TEST(refuses)
{
	const xt_run_options_t deaf = {.size = sizeof(deaf), .nic_stall = 4, .nic_period = 4};
	xt_image_t *other = make_image("torus:4x4", 0);
	xt_result_t *result;
	xt_diag_t diag = {""};
	fixture_t f;

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
		cmocka_unit_test(accounts_for_a_killed_link),
		cmocka_unit_test(misses_packets_beside_a_killed_link),
		cmocka_unit_test(checks_the_account),
		cmocka_unit_test(checks_what_a_port_dropped),
		cmocka_unit_test(notices_a_link_that_is_down),
		cmocka_unit_test(injects_errors),
		cmocka_unit_test(logs_packets),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
