/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extorus/profiles.h"
#include "options/traffic_options.h"

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *latency_json(const xt_latency_t *l)
{
	if (!l->count) {
		return json_pack(
			"{s:i, s:n, s:n, s:n, s:n, s:n, s:n}", "count", 0, "mean", "ci95", "p50", "p95", "p99", "max");
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count", count(l->count), "mean", number(l->mean),
		"ci95", number(l->ci95), "p50", count(l->p50), "p95", count(l->p95), "p99", count(l->p99), "max",
		count(l->max));
}

static json_t *tcs_json(const xt_sim_run_t *run)
{
	json_t *list = json_array();

	for (unsigned t = 0; t < xt_image_profile(run->image)->tcs; t++) {
		const xt_tc_result_t *tc = &run->result->tc[t];

		json_array_append_new(
			list, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "tc", (int)t, "packets_sent",
				      count(tc->packets_sent), "packets_delivered", count(tc->packets_delivered),
				      "cells_delivered", count(tc->cells_delivered), "measured", count(tc->measured),
				      "network_latency_mean", number(tc->network_mean)));
	}
	return list;
}

static void add_findings(const xt_result_t *r, json_t *object)
{
	json_t *reports = json_array();

	for (unsigned f = 0; f < XT_FINDINGS; f++) {
		const int sought = f != XT_FINDING_OFF_ROUTE || r->hops_checked;

		json_object_set_new(object, xt_finding_name(f), sought ? count(r->findings[f]) : json_null());
	}
	for (unsigned i = 0; i < r->report_count; i++) {
		json_array_append_new(reports, json_string(r->reports[i]));
	}
	json_object_set_new(object, "ok", json_boolean(xt_result_ok(r)));
	json_object_set_new(object, "drained", json_boolean(r->drained));
	json_object_set_new(object, "reports", reports);
}

static void add_links(const xt_sim_run_t *run, json_t *object)
{
	const xt_result_t *r = run->result;
	const xt_link_totals_t *t = &r->link_totals;
	json_t *list = json_array();

	json_object_set_new(object, "error_rate", json_real(run->error_rate));
	json_object_set_new(object, "errors_injected", count(r->errors_injected));
	json_object_set_new(object, "links",
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "crc_errors", count(t->crc_errors), "nacks",
			count(t->nacks), "replays", count(t->replays), "timeouts", count(t->timeouts), "retrains",
			count(t->retrains), "swallowed", count(t->swallowed), "lost", count(r->lost_on_links)));
	for (unsigned i = 0; i < r->links_down_count; i++) {
		const xt_link_down_t *d = &r->links_down[i];

		json_array_append_new(
			list, json_pack("{s:i, s:s, s:s, s:s, s:b, s:o}", "card", (int)d->card, "port",
				      xt_image_port_name(run->image, d->card, d->port), "state",
				      xt_link_state_name(d->state), "cause", xt_link_cause_name(d->cause), "killed",
				      d->killed, "since", d->since == UINT64_MAX ? json_null() : count(d->since)));
	}
	json_object_set_new(object, "links_down", list);
}

/* Mean load of the channels with each port name, such as "d0+" or "int": where a network is tight. */
static json_t *by_port_name(const xt_sim_run_t *run)
{
	const xt_profile_t *profile = xt_image_profile(run->image);
	unsigned ports = xt_profile_ports(profile);
	json_t *sums = json_object(), *means = json_object(), *pair;
	const char *name;

	for (unsigned card = 0; card < run->result->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			double sum = 0.0, channels = 0.0;

			if (port < profile->link_ports && xt_image_peer(run->image, card, port).card == XT_NO_CARD) {
				continue;
			}
			name = xt_image_port_name(run->image, card, port);
			if ((pair = json_object_get(sums, name))) {
				sum = json_real_value(json_array_get(pair, 0));
				channels = json_real_value(json_array_get(pair, 1));
			}
			json_object_set_new(sums, name,
				json_pack("[f, f]", sum + run->result->port_load[card * ports + port], channels + 1.0));
		}
	}
	json_object_foreach(sums, name, pair)
	{
		json_object_set_new(means, name,
			json_real(json_real_value(json_array_get(pair, 0)) / json_real_value(json_array_get(pair, 1))));
	}
	json_decref(sums);
	return means;
}

