/* SPDX-License-Identifier: Apache-2.0 */
#include "board_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "extorus/topology.h"

enum { SCHEME_SIZE = 8, RETRY_MS = 100, MAX_MS = 3600000, MAX_FIRST = 65535 };

/* A board's own state behind the back end's functions. */
struct xt_engine {
	xt_session_t *session;
};

int xt_board_is_uri(const char *uri)
{
	const char *colon = strchr(uri, ':');
	char scheme[SCHEME_SIZE];

	if (!colon || (size_t)(colon - uri) >= sizeof(scheme)) {
		return 0;
	}
	memcpy(scheme, uri, (size_t)(colon - uri));
	scheme[colon - uri] = '\0';
	return xt_pipe_is_scheme(scheme);
}

static int parse_number(const char *text, unsigned least, unsigned most, unsigned *value)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number < least || number > most) {
		return XT_ERR_RANGE;
	}
	*value = (unsigned)number;
	return XT_OK;
}

static int parse_option(char *word, xt_board_uri_t *uri, xt_diag_t *diag)
{
	char *value = strchr(word, '=');
	int status = XT_ERR_INVALID;

	if (value && value[1]) {
		*value++ = '\0';
		if (strcmp(word, "serial") == 0) {
			uri->place.serial = value;
			status = XT_OK;
		} else if (strcmp(word, "wiring") == 0) {
			uri->wiring = value;
			status = XT_OK;
		} else if (strcmp(word, "baud") == 0) {
			status = parse_number(value, 1, 100000000, &uri->place.baud);
		} else if (strcmp(word, "first") == 0) {
			status = parse_number(value, 0, MAX_FIRST, &uri->first);
			uri->part = 1;
		} else if (strcmp(word, "timeout") == 0) {
			status = parse_number(value, 1, MAX_MS, &uri->session.timeout_ms);
		} else if (strcmp(word, "retries") == 0) {
			status = parse_number(value, 0, 1000, &uri->session.retries);
		} else if (strcmp(word, "wait") == 0) {
			status = parse_number(value, 0, MAX_MS, &uri->wait_ms);
		}
		value[-1] = '=';
	}
	if (status) {
		return xt_fail(diag, status,
			"device: option \"%.80s\" is not one of serial=NUMBER, baud=RATE, timeout=MS, retries=N, "
			"wait=MS, first=CARD, "
			"wiring=SPEC or FILE",
			word);
	}
	return XT_OK;
}

int xt_board_uri_parse(const char *text, xt_board_uri_t *uri, xt_diag_t *diag)
{
	char *rest, *word;
	int status = XT_OK;

	memset(uri, 0, sizeof(*uri));
	uri->session.timeout_ms = XT_SESSION_TIMEOUT_MS;
	uri->session.retries = XT_SESSION_RETRIES;
	uri->text = strdup(text);
	if (!uri->text) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	rest = uri->text;
	uri->scheme = strsep(&rest, ":");
	if (!rest) {
		return xt_fail(diag, XT_ERR_INVALID, "device: \"%.80s\" has no colon", text);
	}
	word = strsep(&rest, ";");
	uri->place.where = word;
	if (strchr(word, '=') && (strcmp(uri->scheme, "usb") == 0 || strcmp(uri->scheme, "ftdi") == 0)) {
		uri->place.where = "";
		status = parse_option(word, uri, diag);
	} else if (*word && strcmp(uri->scheme, "usb") == 0) {
		return xt_fail(diag, XT_ERR_INVALID,
			"device: usb:%.80s is not understood; use usb: or usb:serial=NUMBER", word);
	}
	while (rest && status == XT_OK) {
		status = parse_option(strsep(&rest, ";"), uri, diag);
	}
	return status;
}

void xt_board_uri_free(xt_board_uri_t *uri)
{
	free(uri->text);
	uri->text = NULL;
}

static int board_read(
	xt_engine_t *engine, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	return xt_session_read(engine->session, card, address, values, count, diag);
}

static int board_write(
	xt_engine_t *engine, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	return xt_session_write(engine->session, card, address, values, count, diag);
}

static void board_close(xt_engine_t *engine)
{
	free(engine);
}

static const xt_backend_t backend = {
	.abi = XT_BACKEND_ABI,
	.size = sizeof(xt_backend_t),
	.engine = "board",
	.read = board_read,
	.write = board_write,
	.close = board_close,
};

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

/* Opens pipe and session; a board that is not there yet is waited for. */
static int connect_to(xt_board_t *board, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + board->uri.wait_ms;

	for (;;) {
		xt_pipe_t *pipe;
		int status = xt_pipe_open(board->uri.scheme, &board->uri.place, &pipe, diag);

		if (status == XT_OK) {
			status = xt_session_open(pipe, &board->uri.session, &board->session, &board->info, diag);
		}
		if ((status != XT_ERR_NODEVICE && status != XT_ERR_PERMISSION && status != XT_ERR_GONE) ||
			xt_now_ms() >= end) {
			return status;
		}
		sleep_ms(RETRY_MS);
	}
}

static int find_profile(xt_device_t *device, const xt_line_info_t *info, xt_diag_t *diag)
{
	for (unsigned i = 0; xt_profiles[i]; i++) {
		if (xt_profile_hash(xt_profiles[i]) == info->profile_hash) {
			device->profile = xt_profiles[i];
			return XT_OK;
		}
	}
	for (unsigned i = 0; xt_profiles[i]; i++) {
		if (strcmp(xt_profiles[i]->name, info->profile) == 0) {
			return xt_fail(diag, XT_ERR_VERSION,
				"the board's profile %s (hash 0x%08x) is another than this program's (0x%08x); load "
				"the "
				"bitstream that belongs to this program",
				info->profile, info->profile_hash, xt_profile_hash(xt_profiles[i]));
		}
	}
	return xt_fail(diag, XT_ERR_VERSION,
		"the board has cards of profile %s (hash 0x%08x), which this program does not know; build it with that "
		"profile, or load another bitstream",
		info->profile, info->profile_hash);
}

