/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "boards/selftest.h"
#include "options/monotonic.h"
#include "options/target_list.h"

typedef struct {
	xt_target_t target;
	int plugs;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_LIST,
	{"plugs", NULL,
		"Loop-back plugs are at all links with pins: also packets through pins and plug, and a bound of the "
		"rate of wrong bits, for each link",
		.mark = XT_AT(options_t, plugs)},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Tests the way to a device and its memories: identity of every card, a register with walking ones, "
	       "every bit of the tables of every input port with two patterns, and how fast words come. The tables and "
	       "registers are as before at the end; packets must not be under way. Of a board also how fast and whole "
	       "bytes come. A board with links at pins and traffic generators is tested further: its clock by the "
	       "host's, bit errors of its cables, packets at line rate through each of "
	       "these links while it hears itself (the boards at the other ends have to train theirs again: `extorus "
	       "link --retrain`), and from each NIC to itself.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: all passed; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus selftest --device usb:\n"
	       "  extorus selftest --devices boards.txt\n"
	       "  extorus selftest --device usb: --plugs",
};

/* Of what is told. */
typedef struct {
	const char *where; /* for messages */
	json_t *list;      /* or NULL */
} told_t;

static void tell(void *context, const xt_selftest_said_t *said)
{
	const told_t *told = context;

	if (!said->test) {
		fprintf(stderr, "extorus %s: card %u: %s\n", told->where, said->card, said->problem);
	} else if (told->list) {
		json_array_append_new(
			told->list, json_pack("{s:i, s:s, s:b, s:s?, s:s?, s:s?}", "card", (int)said->card, "test",
					    said->test, "ok", !said->problem, "problem", said->problem, "remedy",
					    said->remedy, "found", said->found));
	} else {
		printf("card %u %-10s ", said->card, said->test);
		if (said->problem) {
			printf("FAILED: %s%s%s\n", said->problem, said->remedy ? "; " : "",
				said->remedy ? said->remedy : "");
		} else {
			printf("ok%s%s\n", said->found ? ": " : "", said->found ? said->found : "");
		}
		fflush(stdout);
	}
}

static int selftest(void *options)
{
	const xt_target_t *target = options; /* the first member of options_t */
	const int plugs = ((const options_t *)options)->plugs;
	told_t told = {.where = target->where, .list = target->json ? json_array() : NULL};
	selftest_t t = {.uri = target->uri, .device = target->device, .tell = tell, .context = &told};
	double seconds = xt_now_s();
	xt_diag_t diag = {""};
	int status;

	if (!target->json) {
		xt_target_print_name(target, "\n");
	}
	status = xt_selftest(&t, plugs, &diag);
	if (status != XT_OK) {
		json_decref(told.list);
		return xt_target_report(target, status, &diag);
	}
	if (plugs && t.plugs == 0 && !t.failed) {
		t.failed = 1;
		fprintf(stderr,
			"extorus %s: no link of this device has pins for a plug; leave --plugs out, or load a "
			"bitstream whose links are at pins\n",
			target->where);
	}
	seconds = xt_now_s() - seconds;
	if (target->json) {
		int printed = xt_target_print_json(target,
			json_pack("{s:b, s:o, s:I, s:f}", "ok", !t.failed, "tests", told.list, "words",
				(json_int_t)t.words, "seconds", seconds),
			NULL);

		return printed != XT_EXIT_OK ? printed : t.failed ? XT_EXIT_WRONG : XT_EXIT_OK;
	}
	printf("%" PRIu64 " words in %.2f s\n", t.words, seconds);
	return t.failed ? XT_EXIT_WRONG : XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	options_t options = {0};

	return xt_target_list_run("selftest", &syntax, argc, argv, &options, selftest);
}

XT_COMMAND(selftest, "test a device: the way to it, clock, memories, links", run);
