/* SPDX-License-Identifier: Apache-2.0 */
#include "device_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board_internal.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "extorus/run.h"
#include "extorus/topology.h"
#include "link_state.h"
#include "simulated_nic.h"

enum {
	MAX_WAVE_CARDS = 64,
	LINK_READS = 1000, /* of its state, until a link must be up */
};

/* "sim:WHERE;name=value;..." taken apart; the strings point into `text`. */
typedef struct {
	char *text;
	const char *where;
	const char *profile;
	uint64_t latency; /* 0: the profile's */
	int evaluate_all;
	const char *wave_path;
	uint32_t wave_cards[MAX_WAVE_CARDS];
	unsigned wave_card_count;
	uint64_t wave_from, wave_to;
} sim_options_t;

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9') {
		return XT_ERR_INVALID;
	}
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? XT_ERR_INVALID : XT_OK;
}

static int parse_cards(char *text, sim_options_t *options)
{
	char *rest = text;

	options->wave_card_count = 0;
	while (rest) {
		char *word = strsep(&rest, ",");
		uint64_t card;

		if (parse_number(word, &card) || card > UINT32_MAX || options->wave_card_count == MAX_WAVE_CARDS) {
			return XT_ERR_INVALID;
		}
		options->wave_cards[options->wave_card_count++] = (uint32_t)card;
	}
	return XT_OK;
}

static int parse_option(char *word, sim_options_t *options, xt_diag_t *diag)
{
	char *value = strchr(word, '=');
	int status = XT_ERR_INVALID;

	if (value) {
		*value++ = '\0';
		if (strcmp(word, "profile") == 0) {
			options->profile = value;
			status = XT_OK;
		} else if (strcmp(word, "latency") == 0) {
			status = parse_number(value, &options->latency);
			if (status == XT_OK && (options->latency < 1 || options->latency > XT_MAX_LINK_LATENCY)) {
				return xt_fail(diag, XT_ERR_RANGE, "device: latency %s is not in 1 .. %d cycles", value,
					XT_MAX_LINK_LATENCY);
			}
		} else if (strcmp(word, "evaluate") == 0) {
			options->evaluate_all = strcmp(value, "all") == 0;
			status = options->evaluate_all ? XT_OK : XT_ERR_INVALID;
		} else if (strcmp(word, "wave") == 0 && *value) {
			options->wave_path = value;
			status = XT_OK;
		} else if (strcmp(word, "wave-cards") == 0) {
			status = parse_cards(value, options);
		} else if (strcmp(word, "wave-from") == 0) {
			status = parse_number(value, &options->wave_from);
		} else if (strcmp(word, "wave-to") == 0) {
			status = parse_number(value, &options->wave_to);
		}
		value[-1] = '=';
	}
	if (status) {
		return xt_fail(diag, status,
			"device: option \"%.80s\" is not one of profile=NAME, latency=CYCLES, evaluate=all, wave=FILE, "
			"wave-cards=N,N, wave-from=CYCLE, wave-to=CYCLE",
			word);
	}
	return XT_OK;
}

static int parse_sim(const char *where, sim_options_t *options, xt_diag_t *diag)
{
	char *rest;

	memset(options, 0, sizeof(*options));
	options->wave_card_count = 1;
	options->wave_to = UINT64_MAX;
	options->text = strdup(where);
	if (!options->text) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	rest = options->text;
	options->where = strsep(&rest, ";");
	while (rest) {
		int status = parse_option(strsep(&rest, ";"), options, diag);

		if (status) {
			return status;
		}
	}
	if (!*options->where) {
		return xt_fail(diag, XT_ERR_INVALID,
			"device: sim: needs a topology or an image file, for example sim:twin:2x2x2x2x2");
	}
	if (options->wave_from > options->wave_to) {
		return xt_fail(diag, XT_ERR_INVALID, "device: wave-from is later than wave-to");
	}
	return XT_OK;
}

