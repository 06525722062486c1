/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "boards/doctor.h"
#include "options/interrupt.h"

typedef struct {
	xt_boards_t boards;
	const char *image, *output;
	int selftest, json;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_BOARDS(options_t),
	{"image", "IMAGE", "The tables have to be those of this image; entries that differ are named",
		.value = XT_AT(options_t, image)},
	{"selftest", NULL,
		"Also test the boards, as `extorus selftest`: no packet may be under way, and links at pins go down "
		"for "
		"a moment",
		.mark = XT_AT(options_t, selftest)},
	{"output", "FILE", "Write the report to FILE, whole or not at all", 'o', .value = XT_AT(options_t, output),
		.writes = true},
	XT_OPTION_JSON(options_t),
	{0},
};

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (o->boards.count && o->boards.list) {
		argp_error(state, "use --device or --devices, not both");
	}
	if ((o->image || o->selftest) && !o->boards.count && !o->boards.list) {
		argp_error(state, "--%s needs --device or --devices", o->image ? "image" : "selftest");
	}
}

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Collects what a report of a fault needs: versions, boards on USB and permission for them, and of each "
	       "board its identity, links, errors and counters. What is wrong comes first, with what to do. A board "
	       "that "
	       "does not answer is named, and the others are looked at. Without --device: the board on USB, if one is "
	       "there. Nothing is written to a board, but by --selftest.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: nothing is wrong; 1: something is.\n\n"
	       "Examples:\n"
	       "  extorus doctor\n"
	       "  extorus doctor --devices boards.txt -o report.txt\n"
	       "  extorus doctor --device usb:serial=0123 --selftest --json -o report.json",
};

static int look_at_boards(options_t *o, xt_doctor_t *d, const xt_image_t *image, xt_diag_t *diag)
{
	const xt_doctor_orders_t orders = {.image = image, .selftest = o->selftest};
	int status = xt_boards_read(&o->boards, diag), next = 0;

	for (unsigned b = 0; b < o->boards.count && status == XT_OK && !xt_interrupted(NULL); b++) {
		xt_diag_t why = {""};

		if (xt_boards_open_one(&o->boards, b, &next, &why) != XT_OK) {
			const size_t named = strlen(o->boards.uris[b]);

			/* One of several is named already. */
			xt_doctor_find(d, o->boards.uris[b],
				strncmp(why.text, o->boards.uris[b], named) == 0 && why.text[named] == ':'
					? why.text + named + 2
					: why.text,
				NULL);
			continue;
		}
		(void)xt_doctor_look_at_board(d, o->boards.uris[b], o->boards.devices[b], &orders);
	}
	return status == XT_OK && xt_interrupted(NULL) ? xt_fail(diag, XT_ERR_INTERRUPTED, "interrupted") : status;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void print_usb(const json_t *facts, FILE *out)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(facts, "usb"), i, one)
	{
		fprintf(out, "usb %s: %s %04x:%04x \"%s\", serial number \"%s\", %s\n", text_of(one, "at"),
			json_is_true(json_object_get(one, "board")) ? "board" : "FTDI chip",
			(unsigned)json_integer_value(json_object_get(one, "vendor")),
			(unsigned)json_integer_value(json_object_get(one, "product")), text_of(one, "name"),
			text_of(one, "serial"),
			json_is_true(json_object_get(one, "may_open")) ? "usable" : "not usable");
	}
	json_array_foreach(json_object_get(facts, "serial_ports"), i, one)
	{
		fprintf(out, "serial port %s: %s\n", text_of(one, "file"),
			json_is_true(json_object_get(one, "may_open")) ? "usable" : "not usable");
	}
	fprintf(out, "udev rule: %s\n",
		json_is_true(json_object_get(facts, "udev_rule")) ? "installed" : "not installed");
}

/* Counters that are not zero, in their order. */
static void print_counters(const json_t *board, FILE *out)
{
	json_t *port, *value;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(board, "counters"), i, port)
	{
		json_t *some = json_object();

		json_object_foreach(port, name, value)
		{
			int zero = json_is_integer(value) && json_integer_value(value) == 0;
			json_t *one;
			size_t k;

			if (json_is_array(value)) {
				zero = 1;
				json_array_foreach(value, k, one)
				{
					zero &= json_integer_value(one) == 0;
				}
			}
			if (!zero && strcmp(name, "card") != 0 && strcmp(name, "port") != 0 &&
				strcmp(name, "free_cells") != 0) {
				json_object_set(some, name, value);
			}
		}
		if (json_object_size(some)) {
			fprintf(out, "  card %d port %s ", (int)json_integer_value(json_object_get(port, "card")),
				text_of(port, "port"));
			json_dumpf(some, out, JSON_COMPACT);
			fputc('\n', out);
		}
		json_decref(some);
	}
}

