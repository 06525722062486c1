/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "device/load.h"
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

static void report(
	diff_t *d, unsigned card, const char *table, unsigned index, const char *input, uint64_t device, uint64_t image)
{
	if (d->found++ >= d->o->most) {
		return;
	}
	if (d->list) {
		char held[24], wanted[24];

		snprintf(held, sizeof(held), "%016" PRIx64, device);
		snprintf(wanted, sizeof(wanted), "%016" PRIx64, image);
		json_array_append_new(
			d->list, json_pack("{s:i, s:s, s:i, s:s, s:s, s:s}", "card", (int)card, "table", table, "index",
					 (int)index, "input", input, "device", held, "image", wanted));
		return;
	}
	if (d->found == 1) {
		printf("card,table,index,input,device,image\n");
	}
	printf("%u,%s,%u,%s,%016" PRIx64 ",%016" PRIx64 "\n", card, table, index, input, device, image);
}

static int diff_card(diff_t *d, xt_load_job_t *job, unsigned card, uint64_t *held)
{
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(job, card, settings);
	int status = XT_OK;

	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		uint32_t value;

		status = xt_device_read(job->device, card, xt_load_setting_address(settings[i]), &value, 1, job->diag);
		if (status == XT_OK && value != settings[i].value) {
			report(d, card, xt_registers[settings[i].id].name, settings[i].index, "", value,
				settings[i].value);
		}
	}
	for (unsigned port = 0; port < job->ports && status == XT_OK; port++) {
		status = xt_device_read_tables(job->device, card, port, held, held + job->grt_entries, job->diag);
		for (unsigned i = 0; i < job->grt_entries + job->lrt_entries && status == XT_OK; i++) {
			uint64_t wanted = xt_load_image_entry(job, card, i);
			int global = i < job->grt_entries;

			if (held[i] != wanted) {
				report(d, card, global ? "grt" : "lrt", global ? i : i - job->grt_entries,
					xt_device_port_name(job->device, card, port), held[i], wanted);
			}
		}
	}
	return status;
}

static int diff(const diff_options_t *o, const xt_image_t *image)
{
	xt_device_t *device = o->target.device;
	xt_diag_t diag = {""};
	xt_load_job_t job = xt_load_job(device, image, NULL, NULL, &diag);
	diff_t d = {.o = o, .list = o->target.json ? json_array() : NULL};
	uint64_t *held = malloc((size_t)(job.grt_entries + job.lrt_entries) * sizeof(*held));
	xt_progress_bar_t bar;
	int status = held ? xt_load_check_fits(&job) : xt_fail(&diag, XT_ERR_NOMEM, "out of memory"), result;

	xt_progress_begin(&bar, "reading");
	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		status = diff_card(&d, &job, card, held);
		xt_progress_step(&bar, card + 1, xt_device_cards(device));
	}
	xt_progress_end(&bar);
	free(held);
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
