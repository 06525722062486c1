/* SPDX-License-Identifier: Apache-2.0 */
#include "case.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "extorus/random.h"
#include "extorus/registers.h"
#include "extorus/routing.h"
#include "extorus/topology.h"

typedef struct {
	const char *spec, *algorithm;
	int adaptive;
} network_t;

static const network_t mini_networks[] = {
	{"torus:2x2", "dor", 0},
	{"torus:4x2", "dor", 0},
	{"torus:3x3", "dor", 0},
	{"torus:4", "dor", 0},
	{"torus:4x4", "updown", 0},
	{"mesh:3x2", "updown", 0},
	{"torus:3x3~random=2:5", "layered", 0},
	{"twin:2x2x2", "updown", 0},
};
static const network_t extoll_networks[] = {
	{"torus:2x2", "dor", 0},
	{"torus:3x2", "dor", 1},
	{"torus:2x2x2", "dor", 1},
	{"twin:2x2", "ts-dor", 1},
	{"twin:2x2x2", "ts-dor", 1},
	{"twin:3x2", "ts-dor", 0},
	{"torus:4x2~3", "layered", 0},
	{"torus:5", "dor", 1},
};
static const network_t dort_networks[] = {{"twin:2x2", "dort", 0}, {"twin:2x2x2", "dort", 0}};
static const network_t bubble_networks[] = {
	{"torus:2x2", "bubble", 0}, {"twin:2x2", "bubble", 0}, {"torus:4", "bubble", 0}};
/* Dimensions after the first have the VCs from 1 on, and packets that go on in their rings. */
static const network_t bubble4_networks[] = {{"twin:1x5,config=d0+d1+", "bubble", 0},
	{"twin:2x4,config=d0+d1+", "bubble", 0}, {"twin:1x2x4,config=A", "bubble", 0}};
static const network_t node_networks[] = {
	{"torus:2x2", "dor", 0}, {"torus:4", "dor", 0}, {"torus:3x3", "dor", 0}, {"mesh:3x2", "updown", 0}};
static const network_t ring_networks[] = {{"torus:2", "dor", 0}, {"torus:3", "dor", 0}, {"torus:5", "dor", 0}};

/* The larger its share, the more cases a profile gets: mini is the fastest by far. Without a share it gets those that
 * ask for it by name. */
