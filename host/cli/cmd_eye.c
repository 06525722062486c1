/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boards/link_training.h"
#include "extorus/eye.h"
#include "extorus/link_state.h"
#include "options/board_list.h"

typedef struct {
	xt_boards_t boards;
	uint32_t words;
	const char *svg;
	int json;
	xt_eye_t *eyes[XT_MOST_BOARDS]; /* by the board whose clock moved */
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	xt_need_boards(state, &o->boards);
	xt_need_one_stdout(state, o->json, NULL, NULL, o->svg);
}

static const xt_option_t option_list[] = {
	XT_OPTION_BOARDS(options_t),
	{"words", "NUMBER", "Idle words in which wrong bits are counted, at each step of each link (default: 10000)",
		.value = XT_AT(options_t, words), .min = 1, .max = 1000000000},
	{"svg", "FILE", "Draw the steps of all links; - is standard output", .value = XT_AT(options_t, svg),
		.writes = true},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Moves the phase of the clock that each board sends along its links, step by step through a period, and "
	       "counts wrong bits at the other ends: how wide each link's eye is, in ps, and how far its middle is "
	       "from where the receiver samples, step 0. Name the boards at both ends of the cables; of a board with "
	       "loop-back plugs name that one. Links go down meanwhile and are trained again, so no packet may be "
	       "under way. The phase is put back at the end.\n"
	       "A line shows the steps from half a period before to half a period after step 0: . no wrong bit, "
	       "x wrong bits, - no words; of step 0 itself o, X and =. Beside the eye are those of other bits, which "
	       "do not count.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: step 0 is within the eye of every link; 1: not.\n\n"
	       "Examples:\n"
	       "  extorus eye --device usb:\n"
	       "  extorus eye --devices boards.txt --words 100000 --svg eyes.svg",
};

static char mark(const xt_eye_point_t *point, int middle)
{
	return !point->words ? (middle ? '=' : '-') : point->wrong ? (middle ? 'X' : 'x') : middle ? 'o' : '.';
}

static void print_link(const options_t *o, const xt_eye_t *eye, const xt_eye_link_t *l)
{
	printf("  %s card %u port %s: ", o->boards.uris[l->device], l->card,
		xt_device_port_name(o->boards.devices[l->device], l->card, l->port));
	if (!l->open) {
		printf("closed at every step\n");
	} else {
		printf("%.0f ps open of %.0f, steps %d to %d, middle at %+.0f ps%s\n", l->width,
			eye->steps / 2 * eye->step, l->first, l->last, l->shift,
			l->centred ? "" : "; CLOSED at step 0");
	}
	printf("    ");
	for (unsigned i = 0; i <= eye->steps; i++) {
		putchar(mark(&l->points[i], i == eye->steps / 2));
	}
	putchar('\n');
}

static json_t *link_json(const options_t *o, const xt_eye_t *eye, const xt_eye_link_t *l)
{
	json_t *words = json_array(), *wrong = json_array();

	for (unsigned i = 0; i <= eye->steps; i++) {
		json_array_append_new(words, json_integer(l->points[i].words));
		json_array_append_new(wrong, json_integer(l->points[i].wrong));
	}
	return json_pack("{s:s, s:i, s:s, s:b, s:b, s:i, s:i, s:f, s:f, s:o, s:o}", "device", o->boards.uris[l->device],
		"card", (int)l->card, "port", xt_device_port_name(o->boards.devices[l->device], l->card, l->port),
		"open", l->open, "centred", l->centred, "first", l->first, "last", l->last, "width_ps", l->width,
		"shift_ps", l->shift, "words", words, "wrong", wrong);
}

enum { CELL = 8, ROW = 40, MARGIN = 12, TEXT = 14 };

/* A cell for each step, from no wrong bit to one in ten words and more; grey: no words. */
static void draw_link(const options_t *o, const xt_eye_t *eye, const xt_eye_link_t *l, unsigned row, FILE *out)
{
	const unsigned top = MARGIN + ROW * row + TEXT;

	fprintf(out, "<text x=\"%d\" y=\"%u\">%s card %u port %s: %.0f ps open of %.0f, middle at %+.0f ps</text>\n",
		MARGIN, top - 3, o->boards.uris[l->device], l->card,
		xt_device_port_name(o->boards.devices[l->device], l->card, l->port), l->width,
		eye->steps / 2 * eye->step, l->shift);
	for (unsigned i = 0; i <= eye->steps; i++) {
		const xt_eye_point_t *p = &l->points[i];
		const char *colour = !p->words                    ? "#999"
				     : !p->wrong                  ? "#4a4"
				     : p->wrong < p->words / 1000 ? "#fd4"
				     : p->wrong < p->words / 10   ? "#f94"
								  : "#c22";

		fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", MARGIN + CELL * i,
			top, CELL, TEXT, colour);
	}
	fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"black\"/>\n",
		MARGIN + CELL * (eye->steps / 2), top, CELL, TEXT);
}

