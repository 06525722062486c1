// SPDX-License-Identifier: Apache-2.0
//
// Which table decides, and with which entry: random tables, identities, orders and masks, against the
// lookup rule of the register map, by one-cell packets and where they come out.
#include "test_case.hpp"

namespace
{

struct Tables {
	uint32_t own = 0, order = 0;
	uint32_t mask[XT_MAX_TCS] = {};
	std::vector<std::vector<uint64_t>> grt, lrt; // [port][index]
};

struct Route {
	bool valid;
	unsigned port, vc;
};

// The rule: compare the address with our own, under the TC's match mask, in the local and in the
// global part. Global first: a difference in the global part selects the GRT. Local first: it does so
// only when the local part agrees. A route to a port or VC that does not exist, or back, is none.
Route lookup(const Tables &tables, unsigned port, unsigned tc, uint32_t address)
{
	const Shape &s = shape();
	uint32_t local_bits = s.lrt_entries - 1;
	uint32_t differs = (address ^ tables.own) & tables.mask[tc];
	bool local_differs = (differs & local_bits) != 0, global_differs = (differs & ~local_bits) != 0;
	bool local_first = tables.order >> tc & 1;
	bool global = global_differs && !(local_first && local_differs);
	uint64_t entry =
		global ? tables.grt[port][address >> s.profile->lrt_bits] : tables.lrt[port][address & local_bits];
	uint32_t field = static_cast<uint32_t>(entry >> (16 * tc)) & 0xffff;
	Route route;

	route.port = field >> XT_ENTRY_PORT_LSB & 15;
	route.vc = field >> XT_ENTRY_VC_LSB & 3;
	route.valid = (field >> XT_ENTRY_VALID_BIT) && route.port < s.ports &&
		      (s.is_nic(route.port) || route.vc < s.vc_count[tc]) && !s.turns_back(port, route.port);
	return route;
}

std::string route_lookup(const Options &options)
{
	const Shape &s = shape();
	const unsigned rounds = 6 * options.scale, packets = 600;
	const unsigned lrt_used = 24; // entries written per round; addresses keep to them
	Bench bench(options);
	Tables tables;
	unsigned sent = 0, dropped = 0, by_grt[2] = {};

	tables.grt.assign(s.ports, std::vector<uint64_t>(s.grt_entries));
	tables.lrt.assign(s.ports, std::vector<uint64_t>(s.lrt_entries));
	for (unsigned round = 0; round < rounds; round++) {
		const uint32_t id_mask = (1u << s.profile->id_bits) - 1;
		std::vector<unsigned> locals;

		tables.own = static_cast<uint32_t>(bench.random.next()) & id_mask;
		tables.order = bench.random.below(1u << s.tcs);
		bench.write(XT_REG_CARD_ID, tables.own);
		bench.write(XT_REG_ROUTE_ORDER, tables.order);
		for (unsigned t = 0; t < s.tcs; t++) {
			// The masks that routing uses (all, all but the PE bit) and arbitrary ones.
			unsigned kind = bench.random.below(3);

			tables.mask[t] = kind == 0   ? id_mask
					 : kind == 1 ? id_mask & ~1u
						     : static_cast<uint32_t>(bench.random.next()) & id_mask;
			bench.write(XT_REG_MATCH_MASK, tables.mask[t], 0, t);
		}
		// The own local part and its one-bit neighbours, so that both tables are chosen often.
		locals.push_back(tables.own & (s.lrt_entries - 1));
		for (unsigned b = 0; b < s.profile->lrt_bits; b++) {
			locals.push_back(locals[0] ^ 1u << b);
		}
		while (locals.size() < lrt_used) {
			locals.push_back(bench.random.below(s.lrt_entries));
		}
		auto random_entry = [&]() {
			uint64_t entry = 0;

			for (unsigned t = 0; t < s.tcs; t++) {
				// Mostly legal ports and VCs, sometimes one of the numbers that none has.
				unsigned port =
					bench.random.below(8) ? bench.random.below(s.ports) : bench.random.below(16);
				unsigned vc = bench.random.below(8) ? bench.random.below(s.vc_count[t])
								    : bench.random.below(4);
				uint64_t field =
					entry_field(bench.random.below(10) != 0, port, vc, bench.random.below(64));

				entry |= field << (16 * t);
			}
			return entry;
		};
		for (unsigned p = 0; p < s.ports; p++) {
			bench.write(XT_REG_TABLE_PORTS, 1u << p);
			for (unsigned i = 0; i < s.grt_entries; i++) {
				tables.grt[p][i] = random_entry();
				bench.write_entry(XT_REG_GRT, i, tables.grt[p][i]);
			}
			for (unsigned i : locals) {
				tables.lrt[p][i] = random_entry();
				bench.write_entry(XT_REG_LRT, i, tables.lrt[p][i]);
			}
		}
		for (unsigned n = 0; n < packets; n++) {
			unsigned in_port = bench.random.below(s.ports), tc = bench.random.below(s.tcs);
			unsigned global = bench.random.below(3) ? tables.own >> s.profile->lrt_bits
								: bench.random.below(s.grt_entries);
			uint32_t address = global << s.profile->lrt_bits | locals[bench.random.below(lrt_used)];
			Route route = lookup(tables, in_port, tc, address);
			Packet packet;

			packet.id = bench.fresh_id();
			packet.dest = address;
			packet.in_port = in_port;
			packet.in_vc = s.first_vc[tc] + (s.is_nic(in_port) ? 0 : bench.random.below(s.vc_count[tc]));
			packet.illegal = !route.valid;
			packet.out_port = route.port;
			packet.out_vc = s.is_nic(route.port) ? 0 : s.first_vc[tc] + route.vc;
			bench.send(packet);
			sent++;
			dropped += packet.illegal;
			uint32_t differs = (address ^ tables.own) & tables.mask[tc];
			bool local_differs = (differs & (s.lrt_entries - 1)) != 0;

			by_grt[(differs & ~(s.lrt_entries - 1)) && !(local_differs && (tables.order >> tc & 1))]++;
		}
		bench.drain();
	}
	bench.check_home();
	return figure("%u lookups (%u by LRT, %u by GRT), %u without route, as the oracle says", sent, by_grt[0],
		by_grt[1], dropped);
}

} // namespace

std::vector<TestCase> routing_tests()
{
	return {{"route-lookup", route_lookup}};
}
