/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boards/generator_clocks.h"
#include "extorus/hardware_table.h"
#include "options/monotonic.h"
#include "options/traffic_options.h"

enum {
	SETTLED_MS = 60, /* without a packet, until none is left of an earlier run */
	POLL_MS = 20,
	RATE_ONE = 65536, /* of a cell per cycle */
	MOST_APART_MS = 1000,
};

typedef struct {
	xt_boards_t boards;
	uint64_t uniform, zipf, to, cells, packets, seconds, tc, seed;
	const char *update; /* NULL: none */
	int fixed, one_tc, common, json;
	double rate, exponent;
} options_t;

typedef struct {
	xt_device_t *const *devices;
	xt_generators_t generators;
	xt_common_time_t time;
	xt_image_t *update;      /* not yet loaded, or NULL */
	uint64_t written;        /* entries, by the update */
	uint64_t sent_meanwhile; /* packets */
} bench_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	xt_need_boards(state, &o->boards);
	if (!!o->uniform + !!o->zipf + !!o->fixed != 1) {
		argp_error(state, "say one of --uniform PES, --zipf PES, --zipf-common PES and --to ADDRESS");
	}
	if (o->update && !o->packets) {
		argp_error(state, "--update needs --packets");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_BOARDS(options_t),
	{"uniform", "PES", "To addresses 0 .. PES - 1 but one's own, all alike", .value = XT_AT(options_t, uniform),
		.min = 2, .max = 65535},
	{"zipf", "PES",
		"To addresses 0 .. PES - 1 but one's own, that of rank r with a chance like 1/r^S, ranked as by "
		"`extorus sim --traffic zipf`",
		.value = XT_AT(options_t, zipf), .min = 2, .max = 65535},
	{"zipf-common", "PES", "The same with one ranking for all, that of `extorus sim --traffic zipf-common`",
		.value = XT_AT(options_t, zipf), .min = 2, .max = 65535, .mark = XT_AT(options_t, common)},
	{"zipf-exponent", "S", "With --zipf, --zipf-common: the exponent (default 1)",
		.value = XT_AT(options_t, exponent), .most = XT_MAX_ZIPF_EXPONENT},
	{"seed", "N", "With --zipf, --zipf-common: of the ranks, as that of `extorus sim` (default 1)",
		.value = XT_AT(options_t, seed), .max = XT_MOST_SEED},
	{"to", "ADDRESS", "All to this address", .value = XT_AT(options_t, to), .max = 65535,
		.mark = XT_AT(options_t, fixed)},
	{"cells", "N", "Cells of a packet (default: the longest)", .value = XT_AT(options_t, cells), .min = 1,
		.max = 256},
	{"rate", "R", "Cells in a cycle at each NIC (default 1)", .value = XT_AT(options_t, rate), .least = 1e-9,
		.most = 1},
	{"packets", "N", "Packets of each NIC (default: until the time is over)", .value = XT_AT(options_t, packets),
		.min = 1, .max = UINT32_MAX},
	{"seconds", "S", "How long (default 1; with --packets at most, default 60)", .value = XT_AT(options_t, seconds),
		.min = 1, .max = 86400},
	{"tc", "N", "Traffic class (default: 0 from even addresses, 1 from odd ones if there are two)",
		.value = XT_AT(options_t, tc), .max = XT_MAX_TCS - 1, .mark = XT_AT(options_t, one_tc)},
	{"update", "FILE",
		"When a quarter of --packets is sent, load this image into one board after the other, while packets "
		"flow. "
		"`extorus check --transition` says whether any order is safe",
		.value = XT_AT(options_t, update)},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Traffic between the NICs of boards by the generators and checkers on their chips, at line rate "
	       "whatever the host's connection: every packet's payload is checked where it comes, and at the end as "
	       "many have to have come as were sent, each once. The tables have to be loaded, of all boards that are "
	       "addressed. Latencies are in a time common to the boards: packets both ways between the first card and "
	       "each other one, before and after, show how far their clocks are apart.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: all came, undamaged; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus traffic --device usb: --uniform 2 --seconds 10\n"
	       "  extorus traffic --device usb:serial=1 --device usb:serial=2 --uniform 4 --packets 100000 --rate 0.5\n"
	       "  extorus traffic --device usb:serial=1 --device usb:serial=2 --zipf 4 --zipf-exponent 1.5",
};

