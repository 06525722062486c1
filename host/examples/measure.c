/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes a torus, proves the tables, loads them into the fast model and measures uniform traffic. */
#include <extorus/extorus.h>
#include <stdio.h>

#define SPEC "torus:4x4x4"
#define PROFILE "extoll"

int main(void)
{
	xt_route_options_t routing = XT_OPTIONS_INIT(xt_route_options_t);
	xt_traffic_t traffic = xt_traffic_default(xt_profile_find(PROFILE));
	xt_topology_t *topology = NULL;
	xt_image_t *image = NULL;
	xt_check_t *check = NULL;
	xt_device_t *device = NULL;
	xt_result_t *result = NULL;
	xt_diag_t diag = {""};
	int status;

	routing.algorithm = XT_ALGORITHM_DOR;
	traffic.load = 0.3;
	if ((status = xt_topology_parse(SPEC, xt_profile_find(PROFILE), &topology, &diag)) != XT_OK ||
		(status = xt_route(topology, &routing, &image, &diag)) != XT_OK ||
		(status = xt_check_image(image, &check, &diag)) != XT_OK ||
		(status = xt_check_verdict(image, check, &diag)) != XT_OK ||
		(status = xt_device_open("model:" SPEC ";profile=" PROFILE, &device, &diag)) != XT_OK ||
		(status = xt_device_load(device, image, XT_LOAD_BACKDOOR, NULL, NULL, &diag)) != XT_OK ||
		(status = xt_device_run(device, image, &traffic, NULL, &result, &diag)) != XT_OK) {
		fprintf(stderr, "%s: %s\n", xt_strerror(status), diag.text);
	} else {
		printf(SPEC ", %u PEs: accepted load %.3f, mean packet latency %.1f cycles\n", result->pes,
			result->accepted_load, result->network_packet.mean);
		status = xt_result_ok(result) ? XT_OK : XT_ERR_UNSAFE;
	}
	xt_result_free(result);
	xt_device_close(device);
	xt_check_free(check);
	xt_image_free(image);
	xt_topology_free(topology);
	return status == XT_OK ? 0 : 1;
}
