/* SPDX-License-Identifier: Apache-2.0
 *
 * A board as a back end: its URI, its session, and the functions of the table over them. */
#include "board_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "device/device_internal.h"
#include "extorus/number_text.h"
#include "extorus/profiles.h"

enum { SCHEME_SIZE = 8, RETRY_MS = 100, MAX_MS = 3600000, MAX_FIRST = 65535 };

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

static int parse_number(
	const char *word, const char *value, unsigned least, unsigned most, unsigned *out, xt_diag_t *diag)
{
	char what[32];
	uint64_t number;
	int status;

	snprintf(what, sizeof(what), "device: %s=", word);
	status = xt_number_read(what, value, 10, least, most, &number, diag);
	*out = (unsigned)number;
	return status;
}

static int parse_option(char *word, xt_board_uri_t *uri, xt_diag_t *diag)
{
	const struct {
		const char *name;
		unsigned least, most, *value;
	} numbers[] = {
		{"baud", 1, 100000000, &uri->place.baud},
		{"first", 0, MAX_FIRST, &uri->first},
		{"timeout", 1, MAX_MS, &uri->session.timeout_ms},
		{"retries", 0, 1000, &uri->session.retries},
		{"wait", 0, MAX_MS, &uri->wait_ms},
	};
	char *value = strchr(word, '=');

	if (value && value[1]) {
		*value++ = '\0';
		for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			if (strcmp(word, numbers[i].name) == 0) {
				uri->part |= numbers[i].value == &uri->first;
				return parse_number(
					word, value, numbers[i].least, numbers[i].most, numbers[i].value, diag);
			}
		}
		if (strcmp(word, "serial") == 0) {
			uint64_t serial;

			/* The chip of FTDI has a text of its maker. */
			uri->place.serial = value;
			return strcmp(uri->scheme, "usb") != 0
				       ? XT_OK
				       : xt_number_read("device: serial=", value, 16, 0, UINT64_MAX, &serial, diag);
		}
		if (strcmp(word, "wiring") == 0) {
			uri->wiring = value;
			return XT_OK;
		}
		value[-1] = '=';
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"device: option \"%.80s\" is not one of serial=NUMBER, baud=RATE, timeout=MS, retries=N, wait=MS, "
		"first=CARD, wiring=SPEC or FILE",
		word);
}

/* Takes a URI apart; *uri is freed with free_uri, after a failure too. */
static int parse_uri(const char *text, xt_board_uri_t *uri, xt_diag_t *diag)
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
	uri->place.timeout_ms = uri->session.timeout_ms;
	return status;
}

static void free_uri(xt_board_uri_t *uri)
{
	free(uri->text);
	uri->text = NULL;
}

static int board_read(
	xt_engine_t *board, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	return xt_session_read(board->session, card, address, values, count, diag);
}

static int board_write(
	xt_engine_t *board, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	return xt_session_write(board->session, card, address, values, count, diag);
}

static int board_read_cards(xt_engine_t *board, uint32_t address, uint32_t *values, unsigned count, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = XT_OK, waited;

	for (unsigned card = 0; card < board->info.cards && status == XT_OK; card++) {
		status = xt_session_fetch(board->session, &batch, card, address, values + card * count, count, diag);
	}
	waited = xt_session_wait(board->session, &batch, status ? NULL : diag);
	return status ? status : waited;
}

static int board_write_cards(
	xt_engine_t *board, uint32_t address, const uint32_t *values, unsigned count, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = XT_OK, waited;

	for (unsigned card = 0; card < board->info.cards && status == XT_OK; card++) {
		status = xt_session_post(board->session, &batch, card, address, values + card * count, count, diag);
	}
	waited = xt_session_wait(board->session, &batch, status ? NULL : diag);
	return status ? status : waited;
}

static int board_inject(xt_engine_t *board, unsigned card, unsigned nic, const uint32_t *words, unsigned count,
	unsigned timeout_ms, xt_diag_t *diag)
{
	return xt_session_inject(board->session, card, nic, words, count, timeout_ms, diag);
}

static int board_flush(xt_engine_t *board, xt_diag_t *diag)
{
	return xt_session_flush(board->session, diag);
}

static int board_receive(xt_engine_t *board, unsigned card, unsigned nic, uint32_t *words, unsigned room,
	unsigned *count, int *poisoned, unsigned timeout_ms, xt_diag_t *diag)
{
	return xt_session_receive(board->session, card, nic, words, room, count, poisoned, timeout_ms, diag);
}

static int board_reset(xt_engine_t *board, unsigned card, int together, xt_diag_t *diag)
{
	return xt_session_reset(board->session, card, together, diag);
}