static int take_peers(xt_device_t *device, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	unsigned ports = xt_profile_ports(device->profile);

	device->cards = image ? xt_image_cards(image) : xt_topology_cards(topology);
	device->peers = calloc((size_t)device->cards * links, sizeof(*device->peers));
	device->labels = calloc((size_t)device->cards * ports, sizeof(*device->labels));
	device->killed = calloc((size_t)device->cards * links, sizeof(*device->killed));
	if (!device->peers || !device->labels || !device->killed) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory for %u cards", device->cards);
	}
	for (size_t i = 0; i < (size_t)device->cards * links; i++) {
		device->peers[i].card = XT_NO_CARD;
	}
	for (unsigned card = 0; card < device->cards; card++) {
		for (unsigned port = 0; port < links; port++) {
			xt_peer_t peer =
				image ? xt_image_peer(image, card, port) : xt_topology_peer(topology, card, port);

			/* A one-way link is a cable as well: credits and acknowledgements come back by it. */
			if (peer.card != XT_NO_CARD) {
				device->peers[card * links + port] = peer;
				device->peers[peer.card * links + peer.port] = (xt_peer_t){card, port};
			}
		}
		for (unsigned port = 0; port < ports; port++) {
			snprintf(device->labels[card * ports + port].text, sizeof(device->labels->text), "%s",
				image ? xt_image_port_name(image, card, port)
				      : xt_topology_port_name(topology, card, port));
		}
	}
	return XT_OK;
}

/* Profile, number of cards and wiring. */
static int wire(xt_device_t *device, const sim_options_t *options, xt_diag_t *diag)
{
	xt_topology_t *topology = NULL;
	xt_image_t *image = NULL;
	int status;

	if (xt_topology_is_spec(options->where)) {
		status = xt_profile_require(options->profile ? options->profile : "extoll", &device->profile, diag);
		if (status == XT_OK) {
			status = xt_topology_parse(options->where, device->profile, &topology, diag);
		}
	} else {
		status = xt_image_read(options->where, &image, diag);
		if (status == XT_OK) {
			device->profile = xt_image_profile(image);
			if (options->profile && strcmp(options->profile, device->profile->name) != 0) {
				status = xt_fail(diag, XT_ERR_MISMATCH,
					"device: %.200s is an image for profile %s, not %.40s", options->where,
					device->profile->name, options->profile);
			}
		}
	}
	if (status == XT_OK) {
		status = take_peers(device, image, topology, diag);
	}
	for (unsigned i = 0; status == XT_OK && i < options->wave_card_count; i++) {
		if (options->wave_path && options->wave_cards[i] >= device->cards) {
			status = xt_fail(diag, XT_ERR_RANGE,
				"device: wave-cards: there is no card %" PRIu32 ", only 0 to %u",
				options->wave_cards[i], device->cards - 1);
		}
	}
	xt_image_free(image);
	xt_topology_free(topology);
	return status;
}

/* Every card must say what it is. */
static int identify(xt_device_t *device, xt_diag_t *diag)
{
	const xt_profile_t *profile = device->profile;
	const struct {
		xt_register_id_t id;
		uint32_t value;
	} expected[] = {
		{XT_REG_MAGIC, XT_REG_MAGIC_VALUE},
		{XT_REG_VERSION, XT_REG_MAP_VERSION},
		{XT_REG_PROFILE_HASH, xt_profile_hash(profile)},
		{XT_REG_SHAPE, profile->link_ports << XT_FIELD_SHAPE_LINK_PORTS_LSB |
				       profile->nic_ports << XT_FIELD_SHAPE_NIC_PORTS_LSB |
				       profile->tcs << XT_FIELD_SHAPE_TCS_LSB |
				       xt_profile_vcs(profile) << XT_FIELD_SHAPE_VCS_LSB},
	};

	for (unsigned card = 0; card < device->cards; card++) {
		for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
			uint32_t value;
			int status = xt_device_read(
				device, card, xt_register_address(expected[i].id, 0, 0), &value, 1, diag);

			if (status) {
				return status;
			}
			if (value != expected[i].value) {
				return xt_fail(diag, XT_ERR_NODEVICE,
					"device: card %u: %s reads %08" PRIx32 ", a card of profile %s has %08" PRIx32
					"; the hardware was built from other parameters",
					card, xt_registers[expected[i].id].name, value, profile->name,
					expected[i].value);
			}
		}
	}
	return XT_OK;
}