int xt_board_open(
	xt_device_t *device, const char *uri, const xt_open_options_t *options, const char **wiring, xt_diag_t *diag)
{
	xt_board_t *board = calloc(1, sizeof(*board));
	int status;

	*wiring = NULL;
	device->board = board;
	device->engine = calloc(1, sizeof(*device->engine));
	device->backend = &backend;
	if (!board || !device->engine) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	status = xt_board_uri_parse(uri, &board->uri, diag);
	if (status == XT_OK) {
		board->uri.session.log = options->log;
		board->uri.session.log_context = options->log_context;
		status = connect_to(board, diag);
	}
	if (status == XT_OK) {
		device->engine->session = board->session;
		device->cards = board->info.cards;
		status = find_profile(device, &board->info, diag);
	}
	if (status == XT_OK && board->info.nics != device->profile->nic_ports) {
		status = xt_fail(diag, XT_ERR_PROTOCOL,
			"the board's cards have %u NIC ports, those of profile %s %u; load "
			"another bitstream",
			board->info.nics, device->profile->name, device->profile->nic_ports);
	}
	device->part = board->uri.part;
	device->first = board->uri.first;
	if (status == XT_OK && device->part && board->uri.wiring) {
		status = xt_fail(diag, XT_ERR_INVALID,
			"device: first=%u and wiring=%.80s do not go together: a part of a network has no wiring of "
			"its own",
			device->first, board->uri.wiring);
	}
	*wiring = board->uri.wiring;
	board->wired = board->uri.wiring != NULL;
	return status;
}

void xt_board_free(xt_board_t *board)
{
	if (board) {
		xt_session_close(board->session);
		xt_board_uri_free(&board->uri);
		free(board);
	}
}

int xt_board_unwired(xt_device_t *device, xt_diag_t *diag)
{
	unsigned links = device->profile->link_ports, ports = xt_profile_ports(device->profile);

	device->peers = calloc((size_t)device->cards * links, sizeof(*device->peers));
	device->labels = calloc((size_t)device->cards * ports, sizeof(*device->labels));
	device->killed = calloc((size_t)device->cards * links, sizeof(*device->killed));
	if (!device->peers || !device->labels || !device->killed) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	for (unsigned i = 0; i < device->cards * links; i++) {
		device->peers[i].card = XT_NO_CARD;
	}
	for (unsigned i = 0; i < device->cards * ports; i++) {
		unsigned port = i % ports;

		if (port < links) {
			snprintf(device->labels[i].text, sizeof(device->labels[i].text), "p%u", port);
		} else if (device->profile->nic_ports == 1) {
			snprintf(device->labels[i].text, sizeof(device->labels[i].text), "nic");
		} else {
			snprintf(device->labels[i].text, sizeof(device->labels[i].text), "nic%u", port - links);
		}
	}
	return XT_OK;
}

int xt_board_check_cards(const xt_device_t *device, xt_diag_t *diag)
{
	if (device->board->info.cards != device->cards) {
		return xt_fail(diag, XT_ERR_MISMATCH, "the board has %u cards, the wiring %s %u",
			device->board->info.cards, device->board->uri.wiring, device->cards);
	}
	return XT_OK;
}

int xt_device_board(const xt_device_t *device, xt_board_info_t *info)
{
	const xt_line_info_t *line;
	xt_session_counts_t counts;

	if (!device->board || !info) {
		return device->board != NULL;
	}
	line = &device->board->info;
	xt_session_counts(device->board->session, &counts);
	*info = (xt_board_info_t){
		.protocol = line->version,
		.cards = line->cards,
		.nics = line->nics,
		.window = line->window,
		.serial = line->serial,
		.clock_khz = line->clock_khz,
		.build = line->build,
		.profile_hash = line->profile_hash,
		.inject_words = line->inject_words,
		.receive_words = line->receive_words,
		.dropped = line->dropped,
		.requests = counts.requests,
		.repeated = counts.repeated,
		.bytes_sent = counts.bytes_sent,
		.bytes_received = counts.bytes_received,
		.damaged = counts.dropped,
		.events = counts.events,
	};
	memcpy(info->profile, line->profile, sizeof(info->profile));
	return 1;
}

int xt_device_reset(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	enum { READY_MS = 2000 };
	uint64_t end = xt_now_ms() + READY_MS;
	uint32_t value = 0;
	int status;

	if (!device->board) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "reset: a simulated network is reset whenever it is opened");
	}
	if (card >= device->cards) {
		return xt_fail(diag, XT_ERR_RANGE, "reset: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	status = xt_session_reset(device->board->session, card, diag);
	while (status == XT_OK && !(value >> XT_FIELD_STATUS_READY_LSB & 1)) {
		status = xt_device_read(device, card, xt_register_address(XT_REG_STATUS, 0, 0), &value, 1, diag);
		if (status == XT_OK && xt_now_ms() > end) {
			return xt_fail(diag, XT_ERR_TIMEOUT,
				"card %u is not ready %d ms after its reset; is its clock running?", card, READY_MS);
		}
	}
	return status;
}