static const struct {
	const char *profile;
	const network_t *networks;
	unsigned count, share;
} kinds[] = {
	{"mini", mini_networks, sizeof(mini_networks) / sizeof(mini_networks[0]), 10},
	{"extoll", extoll_networks, sizeof(extoll_networks) / sizeof(extoll_networks[0]), 6},
	{"extoll10", extoll_networks, 3, 1},
	{"dort", dort_networks, sizeof(dort_networks) / sizeof(dort_networks[0]), 1},
	{"bubble", bubble_networks, sizeof(bubble_networks) / sizeof(bubble_networks[0]), 2},
	{"bubble4", bubble4_networks, sizeof(bubble4_networks) / sizeof(bubble4_networks[0]), 0},
	{"node", node_networks, sizeof(node_networks) / sizeof(node_networks[0]), 0},
	{"extoll64", extoll_networks, sizeof(extoll_networks) / sizeof(extoll_networks[0]), 0},
	{"extoll_linked", extoll_networks, sizeof(extoll_networks) / sizeof(extoll_networks[0]), 0},
	{"extoll_small", extoll_networks, sizeof(extoll_networks) / sizeof(extoll_networks[0]), 0},
	{"ring", ring_networks, sizeof(ring_networks) / sizeof(ring_networks[0]), 0},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void say(case_t *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(case_t *c, const char *format, ...)
{
	size_t used = strlen(c->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->text + used, sizeof(c->text) - used, format, arguments);
	va_end(arguments);
}

static void give_up(const case_t *c, const xt_diag_t *diag)
{
	fprintf(stderr, "case %" PRIu64 " (%s): %s\n", c->number, c->text, diag->text);
	exit(2);
}

/* One in n. */
static int chance(xt_random_t *random, uint32_t n)
{
	return xt_random_below(random, n) == 0;
}

static unsigned choose_kind(xt_random_t *random, const char *profile)
{
	unsigned total = 0, drawn, k;

	for (k = 0; k < KINDS; k++) {
		if (profile && strcmp(profile, kinds[k].profile) == 0) {
			return k;
		}
		total += kinds[k].share;
	}
	if (profile) {
		fprintf(stderr, "no case has the profile %s; case.c lists those that have\n", profile);
		exit(2);
	}
	drawn = xt_random_below(random, total);
	for (k = 0; drawn >= kinds[k].share; k++) {
		drawn -= kinds[k].share;
	}
	return k;
}

static void make_image(case_t *c, const network_t *network, const xt_profile_t *profile, int adaptive)
{
	xt_route_options_t options = {.size = sizeof(options), .adaptive = adaptive, .seed = 1};
	xt_topology_t *topology = NULL;
	xt_diag_t diag = {""};
	int status = xt_algorithm_parse(network->algorithm, &options.algorithm, &diag);

	if (status == XT_OK) {
		status = xt_topology_parse(network->spec, profile, &topology, &diag);
	}
	if (status == XT_OK) {
		status = xt_route(topology, &options, &c->image, &diag);
	}
	xt_topology_free(topology);
	if (status != XT_OK) {
		give_up(c, &diag);
	}
}

/* A plain run has nothing that the model steps cell by cell for, so that its steps by events are compared too. */
static int is_plain(uint64_t number)
{
	return number % 4 == 1;
}

/* Of these, a long one of packets of one length, at a load at which room behind outputs comes and goes while heads
 * arrive at inputs that have nothing else to do. A flag of room that is a cycle wrong decides once in some thousand
 * packets. */
static int is_long(uint64_t number)
{
	return number % 16 == 9;
}

static void make_traffic(case_t *c, xt_random_t *random, const xt_profile_t *profile, int plain)
{
	static const double loads[] = {0.02, 0.1, 0.3, 0.5, 0.8, 1.0};
	xt_traffic_t *t = &c->traffic;

	*t = xt_traffic_default(profile);
	t->load = loads[xt_random_below(random, sizeof(loads) / sizeof(loads[0]))];
	t->seed = c->number;
	switch (xt_random_below(random, 4)) {
	case 0:
		t->length.min = t->length.max = 1;
		break;
	case 1:
		t->length.min = t->length.max = 1 + xt_random_below(random, profile->packet_cells);
		break;
	case 2:
		t->length.max = 1 + xt_random_below(random, profile->packet_cells < 5 ? profile->packet_cells : 5);
		break;
	default:
		break;
	}
	if (chance(random, 4)) {
		t->pattern = "zipf";
	}
	if (is_long(c->number)) {
		t->load = loads[3 + xt_random_below(random, 2)];
		t->length.min = t->length.max = 1 + xt_random_below(random, profile->packet_cells);
	}
	c->nic_period = 1;
	if (!plain && chance(random, 3)) {
		c->nic_period = 2 + xt_random_below(random, 60);
		c->nic_stall = 1 + xt_random_below(random, c->nic_period - 1);
	}
	say(c, ", load %g, packets %u-%u, %s, PEs pause %u/%u", t->load, t->length.min, t->length.max, t->pattern,
		c->nic_stall, c->nic_period);
}

static void write_all(case_t *c, xt_register_id_t id, unsigned port, unsigned item, uint32_t value)
{
	case_write_t *w = &c->writes[c->write_count++];

	assert(c->write_count <= CASE_MAX_WRITES);
	w->card = UINT32_MAX;
	w->address = xt_register_address(id, port, item);
	w->value = value;
	say(c, ", %s(%u,%u)=0x%x", xt_registers[id].name, port, item, value);
}

static void write_one(case_t *c, uint32_t card, xt_register_id_t id, unsigned port, unsigned item, uint32_t value)
{
	write_all(c, id, port, item, value);
	c->writes[c->write_count - 1].card = card;
}

static void make_settings(case_t *c, xt_random_t *random, const xt_profile_t *profile, int adaptive, int plain)
{
	const uint32_t features = xt_profile_features(profile);
	const unsigned cards = xt_image_cards(c->image), ports = xt_profile_ports(profile);
	/* A copy, so that the rest of a case stays what its number means. */
	xt_random_t own = *random;

	/* Half of the cases as after reset, a quarter without in-transit priority, a quarter with any. */
	if (chance(&own, 2)) {
		const int any = !chance(&own, 2);

		write_all(c, XT_REG_INJECTION, 0, 0,
			any ? xt_random_below(&own, 200) | (uint32_t)xt_random_below(&own, profile->buffer_cells)
								   << XT_FIELD_INJECTION_ROOM_LSB
			    : 0);
		for (unsigned p = 0; p < profile->link_ports && any; p++) {
			write_all(c, XT_REG_ENTRANTS, p, 0, xt_random_below(&own, 1u << profile->link_ports));
		}
	}
	if (adaptive) {
		uint32_t low = xt_random_below(random, 2 * profile->packet_cells);

		write_all(c, XT_REG_ADAPTIVE_SELECT, 0, 0, xt_random_below(random, 4));
		write_all(c, XT_REG_ADAPTIVE_THRESHOLDS, 0, 0,
			low | (low + xt_random_below(random, 5 * profile->packet_cells)) << 16);
		write_all(c, XT_REG_ADAPTIVE_PATIENCE, 0, 0, xt_random_below(random, chance(random, 2) ? 6 : 100));
	}
	if (plain) {
		return;
	}
	if ((features & XT_FEATURE_QOS) && chance(random, 3)) {
		for (unsigned i = 0; i < 3; i++) {
			write_all(c, XT_REG_TC_WEIGHT, xt_random_below(random, ports),
				xt_random_below(random, profile->tcs), xt_random_below(random, 16));
		}
	}
	if ((features & XT_FEATURE_MONITORS) && chance(random, 3)) {
		write_all(c, XT_REG_STALL_TIMEOUT, 0, 0, 1 + xt_random_below(random, 60));
	}
	if ((features & XT_FEATURE_LINK_LAYER) && chance(random, 8)) {
		write_all(c, XT_REG_LINK_KEEPALIVE, 0, 0, 30 + xt_random_below(random, 100));
		/* Cards that stamp are never idle, which a run accepts of cards with keepalives only. */
		if (chance(random, 2)) {
			write_all(c, XT_REG_LATENCY_CONTROL, 0, 0, 1);
		}
	}
	if (chance(random, 8)) {
		write_one(
			c, xt_random_below(random, cards), XT_REG_QUIESCE, 0, 0, 1u << xt_random_below(random, ports));
	}
	if (chance(random, 10)) {
		/* Another entry than the image's: illegal routes, or a way that does not end. */
		write_one(c, xt_random_below(random, cards), XT_REG_LRT, 0, xt_random_below(random, cards),
			(uint32_t)xt_random_next(random));
		c->writes[c->write_count - 1].address += 4 * chance(random, 2);
	}
	if ((features & XT_FEATURE_TABLE_ECC) && chance(random, 8)) {
		uint32_t card = xt_random_below(random, cards);
		unsigned index = xt_random_below(random, cards);

		const unsigned half = profile->tcs > XT_ENTRY_WORD_TCS && chance(random, 2);

		write_one(c, card, XT_REG_TABLE_FLIP, 0, 0, xt_random_below(random, 64));
		write_one(
			c, card, XT_REG_LRT, 0, index, (uint32_t)(xt_image_lrt(c->image, card)[index] >> (32 * half)));
		c->writes[c->write_count - 1].address += 4 * half;
	}
}

static void add_fault(case_t *c, xt_fault_kind_t kind, uint32_t card, uint32_t port, uint64_t n, uint32_t bit)
{
	static const char *const names[] = {[XT_FAULT_DROP_CREDIT] = "drop-credit",
		[XT_FAULT_FLIP_BIT] = "flip-bit",
		[XT_FAULT_BLOCK_NIC] = "block-nic",
		[XT_FAULT_KILL_LINK] = "kill-link"};
	xt_fault_t *f = &c->faults[c->fault_count++];

	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->card = card;
	f->port = port;
	f->n = n;
	f->bit = bit;
	say(c, ", %s:%u,%u,%" PRIu64 ",%u", names[kind], card, port, n, bit);
}

static void make_faults(case_t *c, xt_random_t *random, const xt_profile_t *profile)
{
	const unsigned cards = xt_image_cards(c->image);
	const unsigned count = chance(random, 2) ? 0 : 1 + xt_random_below(random, CASE_MAX_FAULTS);

	if (profile->replay_cells && chance(random, 3)) {
		static const double rates[] = {0.002, 0.02, 0.2};

		c->error_rate = rates[xt_random_below(random, 3)];
		say(c, ", errors %g", c->error_rate);
	}
	for (unsigned i = 0; i < count; i++) {
		uint32_t card = xt_random_below(random, cards), port = xt_random_below(random, profile->link_ports);
		uint64_t when = xt_random_below(random, (uint32_t)c->cycles);
		int linked = xt_image_peer(c->image, card, port).card != XT_NO_CARD;

		switch (xt_random_below(random, 4)) {
		case 0:
			add_fault(c, XT_FAULT_BLOCK_NIC, card,
				profile->link_ports + xt_random_below(random, profile->nic_ports), when, 0);
			break;
		case 1:
			if (linked) {
				add_fault(c, XT_FAULT_DROP_CREDIT, card, port, xt_random_below(random, 100), 0);
			}
			break;
		case 2:
			if (linked) {
				add_fault(c, XT_FAULT_FLIP_BIT, card, port, when,
					xt_random_below(random, profile->cell_bits));
			}
			break;
		default:
			if (linked && profile->replay_cells) {
				add_fault(c, XT_FAULT_KILL_LINK, card, port, when, 0);
			}
			break;
		}
	}
}

void case_make(uint64_t number, const char *profile_name, case_t *c)
{
	const xt_profile_t *profile;
	const network_t *network;
	xt_random_t random;
	unsigned kind;
	int adaptive;

	memset(c, 0, sizeof(*c));
	c->number = number;
	xt_random_seed(&random, number, 0);
	kind = choose_kind(&random, profile_name);
	profile = xt_profile_find(kinds[kind].profile);
	network = &kinds[kind].networks[xt_random_below(&random, kinds[kind].count)];
	adaptive = network->adaptive && chance(&random, 2);
	say(c, "%s, %s, %s%s", profile->name, network->spec, network->algorithm, adaptive ? ", adaptive" : "");
	make_image(c, network, profile, adaptive);
	c->latency = chance(&random, 4) ? 1 + xt_random_below(&random, chance(&random, 4) ? 150 : 20) : 0;
	c->cycles = 100 + xt_random_below(&random, profile->replay_cells ? 400 : 600);
	if (is_long(number)) {
		c->latency = xt_random_below(&random, 9);
		c->cycles = 3000;
	}
	c->stop = number % 3 == 0 ? c->cycles / 4 : UINT64_MAX;
	c->inspected = xt_random_below(&random, xt_image_cards(c->image));
	c->inspect_tables = chance(&random, 10);
	say(c, ", latency %u, %" PRIu64 " cycles", c->latency ? c->latency : profile->link_latency, c->cycles);
	if (c->stop < c->cycles) {
		say(c, " with traffic in the first %" PRIu64, c->stop);
	}
	make_traffic(c, &random, profile, is_plain(number));
	make_settings(c, &random, profile, adaptive, is_plain(number));
	if (!is_plain(number)) {
		make_faults(c, &random, profile);
	}
}

void case_free(case_t *c)
{
	xt_image_free(c->image);
	c->image = NULL;
}
