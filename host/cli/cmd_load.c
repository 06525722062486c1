/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "boards/cable_check.h"
#include "extorus/check.h"
#include "options/board_list.h"

typedef struct {
	xt_target_t target;
	xt_boards_t boards; /* of --devices */
	int any_cables;
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->boards.list) {
		xt_need_device(state, &o->target);
	} else if (o->target.uri) {
		argp_error(state, "use --device or --devices, not both");
	} else if (o->target.flags & XT_LOAD_BACKDOOR) {
		argp_error(state, "--backdoor: boards have none");
	}
	if (o->any_cables && !o->boards.list) {
		argp_error(state, "--any-cables goes with --devices");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_BOARD_LIST(options_t, boards.list),
	XT_TARGET_FORCE,
	{"any-cables", NULL, "With --devices: do not follow the cables", .mark = XT_AT(options_t, any_cables)},
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
	       "all.\n\n"
	       "With --devices the network is on several boards, which are loaded one after the other. Links that "
	       "are down are trained first. Then the cables are followed, as by `extorus link --wiring`. Links go "
	       "down for a moment, so no packet may be under way. If a cable is wrong, nothing is loaded. Cards "
	       "without a link layer, --live and --any-cables leave out both. If a board fails, those before it keep"
	       " the new tables. With --live `extorus check --transition` says whether any order is "
	       "safe.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus load twin.img --device sim:twin:2x2x2x2x2\n"
	       "  extorus load torus.img --device 'sim:torus.img;latency=4' --json\n"
	       "  extorus load twin.img --device usb:serial=0123\n"
	       "  extorus load twin.img --devices boards.txt",
};

static void add_counts(json_t *object, const xt_load_counts_t *counts)
{
	json_object_set_new(object, "entries", json_integer((json_int_t)counts->entries));
	json_object_set_new(object, "entries_written", json_integer((json_int_t)counts->changed));
	json_object_set_new(object, "registers_written", json_integer((json_int_t)counts->settings));
	json_object_set_new(object, "taken_over", json_boolean(counts->taken_over));
}

static void print_counts(const xt_load_counts_t *counts)
{
	printf("; %" PRIu64 " of %" PRIu64 " entries and %" PRIu64 " registers differed and were written%s",
		counts->changed, counts->entries, counts->settings,
		counts->taken_over ? "; a load or test that was interrupted before had left mixed tables" : "");
}

/* Boards whose bitstream is older do not tell their internal links. */
static void warn(const char *where, const xt_load_counts_t *counts)
{
	if (counts->unchecked) {
		fprintf(stderr,
			"extorus load: %s%swarning: this bitstream does not tell the board's internal links, so the "
			"image's "
			"were not compared with them; build a newer one, or see that packets cross (`extorus "
			"traffic`)\n",
			where ? where : "", where ? ": " : "");
	}
}

static int print(const xt_image_t *image, const xt_device_t *device, const xt_load_counts_t *counts, int json)
{
	const int board = xt_device_board(device, NULL);

	warn(NULL, counts);
	if (json) {
		json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b}", "topology", xt_image_topology(image),
			"algorithm", xt_image_algorithm(image), "profile", xt_device_profile(device)->name, "cards",
			(int)xt_device_cards(device), "loaded", 1);

		if (object && board) {
			add_counts(object, counts);
		}
		return xt_print_json("load", object);
	}
	printf("%s, %s: %u cards of profile %s loaded and read back", xt_image_topology(image),
		xt_image_algorithm(image), xt_device_cards(device), xt_device_profile(device)->name);
	if (board) {
		print_counts(counts);
	}
	printf("\n");
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
	int begun; /* to load */
} job_t;

/* Once for all boards. */
static int check_safe(const job_t *job, xt_diag_t *diag)
{
	xt_check_t *check;
	int status;

	if (job->options->target.flags & XT_LOAD_FORCE) {
		return XT_OK;
	}
	status = xt_check_image(job->image, &check, diag);
	if (status == XT_OK) {
		status = xt_check_verdict(job->image, check, diag);
		if (status == XT_ERR_UNSAFE) {
			xt_check_print_cycles(job->image, check, stderr);
		}
		xt_check_free(check);
	}
	return status;
}

/* Before any link is trained: what no cable can mend. */
static int check_links(const xt_boards_t *boards, const xt_image_t *image, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned b = 0; b < boards->count && status == XT_OK; b++) {
		status = xt_device_check_links(boards->devices[b], image, diag);
		if (status != XT_OK) {
			const xt_diag_t why = *diag;

			xt_fail(diag, status, "%.100s: %.400s", boards->uris[b], why.text);
		}
	}
	return status;
}

static int check_cables(job_t *job, xt_diag_t *diag)
{
	const xt_boards_t *boards = &job->options->boards;
	int status = job->options->any_cables ? XT_OK : check_links(boards, job->image, diag);

	if (status != XT_OK || job->options->any_cables || (job->options->target.flags & XT_LOAD_LIVE) ||
		!xt_image_profile(job->image)->replay_cells) {
		return status;
	}
	status = xt_train_wired(boards, job->image, diag);
	if (status == XT_OK) {
		status = xt_check_wiring(boards, job->image, job->cables, &job->wrong, diag);
	}
	return status == XT_OK && job->wrong
		       ? xt_fail(diag, XT_ERR_MISMATCH,
				 "the cables are not as in the image, at %u end%s; nothing was loaded. Plug them in as "
				 "told, "
				 "make an image without those that are broken (`extorus route --fail-link`), or use "
				 "--any-cables",
				 job->wrong, job->wrong == 1 ? "" : "s")
		       : status;
}

static int load_board(const job_t *job, unsigned b, xt_diag_t *diag)
{
	const xt_boards_t *boards = &job->options->boards;
	const unsigned cards = xt_device_cards(boards->devices[b]);
	xt_load_counts_t counts;
	/* The image has passed its check, or need not. */
	int status = xt_load_counted(
		boards->devices[b], job->image, job->options->target.flags | XT_LOAD_FORCE, &counts, diag);

	if (status != XT_OK) {
		const xt_diag_t why = *diag;

		return xt_fail(diag, status, "%.100s: %.300s%s", boards->uris[b], why.text,
			b ? "; the boards with lower cards have the new tables already, so load again" : "");
	}
	warn(boards->uris[b], &counts);
	if (job->loaded) {
		json_t *object = json_pack("{s:s, s:i}", "device", boards->uris[b], "cards", (int)cards);

		add_counts(object, &counts);
		json_array_append_new(job->loaded, object);
	} else {
		printf("%s: %u cards loaded and read back", boards->uris[b], cards);
		print_counts(&counts);
		printf("\n");
	}
	return XT_OK;
}

static int load_boards(job_t *job, xt_diag_t *diag)
{
	int status = xt_boards_fit(&job->options->boards, job->image, diag);

	if (status == XT_OK) {
		status = check_safe(job, diag);
	}
	if (status == XT_OK) {
		status = check_cables(job, diag);
	}
	if (status == XT_ERR_INTERRUPTED) {
		return xt_fail(diag, status, "interrupted; nothing was loaded");
	}
	for (unsigned b = 0; b < job->options->boards.count && status == XT_OK; b++) {
		job->begun = 1;
		status = load_board(job, b, diag);
	}
	return status;
}

/* `loaded`: all boards are; else some may be, or cables are wrong. */
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
	if (job.loaded && (job.begun || job.wrong)) {
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
