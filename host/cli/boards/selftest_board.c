/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of what a board has beside its cards: links at pins, traffic generators. */
#include <inttypes.h>
#include <stdlib.h>

#include "extorus/image.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "options/monotonic.h"
#include "selftest.h"

enum {
	BITS_MS = 200,
	WAIT_MS = 5000, /* for a link to come up, for packets to come */
	PACKETS = 256,
	FULL_RATE = 65535,
	SEND_AND_CHECK = 3,
	CHECK_AND_CLEAR = 6,
	LENGTH_LSB = 16,
};

static uint32_t window_of(selftest_t *t, unsigned card)
{
	uint32_t window = 0;

	return xt_device_board(t->device, NULL) && xt_selftest_read(t, card, XT_FRAME_REG_WINDOW, &window) == XT_OK
		       ? window
		       : 0;
}

int xt_selftest_has_board(selftest_t *t, unsigned card)
{
	return window_of(t, card) != 0;
}

uint32_t xt_selftest_pins(selftest_t *t, unsigned card)
{
	return window_of(t, card) & 0xff;
}

static uint32_t generators_of(selftest_t *t, unsigned card)
{
	return window_of(t, card) >> 8 & 0xff;
}

/* Idle words and wrong bits of all ports. */
static int read_bits(selftest_t *t, unsigned card, uint32_t (*counts)[2])
{
	int status = XT_OK;

	for (unsigned port = 0; port < t->profile->link_ports && status == XT_OK; port++) {
		status = xt_selftest_read(t, card, XT_FRAME_REG_LINK_WORDS + 8 * port, &counts[port][0]);
		if (status == XT_OK) {
			status = xt_selftest_read(t, card, XT_FRAME_REG_LINK_WRONG + 8 * port, &counts[port][1]);
		}
	}
	return status;
}