/* Links with a link layer train by themselves; a port without a peer would do so for ever. */
static int await_links(xt_device_t *device, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	uint32_t value = 0;
	int status = XT_OK;

	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		uint32_t unused = 0;

		for (unsigned port = 0; port < links; port++) {
			unused |= (uint32_t)(xt_device_peer(device, card, port).card == XT_NO_CARD) << port;
		}
		status =
			xt_device_write(device, card, xt_register_address(XT_REG_LINK_DISABLE, 0, 0), &unused, 1, diag);
	}
	for (unsigned i = 0, reads = 0; i < device->cards * links && status == XT_OK;) {
		unsigned card = i / links, port = i % links;

		if (xt_device_peer(device, card, port).card == XT_NO_CARD) {
			i++;
			continue;
		}
		status = xt_device_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &value, 1, diag);
		if (status != XT_OK || xt_link_state_of(value) == XT_LINK_UP) {
			i++;
			reads = 0;
		} else if (++reads > LINK_READS) {
			return xt_fail(diag, XT_ERR_TIMEOUT,
				"device: card %u port %s: the link does not come up (state %s, cause %s)", card,
				xt_device_port_name(device, card, port), xt_link_state_name(xt_link_state_of(value)),
				xt_link_cause_name(xt_link_cause_of(value)));
		}
	}
	return status;
}

/* The devices that are simulated: the scheme of their URI, and of their plug-in. */
static const struct {
	const char *scheme, *plugin;
} simulators[] = {{"sim:", "cosim"}, {"model:", "model"}};

enum { SIMULATORS = sizeof(simulators) / sizeof(simulators[0]) };

static int open_simulator(xt_device_t *device, const char *plugin, const char *where, xt_diag_t *diag)
{
	sim_options_t options;
	int status = parse_sim(where, &options, diag);

	if (status == XT_OK) {
		status = wire(device, &options, diag);
	}
	if (status == XT_OK && options.wave_path && strcmp(plugin, "model") == 0) {
		status = xt_fail(diag, XT_ERR_UNSUPPORTED, "device: the model has no waves; use sim: for them");
	}
	if (status == XT_OK) {
		status = xt_plugin_load(
			plugin, device->profile, options.wave_path != NULL, &device->backend, &device->library, diag);
	}
	if (status == XT_OK) {
		xt_network_t network = {
			.profile = device->profile,
			.cards = device->cards,
			.peers = device->peers,
			.link_latency = options.latency ? (unsigned)options.latency : device->profile->link_latency,
			.evaluate_all = options.evaluate_all,
			.wave_path = options.wave_path,
			.wave_cards = options.wave_cards,
			.wave_card_count = options.wave_card_count,
			.wave_from = options.wave_from,
			.wave_to = options.wave_to,
		};

		status = device->backend->open(&network, &device->engine, diag);
	}
	free(options.text);
	return status;
}

/* What follows once the engine is open. */
static int begin(xt_device_t *device, xt_diag_t *diag)
{
	int status = identify(device, diag);

	if (status == XT_OK && device->profile->replay_cells) {
		status = await_links(device, diag);
	}
	if (status == XT_OK && device->backend->tables_cleared) {
		device->known = calloc((size_t)device->cards * xt_device_entries(device), sizeof(*device->known));
		if (!device->known) {
			status = xt_fail(diag, XT_ERR_NOMEM, "device: out of memory for %u cards", device->cards);
		}
	}
	return status;
}

static int open_network(xt_device_t *device, unsigned simulator, const char *uri, xt_diag_t *diag)
{
	int status =
		open_simulator(device, simulators[simulator].plugin, uri + strlen(simulators[simulator].scheme), diag);

	return status == XT_OK ? begin(device, diag) : status;
}

int xt_device_adopt(
	const xt_backend_t *backend, xt_engine_t *engine, const xt_image_t *image, xt_device_t **out, xt_diag_t *diag)
{
	xt_device_t *device = calloc(1, sizeof(*device));
	int status;

	*out = NULL;
	if (!device) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	device->profile = xt_image_profile(image);
	device->backend = backend;
	status = take_peers(device, image, NULL, diag);
	if (status == XT_OK) {
		device->engine = engine;
		status = begin(device, diag);
		/* The engine is the caller's until all is well. */
		device->engine = status == XT_OK ? engine : NULL;
	}
	if (status) {
		xt_device_close(device);
		return status;
	}
	*out = device;
	return XT_OK;
}

