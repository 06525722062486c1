/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "options/device_options.h"
#include "options/progress.h"

typedef struct {
	xt_target_t target;
	uint64_t most;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_IMAGE,
	XT_TARGET_FORCE,
	{"most", "N", "Print at most N differences (default 1000); all are counted", .value = XT_AT(options_t, most),
		.max = UINT32_MAX},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(xt_target_t, wanted_path),
	.required = "say which image",
	.check = xt_need_device,
	.args_doc = "IMAGE",
	.doc = "Prints where the tables and registers of a device differ from an image, as CSV: table is grt, lrt or "
	       "the name of a register, index the entry, TC or port, input the input port.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: the same; 1: not.\n\n"
	       "Example:\n"
	       "  extorus diff twin.img --device usb:",
};

typedef struct {
	const options_t *o;
	json_t *list; /* NULL: CSV to standard output */
	uint64_t found;
} diff_t;

static void report(void *context, const xt_table_difference_t *difference)
{
	diff_t *d = context;

	if (d->found++ >= d->o->most) {
		return;
	}
	if (d->list) {
		char held[24], wanted[24];

		snprintf(held, sizeof(held), "%016" PRIx64, difference->held);
		snprintf(wanted, sizeof(wanted), "%016" PRIx64, difference->wanted);
		json_array_append_new(
			d->list, json_pack("{s:i, s:s, s:i, s:s, s:s, s:s}", "card", (int)difference->card, "table",
					 difference->table, "index", (int)difference->index, "input", difference->input,
					 "device", held, "image", wanted));
		return;
	}
	if (d->found == 1) {
		printf("card,table,index,input,device,image\n");
	}
	printf("%u,%s,%u,%s,%016" PRIx64 ",%016" PRIx64 "\n", difference->card, difference->table, difference->index,
		difference->input, difference->held, difference->wanted);
}

static int diff(void *options)
{
	const options_t *o = options;
	xt_device_t *device = o->target.device;
	xt_diag_t diag = {""};
	diff_t d = {.o = o, .list = o->target.json ? json_array() : NULL};
	xt_progress_bar_t bar;
	int status, result;

	xt_progress_begin(&bar, "reading");
	status = xt_device_compare(device, o->target.wanted, report, &d, xt_progress_step, &bar, &diag);
	xt_progress_end(&bar);
	if (status != XT_OK) {
		json_decref(d.list);
		return xt_report("diff", status, &diag);
	}
	result = d.found ? XT_EXIT_WRONG : XT_EXIT_OK;
	if (o->target.json) {
		int printed = xt_print_json(
			"diff", json_pack("{s:I, s:o}", "differences", (json_int_t)d.found, "list", d.list));

		return printed != XT_EXIT_OK ? printed : result;
	}
	if (d.found > o->most) {
		fprintf(stderr, "extorus diff: %" PRIu64 " more are not shown; see --most\n", d.found - o->most);
	}
	return result;
}

static int run(int argc, char **argv)
{
	options_t o = {.most = 1000};

	return xt_target_run("diff", &syntax, argc, argv, &o, diff);
}

XT_COMMAND(diff, "list where the tables of a device differ from an image", run);
