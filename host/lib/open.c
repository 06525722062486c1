/* SPDX-License-Identifier: Apache-2.0
 *
 * A URI becomes a device. Only this file knows all back ends. */
#include "base/options_take.h"
#include "board/board_device.h"
#include "device/device_internal.h"
#include "device/simulator.h"
#include "extorus/device.h"

static const struct {
	int (*is_uri)(const char *uri);
	int (*open)(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag);
} kinds[] = {
	{xt_simulator_is_uri, xt_simulator_open},
	{xt_board_is_uri, xt_board_open},
};

int xt_device_open_with(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag)
{
	xt_open_options_t taken;
	int status = xt_options_take(options, &taken, sizeof(taken), "open", diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].is_uri(uri)) {
			status = kinds[i].open(uri, &taken, out, diag);
			if (status == XT_OK) {
				(*out)->hooks = taken;
				(*out)->hooks.rank_cards = NULL;
			}
			return status;
		}
	}
	return xt_fail(diag, XT_ERR_NODEVICE,
		"device \"%.100s\" is not known; use sim:SPEC or sim:FILE for the RTL, model:SPEC or model:FILE for "
		"the fast model, usb:, ftdi:, uart:FILE or tcp:HOST:PORT for a board",
		uri);
}

int xt_device_open(const char *uri, xt_device_t **out, xt_diag_t *diag)
{
	return xt_device_open_with(uri, NULL, out, diag);
}
