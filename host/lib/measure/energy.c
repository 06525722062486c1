/* SPDX-License-Identifier: Apache-2.0
 *
 * Events per cycle come from the loads of the ports. Little's law gives the cells in the switches: the cells that enter
 * per cycle, times their mean time in the network, less what is on links. Beyond saturation that number is too small,
 * as cells of the window that are not delivered have no time. */
#include "energy.h"

#include <math.h>

#include "device/backend.h"
#include "extorus/profiles.h"

static const double PJ_PER_FJ = 1e-3;

typedef struct {
	double hops, on_links, delivered; /* cells per cycle */
	double idle;                      /* links, of a cycle */
	unsigned asleep;
} activity_t;

static void take_port(activity_t *activity, double load, int is_link)
{
	activity->hops += load;
	if (!is_link) {
		activity->delivered += load;
	} else if (load > 0.0) {
		activity->on_links += load;
		activity->idle += 1.0 - load;
	} else {
		activity->asleep++;
	}
}

static activity_t activity_of(const xt_device_t *device, const xt_result_t *result)
{
	const xt_profile_t *profile = xt_device_profile(device);
	unsigned ports = xt_profile_ports(profile);
	activity_t activity = {0};

	for (unsigned card = 0; card < result->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			int is_link = port < profile->link_ports;

			if (!is_link || xt_device_peer(device, card, port).card != XT_NO_CARD) {
				take_port(&activity, result->port_load[card * ports + port], is_link);
			}
		}
	}
	return activity;
}

void xt_energy(const xt_device_t *device, xt_result_t *result)
{
	const xt_energy_params_t *fj = &xt_device_profile(device)->energy;
	activity_t activity = activity_of(device, result);
	double inside = result->network_cell.count ? activity.delivered * result->network_cell.mean : 0.0;
	xt_energy_t *energy = &result->energy;

	inside = fmax(0.0, inside - activity.on_links * xt_device_link_latency(device));
	*energy = (xt_energy_t){
		.cell_hops = PJ_PER_FJ * fj->cell_hop * activity.hops,
		.link_cells = PJ_PER_FJ * fj->link_cell * activity.on_links,
		.idle_links = PJ_PER_FJ * fj->idle_link * activity.idle,
		.sleeping_links = PJ_PER_FJ * fj->sleeping_link * activity.asleep,
		.buffered_cells = PJ_PER_FJ * fj->buffered_cell * inside,
		.asleep = activity.asleep,
	};
	energy->total = energy->cell_hops + energy->link_cells + energy->idle_links + energy->sleeping_links +
			energy->buffered_cells;
	energy->per_cell = activity.delivered > 0.0 ? energy->total / activity.delivered : (double)NAN;
}
