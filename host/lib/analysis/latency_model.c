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
	double distance; /* mean, self included */
	unsigned inputs; /* links from which packets come to an output link */
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

/* What a link is used when a card sends so many packets for each cycle without one. */
static double contention_use(const xt_latency_curve_t *c)
{
	return c->distance * c->figures.serialisation / c->figures.degree;
}

/* The figures that differ where all links are taken for alike. */
static void set_contention(xt_latency_curve_t *c, const xt_topology_t *t, const xt_topology_metrics_t *m)
{
	const xt_latency_model_t *model = &c->model;
	xt_latency_figures_t *f = &c->figures;

	c->distance = m->mean_distance_with_self;
	c->inputs = t->family->directed || f->degree == 1 ? f->degree : f->degree - 1;
	f->zero_load = f->serialisation + (c->distance - 1) * (model->router + model->wire);
	f->saturation = model->packet_bits / (1 + contention_use(c));
}

static double contention_at(const xt_latency_curve_t *c, double load)
{
	const xt_latency_figures_t *f = &c->figures;
	double generated = load / c->model.packet_bits;
	double use = generated / (1 - generated) * contention_use(c);

	if (load >= f->saturation) {
		return INFINITY;
	}
	return f->zero_load + (c->distance - 1) * f->serialisation * (1 - 1.0 / c->inputs) * use / (1 - use);
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
	if (model->kind == XT_LATENCY_CONTENTION) {
		set_contention(c, t, &m);
	}
	*out = c;
	return XT_OK;
}

double xt_latency_at(const xt_latency_curve_t *c, double load)
{
	const xt_latency_figures_t *f = &c->figures;
	double packets = f->cards - 1.0, waits = 0;

	if (c->model.kind == XT_LATENCY_CONTENTION) {
		return contention_at(c, load);
	}
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
