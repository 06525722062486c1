/* SPDX-License-Identifier: Apache-2.0 */
#include "utilisation.h"

#include "device/backend.h"
#include "extorus/profiles.h"

static void take(xt_utilisation_t *utilisation, double load, uint32_t card, uint32_t port)
{
	utilisation->mean += load;
	if (load > utilisation->max) {
		*utilisation = (xt_utilisation_t){.mean = utilisation->mean, .max = load, .card = card, .port = port};
	}
}

void xt_utilisation(const xt_device_t *device, xt_result_t *result)
{
	const xt_profile_t *profile = xt_device_profile(device);
	unsigned ports = xt_profile_ports(profile), links = 0;

	result->link_utilisation = result->switch_utilisation = (xt_utilisation_t){0};
	for (unsigned card = 0; card < result->cards; card++) {
		double sum = 0.0;
		unsigned used = 0;

		for (unsigned port = 0; port < ports; port++) {
			double load = result->port_load[card * ports + port];

			if (port < profile->link_ports) {
				if (xt_device_peer(device, card, port).card == XT_NO_CARD) {
					continue;
				}
				take(&result->link_utilisation, load, card, port);
				links++;
			}
			sum += load;
			used++;
		}
		take(&result->switch_utilisation, sum / used, card, 0);
	}
	result->link_utilisation.mean /= links ? links : 1;
	result->switch_utilisation.mean /= result->cards;
}