/* Opens the boards and finds their generators. */
static int find(bench_t *b, options_t *o, xt_diag_t *diag)
{
	int status = xt_boards_open(&o->boards, diag);

	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		const xt_profile_t *profile = xt_device_profile(b->devices[d]);

		if (o->cells > profile->packet_cells) {
			status = xt_fail(diag, XT_ERR_RANGE, "%.100s: the longest packet has %u cells",
				o->boards.uris[d], profile->packet_cells);
		}
	}
	if (status == XT_OK) {
		status = xt_generators_find(&o->boards, &b->generators, diag);
	}
	for (unsigned i = 0; i < b->generators.count; i++) {
		xt_generator_t *g = &b->generators.all[i];
		const xt_profile_t *profile = xt_device_profile(g->device);
		const unsigned tc = o->one_tc ? (unsigned)o->tc : g->address % (profile->tcs > 1 ? 2 : 1);
		const unsigned cells = o->cells ? (unsigned)o->cells : profile->packet_cells;

		g->control = (o->uniform ? XT_GENERATOR_UNIFORM : 0) | (o->zipf ? XT_GENERATOR_TABLE : 0) |
			     tc << XT_GENERATOR_TC_LSB | (cells - 1) << XT_GENERATOR_LENGTH_LSB;
	}
	return status;
}

static int set_all(bench_t *b, uint32_t control, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned i = 0; i < b->generators.count && status == XT_OK; i++) {
		status = xt_generator_set(&b->generators.all[i], XT_FRAME_REG_TRAFFIC_CONTROL,
			b->generators.all[i].control | control, diag);
	}
	return status;
}

/* Writes the generator's table of destinations. */
static int load_table(const xt_generator_t *g, const options_t *o, xt_diag_t *diag)
{
	xt_traffic_t traffic = xt_traffic_default(xt_device_profile(g->device));
	uint32_t *words;
	int status;

	traffic.pattern = o->common ? "zipf-common" : "zipf";
	traffic.zipf_exponent = o->exponent;
	traffic.seed = o->seed;
	if (!g->columns) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%.100s: the traffic generators have no table of destinations; use --uniform or --to", g->uri);
	}
	if (o->zipf > g->columns) {
		return xt_fail(diag, XT_ERR_RANGE, "%.100s: the tables of the traffic generators hold %u PEs, not %u",
			g->uri, g->columns, (unsigned)o->zipf);
	}
	if (g->address >= o->zipf) {
		return xt_fail(diag, XT_ERR_RANGE, "%.100s: card %u has address %u, which is none of %u PEs", g->uri,
			g->card, g->address, (unsigned)o->zipf);
	}
	if (!(words = malloc(g->columns * sizeof(*words)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	status = xt_traffic_table(&traffic, (unsigned)o->zipf, g->address, g->columns, words, diag);
	if (status == XT_OK) {
		status = xt_device_write(g->device, g->card,
			XT_FRAME_REG_TRAFFIC_TABLE + g->nic * XT_FRAME_TRAFFIC_TABLE_STRIDE, words, g->columns, diag);
	}
	free(words);
	return status;
}

static int prepare(bench_t *b, const options_t *o, xt_diag_t *diag)
{
	long rate = lround(o->rate * RATE_ONE);
	int status = XT_OK;

	for (unsigned i = 0; i < b->generators.count && status == XT_OK; i++) {
		const xt_generator_t *g = &b->generators.all[i];
		/* From XT_FRAME_REG_TRAFFIC_TO on. */
		const uint32_t settings[] = {(uint32_t)(o->uniform ? o->uniform : o->to), g->address,
			(uint32_t)(rate < RATE_ONE ? rate : RATE_ONE - 1), (uint32_t)o->packets};

		status = xt_generator_write(g, XT_FRAME_REG_TRAFFIC_TO, settings, 4, diag);
		if (status == XT_OK && o->zipf) {
			status = load_table(g, o, diag);
		}
	}
	return status == XT_OK ? set_all(b, XT_GENERATOR_CHECK | XT_GENERATOR_CLEAR, diag) : status;
}

static int read_all(bench_t *b, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned i = 0; i < b->generators.count && status == XT_OK; i++) {
		status = xt_generator_read(&b->generators.all[i], diag);
	}
	return status;
}

static xt_generator_counts_t totals_of(const bench_t *b)
{
	xt_generator_counts_t t = {0};

	for (unsigned i = 0; i < b->generators.count; i++) {
		const xt_generator_counts_t *c = &b->generators.all[i].counts;

		t.sent += c->sent;
		t.sent_sum += c->sent_sum;
		t.came += c->came;
		t.came_sum += c->came_sum;
		t.wrong += c->wrong;
		t.stray += c->stray;
		t.cells += c->cells;
		t.unsure |= c->unsure;
	}
	return t;
}

/* Generators of a run that was killed still send, and their packets would be counted as this run's. */
static int settle(bench_t *b, xt_diag_t *diag)
{
	uint64_t quiet = xt_now_ms() + SETTLED_MS, end = xt_now_ms() + XT_GENERATOR_QUIET_MS;
	int status = set_all(b, XT_GENERATOR_CHECK, diag);
	xt_generator_counts_t last = {0};

	while (status == XT_OK && xt_now_ms() < quiet && xt_now_ms() < end) {
		xt_generator_counts_t now;

		xt_sleep_ms(POLL_MS);
		status = read_all(b, diag);
		now = totals_of(b);
		if (memcmp(&now, &last, sizeof(now)) != 0) {
			quiet = xt_now_ms() + SETTLED_MS;
			last = now;
		}
	}
	return status;
}

/* Loads the new image once a quarter of the packets is sent. */
static int update(bench_t *b, const options_t *o, xt_diag_t *diag)
{
	const uint64_t before = totals_of(b).sent;
	int status = XT_OK;

	if (!b->update || before < o->packets * b->generators.count / 4) {
		return XT_OK;
	}
	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		xt_load_counts_t counts = {0};

		status = xt_load_counted(b->devices[d], b->update, XT_LOAD_LIVE, &counts, diag);
		b->written += counts.changed;
	}
	xt_image_free(b->update);
	b->update = NULL;
	if (status == XT_OK) {
		status = read_all(b, diag);
	}
	b->sent_meanwhile = totals_of(b).sent - before;
	return status;
}