/* What the bit error test counts meanwhile at the links that `ports` has bits of. */
static int count_bits(selftest_t *t, unsigned card, uint32_t ports, uint32_t (*before)[2], uint32_t (*after)[2])
{
	int status = xt_selftest_write(t, card, XT_FRAME_REG_LINK_TEST, ports), restored;

	if (status == XT_OK) {
		status = read_bits(t, card, before);
	}
	xt_sleep_ms(BITS_MS);
	if (status == XT_OK) {
		status = read_bits(t, card, after);
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_write(t, card, XT_FRAME_REG_LINK_TEST, 0);
	return xt_selftest_end_restoring(t, status, restored);
}

int xt_selftest_bits(selftest_t *t, unsigned card)
{
	uint32_t before[XT_MAX_LINK_PORTS][2], after[XT_MAX_LINK_PORTS][2], aligned = 0;
	int status = xt_selftest_read(t, card, XT_FRAME_REG_LINK_PINS, &aligned);

	if (status == XT_OK) {
		status = count_bits(t, card, xt_selftest_pins(t, card), before, after);
	}
	for (unsigned port = 0; port < t->profile->link_ports && status == XT_OK; port++) {
		uint32_t words = after[port][0] - before[port][0], wrong = after[port][1] - before[port][1];

		/* A port without a cable is not tested. */
		if ((aligned >> port & 1) && (wrong || !words)) {
			status = xt_fail(&t->diag, XT_ERR_MISMATCH,
				"port %s: %" PRIu32 " wrong bits in %" PRIu32 " words of the bit error test",
				xt_device_port_name(t->device, card, port), wrong, words);
		}
	}
	return status;
}

/* All entries lead to `output`. */
static void route_all(selftest_t *t, unsigned output)
{
	uint64_t entry = 0;

	for (unsigned tc = 0; tc < t->profile->tcs; tc++) {
		entry = xt_entry_with_route(entry, tc, (xt_route_t){.valid = 1, .port = output});
	}
	for (unsigned i = 0; i < t->entries; i++) {
		t->read[i] = entry;
	}
}

/* Packets of one's own to oneself by the generator of NIC 0; all have to come back undamaged. */
static int send_to_oneself(selftest_t *t, unsigned card, const char *how)
{
	uint32_t id = 0, sent = 0, came = 0, before = 0, wrong = 0;
	uint32_t length = (t->profile->packet_cells - 1) << LENGTH_LSB;
	int status = xt_selftest_read(t, card, xt_register_address(XT_REG_CARD_ID, 0, 0), &id), restored;
	const struct {
		uint32_t address, value;
	} steps[] = {
		{XT_FRAME_REG_TRAFFIC_TO, id},
		{XT_FRAME_REG_TRAFFIC_FROM, id},
		{XT_FRAME_REG_TRAFFIC_RATE, FULL_RATE},
		{XT_FRAME_REG_TRAFFIC_LIMIT, PACKETS},
		{XT_FRAME_REG_TRAFFIC_CONTROL, CHECK_AND_CLEAR | length},
		{XT_FRAME_REG_TRAFFIC_CONTROL, SEND_AND_CHECK | length},
	};
	uint64_t end;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == XT_OK; i++) {
		status = xt_selftest_write(t, card, steps[i].address, steps[i].value);
	}
	end = xt_now_ms() + WAIT_MS;
	while (status == XT_OK && came < PACKETS && xt_now_ms() < end) {
		status = xt_selftest_read(t, card, XT_FRAME_REG_TRAFFIC_CAME, &came);
		if (came != before) {
			end = xt_now_ms() + WAIT_MS;
			before = came;
		}
	}
	if (status == XT_OK) {
		status = xt_selftest_read(t, card, XT_FRAME_REG_TRAFFIC_WRONG, &wrong);
	}
	if (status == XT_OK) {
		status = xt_selftest_read(t, card, XT_FRAME_REG_TRAFFIC_SENT, &sent);
	}
	if (status == XT_OK && (came != PACKETS || sent != PACKETS || wrong)) {
		status = xt_fail(&t->diag, XT_ERR_MISMATCH,
			"%s: of %d packets %" PRIu32 " were sent, %" PRIu32 " came, %" PRIu32 " of them damaged", how,
			PACKETS, sent, came, wrong);
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_write(t, card, XT_FRAME_REG_TRAFFIC_CONTROL, 0);
	return xt_selftest_end_restoring(t, status, restored);
}

static int await_up(selftest_t *t, unsigned card, unsigned port)
{
	uint64_t end = xt_now_ms() + WAIT_MS;
	uint32_t state = 0;
	int status = XT_OK;

	while (status == XT_OK && xt_link_state_of(state) != XT_LINK_UP && xt_now_ms() < end) {
		status = xt_selftest_read(t, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &state);
	}
	if (status == XT_OK && xt_link_state_of(state) != XT_LINK_UP) {
		status = xt_fail(&t->diag, XT_ERR_MISMATCH, "port %s: the link does not come up with itself (state %s)",
			xt_device_port_name(t->device, card, port), xt_link_state_name(xt_link_state_of(state)));
	}
	return status;
}

static int retrain(selftest_t *t, unsigned card, unsigned port)
{
	return xt_selftest_write(t, card, xt_register_address(XT_REG_LINK_RETRAIN, 0, 0), 1u << port);
}

/* `loop`: what LINK_LOOP is set to; 0 if a plug leads the pins back. */
static int test_loop(selftest_t *t, unsigned card, unsigned port, uint32_t loop)
{
	unsigned nic = t->profile->link_ports;
	char how[32];
	int status, restored;

	route_all(t, port);
	status = xt_selftest_write_tables(t, card, 1u << nic, t->read);
	if (status == XT_OK) {
		route_all(t, nic);
		status = xt_selftest_write_tables(t, card, 1u << port, t->read);
	}
	if (status == XT_OK) {
		status = xt_selftest_write(t, card, XT_FRAME_REG_LINK_LOOP, loop);
	}
	if (status == XT_OK) {
		status = retrain(t, card, port);
	}
	if (status == XT_OK) {
		status = await_up(t, card, port);
	}
	if (status == XT_OK) {
		snprintf(how, sizeof(how), "port %s", xt_device_port_name(t->device, card, port));
		status = send_to_oneself(t, card, how);
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_write(t, card, XT_FRAME_REG_LINK_LOOP, 0);
	if (restored == XT_OK) {
		restored = retrain(t, card, port);
	}
	return xt_selftest_end_restoring(t, status, restored);
}

int xt_selftest_loops(selftest_t *t, unsigned card)
{
	uint32_t pins = xt_selftest_pins(t, card);
	int status = XT_OK, restored;

	if (!generators_of(t, card)) {
		return XT_OK;
	}
	for (unsigned port = 0; port < t->profile->link_ports && status == XT_OK; port++) {
		if (pins >> port & 1) {
			status = test_loop(t, card, port, 1u << port);
		}
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_restore_tables(t, card);
	return xt_selftest_end_restoring(t, status, restored);
}

/* Bits of an idle word that the other end checks: those of all lanes but three each. */
static unsigned bits_of_word(selftest_t *t, unsigned card)
{
	unsigned cycles = window_of(t, card) >> 16 & 0xff, share = cycles - 2;

	return cycles > 3 ? (xt_profile_frame(t->profile).bits + share - 1) / share * (share - 1) : 1;
}

int xt_selftest_plug(selftest_t *t, unsigned card)
{
	uint32_t before[XT_MAX_LINK_PORTS][2], after[XT_MAX_LINK_PORTS][2], aligned = 0;
	const char *name = xt_device_port_name(t->device, card, t->port);
	int status = xt_selftest_read(t, card, XT_FRAME_REG_LINK_PINS, &aligned), restored;
	double bits = 0;

	if (status == XT_OK && !(aligned >> t->port >> 8 & 1)) {
		status = xt_fail(&t->diag, XT_ERR_MISMATCH,
			"port %s: the lanes %s; is the plug there, with all its contacts?", name,
			aligned >> t->port & 1 ? "are aligned at one end only" : "are not aligned");
	}
	if (status == XT_OK) {
		status = count_bits(t, card, 1u << t->port, before, after);
	}
	if (status == XT_OK) {
		uint32_t words = after[t->port][0] - before[t->port][0];
		uint32_t wrong = after[t->port][1] - before[t->port][1];

		bits = (double)words * bits_of_word(t, card);
		if (wrong || !words) {
			status = xt_fail(&t->diag, XT_ERR_MISMATCH,
				"port %s: %" PRIu32 " wrong bits in %.3g of the bit error test", name, wrong, bits);
		}
	}
	if (status == XT_OK) {
		status = test_loop(t, card, t->port, 0);
	}
	if (status == XT_OK) {
		/* Without an error in n bits the rate is below 3 / n with a confidence of 95 %. */
		snprintf(t->found, sizeof(t->found), "%d packets, no wrong bit in %.3g: error rate below %.1e (95 %%)",
			PACKETS, bits, 3 / bits);
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_restore_tables(t, card);
	return xt_selftest_end_restoring(t, status, restored);
}

int xt_selftest_traffic(selftest_t *t, unsigned card)
{
	unsigned nic = t->profile->link_ports;
	int status, restored;

	if (!generators_of(t, card)) {
		return XT_OK;
	}
	route_all(t, nic);
	status = xt_selftest_write_tables(t, card, 1u << nic, t->read);
	if (status == XT_OK) {
		status = send_to_oneself(t, card, "NIC to itself");
	}
	xt_selftest_begin_restoring(t);
	restored = xt_selftest_restore_tables(t, card);
	return xt_selftest_end_restoring(t, status, restored);
}
