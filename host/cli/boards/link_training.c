/* SPDX-License-Identifier: Apache-2.0 */
#include "link_training.h"

#include "extorus/link_state.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "options/monotonic.h"

enum { UP_MS = 3000, ROUNDS = 3 };

int xt_register_read(xt_device_t *device, unsigned card, uint32_t address, uint32_t *value, xt_diag_t *diag)
{
	return xt_device_read(device, card, address, value, 1, diag);
}

int xt_pins_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t without, uint32_t *value, xt_diag_t *diag)
{
	int status = xt_register_read(device, card, address, value, diag);

	if (status == XT_ERR_RANGE) {
		*value = without;
		status = XT_OK;
	}
	return status;
}

int xt_link_read_state(xt_device_t *device, unsigned card, unsigned port, uint32_t *state, xt_diag_t *diag)
{
	return xt_register_read(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), state, diag);
}

/* Ports of a card whose link is in `state`. */
static int ports_in(xt_device_t *device, unsigned card, unsigned state, uint32_t *ports, xt_diag_t *diag)
{
	uint32_t value = 0;
	int status = XT_OK;

	*ports = 0;
	for (unsigned port = 0; port < xt_device_profile(device)->link_ports && status == XT_OK; port++) {
		status = xt_link_read_state(device, card, port, &value, diag);
		*ports |= (uint32_t)(xt_link_state_of(value) == state) << port;
	}
	return status;
}

/* Trains the links of a board that are down; *some: there are some. */
static int train_board(xt_device_t *device, const xt_link_ports_t *only, int *some, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		uint32_t ports;

		status = ports_in(device, card, XT_LINK_DOWN, &ports, diag);
		ports &= only ? only->of_card[card] : UINT32_MAX;
		if (status == XT_OK && ports) {
			status = xt_device_write(
				device, card, xt_register_address(XT_REG_LINK_RETRAIN, 0, 0), &ports, 1, diag);
			*some = 1;
		}
	}
	return status;
}

/* *waiting: some link of a board trains, and both ends of its cable receive. */
static int look_at_board(xt_device_t *device, int *waiting, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		uint32_t pins = 0, ports = 0;

		status = ports_in(device, card, XT_LINK_TRAIN, &ports, diag);
		if (status == XT_OK) {
			status = xt_pins_read(device, card, XT_FRAME_REG_LINK_PINS, UINT32_MAX, &pins, diag);
		}
		*waiting |= (ports & pins >> 8) != 0;
	}
	return status;
}

/* A link that trains takes its other end down, if that was up, so one round may leave some. */
int xt_links_train(const xt_boards_t *boards, const xt_link_ports_t *only, xt_diag_t *diag)
{
	bool gone[XT_MOST_BOARDS] = {false};
	int status = XT_OK, some = 1, waiting;

	for (unsigned round = 0; round < ROUNDS && some; round++) {
		const uint64_t end = xt_now_ms() + UP_MS;

		some = 0;
		for (unsigned d = 0; d < boards->count; d++) {
			const int one = gone[d] ? XT_OK
						: train_board(boards->devices[d], only ? &only[d] : NULL, &some,
							  status == XT_OK ? diag : NULL);

			gone[d] |= one != XT_OK;
			status = status == XT_OK ? one : status;
		}
		do {
			waiting = 0;
			for (unsigned d = 0; some && d < boards->count; d++) {
				const int one = gone[d] ? XT_OK
							: look_at_board(boards->devices[d], &waiting,
								  status == XT_OK ? diag : NULL);

				gone[d] |= one != XT_OK;
				status = status == XT_OK ? one : status;
			}
		} while (waiting && xt_now_ms() < end);
	}
	return status;
}

int xt_links_find(const xt_boards_t *boards, unsigned state, xt_link_ports_t *ports, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < boards->count && status == XT_OK; d++) {
		for (unsigned card = 0; card < xt_device_cards(boards->devices[d]) && status == XT_OK; card++) {
			status = ports_in(boards->devices[d], card, state, &ports[d].of_card[card], diag);
		}
	}
	return status;
}

void xt_boards_shield(const xt_boards_t *boards, int shielded)
{
	for (unsigned d = 0; d < boards->count; d++) {
		xt_device_shield(boards->devices[d], shielded);
	}
}
