/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "device_options.h"
#include "progress.h"

typedef struct {
	xt_target_t target;
	const char *image;
	uint64_t most;
} diff_options_t;

enum { KEY_MOST = XT_KEY_COMMAND };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	diff_options_t *o = state->input;

	switch (key) {
	case KEY_MOST:
		o->most = xt_parse_number(state, "most", arg, 0, UINT32_MAX);
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->image);
	case ARGP_KEY_END:
		xt_need_image(state, o->image);
		return xt_take_target(key, arg, state, &o->target);
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	{"most", KEY_MOST, "N", 0, "Print at most N differences (default 1000); all are counted", 0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp diff_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "IMAGE",
	.doc = "Prints where the tables and registers of a device differ from an image, as CSV: table is grt, lrt or "
	       "the name "
	       "of a register, index the entry, TC or port, input the input port.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: the same; 1: not.\n\n"
	       "Example:\n"
	       "  extorus diff twin.img --device usb:",
};

typedef struct {
	const diff_options_t *o;
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

static int diff(const diff_options_t *o, const xt_image_t *image)
{
	xt_device_t *device = o->target.device;
	xt_diag_t diag = {""};
	diff_t d = {.o = o, .list = o->target.json ? json_array() : NULL};
	xt_progress_bar_t bar;
	int status, result;

	xt_progress_begin(&bar, "reading");
	status = xt_device_compare(device, image, report, &d, xt_progress_step, &bar, &diag);
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
	diff_options_t o = {.most = 1000};
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&diff_argp, argc, argv, &o);
	status = xt_image_read(o.image, &image, &diag);
	if (status == XT_OK) {
		status = xt_target_open(&o.target, &diag);
	}
	result = status == XT_OK ? diff(&o, image) : xt_report("diff", status, &diag);
	xt_target_close(&o.target);
	xt_image_free(image);
	return result;
}

extern const xt_command_t xt_command_diff;
const xt_command_t xt_command_diff = {"diff", "list where the tables of a device differ from an image", run};