/* Until the time is over or all is sent; then until all has come, or nothing does any more. */
static int watch(bench_t *b, const options_t *o, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + 1000 * (o->seconds ? o->seconds : o->packets ? 60 : 1), moved = 0;
	uint64_t due = xt_now_ms() + XT_GENERATOR_READ_MS;
	xt_generator_counts_t last = {0}, now;
	int status = XT_OK;

	while (status == XT_OK && xt_now_ms() < end) {
		xt_sleep_ms(POLL_MS);
		if (o->packets || xt_now_ms() >= due) {
			due = xt_now_ms() + XT_GENERATOR_READ_MS;
			status = read_all(b, diag);
		}
		if (status == XT_OK) {
			status = update(b, o, diag);
		}
		if (o->packets && !b->update && totals_of(b).sent == o->packets * b->generators.count) {
			break;
		}
	}
	if (status == XT_OK) {
		status = set_all(b, XT_GENERATOR_CHECK, diag);
	}
	moved = xt_now_ms();
	while (status == XT_OK && xt_now_ms() < moved + XT_GENERATOR_QUIET_MS) {
		status = read_all(b, diag);
		now = totals_of(b);
		if (now.came == now.sent) {
			break;
		}
		if (now.came != last.came || now.sent != last.sent) {
			moved = xt_now_ms();
			last = now;
		}
	}
	return status;
}

/* Null without a common time, and where nothing came. */
static json_t *latency_json(const bench_t *b, const xt_generator_counts_t *counts)
{
	const xt_generator_latency_t l = xt_generator_latency(counts);

	return *b->time.reason || !counts->came
		       ? json_null()
		       : json_pack("{s:f, s:f, s:f}", "least", l.least, "mean", l.mean, "greatest", l.greatest);
}

static int tell_json(const bench_t *b, const options_t *o, const xt_generator_counts_t *t, int ok)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < b->generators.count; i++) {
		const xt_generator_t *g = &b->generators.all[i];

		json_array_append_new(
			list, json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o}", "device", g->uri, "card",
				      (int)g->card, "nic", (int)g->nic, "address", (int)g->address, "sent",
				      (json_int_t)g->counts.sent, "came", (json_int_t)g->counts.came, "wrong",
				      (json_int_t)g->counts.wrong, "stray", (json_int_t)g->counts.stray, "cells",
				      (json_int_t)g->counts.cells, "latency", latency_json(b, &g->counts)));
	}
	return xt_print_json("traffic",
		json_pack("{s:b, s:b, s:o, s:I, s:I, s:I, s:o, s:o*}", "unsure", t->unsure, "ok", ok, "nics", list,
			"sent", (json_int_t)t->sent, "came", (json_int_t)t->came, "wrong", (json_int_t)t->wrong,
			"common_time",
			*b->time.reason ? json_pack("{s:n, s:s}", "uncertainty", "reason", b->time.reason)
					: json_pack("{s:f, s:n}", "uncertainty", b->time.uncertainty, "reason"),
			"update",
			o->update ? json_pack("{s:I, s:I}", "entries_written", (json_int_t)b->written, "sent_meanwhile",
					    (json_int_t)b->sent_meanwhile)
				  : NULL));
}

static void tell_latency(const bench_t *b)
{
	if (*b->time.reason) {
		printf("latency: not known: %s\n", b->time.reason);
		return;
	}
	printf("latency: in cycles, from the header at the sender to the last cell");
	if (b->generators.count > 1) {
		printf("; clocks agree to %.0f cycles, if both ways between two cards take equally long",
			b->time.uncertainty);
	}
	printf("\n");
}

