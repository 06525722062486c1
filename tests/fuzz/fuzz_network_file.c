/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON file of a network. Whatever network is accepted, layered routing must route it or say why not, and the
 * checker must find its image sound. */
#include <sys/mman.h>
#include <unistd.h>

#include "extorus/check.h"
#include "extorus/profiles.h"
#include "extorus/routing.h"
#include "fuzz.h"

enum { MOST_CARDS = 64 }; /* that are routed: it is the reader that is tried */

static void route(const xt_topology_t *topology)
{
	xt_route_options_t options = {.size = sizeof(options), .algorithm = XT_ALGORITHM_LAYERED};
	xt_image_t *image = NULL;
	xt_check_t *check = NULL;
	xt_diag_t diag = {""};

	if (fuzz_ok(xt_route(topology, &options, &image, &diag), &diag)) {
		FUZZ_ASSERT(fuzz_ok(xt_check_image(image, &check, &diag), &diag));
		FUZZ_ASSERT(xt_check_passed(check));
		xt_check_free(check);
		xt_image_free(image);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_topology_t *topology = NULL;
	xt_diag_t diag = {""};
	char spec[64];
	int file = memfd_create("network", 0);

	FUZZ_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(spec, sizeof(spec), "file:/proc/self/fd/%d", file);
	if (fuzz_ok(xt_topology_parse(spec, xt_profile_find("extoll"), &topology, &diag), &diag) &&
		xt_topology_cards(topology) <= MOST_CARDS) {
		route(topology);
	}
	xt_topology_free(topology);
	close(file);
	return 0;
}
