/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands share: profile option, diagnostics, JSON, drawings. */
#ifndef EXTORUS_OPTIONS_H
#define EXTORUS_OPTIONS_H

#include <argp.h>
#include <jansson.h>
#include <stdio.h>

#include "command.h"
#include "extorus/error.h"
#include "extorus/profiles.h"

enum {
	/* Keys of options that have no letter. */
	XT_KEY_PROFILE = 0x1000,
	XT_KEY_JSON,
	XT_KEY_COMMAND = 0x2000, /* from here on: the subcommand's own */
};

/* For a subcommand's list of options. */
#define XT_OPTION_PROFILE                                                                   \
	{                                                                                   \
		"profile", XT_KEY_PROFILE, "NAME", 0, "Switch profile (default: extoll)", 0 \
	}
#define XT_OPTION_JSON                                     \
	{                                                  \
		"json", XT_KEY_JSON, 0, 0, "Print JSON", 0 \
	}

#define XT_DEFAULT_PROFILE "extoll"

/* argp_parse with usage errors at XT_EXIT_USAGE, and -h alone for --help; `options` is the parser's
 * input. */
void xt_parse_options(const struct argp *argp, int argc, char **argv, void *options);
/* The one positional argument of most subcommands: stores it, or ends with a usage error if there is a
 * second one. For ARGP_KEY_ARG. */
error_t xt_take_argument(struct argp_state *state, char *arg, const char **out);

/* Prints "extorus NAME: text" for a failed library call and returns its exit status. */
int xt_report(const char *command, int status, const xt_diag_t *diag);

/* Prints and frees `object`; an exit status. */
int xt_print_json(const char *command, json_t *object);

/* Writes a graph for Graphviz to `out`. */
typedef int (*xt_write_dot_t)(void *context, FILE *out, xt_diag_t *diag);
/* Writes a DOT file by `write` (with `context`), or, if `path` ends with .svg or `svg` is set, has
 * Graphviz's `program` with the option `option` (may be NULL) draw it. */
int xt_write_graph(const char *path, int svg, const char *program, const char *option, xt_write_dot_t write,
	void *context, xt_diag_t *diag);

#endif
