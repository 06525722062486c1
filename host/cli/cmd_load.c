/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "boards/cable_check.h"
#include "options/board_list.h"

typedef struct {
	xt_target_t target;
	xt_boards_t boards; /* of --devices */
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->boards.list) {
		xt_need_device(state, &o->target);
	} else if (o->target.uri) {
		argp_error(state, "name the boards by --device or by --devices");
	} else if (o->target.flags & XT_LOAD_BACKDOOR) {
		argp_error(state, "--backdoor: boards have none");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_BOARD_LIST(options_t),
	{"force", NULL, "Load an image that the check refuses, and whatever the cables",
		.mark = XT_AT(xt_target_t, flags), .bits = XT_LOAD_FORCE},
	{"backdoor", NULL,
		"Write the tables straight into the cards' memories, not by registers: faster, simulators only",
		.mark = XT_AT(xt_target_t, flags), .bits = XT_LOAD_BACKDOOR},
	{"live", NULL, "Boards: write while packets flow, without holding the cards still",
		.mark = XT_AT(xt_target_t, flags), .bits = XT_LOAD_LIVE},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(xt_target_t, wanted_path),
	.required = "say which image",
	.check = check,
	.args_doc = "IMAGE",
	.doc = "Checks an image, writes it to every card of a device and reads it back. An image that can deadlock or "
	       "does not deliver is refused. Into a board only what differs is written, and all of it or nothing: the "
	       "cards are held still and drained before, and have their old tables back if anything fails. If this "
	       "program is interrupted, it puts them back; if it is killed, the next load does, or writes them "
	       "all. With --devices the network is on several boards. Their cables are followed first, as by `extorus "
	       "link --wiring`, but not with --live; if one is wrong, nothing is loaded.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus load twin.img --device sim:twin:2x2x2x2x2\n"
	       "  extorus load torus.img --device 'sim:torus.img;latency=4' --json\n"
	       "  extorus load twin.img --device usb:serial=0123\n"
	       "  extorus load twin.img --devices boards.txt",
};

static int print(const xt_image_t *image, const xt_device_t *device, const xt_load_counts_t *counts, int json)
{
	if (json) {
		json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b}", "topology", xt_image_topology(image),
			"algorithm", xt_image_algorithm(image), "profile", xt_device_profile(device)->name, "cards",
			(int)xt_device_cards(device), "loaded", 1);

		if (object && xt_device_board(device, NULL)) {
			json_object_set_new(object, "entries", json_integer((json_int_t)counts->entries));
			json_object_set_new(object, "entries_written", json_integer((json_int_t)counts->changed));
			json_object_set_new(object, "registers_written", json_integer((json_int_t)counts->settings));
			json_object_set_new(object, "taken_over", json_boolean(counts->taken_over));
		}
		return xt_print_json("load", object);
	}
	printf("%s, %s: %u cards of profile %s loaded and read back", xt_image_topology(image),
		xt_image_algorithm(image), xt_device_cards(device), xt_device_profile(device)->name);
	if (xt_device_board(device, NULL)) {
		printf("; %" PRIu64 " of %" PRIu64 " entries and %" PRIu64 " registers differed and were written",
			counts->changed, counts->entries, counts->settings);
	}
	printf("%s\n", counts->taken_over ? "; a load or test that was interrupted before had left mixed tables" : "");
	return XT_EXIT_OK;
}

static int load(void *options)
{
	const xt_target_t *target = options;
	xt_load_counts_t counts;
	xt_diag_t diag = {""};
	int status = xt_load_counted(target->device, target->wanted, target->flags, &counts, &diag);

	return status == XT_OK ? print(target->wanted, target->device, &counts, target->json)
			       : xt_report("load", status, &diag);
}

/* ---------------------------------------------------------------- several boards */

/* The network on the boards of a list. */
typedef struct {
	const options_t *options;
	xt_image_t *image;
	json_t *cables; /* that are wrong; NULL: they are printed */
	json_t *loaded; /* boards; NULL: they are printed */
	unsigned wrong;
} job_t;

static int check_profiles(const job_t *job, xt_diag_t *diag)
{
	const xt_boards_t *boards = &job->options->boards;
	unsigned cards = 0;

	for (unsigned b = 0; b < boards->count; b++) {
		const xt_profile_t *profile = xt_device_profile(boards->devices[b]);

		if (profile != xt_image_profile(job->image)) {
			return xt_fail(diag, XT_ERR_MISMATCH, "%.100s has cards of profile %s, the image is for %s",
				boards->uris[b], profile->name, xt_image_profile(job->image)->name);
		}
		cards += xt_device_cards(boards->devices[b]);
	}
	return cards == xt_image_cards(job->image)
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_MISMATCH,
				 "the boards of %.200s have %u cards, the image has %u; list all boards, and no other",
				 boards->list, cards, xt_image_cards(job->image));
}