static void add_utilisation(const xt_sim_run_t *run, json_t *object)
{
	const xt_utilisation_t *link = &run->result->link_utilisation, *card = &run->result->switch_utilisation;

	json_object_set_new(object, "link_utilisation",
		json_pack("{s:f, s:f, s:i, s:s}", "mean", link->mean, "max", link->max, "card", (int)link->card, "port",
			xt_image_port_name(run->image, link->card, link->port)));
	json_object_set_new(object, "switch_utilisation",
		json_pack("{s:f, s:f, s:i}", "mean", card->mean, "max", card->max, "card", (int)card->card));
	json_object_set_new(object, "channel_utilisation", by_port_name(run));
}

static void add_energy(const xt_energy_t *e, json_t *object)
{
	json_object_set_new(object, "energy_pj_per_cycle",
		json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "cell_hops", e->cell_hops, "link_cells", e->link_cells,
			"idle_links", e->idle_links, "sleeping_links", e->sleeping_links, "buffered_cells",
			e->buffered_cells, "total", e->total));
	json_object_set_new(object, "energy_pj_per_cell", number(e->per_cell));
	json_object_set_new(object, "links_asleep", json_integer(e->asleep));
}

/* What each rank has done, in seconds and bytes. */
static json_t *ranks_json(const xt_result_t *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->rank_count; i++) {
		const xt_rank_times_t *t = &r->ranks[i];

		json_array_append_new(
			list, json_pack("{s:i, s:i, s:I, s:I, s:f, s:f, s:f, s:f}", "cards", (int)t->cards, "cut_links",
				      (int)t->cut_links, "epochs", (json_int_t)t->epochs, "bytes", (json_int_t)t->bytes,
				      "stepping_seconds", t->stepping, "checking_seconds", t->telling,
				      "packing_seconds", t->packing, "waiting_seconds", t->waiting));
	}
	return list;
}

json_t *xt_sim_json(const xt_sim_run_t *run)
{
	const xt_result_t *r = run->result;
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i}", "image", run->path, "topology",
		xt_image_topology(run->image), "algorithm", xt_image_algorithm(run->image), "profile",
		xt_image_profile(run->image)->name, "cards", (int)r->cards, "pes", (int)r->pes, "link_latency",
		(int)run->link_latency);

	xt_traffic_json(run->traffic, object);
	json_object_set_new(object, "offered_load", json_real(r->offered_load));
	json_object_set_new(object, "accepted_load", json_real(r->accepted_load));
	json_object_set_new(object, "saturated", json_boolean(r->saturated));
	json_object_set_new(object, "fairness", number(r->fairness));
	if (run->traffic->detect_warmup) {
		json_object_set_new(object, "warmup", count(r->warmup));
		json_object_set_new(object, "warmup_steady", json_boolean(r->warmup_steady));
	}
	add_utilisation(run, object);
	add_energy(&r->energy, object);
	json_object_set_new(object, "network_latency",
		json_pack("{s:o, s:o}", "packet", latency_json(&r->network_packet), "cell",
			latency_json(&r->network_cell)));
	json_object_set_new(object, "end_to_end_latency",
		json_pack("{s:o, s:o}", "packet", latency_json(&r->end_to_end_packet), "cell",
			latency_json(&r->end_to_end_cell)));
	json_object_set_new(object, "per_tc", tcs_json(run));
	json_object_set_new(object, "packets_sent", count(r->packets_sent));
	json_object_set_new(object, "packets_delivered", count(r->packets_delivered));
	json_object_set_new(object, "packets_poisoned", count(r->packets_poisoned));
	json_object_set_new(object, "packets_dropped", count(r->packets_dropped));
	json_object_set_new(object, "measured_packets", count(r->measured_packets));
	json_object_set_new(object, "measured_unsent", count(r->measured_unsent));
	add_links(run, object);
	add_findings(r, object);
	json_object_set_new(object, "cycles", count(r->cycles));
	json_object_set_new(object, "engine", json_string(r->engine));
	xt_switch_json(run->device_switch, object);
	json_object_set_new(object, "wall_seconds", json_real(r->wall_seconds));
	json_object_set_new(object, "card_cycles_per_second", json_real(r->card_cycles_per_second));
	json_object_set_new(object, "evaluated_card_cycles", count(r->evaluated_card_cycles));
	if (r->rank_count) {
		json_object_set_new(object, "ranks", ranks_json(r));
	}
	return object;
}

static void print_latency(FILE *out, const char *name, const xt_latency_t *l)
{
	if (!l->count) {
		fprintf(out, "  %-22s none measured\n", name);
		return;
	}
	fprintf(out, "  %-22s %9.2f", name, l->mean);
	if (isnan(l->ci95)) {
		fprintf(out, " %9s", "-");
	} else {
		fprintf(out, " %9.2f", l->ci95);
	}
	fprintf(out, " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n", l->p50, l->p95, l->p99, l->max);
}