static int open_board(xt_device_t *device, const char *uri, const xt_open_options_t *options, xt_diag_t *diag)
{
	const char *wiring;
	int status = xt_board_open(device, uri, options, &wiring, diag);

	if (status == XT_OK) {
		sim_options_t where = {.where = wiring, .profile = device->profile->name};

		status = wiring ? wire(device, &where, diag) : xt_board_unwired(device, diag);
	}
	if (status == XT_OK) {
		status = xt_board_check_cards(device, diag);
	}
	return status == XT_OK ? identify(device, diag) : status;
}

int xt_device_open_with(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag)
{
	static const xt_open_options_t none = {0};
	xt_device_t *device;
	unsigned s = 0;
	int status;

	*out = NULL;
	while (s < SIMULATORS && strncmp(uri, simulators[s].scheme, strlen(simulators[s].scheme)) != 0) {
		s++;
	}
	if (s == SIMULATORS && !xt_board_is_uri(uri)) {
		return xt_fail(diag, XT_ERR_NODEVICE,
			"device \"%.100s\" is not known; use sim:SPEC or sim:FILE for the RTL, model:SPEC or "
			"model:FILE for the fast model, usb:, ftdi:, uart:FILE or tcp:HOST:PORT for a board",
			uri);
	}
	device = calloc(1, sizeof(*device));
	if (!device) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	status = s < SIMULATORS ? open_network(device, s, uri, diag)
				: open_board(device, uri, options ? options : &none, diag);
	if (status) {
		xt_device_close(device);
		return status;
	}
	*out = device;
	return XT_OK;
}

int xt_device_open(const char *uri, xt_device_t **out, xt_diag_t *diag)
{
	return xt_device_open_with(uri, NULL, out, diag);
}

void xt_device_close(xt_device_t *device)
{
	if (!device) {
		return;
	}
	xt_exchange_free(device->exchange);
	if (device->engine) {
		device->backend->close(device->engine);
	}
	xt_board_free(device->board);
	if (device->library) {
		dlclose(device->library);
	}
	free(device->known);
	free(device->peers);
	free(device->labels);
	free(device->killed);
	free(device);
}

const xt_profile_t *xt_device_profile(const xt_device_t *device)
{
	return device->profile;
}

unsigned xt_device_cards(const xt_device_t *device)
{
	return device->cards;
}

const char *xt_device_port_name(const xt_device_t *device, unsigned card, unsigned port)
{
	return device->labels[card * xt_profile_ports(device->profile) + port].text;
}

int xt_device_find_port(const xt_device_t *device, unsigned card, const char *name, unsigned *port, xt_diag_t *diag)
{
	unsigned ports = xt_profile_ports(device->profile);
	char known[160] = "";
	size_t used = 0;
	uint64_t number;

	if (card >= device->cards) {
		return xt_fail(
			diag, XT_ERR_RANGE, "device: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	if (parse_number(name, &number) == XT_OK && number < ports) {
		*port = (unsigned)number;
		return XT_OK;
	}
	for (unsigned p = 0; p < ports; p++) {
		const char *label = xt_device_port_name(device, card, p);

		if (strcmp(label, name) == 0) {
			*port = p;
			return XT_OK;
		}
		if (used < sizeof(known)) {
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", p ? ", " : "", label);
		}
	}
	return xt_fail(diag, XT_ERR_RANGE, "device: card %u has no port \"%.20s\"; it has %s", card, name, known);
}

const xt_backend_t *xt_device_backend(const xt_device_t *device, xt_engine_t **engine)
{
	*engine = device->engine;
	return device->backend;
}

xt_peer_t xt_device_peer(const xt_device_t *device, unsigned card, unsigned port)
{
	return device->peers[card * device->profile->link_ports + port];
}

const xt_peer_t *xt_device_peers(const xt_device_t *device)
{
	return device->peers;
}

static int check_access(const xt_device_t *device, unsigned card, uint32_t address, size_t count, xt_diag_t *diag)
{
	if (card >= device->cards) {
		return xt_fail(
			diag, XT_ERR_RANGE, "device: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	if (address % 4 || address >= 1u << XT_REG_ADDRESS_BITS ||
		count > ((1u << XT_REG_ADDRESS_BITS) - address) / 4) {
		return xt_fail(diag, XT_ERR_RANGE,
			"device: %zu registers from address 0x%" PRIx32 " are not in the map", count, address);
	}
	return XT_OK;
}

int xt_device_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = check_access(device, card, address, count, diag);

	return status ? status : device->backend->read(device->engine, card, address, values, count, diag);
}

int xt_device_write(
	xt_device_t *device, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	int status = check_access(device, card, address, count, diag);

	return status ? status : device->backend->write(device->engine, card, address, values, count, diag);
}

int xt_device_killed(const xt_device_t *device, unsigned card, unsigned port, unsigned when)
{
	return port < device->profile->link_ports &&
	       (device->killed[card * device->profile->link_ports + port] & when) != 0;
}

static int any_killed(const xt_device_t *device, unsigned when)
{
	for (unsigned i = 0; i < device->cards * device->profile->link_ports; i++) {
		if (device->killed[i] & when) {
			return 1;
		}
	}
	return 0;
}

int xt_device_kills(const xt_device_t *device)
{
	return any_killed(device, XT_KILLED_NOW);
}

int xt_device_killed_earlier(const xt_device_t *device)
{
	return any_killed(device, XT_KILLED_EARLIER);
}

void xt_device_kills_over(xt_device_t *device)
{
	for (unsigned i = 0; i < device->cards * device->profile->link_ports; i++) {
		if (device->killed[i]) {
			device->killed[i] = XT_KILLED_EARLIER;
		}
	}
}

static int write_keepalive(xt_device_t *device, unsigned card, uint32_t value, xt_diag_t *diag)
{
	uint32_t address = xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0);

	return xt_device_write(device, card, address, &value, 1, diag);
}

