/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands share: tables of options, diagnostics, JSON, drawings. */
#pragma once

#include <argp.h>
#include <float.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "command.h"
#include "extorus/error.h"
#include "extorus/profiles.h"
#include "output_check.h"

/* A field of a command's options struct: how values are stored there, and where the field is. */
typedef struct {
	enum {
		XT_TYPE_NONE,
		XT_TYPE_BOOL,
		XT_TYPE_INT,
		XT_TYPE_U16,
		XT_TYPE_U32,
		XT_TYPE_U64,
		XT_TYPE_REAL,
		XT_TYPE_TEXT,
		XT_TYPE_OTHER, /* only a function of its own can store there */
	} type;
	size_t offset;
} xt_field_t;

/* The field decides the type. */
/* clang-format off */
#define XT_AT(options, field) {             \
	_Generic(((options *)0)->field,     \
		bool: XT_TYPE_BOOL,         \
		int: XT_TYPE_INT,           \
		uint16_t: XT_TYPE_U16,      \
		uint32_t: XT_TYPE_U32,      \
		uint64_t: XT_TYPE_U64,      \
		double: XT_TYPE_REAL,       \
		const char *: XT_TYPE_TEXT, \
		default: XT_TYPE_OTHER),    \
	offsetof(options, field)}

/* Rows of many commands. */
#define XT_OPTION_PROFILE(options) \
	{"profile", "NAME", "Switch profile (default: extoll)", .value = XT_AT(options, profile)}
#define XT_OPTION_JSON(options) \
	{"json", NULL, "Print JSON", .mark = XT_AT(options, json)}
/* clang-format on */

/* A row of a command's table of options. A row with nothing but a doc begins a group and is its heading; an empty row
 * ends the table. */
typedef struct xt_option xt_option_t;
struct xt_option {
	const char *name;
	const char *argument; /* its name in the help; NULL: a flag */
	const char *doc;
	char letter;
	xt_field_t value;   /* for the argument: a text, */
	uint64_t min, max;  /* a whole number in this range, */
	double least, most; /* or a real number in this one; DBL_MAX: without an upper bound */
	/* Checks and stores the argument instead; `field` is `value`, or else the whole struct. The range is of the
	 * numbers in the argument. */
	void (*take)(struct argp_state *state, const xt_option_t *option, char *arg, void *field);
	bool writes;     /* the argument is the path of an output */
	xt_field_t mark; /* set when the option is there: 1, or in an unsigned field `bits` beside what is there */
	unsigned bits;
	int group; /* 0: that of the row before */
	int flags; /* of argp; OPTION_ALIAS: another name of the row before */
};

/* What a command's line may be, and the text of its help. */
typedef struct xt_syntax xt_syntax_t;
struct xt_syntax {
	const xt_option_t *options;
	const char *args_doc, *doc;
	xt_field_t argument;  /* for the one positional argument */
	const char *required; /* the usage error without it; NULL: there may be none */
	/* For several of them. Without these two there are none. */
	void (*take_argument)(struct argp_state *state, char *arg, void *options);
	void (*check)(struct argp_state *state, const void *options); /* of all together, at the end */
	/* Options that commands share, with a heading and a struct of their own within `options`: a table, or a parser
	 * of argp whose input is that struct. */
	const xt_syntax_t *child;
	const struct argp *child_argp;
	const char *child_title;
	int child_group;
	size_t child_offset;
	char *(*help_filter)(int key, const char *text, void *input);
};

#define XT_DEFAULT_PROFILE "extoll"

/* Of every seed; a sweep counts on from there, and JSON has no larger numbers. */
#define XT_MOST_SEED ((uint64_t)INT64_MAX / 2)

/* Reads a command line into `options`. Usage errors end with XT_EXIT_USAGE, also an output that is an input or another
 * output; -h alone is --help. */
void xt_parse_options(const xt_syntax_t *syntax, int argc, char **argv, void *options);
/* A number from `min` to `max`, or a usage error about option `name`. */
uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

/* Likewise, of base 10 or 16. */
uint64_t xt_parse_number_in(
	struct argp_state *state, const char *name, const char *arg, unsigned base, uint64_t min, uint64_t max);

/* A decimal fraction; without an upper bound `max` is DBL_MAX. */
double xt_parse_real(struct argp_state *state, const char *name, const char *arg, double min, double max);

/* Whether a terminal shows what is written there, and understands codes that move the cursor. */
bool xt_is_screen(int fd);

/* A usage error if more than one of --json and the three files are meant to go there. */
void xt_need_one_stdout(struct argp_state *state, bool json, const char *csv, const char *dot, const char *svg);

/* Prints "extorus NAME: text" for a failed library call and returns its exit status. */
int xt_report(const char *command, int status, const xt_diag_t *diag);

/* Prints and frees `object`; an exit status. */
int xt_print_json(const char *command, json_t *object);
/* Whether something that was written to standard output is lost; says so once, and why. */
bool xt_stdout_lost(const char *command);

/* Writes a text to `out`. */
typedef int (*xt_write_t)(void *context, FILE *out, xt_diag_t *diag);
/* Writes the file `path` by `write` (with `context`), whole or not at all; NULL or "-" is standard output. */
int xt_write_file(const char *path, xt_write_t write, void *context, xt_diag_t *diag);
/* Writes a DOT file by `write`, or, if `path` ends with .svg or `svg` is set, has
 * Graphviz's `program` with the option `option` (may be NULL) draw it. */
int xt_write_graph(const char *path, int svg, const char *program, const char *option, xt_write_t write, void *context,
	xt_diag_t *diag);