/* Of links without a link layer nothing is known. */
static int check_cables(job_t *job, xt_diag_t *diag)
{
	const unsigned flags = job->options->target.flags;
	int status;

	if ((flags & XT_LOAD_LIVE) || !xt_image_profile(job->image)->replay_cells) {
		return XT_OK;
	}
	status = xt_check_wiring(&job->options->boards, job->image, job->cables, &job->wrong, diag);
	return status == XT_OK && job->wrong && !(flags & XT_LOAD_FORCE)
		       ? xt_fail(diag, XT_ERR_MISMATCH,
				 "%u ends of cables are not where the image says; nothing was loaded. Plug them in as "
				 "told, "
				 "or use --force",
				 job->wrong)
		       : status;
}

static int load_board(const job_t *job, unsigned b, xt_diag_t *diag)
{
	const xt_boards_t *boards = &job->options->boards;
	const unsigned cards = xt_device_cards(boards->devices[b]);
	xt_load_counts_t counts;
	int status = xt_load_counted(boards->devices[b], job->image, job->options->target.flags, &counts, diag);

	if (status != XT_OK) {
		const xt_diag_t why = *diag;

		return xt_fail(diag, status, "%.100s: %.300s%s", boards->uris[b], why.text,
			b ? "; the boards with lower cards have the new tables already, so load again" : "");
	}
	if (job->loaded) {
		json_array_append_new(job->loaded,
			json_pack("{s:s, s:i, s:I, s:I, s:I, s:b}", "device", boards->uris[b], "cards", (int)cards,
				"entries", (json_int_t)counts.entries, "entries_written", (json_int_t)counts.changed,
				"registers_written", (json_int_t)counts.settings, "taken_over", counts.taken_over));
	} else {
		printf("%s: %u cards loaded and read back; %" PRIu64 " of %" PRIu64 " entries and %" PRIu64
		       " registers differed and were written\n",
			boards->uris[b], cards, counts.changed, counts.entries, counts.settings);
	}
	return XT_OK;
}

static int load_boards(job_t *job, xt_diag_t *diag)
{
	int status = check_profiles(job, diag);

	if (status == XT_OK) {
		status = check_cables(job, diag);
	}
	for (unsigned b = 0; b < job->options->boards.count && status == XT_OK; b++) {
		status = load_board(job, b, diag);
	}
	return status;
}

/* `loaded`: all of them are; else what is said is which cables are wrong. */
static int print_boards(const job_t *job, int loaded)
{
	const xt_image_t *image = job->image;

	return xt_print_json(
		"load", json_pack("{s:s, s:s, s:s, s:i, s:b, s:O, s:O}", "topology", xt_image_topology(image),
				"algorithm", xt_image_algorithm(image), "profile", xt_image_profile(image)->name,
				"cards", (int)xt_image_cards(image), "loaded", loaded, "boards", job->loaded,
				"wrong_cables", job->cables));
}

static int run_boards(options_t *o)
{
	job_t job = {.options = o};
	xt_diag_t diag = {""};
	int result, status = xt_image_read(o->target.wanted_path, &job.image, &diag);

	if (o->target.json) {
		job.cables = json_array();
		job.loaded = json_array();
	}
	if (status == XT_OK) {
		status = xt_boards_open(&o->boards, &diag);
	}
	if (status == XT_OK) {
		status = load_boards(&job, &diag);
	}
	result = status == XT_OK ? XT_EXIT_OK : xt_report("load", status, &diag);
	if (job.loaded && (status == XT_OK || job.wrong)) {
		const int printed = print_boards(&job, status == XT_OK);

		result = result == XT_EXIT_OK ? printed : result;
	}
	json_decref(job.cables);
	json_decref(job.loaded);
	xt_image_free(job.image);
	return xt_boards_close(&o->boards, "load", result);
}

static int run(int argc, char **argv)
{
	options_t o = {0};

	xt_parse_options(&syntax, argc, argv, &o);
	return o.boards.list ? run_boards(&o) : xt_target_do("load", &o, load);
}

XT_COMMAND(load, "check an image and load it into the cards of a device", run);
