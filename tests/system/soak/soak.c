/* SPDX-License-Identifier: Apache-2.0
 *
 * soak ENGINE PROFILE SPEC ALGORITHM ALGORITHM CELL-HOPS CYCLES SEED [FAULT]
 *
 * Runs traffic with transmission errors through one network until so many cells have crossed a link. In each round a
 * link or two are killed, and all are trained again; every round loads other tables, and after every eighth all cards
 * are reset. A line for each round, the same with both engines; exit status 1 if anything is lost without a count. */
#include <extorus/extorus.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_OF_A_LIFE = 8, MOST_READS = 10000 };

typedef struct {
	const char *uri, *fault; /* NULL: none that must be found */
	xt_image_t *images[2];
	xt_device_t *device;
	xt_random_t random;
	uint64_t sent, delivered, poisoned, dropped, errors, replays, retrains, killed, resets, hops, goal;
	uint64_t cycles;       /* of a round */
	uint64_t earlier_lost; /* since the reset */
	uint32_t *cells;       /* that left each link port, at the round before */
} soak_t;

static int open_network(soak_t *s, xt_diag_t *diag)
{
	int status;

	xt_device_close(s->device);
	s->device = NULL;
	status = xt_device_open(s->uri, &s->device, diag);
	if (status == XT_OK && !s->cells) {
		s->cells = calloc((size_t)xt_device_cards(s->device) * xt_device_profile(s->device)->link_ports,
			sizeof(*s->cells));
	}
	if (status == XT_OK) {
		memset(s->cells, 0,
			(size_t)xt_device_cards(s->device) * xt_device_profile(s->device)->link_ports *
				sizeof(*s->cells));
		s->earlier_lost = 0;
	}
	return status;
}

static int read_port(
	soak_t *s, xt_register_id_t id, unsigned card, unsigned port, uint32_t *values, unsigned count, xt_diag_t *diag)
{
	return xt_device_read(s->device, card, xt_register_address(id, port, 0), values, count, diag);
}

static int is_down(soak_t *s, unsigned card, unsigned port, int *down, xt_diag_t *diag)
{
	uint32_t state;
	int status = read_port(s, XT_REG_LINK_STATE, card, port, &state, 1, diag);

	*down = status == XT_OK && xt_link_state_of(state) == XT_LINK_DOWN &&
		xt_link_cause_of(state) != XT_CAUSE_DISABLED;
	return status;
}

/* A link that was killed passes frames again as soon as another run begins. */
static int train_all(soak_t *s, const xt_image_t *image, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(s->device);
	const uint32_t address = xt_register_address(XT_REG_LINK_RETRAIN, 0, 0);
	xt_traffic_t nothing = xt_traffic_default(profile);
	xt_result_t *result = NULL;
	int status, some = 1;

	nothing.load = 0.0;
	nothing.warmup = 0;
	nothing.measure = nothing.drain = 1;
	status = xt_device_run(s->device, image, &nothing, NULL, &result, diag);
	xt_result_free(result);
	for (unsigned reads = 0; some && status == XT_OK; reads++) {
		some = 0;
		if (reads == MOST_READS) {
			fprintf(stderr, "soak: links do not come up\n");
			return XT_ERR_TIMEOUT;
		}
		for (unsigned card = 0; card < xt_device_cards(s->device) && status == XT_OK; card++) {
			uint32_t ports = 0;

			for (unsigned port = 0; port < profile->link_ports && status == XT_OK; port++) {
				uint32_t state;
				int down;

				status = is_down(s, card, port, &down, diag);
				ports |= (uint32_t)down << port;
				if (status == XT_OK) {
					status = read_port(s, XT_REG_LINK_STATE, card, port, &state, 1, diag);
					some |= xt_link_state_of(state) == XT_LINK_TRAIN &&
						xt_link_cause_of(state) != XT_CAUSE_DISABLED;
				}
			}
			if (ports && status == XT_OK) {
				status = xt_device_write(s->device, card, address, &ports, 1, diag);
				some = 1;
			}
		}
	}
	return status;
}

static int kill_some(soak_t *s, uint64_t cycles, xt_diag_t *diag)
{
	const unsigned links = xt_device_profile(s->device)->link_ports;
	int status = XT_OK;

	for (unsigned left = 1 + xt_random_below(&s->random, 2); left && status == XT_OK;) {
		const xt_fault_t fault = {.kind = XT_FAULT_KILL_LINK,
			.card = xt_random_below(&s->random, xt_device_cards(s->device)),
			.port = xt_random_below(&s->random, links),
			.n = xt_random_below(&s->random, (uint32_t)cycles)};

		status = xt_device_fault(s->device, &fault, diag);
		/* Not every port has a link. */
		if (status == XT_OK) {
			s->killed++;
			left--;
		} else if (status == XT_ERR_RANGE) {
			status = XT_OK;
		}
	}
	return status;
}

static int count_hops(soak_t *s, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(s->device);
	int status = XT_OK;

	for (unsigned at = 0; at < xt_device_cards(s->device) * profile->link_ports && status == XT_OK; at++) {
		uint32_t cells[XT_MAX_TCS] = {0}, sum = 0;

		status = read_port(s, XT_REG_TX_CELLS, at / profile->link_ports, at % profile->link_ports, cells,
			profile->tcs, diag);
		for (unsigned tc = 0; tc < profile->tcs; tc++) {
			sum += cells[tc];
		}
		s->hops += sum - s->cells[at];
		s->cells[at] = sum;
	}
	return status;
}