static void print_findings(const xt_result_t *r, FILE *out)
{
	fprintf(out, "checks      ");
	for (unsigned f = 0; f <= XT_FINDING_CORRUPTED; f++) {
		fprintf(out, "%s %" PRIu64 "%s", xt_finding_name(f), r->findings[f],
			f < XT_FINDING_CORRUPTED ? ", " : "\n");
	}
	if (xt_result_ok(r)) {
		fprintf(out,
			"             network drained; all credits and buffers home, both ends of every link agree%s\n",
			r->links_down_count ? ", but for those that are down" : "");
	} else if (!r->drained) {
		fprintf(out, "             THE NETWORK DID NOT DRAIN\n");
	}
	if (!r->hops_checked) {
		fprintf(out, "             whether packets kept to their routes was not checked\n");
	}
	for (unsigned i = 0; i < r->report_count; i++) {
		fprintf(out, "%s\n", r->reports[i]);
	}
}

/* Nothing where the profile has no coefficients. */
static void print_energy(const xt_energy_t *e, FILE *out)
{
	if (e->total > 0.0) {
		fprintf(out,
			"energy       %.1f pJ per delivered cell: switches %.0f %%, links %.0f %%, idle links %.0f %%, "
			"sleeping links (%u) %.0f %%, buffers %.0f %%\n",
			e->per_cell, 100.0 * e->cell_hops / e->total, 100.0 * e->link_cells / e->total,
			100.0 * e->idle_links / e->total, e->asleep, 100.0 * e->sleeping_links / e->total,
			100.0 * e->buffered_cells / e->total);
	}
}

/* Nothing where there was no error and no link is down. */
static void print_links(const xt_sim_run_t *run, FILE *out)
{
	const xt_result_t *r = run->result;
	const xt_link_totals_t *t = &r->link_totals;

	if (r->errors_injected || t->crc_errors || t->nacks || t->replays || t->timeouts || r->links_down_count) {
		fprintf(out,
			"links        %" PRIu64 " errors injected; %" PRIu64 " CRC errors, %" PRIu64 " nacks, %" PRIu64
			" replays, %" PRIu64 " timeouts\n",
			r->errors_injected, t->crc_errors, t->nacks, t->replays, t->timeouts);
	}
	if (r->packets_poisoned || r->packets_dropped || r->links_down_count) {
		fprintf(out, "killed links %" PRIu64 " packets delivered poisoned, %" PRIu64 " dropped\n",
			r->packets_poisoned, r->packets_dropped);
	}
	for (unsigned i = 0; i < r->links_down_count; i++) {
		const xt_link_down_t *d = &r->links_down[i];

		fprintf(out, "             card %" PRIu32 " port %s: %s, cause %s%s", d->card,
			xt_image_port_name(run->image, d->card, d->port), xt_link_state_name(d->state),
			xt_link_cause_name(d->cause), d->killed ? "; killed" : "");
		if (d->since != UINT64_MAX) {
			fprintf(out, ", noticed at cycle %" PRIu64, d->since);
		}
		fprintf(out, "\n");
	}
}