int xt_device_rest_links(xt_device_t *device, xt_diag_t *diag)
{
	enum { CYCLES_PER_WRITE = 16 };
	int status = XT_OK;

	if (!device->kept_alive || device->cards * CYCLES_PER_WRITE > 4 * XT_KILL_KEEPALIVE) {
		return XT_OK;
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = write_keepalive(device, card, 0, diag);
	}
	device->kept_alive = 0;
	return status;
}

/* Both ends must notice a dead link, so every card gets keepalives. */
static int kill_link(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports;
	xt_peer_t peer = xt_device_peer(device, fault->card, fault->port);
	uint32_t address = xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0);
	int status;

	if (!device->profile->replay_cells) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"fault: the links of profile %s have no link layer that would notice a dead link",
			device->profile->name);
	}
	status = device->backend->fault(device->engine, fault, diag);
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		uint32_t value;

		status = xt_device_read(device, card, address, &value, 1, diag);
		if (status == XT_OK && !value) {
			status = write_keepalive(device, card, XT_KILL_KEEPALIVE, diag);
			device->kept_alive = 1;
		}
	}
	if (status == XT_OK) {
		device->killed[fault->card * links + fault->port] |= XT_KILLED_NOW;
		device->killed[peer.card * links + peer.port] |= XT_KILLED_NOW;
	}
	return status;
}

int xt_device_fault(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag)
{
	const xt_profile_t *profile = device->profile;

	if (fault->card >= device->cards) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: there is no card %" PRIu32 ", only 0 to %u", fault->card,
			device->cards - 1);
	}
	if (fault->kind == XT_FAULT_SWAP_ENTRY) {
		return xt_device_swap_entries(device, fault->card, fault->entry_a, fault->entry_b, diag);
	}
	if (!device->backend->fault) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "fault: this device is not simulated");
	}
	if (fault->kind == XT_FAULT_BLOCK_NIC
			? fault->port < profile->link_ports || fault->port >= xt_profile_ports(profile)
			: fault->port >= profile->link_ports ||
				  xt_device_peer(device, fault->card, fault->port).card == XT_NO_CARD) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: card %" PRIu32 " has no %s port %" PRIu32, fault->card,
			fault->kind == XT_FAULT_BLOCK_NIC ? "NIC" : "connected link", fault->port);
	}
	if (fault->kind == XT_FAULT_FLIP_BIT && fault->bit >= profile->cell_bits) {
		return xt_fail(diag, XT_ERR_RANGE, "fault: a cell has bits 0 to %u, not %" PRIu32,
			profile->cell_bits - 1, fault->bit);
	}
	return fault->kind == XT_FAULT_KILL_LINK ? kill_link(device, fault, diag)
						 : device->backend->fault(device->engine, fault, diag);
}