static void board_describe(xt_engine_t *board, xt_board_info_t *info)
{
	const xt_frame_info_t *told = &board->info;
	xt_session_counts_t counts;

	xt_session_counts(board->session, &counts);
	*info = (xt_board_info_t){
		.protocol = told->version,
		.cards = told->cards,
		.nics = told->nics,
		.window = told->window,
		.serial = told->serial,
		.clock_khz = told->clock_khz,
		.build = told->build,
		.profile_hash = told->profile_hash,
		.inject_words = told->inject_words,
		.receive_words = told->receive_words,
		.dropped = told->dropped,
		.requests = counts.requests,
		.repeated = counts.repeated,
		.bytes_sent = counts.bytes_sent,
		.bytes_received = counts.bytes_received,
		.damaged = counts.dropped,
		.events = counts.events,
	};
	memcpy(info->profile, told->profile, sizeof(info->profile));
}

static void board_close(xt_engine_t *board)
{
	xt_session_close(board->session);
	free_uri(&board->uri);
	free(board);
}

static const xt_backend_t backend = {
	.abi = XT_BACKEND_ABI,
	.size = sizeof(xt_backend_t),
	.engine = "board",
	.read = board_read,
	.write = board_write,
	.close = board_close,
	.inject = board_inject,
	.flush = board_flush,
	.receive = board_receive,
	.reset = board_reset,
	.load = xt_board_load,
	.recover = xt_board_recover,
	.interrupted = xt_board_interrupted,
	.describe = board_describe,
	.read_cards = board_read_cards,
	.write_cards = board_write_cards,
};

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

/* Opens pipe and session; a board that is not there yet is waited for. */
static int connect_to(xt_engine_t *board, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + board->uri.wait_ms;

	for (;;) {
		xt_pipe_t *pipe;
		int status = xt_pipe_open(board->uri.scheme, &board->uri.place, &pipe, diag);

		if (status == XT_OK) {
			status = xt_session_open(pipe, &board->uri.session, &board->session, &board->info, diag);
		}
		if ((status != XT_ERR_NODEVICE && status != XT_ERR_PERMISSION && status != XT_ERR_GONE &&
			    status != XT_ERR_BUSY) ||
			xt_now_ms() >= end) {
			return status;
		}
		sleep_ms(RETRY_MS);
	}
}

static int find_profile(xt_device_t *device, const xt_frame_info_t *info, xt_diag_t *diag)
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

/* What the board says must be what this program expects of its profile. */
static int fit(xt_device_t *device, const xt_engine_t *board, xt_diag_t *diag)
{
	int status = find_profile(device, &board->info, diag);

	if (status == XT_OK && board->info.nics != device->profile->nic_ports) {
		return xt_fail(diag, XT_ERR_PROTOCOL,
			"the board's cards have %u NIC ports, those of profile %s %u; load another bitstream",
			board->info.nics, device->profile->name, device->profile->nic_ports);
	}
	if (status == XT_OK && device->part && board->uri.wiring) {
		return xt_fail(diag, XT_ERR_INVALID,
			"device: first=%u and wiring=%.80s do not go together: a part of a network has no wiring of "
			"its own",
			device->first, board->uri.wiring);
	}
	return status;
}

static int wire(xt_device_t *device, const xt_engine_t *board, xt_diag_t *diag)
{
	int status;

	device->cards = board->info.cards;
	if (!board->uri.wiring) {
		return xt_device_leave_unwired(device, diag);
	}
	status = xt_device_wire(device, board->uri.wiring, device->profile->name, diag);
	if (status == XT_OK && board->info.cards != device->cards) {
		status = xt_fail(diag, XT_ERR_MISMATCH, "the board has %u cards, the wiring %s %u", board->info.cards,
			board->uri.wiring, device->cards);
	}
	return status;
}

static int begin(xt_device_t *device, const char *uri, const xt_open_options_t *options, xt_diag_t *diag)
{
	xt_engine_t *board = device->engine;
	int status = parse_uri(uri, &board->uri, diag);

	if (status == XT_OK) {
		board->uri.session.log = options->log;
		board->uri.session.log_context = options->log_context;
		device->part = board->uri.part;
		device->first = board->uri.first;
		status = connect_to(board, diag);
	}
	if (status == XT_OK) {
		status = fit(device, board, diag);
		board->profile = device->profile;
	}
	if (status == XT_OK) {
		status = wire(device, board, diag);
	}
	return status == XT_OK ? xt_device_identify(device, diag) : status;
}

int xt_board_open(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag)
{
	xt_device_t *device = calloc(1, sizeof(*device));
	int status;

	*out = NULL;
	if (device) {
		device->backend = &backend;
		device->engine = calloc(1, sizeof(*device->engine));
	}
	status = device && device->engine ? begin(device, uri, options, diag)
					  : xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	if (status) {
		xt_device_close(device);
		return status;
	}
	*out = device;
	return XT_OK;
}
