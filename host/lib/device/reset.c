/* SPDX-License-Identifier: Apache-2.0
 *
 * Resets of the cards of a board. A link without a link layer counts credits at both ends, so a board resets the cards
 * that such links join together, whichever of them is named. A link with a link layer goes down, and is trained again.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "device_internal.h"
#include "extorus/board.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "ownership.h"

enum {
	READY_MS = 2000,
	UP_MS = 2000,
};

static int await_ready(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + READY_MS;
	uint32_t value = 0;
	int status = XT_OK;

	while (status == XT_OK && !(value >> XT_FIELD_STATUS_READY_LSB & 1)) {
		status = xt_device_read(device, card, xt_register_address(XT_REG_STATUS, 0, 0), &value, 1, diag);
		if (status == XT_OK && xt_now_ms() > end) {
			return xt_fail(diag, XT_ERR_TIMEOUT,
				"card %u is not ready %d ms after its reset; is its clock running?", card, READY_MS);
		}
	}
	return status;
}

static int reset_card(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	int status = device->backend->reset(device->engine, card, 0, diag);

	return status == XT_OK ? await_ready(device, card, diag) : status;
}

/* Without a link layer the reset of one card is that of all. */
static int reset_together(xt_device_t *device, unsigned *done, xt_diag_t *diag)
{
	int status = device->backend->reset(device->engine, 0, 1, diag);

	for (*done = 0; *done < device->cards && status == XT_OK; *done += status == XT_OK) {
		status = await_ready(device, *done, diag);
	}
	return status;
}

static int links_in(xt_device_t *device, unsigned card, unsigned wanted, uint32_t *links, xt_diag_t *diag)
{
	int status = XT_OK;

	*links = 0;
	for (unsigned port = 0; port < device->profile->link_ports && status == XT_OK; port++) {
		uint32_t value;

		status = xt_device_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &value, 1, diag);
		if (status == XT_OK) {
			*links |= (uint32_t)(xt_link_state_of(value) == wanted) << port;
		}
	}
	return status;
}

/* Trains the links again that were up, per card, and that the reset of `card` has taken down at their other ends. */
static int train(xt_device_t *device, unsigned card, uint32_t *up, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + UP_MS;
	uint32_t down, now;
	int status = XT_OK;

	for (unsigned c = 0; c < device->cards && status == XT_OK; c++) {
		status = links_in(device, c, XT_LINK_DOWN, &down, diag);
		up[c] &= c == card ? 0 : down;
		if (status == XT_OK && up[c]) {
			status = xt_device_write(
				device, c, xt_register_address(XT_REG_LINK_RETRAIN, 0, 0), &up[c], 1, diag);
		}
	}
	for (unsigned c = 0; c < device->cards && status == XT_OK; c += (now & up[c]) == up[c]) {
		status = links_in(device, c, XT_LINK_UP, &now, diag);
		if (status == XT_OK && (now & up[c]) != up[c] && xt_now_ms() > end) {
			return xt_fail(diag, XT_ERR_TIMEOUT,
				"card %u is reset, but links of card %u are not up again: try `extorus link --retrain`",
				card, c);
		}
	}
	return status;
}

static int reset_and_train(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	uint32_t *up = calloc(device->cards, sizeof(*up));
	int status = up ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	for (unsigned c = 0; c < device->cards && status == XT_OK; c++) {
		status = links_in(device, c, XT_LINK_UP, &up[c], diag);
	}
	status = status == XT_OK ? reset_card(device, card, diag) : status;
	if (status == XT_OK) {
		status = train(device, card, up, diag);
	}
	free(up);
	return status;
}

static int check(xt_device_t *device, xt_diag_t *diag)
{
	if (!device->backend->reset) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "reset: a simulated network is reset whenever it is opened");
	}
	return xt_device_check_interrupted(device, diag);
}

int xt_device_reset(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	unsigned done;
	int status;

	if (device->backend->reset && card >= device->cards) {
		return xt_fail(diag, XT_ERR_RANGE, "reset: there is no card %u, only 0 to %u", card, device->cards - 1);
	}
	if ((status = check(device, diag)) != XT_OK) {
		return status;
	}
	return device->profile->replay_cells ? reset_and_train(device, card, diag)
					     : reset_together(device, &done, diag);
}

/* A reset takes the mark away, card by card; what is left of the marks tells of one that did not come to all. */
static int mark_all(xt_device_t *device, xt_diag_t *diag)
{
	return device->cards == 1 ? XT_OK
				  : xt_ownership_write_all(device, xt_ownership_make_id(), XT_PHASE_RESET, 0, diag);
}

int xt_device_reset_all(xt_device_t *device, unsigned *done, xt_diag_t *diag)
{
	int status = check(device, diag);

	*done = 0;
	if (status == XT_OK && !device->profile->replay_cells) {
		return reset_together(device, done, diag);
	}
	if (status == XT_OK) {
		status = mark_all(device, diag);
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = reset_and_train(device, card, diag);
		*done += status == XT_OK;
	}
	return status;
}