void xt_sim_print(const xt_sim_run_t *run, FILE *out)
{
	const xt_traffic_t *t = run->traffic;
	const xt_result_t *r = run->result;
	char lengths[64];

	fprintf(out, "%s, %s, profile %s, %u cards, link latency %u, engine %s\n", xt_image_topology(run->image),
		xt_image_algorithm(run->image), xt_image_profile(run->image)->name, r->cards, run->link_latency,
		r->engine);
	if (run->device_switch->kind) {
		fprintf(out, "switch       %s, %" PRIu64 " flits per port; in the model only, this switch has no RTL\n",
			run->device_switch->kind, xt_switch_buffer(run->device_switch));
	}
	xt_lengths_write(&t->length, lengths, sizeof(lengths));
	fprintf(out, "traffic      %s, packets of %s cells, %s, seed %" PRIu64 "; %" PRIu64 " + %" PRIu64 " cycles\n",
		t->mix_count ? "a mix" : t->pattern, lengths, xt_arrivals_name(t->arrivals), t->seed, r->warmup,
		t->measure);
	if (t->detect_warmup && !r->warmup_steady) {
		fprintf(out, "             the network was not found steady within the warm-up\n");
	}
	fprintf(out, "load         offered %.4f, accepted %.4f of the NIC bandwidth%s\n", r->offered_load,
		r->accepted_load, r->saturated ? ": saturated" : "");
	if (!isnan(r->fairness)) {
		fprintf(out, "fairness     %.4f, Jain's index of what the PEs get through\n", r->fairness);
	}
	fprintf(out, "utilisation  links %.4f, at most %.4f (card %" PRIu32 " port %s); switches %.4f, at most %.4f\n",
		r->link_utilisation.mean, r->link_utilisation.max, r->link_utilisation.card,
		xt_image_port_name(run->image, r->link_utilisation.card, r->link_utilisation.port),
		r->switch_utilisation.mean, r->switch_utilisation.max);
	print_energy(&r->energy, out);
	fprintf(out,
		"packets      sent %" PRIu64 ", delivered %" PRIu64 "; measured %" PRIu64 ", of these not sent %" PRIu64
		"\n",
		r->packets_sent, r->packets_delivered, r->measured_packets, r->measured_unsent);
	fprintf(out, "latency      %11s %9s %9s %7s %7s %7s %7s\n", "", "mean", "+-95 %", "p50", "p95", "p99", "max");
	print_latency(out, "network, packet", &r->network_packet);
	print_latency(out, "network, cell", &r->network_cell);
	print_latency(out, "end to end, packet", &r->end_to_end_packet);
	print_latency(out, "end to end, cell", &r->end_to_end_cell);
	for (unsigned i = 0; i < xt_image_profile(run->image)->tcs; i++) {
		const xt_tc_result_t *tc = &r->tc[i];

		fprintf(out, "TC %u         sent %" PRIu64 ", delivered %" PRIu64 " packets", i, tc->packets_sent,
			tc->packets_delivered);
		if (tc->measured) {
			fprintf(out, ", mean network latency %.2f", tc->network_mean);
		}
		fprintf(out, "\n");
	}
	print_links(run, out);
	print_findings(r, out);
	fprintf(out, "simulated    %" PRIu64 " cycles in %.2f s: %.0f card-cycles/s (%.1f %% of them evaluated)\n",
		r->cycles, r->wall_seconds, r->card_cycles_per_second,
		r->cycles ? 100.0 * (double)r->evaluated_card_cycles / ((double)r->cycles * r->cards) : 0.0);
}

void xt_sim_print_heading(FILE *out)
{
	fprintf(out, "%8s %8s %8s %9s %7s %7s %9s %7s %9s %6s %11s\n", "load", "offered", "accepted", "network", "p50",
		"p99", "end2end", "p99", "packets", "ok", "card-cyc/s");
}

static void print_mean(FILE *out, const xt_latency_t *l)
{
	if (l->count) {
		fprintf(out, " %9.2f", l->mean);
	} else {
		fprintf(out, " %9s", "-");
	}
}

static void print_percentile(FILE *out, const xt_latency_t *l, uint64_t value)
{
	if (l->count) {
		fprintf(out, " %7" PRIu64, value);
	} else {
		fprintf(out, " %7s", "-");
	}
}

void xt_sim_print_row(const xt_sim_run_t *run, FILE *out)
{
	const xt_result_t *r = run->result;

	fprintf(out, "%8.4f %8.4f %8.4f", run->traffic->load, r->offered_load, r->accepted_load);
	print_mean(out, &r->network_packet);
	print_percentile(out, &r->network_packet, r->network_packet.p50);
	print_percentile(out, &r->network_packet, r->network_packet.p99);
	print_mean(out, &r->end_to_end_packet);
	print_percentile(out, &r->end_to_end_packet, r->end_to_end_packet.p99);
	fprintf(out, " %9" PRIu64 " %6s %11.0f\n", r->packets_delivered, xt_result_ok(r) ? "yes" : "NO",
		r->card_cycles_per_second);
	for (unsigned i = 0; i < r->report_count; i++) {
		fprintf(out, "         %s\n", r->reports[i]);
	}
}

void xt_sim_link_csv(const xt_sim_run_t *run, FILE *out)
{
	const xt_profile_t *profile = xt_image_profile(run->image);
	unsigned ports = xt_profile_ports(profile);

	fprintf(out, "card,port,to_card,to_port,load\n");
	for (unsigned card = 0; card < run->result->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			const char *name = xt_image_port_name(run->image, card, port);
			double load = run->result->port_load[card * ports + port];
			xt_peer_t peer;

			if (port >= profile->link_ports) {
				fprintf(out, "%u,%s,,,%.6f\n", card, name, load);
				continue;
			}
			peer = xt_image_peer(run->image, card, port);
			if (peer.card != XT_NO_CARD) {
				fprintf(out, "%u,%s,%" PRIu32 ",%s,%.6f\n", card, name, peer.card,
					xt_image_port_name(run->image, peer.card, peer.port), load);
			}
		}
	}
}
