/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator by itself, for the build: writes a profile into a folder. */
#include <stdio.h>

#include "arguments.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	xt_generate_arguments_t *arguments = state->input;

	(void)arg;
	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = arguments;
	} else if (key == ARGP_KEY_END && !arguments->folder) {
		argp_error(state, "say where to: -o DIR");
	}
	return key == ARGP_KEY_INIT || key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&xt_generate_argp, 0, NULL, 0}, {0}};
	static const struct argp generator_argp = {
		.parser = parse,
		.doc = "Writes the SystemVerilog package, the C header and the register map of a switch profile.",
		.children = children,
	};
	xt_generate_arguments_t arguments = {0};
	xt_diag_t diag = {""};
	int status;

	argp_err_exit_status = 2;
	argp_parse(&generator_argp, argc, argv, 0, 0, &arguments);
	status = xt_generate_as_told(&arguments, &diag);
	if (status != XT_OK) {
		fprintf(stderr, "extorus-gen: %s\n", diag.text[0] ? diag.text : xt_strerror(status));
		return 2;
	}
	return 0;
}
