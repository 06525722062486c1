/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that are simulated: the options of their URI, and the plug-in that carries them out. */
#include "simulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_internal.h"
#include "extorus/number_text.h"
#include "rank_partition.h"

enum { MAX_WAVE_CARDS = 64, PORT_BUFFER = 128, MAX_PORT_BUFFER = 32768, MAX_INJECTION_QUEUES = 8 };

/* "sim:WHERE;name=value;..." taken apart; the strings point into `text`. */
typedef struct {
	char *text;
	const char *where;
	const char *profile;
	uint64_t latency; /* 0: the profile's */
	int evaluate_all;
	const char *kind; /* of the switch; NULL: that of the RTL */
	/* Of a switch that needs them. */
	uint64_t port_buffer; /* flits */
	uint64_t injection_queues;
	int crossbar_per_vc, transit_first;
	const char *wave_path;
	uint32_t wave_cards[MAX_WAVE_CARDS];
	unsigned wave_card_count;
	uint64_t wave_from, wave_to;
} sim_options_t;

static int parse_number(
	const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *value, xt_diag_t *diag)
{
	char what[32];

	snprintf(what, sizeof(what), "device: %s=", name);
	return xt_number_read(what, text, 10, least, most, value, diag);
}

static int parse_cards(char *text, sim_options_t *options, xt_diag_t *diag)
{
	char *rest = text;

	options->wave_card_count = 0;
	while (rest) {
		uint64_t card;
		int status = parse_number("wave-cards", strsep(&rest, ","), 0, UINT32_MAX, &card, diag);

		if (status != XT_OK) {
			return status;
		}
		if (options->wave_card_count == MAX_WAVE_CARDS) {
			return xt_fail(
				diag, XT_ERR_RANGE, "device: wave-cards= names more than %d cards", MAX_WAVE_CARDS);
		}
		options->wave_cards[options->wave_card_count++] = (uint32_t)card;
	}
	return XT_OK;
}

static int parse_option(char *word, sim_options_t *options, xt_diag_t *diag)
{
	const struct {
		const char *name;
		uint64_t least, most, *value;
	} numbers[] = {
		{"latency", 1, XT_MAX_LINK_LATENCY, &options->latency},
		{"port-buffer", 1, MAX_PORT_BUFFER, &options->port_buffer},
		{"injection-queues", 1, MAX_INJECTION_QUEUES, &options->injection_queues},
		{"wave-from", 0, UINT64_MAX, &options->wave_from},
		{"wave-to", 0, UINT64_MAX, &options->wave_to},
	};
	const struct {
		const char *name, *value;
		int *flag;
	} words[] = {
		{"evaluate", "all", &options->evaluate_all},
		{"crossbar", "vc", &options->crossbar_per_vc},
		{"transit", "first", &options->transit_first},
	};
	char *value = strchr(word, '=');

	if (value) {
		*value++ = '\0';
		for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			if (strcmp(word, numbers[i].name) == 0) {
				return parse_number(
					word, value, numbers[i].least, numbers[i].most, numbers[i].value, diag);
			}
		}
		if (strcmp(word, "wave-cards") == 0) {
			return parse_cards(value, options, diag);
		}
		if (strcmp(word, "profile") == 0) {
			options->profile = value;
			return XT_OK;
		}
		if (strcmp(word, "switch") == 0 && strcmp(value, "input-queued") == 0) {
			options->kind = value;
			return XT_OK;
		}
		for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (strcmp(word, words[i].name) == 0 && strcmp(value, words[i].value) == 0) {
				*words[i].flag = 1;
				return XT_OK;
			}
		}
		if (strcmp(word, "wave") == 0 && *value) {
			options->wave_path = value;
			return XT_OK;
		}
		value[-1] = '=';
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"device: option \"%.80s\" is not one of profile=NAME, latency=CYCLES, evaluate=all, "
		"switch=input-queued, port-buffer=FLITS, crossbar=vc, transit=first, injection-queues=N, wave=FILE, "
		"wave-cards=N,N, wave-from=CYCLE, wave-to=CYCLE",
		word);
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

/* The devices that are simulated: the scheme of their URI, and of their plug-in. */
static const struct {
	const char *scheme, *plugin;
} simulators[] = {{"sim:", "cosim"}, {"model:", "model"}};

enum { SIMULATORS = sizeof(simulators) / sizeof(simulators[0]) };

/* The simulator of a URI, or SIMULATORS. */
static unsigned find(const char *uri)
{
	unsigned s = 0;

	while (s < SIMULATORS && strncmp(uri, simulators[s].scheme, strlen(simulators[s].scheme)) != 0) {
		s++;
	}
	return s;
}

int xt_simulator_is_uri(const char *uri)
{
	return find(uri) < SIMULATORS;
}

