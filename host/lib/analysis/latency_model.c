/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/latency.h"

#include <math.h>
#include <stdlib.h>

#include "metrics.h"
#include "topology/topology_internal.h"

struct xt_latency_curve {
	xt_latency_model_t model;
	xt_latency_figures_t figures;
	xt_link_loads_t loads;
};

void xt_latency_curve_free(xt_latency_curve_t *curve)
{
	if (curve) {
		free(curve->loads.load);
		free(curve);
	}
}

const xt_latency_figures_t *xt_latency_figures(const xt_latency_curve_t *curve)
{
	return &curve->figures;
}

static void set_figures(xt_latency_curve_t *c, const xt_topology_t *t, const xt_topology_metrics_t *m)
{
	const xt_latency_model_t *model = &c->model;
	xt_latency_figures_t *f = &c->figures;

	f->cards = m->cards - xt_topology_failed_cards(t);
	f->degree = m->degree;
	f->mean_distance = m->mean_distance;
	f->width = model->pins / (2.0 * m->degree);
	f->serialisation = model->packet_bits / f->width;
	f->zero_load = m->mean_distance * (model->router + model->wire) + f->serialisation;
	f->saturation = m->uniform_limit * f->width;
}

int xt_latency_curve_create(
	const xt_topology_t *t, const xt_latency_model_t *model, xt_latency_curve_t **out, xt_diag_t *diag)
{
	xt_latency_curve_t *c;
	xt_topology_metrics_t m;
	int status;

	*out = NULL;
	if (!(model->packet_bits > 0 && model->pins > 0 && model->router >= 0 && model->wire >= 0)) {
		return xt_fail(
			diag, XT_ERR_RANGE, "latency: packet and pins must be above 0, the times of a hop not below");
	}
	if (!(c = calloc(1, sizeof(*c)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	c->model = *model;
	if ((status = xt_topology_loads(t, &m, &c->loads, diag)) == XT_OK && m.degree == 0) {
		status = xt_fail(diag, XT_ERR_RANGE, "%s: there is no link on which latency could arise", t->spec);
	}
	if (status != XT_OK) {
		xt_latency_curve_free(c);
		return status;
	}
	set_figures(c, t, &m);
	*out = c;
	return XT_OK;
}

double xt_latency_at(const xt_latency_curve_t *c, double load)
{
	const xt_latency_figures_t *f = &c->figures;
	double packets = f->cards - 1.0, waits = 0;

	if (f->saturation == 0) {
		return load > 0 ? NAN : f->zero_load;
	}
	if (load >= f->saturation) {
		return INFINITY;
	}
	for (unsigned i = 0; i < c->loads.links; i++) {
		/* Of the packets from a card to each other one, so many pass the link. */
		double passing = c->loads.load[i];
		double rho = load / packets * passing / f->width;

		waits += passing * rho * f->serialisation / (2 * (1 - rho));
	}
	return f->zero_load + waits / c->loads.sources / packets;
}