static int draw(void *context, FILE *out, xt_diag_t *diag)
{
	const options_t *o = context;
	unsigned rows = 0, row = 0, steps = 0;

	(void)diag;
	for (unsigned d = 0; d < o->boards.count; d++) {
		rows += o->eyes[d]->count;
		steps = o->eyes[d]->steps > steps ? o->eyes[d]->steps : steps;
	}
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
		"font-size=\"10\">\n<title>Wrong bits by the sampling phase: green none, yellow to red more, grey no "
		"words</title>\n",
		2 * MARGIN + CELL * (steps > 60 ? steps + 1 : 61), 2 * MARGIN + ROW * rows);
	for (unsigned d = 0; d < o->boards.count; d++) {
		for (unsigned i = 0; i < o->eyes[d]->count; i++) {
			draw_link(o, o->eyes[d], &o->eyes[d]->links[i], row++, out);
		}
	}
	fprintf(out, "</svg>\n");
	return XT_OK;
}

/* *closed: step 0 of some link is not in its eye. */
static void tell(const options_t *o, unsigned sender, const xt_eye_t *eye, json_t *list, int *closed)
{
	json_t *links = list ? json_array() : NULL;
	const bool text = !list && !(o->svg && strcmp(o->svg, "-") == 0);

	if (text) {
		printf("%s moves its clock: %u steps of %.0f ps in a period, %" PRIu32
		       " words at each; back at step %d\n",
			o->boards.uris[sender], eye->steps, eye->step, eye->words, eye->set);
		if (!eye->count) {
			printf("  no link of these boards hears this clock: name the boards at the other ends of its "
			       "cables too, or plug loop-backs in\n");
		}
	}
	for (unsigned i = 0; i < eye->count; i++) {
		*closed |= !eye->links[i].centred;
		if (list) {
			json_array_append_new(links, link_json(o, eye, &eye->links[i]));
		} else if (text) {
			print_link(o, eye, &eye->links[i]);
		}
	}
	if (list) {
		json_array_append_new(
			list, json_pack("{s:s, s:i, s:f, s:I, s:i, s:o}", "device", o->boards.uris[sender], "steps",
				      (int)eye->steps, "step_ps", eye->step, "words", (json_int_t)eye->words, "set",
				      eye->set, "links", links));
	}
	fflush(stdout);
}

static int eyes(options_t *o, json_t *list, int *closed, xt_diag_t *diag)
{
	xt_link_ports_t *up = calloc(o->boards.count, sizeof(*up));
	int status =
		up ? xt_links_find(&o->boards, XT_LINK_UP, up, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	int trained;

	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		xt_diag_t why = {""};

		status = xt_eye_scan(o->boards.devices, o->boards.count, d, o->words, &o->eyes[d], &why);
		if (status == XT_OK) {
			tell(o, d, o->eyes[d], list, closed);
		} else {
			status = xt_fail(diag, status, "%.60s: %.180s", o->boards.uris[d], why.text);
		}
	}
	if (up) {
		xt_boards_shield(&o->boards, 1);
		trained = xt_links_train(&o->boards, up, status == XT_OK ? diag : NULL);
		xt_boards_shield(&o->boards, 0);
		status = status == XT_OK ? trained : status;
	}
	free(up);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.words = 10000};
	xt_diag_t diag = {""};
	json_t *list;
	int status, closed = 0, result;

	xt_parse_options(&syntax, argc, argv, &o);
	list = o.json ? json_array() : NULL;
	status = xt_boards_open(&o.boards, &diag);
	if (status == XT_OK) {
		status = eyes(&o, list, &closed, &diag);
	}
	if (status == XT_OK && o.svg) {
		status = xt_write_file(o.svg, draw, &o, &diag);
	}
	for (unsigned d = 0; d < o.boards.count; d++) {
		xt_eye_free(o.eyes[d]);
	}
	if (status != XT_OK) {
		json_decref(list);
		result = xt_report("eye", status, &diag);
	} else {
		result = list ? xt_print_json("eye", json_pack("{s:b, s:o}", "ok", !closed, "boards", list))
			      : XT_EXIT_OK;
		result = result == XT_EXIT_OK && closed ? XT_EXIT_WRONG : result;
	}
	return xt_boards_close(&o.boards, "eye", result);
}

XT_COMMAND(eye, "sampling phase of a board's links: how wide their eyes are", run);