/* Whether each packet came, came marked, or is counted by the links. */
static int take(soak_t *s, const xt_result_t *r)
{
	const uint64_t lost = r->lost_on_links - s->earlier_lost;

	s->earlier_lost = r->lost_on_links;
	s->sent += r->packets_sent;
	s->delivered += r->packets_delivered;
	s->poisoned += r->packets_poisoned;
	s->dropped += r->packets_dropped;
	s->errors += r->errors_injected;
	if (xt_result_ok(r) && r->packets_sent == r->packets_delivered + r->packets_poisoned + r->packets_dropped &&
		lost == r->packets_dropped) {
		return 1;
	}
	fprintf(stderr,
		"soak: %" PRIu64 " sent, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64 " dropped, %" PRIu64
		" counted by links%s\n",
		r->packets_sent, r->packets_delivered, r->packets_poisoned, r->packets_dropped, lost,
		r->drained ? "" : ", not drained");
	for (unsigned i = 0; i < r->report_count; i++) {
		fprintf(stderr, "  %s\n", r->reports[i]);
	}
	return 0;
}

static int run_round(soak_t *s, unsigned number, int *good, xt_diag_t *diag)
{
	const xt_image_t *image = s->images[number % 2];
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_run_options_t options = XT_OPTIONS_INIT(xt_run_options_t);
	xt_result_t *r = NULL;
	int status = train_all(s, image, diag);

	traffic.load = 0.1 + 0.7 * xt_random_unit(&s->random);
	traffic.measure = s->cycles;
	traffic.seed = number;
	options.error_rate = 1e-3;
	options.error_seed = number;
	if (status == XT_OK) {
		status = xt_device_load(s->device, image, 0, NULL, NULL, diag);
	}
	if (status == XT_OK && s->fault) {
		xt_fault_t fault;

		status = xt_fault_parse(s->fault, &fault, diag);
		status = status == XT_OK ? xt_device_fault(s->device, &fault, diag) : status;
	}
	if (status == XT_OK) {
		status = kill_some(s, traffic.warmup + traffic.measure, diag);
	}
	if (status == XT_OK) {
		status = xt_device_run(s->device, image, &traffic, &options, &r, diag);
	}
	if (status == XT_OK) {
		status = count_hops(s, diag);
	}
	if (status == XT_OK) {
		*good = take(s, r);
		printf("%u: %" PRIu64 " cycles, %" PRIu64 " sent, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64
		       " dropped, %" PRIu64 " errors, %" PRIu64 " CRC errors, %" PRIu64 " replays, %" PRIu64
		       " retrains, %u ends down, latency %.6f, %" PRIu64 " cell-hops\n",
			number, r->cycles, r->packets_sent, r->packets_delivered, r->packets_poisoned,
			r->packets_dropped, r->errors_injected, r->link_totals.crc_errors, r->link_totals.replays,
			r->link_totals.retrains, r->links_down_count, r->network_packet.mean, s->hops);
	}
	xt_result_free(r);
	return status;
}

static int soak(soak_t *s, xt_diag_t *diag)
{
	int status = XT_OK, good = 1;

	for (unsigned number = 0; s->hops < s->goal && status == XT_OK && good; number++) {
		if (number % ROUNDS_OF_A_LIFE == 0) {
			s->resets += number != 0;
			status = open_network(s, diag);
		}
		if (status == XT_OK) {
			status = run_round(s, number, &good, diag);
		}
	}
	if (status == XT_OK && good) {
		printf("%" PRIu64 " cell-hops, %" PRIu64 " packets: %" PRIu64 " delivered, %" PRIu64 " marked, %" PRIu64
		       " counted as dropped; %" PRIu64 " transmission errors, %" PRIu64 " links killed, %" PRIu64
		       " resets\n",
			s->hops, s->sent, s->delivered, s->poisoned, s->dropped, s->errors, s->killed, s->resets);
	}
	return status == XT_OK && !good ? XT_ERR_MISMATCH : status;
}

int main(int count, char **arguments)
{
	xt_diag_t diag = {""};
	xt_topology_t *topology = NULL;
	soak_t s = {0};
	char uri[200];
	int status;

	if (count != 9 && count != 10) {
		fprintf(stderr, "usage: soak ENGINE PROFILE SPEC ALGORITHM ALGORITHM CELL-HOPS CYCLES SEED [FAULT]\n");
		return 2;
	}
	snprintf(uri, sizeof(uri), "%s:%s;profile=%s", arguments[1], arguments[3], arguments[2]);
	s.uri = uri;
	s.fault = count == 10 ? arguments[9] : NULL;
	s.goal = strtoull(arguments[6], NULL, 10);
	s.cycles = strtoull(arguments[7], NULL, 10);
	xt_random_seed(&s.random, strtoull(arguments[8], NULL, 10), 0);
	status = xt_topology_parse(arguments[3], xt_profile_find(arguments[2]), &topology, &diag);
	for (unsigned i = 0; i < 2 && status == XT_OK; i++) {
		xt_route_options_t routing = XT_OPTIONS_INIT(xt_route_options_t);

		status = xt_algorithm_parse(arguments[4 + i], &routing.algorithm, &diag);
		if (status == XT_OK) {
			status = xt_route(topology, &routing, &s.images[i], &diag);
		}
	}
	if (status == XT_OK) {
		status = soak(&s, &diag);
	}
	if (status != XT_OK) {
		fprintf(stderr, "soak: %s: %s\n", xt_strerror(status), diag.text);
	}
	xt_device_close(s.device);
	xt_image_free(s.images[0]);
	xt_image_free(s.images[1]);
	xt_topology_free(topology);
	free(s.cells);
	return status == XT_OK ? 0 : 1;
}
