/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/device_options.h"
#include "options/monotonic.h"

typedef struct {
	xt_target_t target;
	const char *output;
	uint64_t packets, seconds, pe;
	int one_pe;
	int ended; /* why no more packets were taken */
	xt_diag_t why;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	{"packets", "N", "End after N packets (default: no limit)", .value = XT_AT(options_t, packets), .min = 1,
		.max = UINT32_MAX},
	{"seconds", "S", "End after S seconds without a packet (default 5)", .value = XT_AT(options_t, seconds),
		.min = 1, .max = 86400},
	{"pe", "PE", "Only what this PE receives", .value = XT_AT(options_t, pe), .max = UINT16_MAX,
		.mark = XT_AT(options_t, one_pe)},
	{"output", "FILE", "Write to FILE instead of standard output", 'o', .value = XT_AT(options_t, output),
		.writes = true},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Takes the packets that the PEs of a board receive and prints them as CSV: addresses, cells, TC, tag, "
	       "whether it is incomplete, and all its words.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus capture --device usb: --packets 100 -o packets.csv",
};

static void print_packet(
	xt_device_t *device, unsigned pe, const uint32_t *words, unsigned count, int poisoned, FILE *out)
{
	xt_packet_header_t h = xt_packet_get_header(xt_device_profile(device), words);

	fprintf(out, "%u,%" PRIu32 ",%" PRIu32 ",%u,%u,%" PRIu64 ",%d,", pe, h.source, h.destination, h.tc, h.cells,
		h.tag, poisoned);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, "%08" PRIx32, words[i]);
	}
	fprintf(out, "\n");
}

/* Writes out what was printed. What no longer fits is cut off after the last whole line, and the rest is kept: no board
 * has these packets any more. */
static int flush(FILE *out, off_t *whole, xt_diag_t *diag)
{
	int status = XT_OK;

	if (fflush(out) != 0 || ferror(out)) {
		status = xt_fail(diag, XT_ERR_IO, "writing the packets failed: %s", strerror(errno));
		if (*whole > 0 && ftruncate(fileno(out), *whole) == 0) {
			__fpurge(out);
			clearerr(out);
		}
	} else {
		*whole = ftello(out);
	}
	return status;
}

/* What has come is kept, whatever ends it: the end is in the options. */
static int capture_to(void *context, FILE *out, xt_diag_t *diag)
{
	options_t *o = context;
	xt_device_t *device = o->target.device;
	unsigned room = xt_device_packet_words(device), first = o->one_pe ? (unsigned)o->pe : 0;
	unsigned end = o->one_pe ? first + 1 : xt_device_pes(device), wait_ms = end - first == 1 ? 100 : 2;
	uint32_t *words = calloc(room, sizeof(*words));
	double last = xt_now_s(), end_after = (double)o->seconds;
	uint64_t taken = 0;
	off_t whole = -1; /* bytes of whole lines in a file; of anything else not known */
	int status = words ? XT_OK : xt_fail(&o->why, XT_ERR_NOMEM, "out of memory"), poisoned;

	(void)diag;

	fprintf(out, "pe,source,destination,tc,cells,tag,poisoned,words\n");
	while (status == XT_OK && (!o->packets || taken < o->packets) && xt_now_s() - last < end_after) {
		for (unsigned pe = first; pe < end && status == XT_OK && (!o->packets || taken < o->packets); pe++) {
			unsigned count;

			status = xt_device_receive(device, pe, words, room, &count, &poisoned, wait_ms, &o->why);
			if (status == XT_OK && count) {
				print_packet(device, pe, words, count, poisoned, out);
				taken++;
				last = xt_now_s();
			}
		}
		if (status == XT_OK) {
			status = flush(out, &whole, &o->why);
		}
	}
	free(words);
	o->ended = status;
	return XT_OK;
}

static int capture(void *options)
{
	const options_t *o = options;
	xt_device_t *device = o->target.device;
	xt_diag_t diag = {""};
	int status;

	if (!xt_device_board(device, NULL)) {
		status = xt_fail(&diag, XT_ERR_UNSUPPORTED,
			"a simulated network carries nothing between commands; use inject, or serve it as a board");
	} else if (o->one_pe && o->pe >= xt_device_pes(device)) {
		status = xt_fail(&diag, XT_ERR_RANGE, "there is no PE %" PRIu64 ", only 0 to %u", o->pe,
			xt_device_pes(device) - 1);
	} else {
		status = xt_write_file(o->output, capture_to, options, &diag);
		if (status == XT_OK && o->ended != XT_OK) {
			status = o->ended;
			diag = o->why;
		}
	}
	return status == XT_OK ? XT_EXIT_OK : xt_report("capture", status, &diag);
}

static int run(int argc, char **argv)
{
	options_t o = {.seconds = 5};

	return xt_target_run("capture", &syntax, argc, argv, &o, capture);
}

XT_COMMAND(capture, "print the packets that a board receives", run);
