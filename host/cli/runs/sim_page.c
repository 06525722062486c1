/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/heat_map.h"
#include "report/html_page.h"
#include "report/plot.h"
#include "sweep.h"

enum { MOST_DRAWN_CARDS = 128 };

static int draw_heat_map(void *run, FILE *out, xt_diag_t *diag)
{
	return xt_heat_map_draw(run, out, diag);
}

typedef struct {
	const xt_topology_t *topology;
	const double *load; /* of link ports */
} network_t;

static int write_network(void *network, FILE *out, xt_diag_t *diag)
{
	const network_t *n = network;

	(void)diag;
	xt_topology_write_dot(n->topology, n->load, out);
	return XT_OK;
}

static int draw_network(const xt_sim_run_t *run, FILE *page, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_image_profile(run->image);
	unsigned ports = xt_profile_ports(profile), links = profile->link_ports, cards = run->result->cards;
	double *load = calloc((size_t)cards * links, sizeof(*load));
	xt_topology_t *topology = NULL;
	network_t network = {.load = load};
	xt_drawing_t drawing = {.arguments = {"neato", "-Tsvg", "-n2"},
		.remedy = "Graphviz (apt install graphviz)",
		.failure = "the network",
		.write = write_network,
		.context = &network};
	int status = XT_OK;

	if (!load) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for a picture");
	}
	for (unsigned i = 0; i < cards * links; i++) {
		load[i] = run->result->port_load[i / links * ports + i % links];
	}
	/* The file of a wiring may be gone; then there is no picture of it. */
	if (xt_image_parse_topology(run->image, &topology, NULL) == XT_OK) {
		network.topology = topology;
		status = xt_html_picture(page, 2, "The network, links coloured by their load in each direction.",
			xt_draw, &drawing, diag);
		xt_topology_free(topology);
	}
	free(load);
	return status;
}

int xt_sim_page_draw(xt_sim_page_t *page, const xt_sim_run_t *run, xt_diag_t *diag)
{
	size_t size;
	FILE *pictures = open_memstream(&page->pictures, &size);
	int status;

	if (!pictures) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for pictures: %s", strerror(errno));
	}
	status = xt_html_picture(pictures, 1,
		"Load of every channel in cells per cycle: a column per card, a row per port.", draw_heat_map,
		(void *)run, diag);
	if (status == XT_OK && run->result->cards <= MOST_DRAWN_CARDS) {
		status = draw_network(run, pictures, diag);
	}
	return fclose(pictures) == 0 ? status : xt_fail(diag, XT_ERR_NOMEM, "out of memory for pictures");
}

static double real_of(const json_t *run, const char *a, const char *b, const char *c)
{
	const json_t *value = json_object_get(run, a);

	value = b ? json_object_get(json_object_get(value, b), c) : value;
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The columns of many runs. */
static json_t *summary(const json_t *runs)
{
	json_t *rows = json_array();
	const json_t *run;
	size_t index;

	json_array_foreach(runs, index, run)
	{
		const json_t *network = json_object_get(json_object_get(run, "network_latency"), "packet");
		const json_t *whole = json_object_get(json_object_get(run, "end_to_end_latency"), "packet");

		json_array_append_new(rows,
			json_pack("{s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O}", "load",
				json_object_get(run, "load"), "offered", json_object_get(run, "offered_load"),
				"accepted", json_object_get(run, "accepted_load"), "network_latency",
				json_object_get(network, "mean"), "network_p99", json_object_get(network, "p99"),
				"end_to_end_latency", json_object_get(whole, "mean"), "end_to_end_p99",
				json_object_get(whole, "p99"), "packets", json_object_get(run, "packets_delivered"),
				"saturated", json_object_get(run, "saturated"), "ok", json_object_get(run, "ok")));
	}
	return rows;
}

static int write_many(const json_t *runs, FILE *out, xt_diag_t *diag)
{
	xt_series_t series = {.count = (unsigned)json_array_size(runs)};
	json_t *rows = summary(runs), *run;
	char label[512];
	size_t index;
	int status;

	json_array_foreach(runs, index, run)
	{
		series.offered[index] = real_of(run, "offered_load", NULL, NULL);
		series.accepted[index] = real_of(run, "accepted_load", NULL, NULL);
		series.accepted_ci[index] = NAN;
		series.latency[index] = real_of(run, "network_latency", "packet", "mean");
		series.latency_ci[index] = real_of(run, "network_latency", "packet", "ci95");
	}
	run = json_array_get(runs, 0);
	snprintf(label, sizeof(label), "%s %s", json_string_value(json_object_get(run, "topology")),
		json_string_value(json_object_get(run, "algorithm")));
	series.label = label;
	status = xt_series_page(&series, 1, json_string_value(json_object_get(run, "traffic")), 1, out, diag);
	xt_html_rows(out, "Runs", rows);
	json_decref(rows);
	return status;
}

static int write_page(void *context, FILE *out, xt_diag_t *diag)
{
	const xt_sim_page_t *page = context;
	const json_t *run = json_array_get(page->runs, 0);
	char title[1024];
	unsigned wrong = 0;
	size_t index;
	int status = XT_OK;

	snprintf(title, sizeof(title), "extorus sim: %s, %s, profile %s",
		json_string_value(json_object_get(run, "topology")),
		json_string_value(json_object_get(run, "algorithm")),
		json_string_value(json_object_get(run, "profile")));
	xt_html_begin(out, title, page->command_line);
	json_array_foreach(page->runs, index, run)
	{
		wrong += !json_is_true(json_object_get(run, "ok"));
	}
	xt_html_paragraph(out,
		wrong ? "SOMETHING WAS WRONG: the reports below say what."
		      : "Every packet arrived once, at the right PE, unaltered and in order; the network is empty.");
	xt_html_paragraph(out,
		"Loads are fractions of the NIC bandwidth. Latencies are in cycles. Utilisations and channel "
		"loads are in cells per cycle.");
	if (json_array_size(page->runs) > 1) {
		status = write_many(page->runs, out, diag);
	} else {
		fputs(page->pictures, out);
	}
	json_array_foreach(page->runs, index, run)
	{
		snprintf(title, sizeof(title), "Load %g", real_of(run, "load", NULL, NULL));
		xt_html_heading(out, title);
		xt_html_object(out, "result", run);
	}
	xt_html_end(out);
	return status;
}

int xt_sim_page_write(const xt_sim_page_t *page, xt_diag_t *diag)
{
	return xt_write_file(page->path, write_page, (void *)page, diag);
}
