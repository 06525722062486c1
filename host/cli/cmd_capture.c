/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "device_options.h"
#include "extorus/atomic_file.h"
#include "monotonic.h"

enum { KEY_PACKETS = XT_KEY_COMMAND, KEY_SECONDS, KEY_PE };

typedef struct {
	xt_target_t target;
	const char *output;
	uint64_t packets, seconds, pe;
	int one_pe;
} capture_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	capture_options_t *o = state->input;

	switch (key) {
	case KEY_PACKETS:
		o->packets = xt_parse_number(state, "packets", arg, 1, UINT32_MAX);
		return 0;
	case KEY_SECONDS:
		o->seconds = xt_parse_number(state, "seconds", arg, 1, 86400);
		return 0;
	case KEY_PE:
		o->pe = xt_parse_number(state, "pe", arg, 0, UINT16_MAX);
		o->one_pe = 1;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	{"packets", KEY_PACKETS, "N", 0, "End after N packets (default: no limit)", 0},
	{"seconds", KEY_SECONDS, "S", 0, "End after S seconds without a packet (default 5)", 0},
	{"pe", KEY_PE, "PE", 0, "Only what this PE receives", 0},
	{"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
	{0},
};

static const struct argp capture_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Takes the packets that the PEs of a board receive and prints them as CSV: addresses, cells, TC, tag, "
	       "whether "
	       "it is incomplete, and all its words.\v" XT_DEVICE_DOC "\n"
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

static int capture(const capture_options_t *o, FILE *out, xt_diag_t *diag)
{
	xt_device_t *device = o->target.device;
	unsigned room = xt_device_packet_words(device), first = o->one_pe ? (unsigned)o->pe : 0;
	unsigned end = o->one_pe ? first + 1 : xt_device_pes(device), wait_ms = end - first == 1 ? 100 : 2;
	uint32_t *words = calloc(room, sizeof(*words));
	double last = xt_now_s(), end_after = (double)o->seconds;
	uint64_t taken = 0;
	int status = words ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory"), poisoned;

	fprintf(out, "pe,source,destination,tc,cells,tag,poisoned,words\n");
	while (status == XT_OK && (!o->packets || taken < o->packets) && xt_now_s() - last < end_after) {
		for (unsigned pe = first; pe < end && status == XT_OK && (!o->packets || taken < o->packets); pe++) {
			unsigned count;

			status = xt_device_receive(device, pe, words, room, &count, &poisoned, wait_ms, diag);
			if (status == XT_OK && count) {
				print_packet(device, pe, words, count, poisoned, out);
				taken++;
				last = xt_now_s();
			}
		}
		fflush(out);
	}
	free(words);
	return status;
}

static int run(int argc, char **argv)
{
	capture_options_t o = {.seconds = 5};
	xt_device_t *device;
	xt_output_t *output = NULL;
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&capture_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	device = o.target.device;
	if (status == XT_OK && !xt_device_board(device, NULL)) {
		status = xt_fail(&diag, XT_ERR_UNSUPPORTED,
			"a simulated network carries nothing between commands; use inject, or serve it as a board");
	}
	if (status == XT_OK && o.one_pe && o.pe >= xt_device_pes(device)) {
		status = xt_fail(&diag, XT_ERR_RANGE, "there is no PE %" PRIu64 ", only 0 to %u", o.pe,
			xt_device_pes(device) - 1);
	}
	if (status == XT_OK) {
		status = xt_output_open(o.output ? o.output : "-", &output, &diag);
	}
	if (status == XT_OK) {
		status = capture(&o, xt_output_stream(output), &diag);
		if (status == XT_OK) {
			status = xt_output_commit(output, &diag);
		} else {
			xt_output_abort(output);
		}
	}
	xt_target_close(&o.target);
	return status == XT_OK ? XT_EXIT_OK : xt_report("capture", status, &diag);
}

extern const xt_command_t xt_command_capture;
const xt_command_t xt_command_capture = {"capture", "print the packets that a board receives", run};
