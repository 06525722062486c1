// SPDX-License-Identifier: Apache-2.0
//
// Every packet leaves the card, and pins, registers and the bench's counts agree about it.
#include "switch_bench.hpp"

#include <algorithm>
#include <cstdio>

void Bench::drain_inside()
{
	run_until(
		[&] {
			bool sending = board.inside() != 0;

			for (unsigned p = 0; p < shape().ports; p++) {
				sending = sending || source(p).sending() || source(p).queued() || sink(p).receiving();
			}
			return !sending;
		},
		10000, "an empty card");
	run(20);
}

void Bench::drain()
{
	const Shape &s = shape();
	const uint64_t patience = 3000;
	uint64_t started = now();

	for (;;) {
		bool home = board.inside() == 0;
		uint64_t progress = started;

		for (unsigned p = 0; p < s.ports; p++) {
			home = home && !source(p).sending() && source(p).queued() == 0 && !sink(p).receiving();
			progress = std::max({progress, source(p).last_progress, sink(p).last_progress});
		}
		for (unsigned p = 0; p < s.links; p++) {
			home = home && link_sources[p].account().total() == 0 && link_sinks[p].account().total() == 0;
			home = home && links[p].settled();
		}
		if (home) {
			break;
		}
		if (now() > progress + patience) {
			fail("cycle %llu: nothing moved for %llu cycles; %s", as_ull(now()), as_ull(patience),
				state().c_str());
		}
		step();
	}
	// The counters write down what they have gathered.
	run(100);
}

std::deque<Packet> Bench::give_up(unsigned port)
{
	std::deque<Packet> swallowed = board.forget(port);

	sink(port).count_swallowed(swallowed);
	link_sinks[port].restart();
	return swallowed;
}

void Bench::retrain(unsigned port)
{
	link_sources[port].restart();
	link_sinks[port].restart();
	links[port].restart();
	write(XT_REG_LINK_RETRAIN, 1u << port);
	run_until([&] { return links[port].ready(now()); }, 4000, "the link's training");
}

// Up, and without errors unless the bench made some.
void Bench::check_link(unsigned port)
{
	const xt_register_id_t counters[] = {XT_REG_CRC_ERRORS, XT_REG_NACKS, XT_REG_REPLAYS, XT_REG_TIMEOUTS};
	uint32_t state = read(XT_REG_LINK_STATE, port);
	uint32_t dropped = read(XT_REG_DROPPED, port), poisoned = read(XT_REG_POISONED, port);

	if (state != 1u << XT_FIELD_LINK_STATE_STATE_LSB) {
		fail("cycle %llu: LINK_STATE[%u] is 0x%x, the link is up", as_ull(now()), port, state);
	}
	if (!links[port].may_fail && (dropped || poisoned)) {
		fail("cycle %llu: port %u: DROPPED is %u, POISONED %u, and the link was never down", as_ull(now()),
			port, dropped, poisoned);
	}
	for (xt_register_id_t counter : counters) {
		uint32_t value = links[port].may_fail ? 0 : read(counter, port);

		if (value && !links[port].errors) {
			fail("cycle %llu: %s[%u] is %u, and the bench made no errors", as_ull(now()),
				xt_registers[counter].name, port, value);
		}
	}
}

void Bench::check_home()
{
	const Shape &s = shape();

	// Register accesses of the test keep the card from being idle.
	run(30);
	unsigned long long at = now();

	if (!card.idle()) {
		fail("cycle %llu: everything is home, but idle_o is 0", at);
	}
	if ((read(XT_REG_STATUS) >> XT_FIELD_STATUS_IDLE_LSB & 1) == 0) {
		fail("cycle %llu: everything is home, but STATUS.idle is 0", at);
	}
	for (unsigned p = 0; p < s.ports; p++) {
		uint32_t free_cells = read(XT_REG_FREE_CELLS, p), illegal = read(XT_REG_ILLEGAL_ROUTES, p);
		uint32_t misframed = read(XT_REG_FRAMING_ERRORS, p);

		if (free_cells != s.buffer_cells) {
			fail("cycle %llu: FREE_CELLS[%u] is %u of %u with everything home", at, p, free_cells,
				s.buffer_cells);
		}
		if (illegal != source(p).counts().illegal) {
			fail("cycle %llu: ILLEGAL_ROUTES[%u] is %u, the bench sent %llu", at, p, illegal,
				as_ull(source(p).counts().illegal));
		}
		if (misframed != source(p).counts().misframed) {
			fail("cycle %llu: FRAMING_ERRORS[%u] is %u, the bench made %llu", at, p, misframed,
				as_ull(source(p).counts().misframed));
		}
		if (!s.is_nic(p) && s.frame.layer) {
			check_link(p);
		}
		for (unsigned vc = 0; vc < s.vcs; vc++) {
			uint32_t used = read(XT_REG_CREDITS_USED, p, vc);

			if (used) {
				fail("cycle %llu: CREDITS_USED[%u][%u] is %u with everything home", at, p, vc, used);
			}
		}
		for (unsigned t = 0; t < s.tcs; t++) {
			struct {
				xt_register_id_t id;
				uint64_t expected;
			} counters[] = {
				{XT_REG_RX_PACKETS, source(p).counts().packets[t]},
				{XT_REG_RX_CELLS, source(p).counts().cells[t]},
				{XT_REG_TX_PACKETS, sink(p).counts().packets[t]},
				{XT_REG_TX_CELLS, sink(p).counts().cells[t]},
			};
			for (const auto &c : counters) {
				uint32_t value = read(c.id, p, t);

				if (value != static_cast<uint32_t>(c.expected)) {
					fail("cycle %llu: %s[%u][%u] is %u, the bench counted %llu", at,
						xt_registers[c.id].name, p, t, value, as_ull(c.expected));
				}
			}
		}
	}
}

std::string Bench::state()
{
	const Shape &s = shape();
	std::string text = "inside: " + std::to_string(board.inside()) + " packets";
	char line[160];

	if (board.inside()) {
		text += " (" + board.waiting() + ")";
	}
	for (unsigned p = 0; p < s.ports; p++) {
		std::snprintf(line, sizeof(line), "; port %u: source %zu queued%s", p, source(p).queued(),
			source(p).sending() ? ", sending" : "");
		text += line;
		if (!s.is_nic(p)) {
			std::snprintf(line, sizeof(line), ", owed %u, sink owes %u", link_sources[p].account().total(),
				link_sinks[p].account().total());
			text += line;
		}
	}
	return text;
}
