/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ranks open a device, each its part, and try what a part cannot do. Rank 0 prints "what: status, text" of each. */
#include <stdio.h>
#include <stdlib.h>

#include "extorus/device.h"
#include "extorus/fault.h"
#include "extorus/run.h"
#include "extorus/traffic.h"

static unsigned rank;

static void say(const char *what, int status, const xt_diag_t *diag)
{
	if (rank == 0) {
		printf("%s: %d, %s\n", what, status, status ? diag->text : "well");
	}
}

int main(int argc, char **argv)
{
	const xt_fault_t fault = {.kind = XT_FAULT_BLOCK_NIC, .port = 6};
	const uint32_t other[] = {0, 3, 16};
	xt_open_options_t open = XT_OPTIONS_INIT(xt_open_options_t);
	xt_run_options_t alone = XT_OPTIONS_INIT(xt_run_options_t), together = alone, uneven = alone;
	xt_traffic_t traffic;
	xt_result_t *result = NULL;
	xt_device_t *device;
	xt_image_t *image;
	uint32_t value;
	xt_diag_t diag = {""};

	if (argc != 3 || xt_ranks_open(&open.ranks, &diag) || xt_image_read(argv[1], &image, &diag) ||
		xt_device_open_with(argv[2], &open, &device, &diag)) {
		fprintf(stderr, "%s\n", diag.text);
		return 2;
	}
	rank = xt_ranks_own(open.ranks);
	traffic = xt_traffic_default(xt_image_profile(image));
	traffic.load = 0.3;
	traffic.measure = 200;
	together.ranks = uneven.ranks = open.ranks;
	uneven.rank_cards = other;
	say("load", xt_device_load(device, image, 0, NULL, NULL, &diag), &diag);
	say("own card", xt_device_read(device, rank ? 15 : 0, 0, &value, 1, &diag), &diag);
	say("other card", xt_device_read(device, rank ? 3 : 11, 0, &value, 1, &diag), &diag);
	say("all cards", xt_device_write_all(device, 0, 0, &diag), &diag);
	say("verify", xt_device_verify(device, image, NULL, NULL, &diag), &diag);
	say("fault", xt_device_fault(device, &fault, &diag), &diag);
	say("alone", xt_device_run(device, image, &traffic, &alone, &result, &diag), &diag);
	say("uneven", xt_device_run(device, image, &traffic, &uneven, &result, &diag), &diag);
	say("run", xt_device_run(device, image, &traffic, &together, &result, &diag), &diag);
	if (result) {
		printf("delivered %d\n", result->packets_delivered > 0 && xt_result_ok(result));
		say("other card then", xt_device_read(device, 11, 0, &value, 1, &diag), &diag);
	}
	xt_result_free(result);
	result = NULL;
	say("again", xt_device_run(device, image, &traffic, &together, &result, &diag), &diag);
	xt_result_free(result);
	xt_device_close(device);
	xt_image_free(image);
	xt_ranks_close(open.ranks);
	return EXIT_SUCCESS;
}
