/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "extorus/atomic_file.h"
#include "options/device_options.h"
#include "options/progress.h"

typedef struct {
	xt_target_t target;
	const char *output;
	uint64_t port;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_IMAGE,
	XT_TARGET_FORCE,
	XT_OPTION_CARD,
	{"input", "PORT", "The tables of this input port: links from 0 on, then NICs (default 0)",
		.value = XT_AT(options_t, port), .max = XT_MAX_PORTS},
	{"output", "FILE", "Write to FILE instead of standard output", 'o', .value = XT_AT(options_t, output),
		.writes = true},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Reads the routing tables out of the cards and prints their valid fields as CSV: table is grt or lrt, "
	       "index the entry, tc its field, port the output's name, vc the VC within the TC, adaptive the mask of "
	       "candidate ports.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus dump --device sim:twin:2x2x2x2x2 --image twin.img --card 3\n"
	       "  extorus dump --device sim:torus.img --image torus.img -o tables.csv",
};

static void print_entries(
	const xt_device_t *device, unsigned card, const char *table, const uint64_t *entries, unsigned count, FILE *out)
{
	const xt_profile_t *profile = xt_device_profile(device);

	for (unsigned i = 0; i < count; i++) {
		for (unsigned tc = 0; tc < profile->tcs; tc++) {
			xt_route_t route = xt_entry_route(entries[i], tc);

			if (!route.valid) {
				continue;
			}
			fprintf(out, "%u,%s,%u,%u,", card, table, i, tc);
			if (route.port < xt_profile_ports(profile)) {
				fprintf(out, "%s", xt_device_port_name(device, card, route.port));
			} else {
				fprintf(out, "%u", route.port);
			}
			fprintf(out, ",%u,0x%02x\n", route.vc, route.adaptive_mask);
		}
	}
}

static int dump_cards(void *context, FILE *out, xt_diag_t *diag)
{
	const options_t *o = context;
	xt_device_t *device = o->target.device;
	const xt_profile_t *profile = xt_device_profile(device);
	unsigned first = o->target.first, end = o->target.end;
	unsigned grt_entries = 1u << profile->grt_bits, lrt_entries = 1u << profile->lrt_bits;
	uint64_t *entries = malloc((size_t)(grt_entries + lrt_entries) * sizeof(*entries));
	xt_progress_bar_t bar;
	int status = entries ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	xt_progress_begin(&bar, "reading");
	fprintf(out, "card,table,index,tc,port,vc,adaptive\n");
	for (unsigned card = first; card < end && status == XT_OK; card++) {
		status = xt_device_read_tables(device, card, (unsigned)o->port, entries, entries + grt_entries, diag);
		if (status == XT_OK) {
			print_entries(device, card, "grt", entries, grt_entries, out);
			print_entries(device, card, "lrt", entries + grt_entries, lrt_entries, out);
		}
		xt_progress_step(&bar, card - first + 1, end - first);
	}
	xt_progress_end(&bar);
	free(entries);
	return status;
}

static int dump(void *options)
{
	const options_t *o = options;
	unsigned ports = xt_profile_ports(xt_device_profile(o->target.device));
	xt_diag_t diag = {""};
	int status = o->port < ports ? xt_write_file(o->output, dump_cards, options, &diag)
				     : xt_fail(&diag, XT_ERR_RANGE, "there is no port %" PRIu64 ", only 0 to %u",
					       o->port, ports - 1);

	return status == XT_OK ? XT_EXIT_OK : xt_report("dump", status, &diag);
}

static int run(int argc, char **argv)
{
	options_t o = {0};

	return xt_target_run("dump", &syntax, argc, argv, &o, dump);
}

XT_COMMAND(dump, "print the tables that a device holds", run);
