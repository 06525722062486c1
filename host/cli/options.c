/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <string.h>

void xt_parse_options(const struct argp *argp, int argc, char **argv, void *options)
{
	char help[] = "--help";

	argp_err_exit_status = XT_EXIT_USAGE;
	if (argc == 2 && strcmp(argv[1], "-h") == 0) {
		argv[1] = help;
	}
	argp_parse(argp, argc, argv, 0, 0, options);
}

error_t xt_take_argument(struct argp_state *state, char *arg, const char **out)
{
	if (*out) {
		argp_error(state, "unexpected argument \"%s\" after \"%s\"", arg, *out);
	}
	*out = arg;
	return 0;
}

int xt_report(const char *command, int status, const xt_diag_t *diag)
{
	fprintf(stderr, "extorus %s: %s\n", command, diag && diag->text[0] ? diag->text : xt_strerror(status));
	switch (status) {
	case XT_ERR_FORMAT:
	case XT_ERR_UNSAFE:
	case XT_ERR_MISMATCH:
	case XT_ERR_TIMEOUT:
	case XT_ERR_PROTOCOL:
	case XT_ERR_VERSION:
	case XT_ERR_RESET:
		return XT_EXIT_WRONG;
	case XT_ERR_NODEVICE:
	case XT_ERR_PERMISSION:
	case XT_ERR_BUSY:
	case XT_ERR_GONE:
		return XT_EXIT_NO_DEVICE;
	default:
		return XT_EXIT_USAGE;
	}
}

int xt_print_json(const char *command, json_t *object)
{
	int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
		     putchar('\n') == EOF || fflush(stdout) != 0;

	json_decref(object);
	if (failed) {
		fprintf(stderr, "extorus %s: writing JSON to standard output failed\n", command);
		return XT_EXIT_USAGE;
	}
	return XT_EXIT_OK;
}