static void print_boards(const json_t *facts, FILE *out)
{
	const json_t *board, *test;
	size_t i, k;

	json_array_foreach(json_object_get(facts, "boards"), i, board)
	{
		fprintf(out,
			"board %s: serial number %s, profile %s (hash %s), protocol %d, build %d, clock %d kHz, %d "
			"cards\n",
			text_of(board, "device"), text_of(board, "serial"), text_of(board, "profile"),
			text_of(board, "profile_hash"), (int)json_integer_value(json_object_get(board, "protocol")),
			(int)json_integer_value(json_object_get(board, "build")),
			(int)json_integer_value(json_object_get(board, "clock_khz")),
			(int)json_integer_value(json_object_get(board, "cards")));
		print_counters(board, out);
		json_array_foreach(json_object_get(board, "selftest"), k, test)
		{
			fprintf(out, "  selftest card %d %s: %s %s\n",
				(int)json_integer_value(json_object_get(test, "card")), text_of(test, "test"),
				json_is_true(json_object_get(test, "ok")) ? "ok" : "failed", text_of(test, "found"));
		}
		if (!json_object_get(board, "selftest")) {
			fprintf(out, "  memories and links were not tested; --selftest does so while no packet is "
				     "under way\n");
		}
	}
}

typedef struct {
	const xt_doctor_t *d;
	int json;
} report_t;

static int write_report(void *context, FILE *out, xt_diag_t *diag)
{
	const report_t *r = context;
	const json_t *facts = r->d->facts, *finding, *system = json_object_get(facts, "system");
	const json_t *command = json_object_get(facts, "command"), *libraries = json_object_get(facts, "libraries");
	size_t i;

	if (r->json) {
		json_t *all = json_pack("{s:b, s:O, s:O}", "ok", json_array_size(r->d->findings) == 0, "findings",
			r->d->findings, "facts", r->d->facts);
		int failed = !all || json_dumpf(all, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF;

		json_decref(all);
		return failed ? xt_fail(diag, XT_ERR_IO, "the report cannot be written") : XT_OK;
	}
	json_array_foreach(r->d->findings, i, finding)
	{
		fprintf(out, "WRONG %s: %s%s%s\n", text_of(finding, "about"), text_of(finding, "problem"),
			*text_of(finding, "remedy") ? "; " : "", text_of(finding, "remedy"));
	}
	if (!json_array_size(r->d->findings)) {
		fprintf(out, "nothing is wrong\n");
	}
	fprintf(out, "extorus %s, commit %s\n%s %s %s, %s\nlibusb %s, libftdi %s\n", text_of(command, "version"),
		text_of(command, "commit"), text_of(system, "kernel"), text_of(system, "release"),
		text_of(system, "machine"), text_of(system, "distribution"), text_of(libraries, "libusb"),
		text_of(libraries, "libftdi"));
	print_usb(facts, out);
	print_boards(facts, out);
	return ferror(out) ? XT_ERR_IO : XT_OK;
}

static int examine(options_t *o, xt_doctor_t *d, xt_diag_t *diag)
{
	const report_t report = {.d = d, .json = o->json};
	xt_image_t *image = NULL;
	unsigned on_usb = 0;
	int status = o->image ? xt_image_read(o->image, &image, diag) : XT_OK;

	if (status == XT_OK) {
		xt_doctor_look_at_host(d, &on_usb);
		if (!o->boards.count && !o->boards.list && on_usb == 1) {
			o->boards.uris[o->boards.count++] = "usb:";
		} else if (!o->boards.count && !o->boards.list) {
			xt_doctor_find(d, "host", on_usb ? "several boards are on USB" : "there is no board on USB",
				on_usb ? "name each by --device usb:serial=NUMBER"
				       : "plug one in and give it power, or name one that is elsewhere by --device");
		}
		status = look_at_boards(o, d, image, diag);
	}
	if (status == XT_OK) {
		status = xt_write_file(o->output, write_report, (void *)&report, diag);
	}
	xt_image_free(image);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	xt_diag_t diag = {""};
	xt_doctor_t d = {.findings = json_array()};
	int status, result;

	xt_parse_options(&syntax, argc, argv, &o);
	d.facts = json_pack("{s:[]}", "boards");
	status = examine(&o, &d, &diag);
	result = status != XT_OK               ? xt_report("doctor", status, &diag)
		 : json_array_size(d.findings) ? XT_EXIT_WRONG
					       : XT_EXIT_OK;
	json_decref(d.findings);
	json_decref(d.facts);
	/* What is left quiesced is among the findings already, so it is not told again. */
	(void)xt_boards_close(&o.boards, "doctor", XT_EXIT_NO_DEVICE);
	return result;
}

XT_COMMAND(doctor, "collect what a report of a fault needs", run);
