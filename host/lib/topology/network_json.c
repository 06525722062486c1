/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks from a file: {"cards": N, "links": [[card, port, card, port], ...], "switches": [card, ...]}. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "network_file.h"

/* Position `at` of a link: a card (at 0 and 2) or a port, below `limit`. */
static int take_number(
	const char *path, size_t index, const json_t *link, size_t at, unsigned limit, unsigned *value, xt_diag_t *diag)
{
	const json_t *number = json_array_get(link, at);
	const char *what = at % 2 == 0 ? "card" : "port";

	if (!json_is_integer(number)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s: links[%zu][%zu]: the %s is no whole number; write [card, port, card, port]", path,
			index, at, what);
	}
	if (json_integer_value(number) < 0 || json_integer_value(number) >= (json_int_t)limit) {
		const bool few = json_integer_value(number) >= 0 && json_integer_value(number) < XT_MAX_WIDE_PORTS;
		const xt_profile_t *other =
			at % 2 && few ? xt_profile_with_ports((unsigned)json_integer_value(number) + 1, 1) : NULL;

		return xt_fail(diag, XT_ERR_RANGE, "%.200s: links[%zu][%zu]: there is no %s %lld, only 0 to %u; %s%s",
			path, index, at, what, (long long)json_integer_value(number), limit - 1,
			at % 2 == 0 ? "raise \"cards\" or mend the link"
			: other     ? "use another port, or --profile "
				    : "use another port: no profile has as many",
			other ? other->name : "");
	}
	*value = (unsigned)json_integer_value(number);
	return XT_OK;
}

/* `owner[card * ports + port]`: index of the link that has the port, plus 1. */
static int take_link(xt_wiring_t *w, const char *path, size_t index, const json_t *link, size_t *owner, xt_diag_t *diag)
{
	unsigned n[4];

	if (!json_is_array(link) || json_array_size(link) != 4) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: links[%zu]: not [card, port, card, port]", path, index);
	}
	for (size_t at = 0; at < 4; at++) {
		int status = take_number(path, index, link, at, at % 2 == 0 ? w->cards : w->ports, &n[at], diag);

		if (status != XT_OK) {
			return status;
		}
	}
	if (n[0] == n[2]) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s: links[%zu]: card %u is linked to itself; link two different cards", path, index, n[0]);
	}
	for (size_t end = 0; end < 4; end += 2) {
		size_t *by = &owner[(size_t)n[end] * w->ports + n[end + 1]];

		if (*by) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%.200s: links[%zu]: port %u of card %u is used by links[%zu] already; use a free port",
				path, index, n[end + 1], n[end], *by - 1);
		}
		*by = index + 1;
		w->peer[(size_t)n[end] * w->ports + n[end + 1]] = (xt_peer_t){n[2 - end], n[3 - end]};
	}
	return XT_OK;
}

static int take_links(xt_wiring_t *w, const char *path, const json_t *links, xt_diag_t *diag)
{
	size_t *owner = calloc((size_t)w->cards * w->ports, sizeof(*owner));
	int status = owner ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);

	for (size_t i = 0; i < json_array_size(links) && status == XT_OK; i++) {
		status = take_link(w, path, i, json_array_get(links, i), owner, diag);
	}
	free(owner);
	return status;
}

/* Cards without a PE. */
static int take_switches(xt_wiring_t *w, const char *path, const json_t *switches, xt_diag_t *diag)
{
	if (switches && !json_is_array(switches)) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: \"switches\": not a list; write [card, ...]", path);
	}
	for (size_t i = 0; i < json_array_size(switches); i++) {
		const json_t *card = json_array_get(switches, i);

		if (!json_is_integer(card) || json_integer_value(card) < 0 || json_integer_value(card) >= w->cards) {
			return xt_fail(diag, XT_ERR_RANGE, "%.200s: switches[%zu]: not a card from 0 to %u", path, i,
				w->cards - 1);
		}
		if (w->pes[json_integer_value(card)] == 0) {
			return xt_fail(diag, XT_ERR_INVALID, "%.200s: switches[%zu]: card %u is listed twice", path, i,
				(unsigned)json_integer_value(card));
		}
		w->pes[json_integer_value(card)] = 0;
	}
	return XT_OK;
}

static int take_network(
	const char *path, const json_t *root, const xt_profile_t *profile, xt_wiring_t **out, xt_diag_t *diag)
{
	const json_t *cards = json_object_get(root, "cards"), *links = json_object_get(root, "links");
	json_int_t count = json_integer_value(cards);
	const char *key;
	json_t *value;
	int status;

	if (!json_is_object(root)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s: not an object; write {\"cards\": N, \"links\": [[card, port, card, port], ...]}",
			path);
	}
	json_object_foreach((json_t *)root, key, value)
	{
		if (strcmp(key, "cards") != 0 && strcmp(key, "links") != 0 && strcmp(key, "switches") != 0) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%.200s: \"%.40s\": unknown key; there are \"cards\", \"links\" and \"switches\"", path,
				key);
		}
	}
	if (!json_is_integer(cards) || count < 1 || count > XT_MAX_CARDS) {
		return xt_fail(diag, json_is_integer(cards) ? XT_ERR_RANGE : XT_ERR_INVALID,
			"%.200s: \"cards\": not a number from 1 to %u; say how many cards there are", path,
			XT_MAX_CARDS);
	}
	if (!json_is_array(links)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s: \"links\": not a list; write [[card, port, card, port], ...]", path);
	}
	if ((status = xt_wiring_create((unsigned)count, profile, out, diag)) == XT_OK &&
		((status = take_links(*out, path, links, diag)) != XT_OK ||
			(status = take_switches(*out, path, json_object_get(root, "switches"), diag)) != XT_OK)) {
		xt_wiring_free(*out);
		*out = NULL;
	}
	return status;
}

int xt_network_read_json(const char *path, const char *text, size_t size, const xt_profile_t *profile,
	xt_wiring_t **out, xt_diag_t *diag)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	int status;

	if (!root) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%d: column %d: %s; mend the JSON", path,
			error.line < 0 ? 1 : error.line, error.column < 0 ? 0 : error.column, error.text);
	}
	status = take_network(path, root, profile, out, diag);
	json_decref(root);
	return status;
}