static int tell(const bench_t *b, const options_t *o)
{
	const xt_generator_counts_t t = totals_of(b);
	const int ok = t.sent == t.came && t.sent_sum == t.came_sum && !t.wrong && !t.stray && t.sent;

	if (o->json) {
		const int printed = tell_json(b, o, &t, ok);

		return printed != XT_EXIT_OK ? printed : ok ? XT_EXIT_OK : XT_EXIT_WRONG;
	}
	printf("%-28s %4s %7s %10s %10s %7s %7s %7s %9s %7s\n", "board", "card", "address", "sent", "came", "wrong",
		"stray", "least", "latency", "most");
	for (unsigned i = 0; i < b->generators.count; i++) {
		const xt_generator_t *g = &b->generators.all[i];
		const xt_generator_latency_t l = xt_generator_latency(&g->counts);

		printf("%-28.28s %4u %7u %10" PRIu64 " %10" PRIu64 " %7" PRIu64 " %7" PRIu64, g->uri, g->card,
			g->address, g->counts.sent, g->counts.came, g->counts.wrong, g->counts.stray);
		if (*b->time.reason || !g->counts.came) {
			printf(" %7s %9s %7s\n", "-", "-", "-");
		} else {
			printf(" %7.0f %9.1f %7.0f\n", l.least, l.mean, l.greatest);
		}
	}
	tell_latency(b);
	if (o->update) {
		printf("update: %" PRIu64 " entries written while %" PRIu64 " packets were sent\n", b->written,
			b->sent_meanwhile);
	}
	if (t.unsure) {
		printf("not read for over %d s: a counter may have wrapped unseen\n", XT_GENERATOR_WRAP_MS / 1000);
	}
	printf("%" PRIu64 " packets sent, %" PRIu64 " came, %" PRIu64 " damaged: %s\n", t.sent, t.came, t.wrong,
		ok                         ? "ok"
		: t.sent != t.came         ? "FAILED: not as many came as were sent"
		: t.sent_sum != t.came_sum ? "FAILED: some came twice and others not"
		: t.sent                   ? "FAILED"
					   : "FAILED: nothing was sent; are the tables loaded, the links up?");
	return ok ? XT_EXIT_OK : XT_EXIT_WRONG;
}

/* Packets go to the host again, of all boards that can still be told. */
static int end(bench_t *b, const options_t *o, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < o->boards.count; d++) {
		if (b->devices[d]) {
			xt_device_shield(b->devices[d], 1);
		}
	}
	for (unsigned i = 0; i < b->generators.count; i++) {
		int one = xt_generator_set(
			&b->generators.all[i], XT_FRAME_REG_TRAFFIC_CONTROL, 0, status == XT_OK ? diag : NULL);

		status = status ? status : one;
	}
	return status;
}

/* The counters stay as they were before the clocks are compared. */
static int measure(bench_t *b, const options_t *o, xt_diag_t *diag)
{
	const uint64_t seconds = o->seconds ? o->seconds : 1;
	const unsigned apart_ms = seconds < 4 ? (unsigned)(250 * seconds) : MOST_APART_MS;
	int status = settle(b, diag);

	if (status == XT_OK) {
		status = xt_align_clocks(&b->generators, apart_ms, &b->time, diag);
	}
	if (status == XT_OK) {
		status = prepare(b, o, diag);
	}
	if (status == XT_OK) {
		status = set_all(b, XT_GENERATOR_CHECK | XT_GENERATOR_SEND, diag);
	}
	if (status == XT_OK) {
		status = watch(b, o, diag);
	}
	return status == XT_OK ? xt_compare_clocks(&b->generators, &b->time, diag) : status;
}

static int run(int argc, char **argv)
{
	options_t o = {.rate = 1, .exponent = 1, .seed = 1};
	bench_t b = {.devices = o.boards.devices};
	xt_diag_t diag = {""}, last = {""};
	int status, ended, result;

	xt_parse_options(&syntax, argc, argv, &o);
	status = o.update ? xt_image_read(o.update, &b.update, &diag) : XT_OK;
	if (status == XT_OK) {
		status = find(&b, &o, &diag);
	}
	if (status == XT_OK) {
		status = measure(&b, &o, &diag);
	}
	ended = end(&b, &o, &last);
	if (status == XT_OK && ended != XT_OK) {
		status = ended;
		diag = last;
	}
	result = status == XT_OK ? tell(&b, &o) : xt_report("traffic", status, &diag);
	result = xt_boards_close(&o.boards, "traffic", result);
	xt_image_free(b.update);
	free(b.generators.all);
	return result;
}

XT_COMMAND(traffic, "traffic between boards at line rate, checked", run);