/* Waves are of cards that exist, by a simulator that can write them. */
static int check_waves(const xt_device_t *device, const char *plugin, const sim_options_t *options, xt_diag_t *diag)
{
	for (unsigned i = 0; options->wave_path && i < options->wave_card_count; i++) {
		if (options->wave_cards[i] >= device->cards) {
			return xt_fail(diag, XT_ERR_RANGE,
				"device: wave-cards: there is no card %" PRIu32 ", only 0 to %u",
				options->wave_cards[i], device->cards - 1);
		}
	}
	return options->wave_path && strcmp(plugin, "model") == 0
		       ? xt_fail(diag, XT_ERR_UNSUPPORTED, "device: the model has no waves; use sim: for them")
		       : XT_OK;
}

/* The input-queued switch is a mode of the model. */
static int check_switch(const char *plugin, const sim_options_t *options, xt_diag_t *diag)
{
	if (options->kind && strcmp(plugin, "model") != 0) {
		return xt_fail(
			diag, XT_ERR_UNSUPPORTED, "device: the %s switch has no RTL; use model: for it", options->kind);
	}
	if (options->kind) {
		return XT_OK;
	}
	return options->port_buffer || options->injection_queues || options->crossbar_per_vc || options->transit_first
		       ? xt_fail(diag, XT_ERR_INVALID, "device: %s goes with switch=input-queued",
				 options->port_buffer        ? "port-buffer="
				 : options->injection_queues ? "injection-queues="
				 : options->crossbar_per_vc  ? "crossbar="
							     : "transit=")
		       : XT_OK;
}

/* The cards of this rank, and those that a link leads to from there. */
static int choose_cards(xt_device_t *device, const xt_open_options_t *options, xt_diag_t *diag)
{
	const unsigned links = device->profile->link_ports, own = xt_ranks_own(options->ranks);
	int status;

	if (!options->ranks || !device->backend->parts) {
		return XT_OK;
	}
	status = xt_rank_partition(device, xt_ranks_count(options->ranks), device->backend->checks, options->rank_cards,
		&device->rank_cards, diag);
	if (status != XT_OK) {
		return status;
	}
	device->present = calloc(device->cards, sizeof(*device->present));
	if (!device->present) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory for %u cards", device->cards);
	}
	for (unsigned card = device->rank_cards[own]; card < device->rank_cards[own + 1]; card++) {
		device->present[card] = 1;
		for (unsigned port = 0; port < links; port++) {
			const xt_peer_t peer = xt_device_peer(device, card, port);

			if (peer.card != XT_NO_CARD) {
				device->present[peer.card] = 1;
			}
		}
	}
	return XT_OK;
}

static int open_engine(
	xt_device_t *device, const char *plugin, const char *where, const xt_open_options_t *open, xt_diag_t *diag)
{
	sim_options_t options;
	int status = parse_sim(where, &options, diag);

	if (status == XT_OK) {
		status = check_switch(plugin, &options, diag);
	}
	if (status == XT_OK) {
		status = xt_device_wire(device, options.where, options.profile, diag);
	}
	if (status == XT_OK && device->profile->model_only && strcmp(plugin, "model") != 0) {
		status = xt_fail(diag, XT_ERR_UNSUPPORTED,
			"profile %s has no RTL, it is for the model only; use --engine model, or the device model:",
			device->profile->name);
	}
	if (status == XT_OK) {
		status = check_waves(device, plugin, &options, diag);
	}
	if (status == XT_OK) {
		status = xt_plugin_load(options.kind ? options.kind : plugin, options.kind ? NULL : device->profile,
			options.wave_path != NULL, &device->backend, &device->library, diag);
	}
	if (status == XT_OK) {
		/* A file of waves is of any card, and of one process. */
		status = options.wave_path ? XT_OK : choose_cards(device, open, diag);
	}
	if (status == XT_OK) {
		device->link_latency = options.latency ? (unsigned)options.latency : device->profile->link_latency;
		xt_network_t network = {
			.profile = device->profile,
			.cards = device->cards,
			.peers = device->peers,
			.link_latency = device->link_latency,
			.evaluate_all = options.evaluate_all,
			.present = device->present,
			.port_buffer = options.port_buffer ? (unsigned)options.port_buffer : PORT_BUFFER,
			.crossbar_per_vc = (unsigned)options.crossbar_per_vc,
			.transit_first = (unsigned)options.transit_first,
			.injection_queues = (unsigned)options.injection_queues,
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

int xt_simulator_open(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag)
{
	const unsigned s = find(uri);
	xt_device_t *device = calloc(1, sizeof(*device));
	int status;

	*out = NULL;
	if (!device) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	status = open_engine(device, simulators[s].plugin, uri + strlen(simulators[s].scheme), options, diag);
	if (status == XT_OK) {
		status = xt_device_bring_up(device, diag);
	}
	if (status) {
		xt_device_close(device);
		return status;
	}
	*out = device;
	return XT_OK;
}
