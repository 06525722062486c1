/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extorus/atomic_file.h"
#include "extorus/number_text.h"
#include "help_examples.h"

enum { MOST_OPTIONS = 64, FIRST_KEY = 0x1000 };

/* A syntax as argp has it. The key of a row is its letter, or FIRST_KEY and its index; headings and other names have
 * none. */
typedef struct {
	const xt_syntax_t *syntax;
	char *options;
	xt_named_files_t *files;
	void *child_input;
	struct argp_option list[MOST_OPTIONS];
	struct argp_child children[2];
	struct argp argp;
} parser_t;

static bool is_end(const xt_option_t *option)
{
	return !option->name && !option->doc;
}

static int key_of(const xt_syntax_t *syntax, const xt_option_t *option)
{
	if (!option->name || option->flags & OPTION_ALIAS) {
		return 0;
	}
	return option->letter ? option->letter : FIRST_KEY + (int)(option - syntax->options);
}

uint64_t xt_parse_number_in(
	struct argp_state *state, const char *name, const char *arg, unsigned base, uint64_t min, uint64_t max)
{
	char what[40];
	uint64_t value;
	xt_diag_t diag;

	snprintf(what, sizeof(what), "--%s", name);
	if (xt_number_read(what, arg, base, min, max, &value, &diag) != XT_OK) {
		argp_error(state, "%s", diag.text);
	}
	return value;
}

uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max)
{
	return xt_parse_number_in(state, name, arg, 10, min, max);
}

double xt_parse_real(struct argp_state *state, const char *name, const char *arg, double min, double max)
{
	char what[40];
	double value;
	xt_diag_t diag;

	snprintf(what, sizeof(what), "--%s", name);
	if (xt_real_read(what, arg, min, max, &value, &diag) != XT_OK) {
		argp_error(state, "%s", diag.text);
	}
	return value;
}

static void store(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	switch (option->value.type) {
	case XT_TYPE_TEXT:
		*(const char **)field = arg;
		break;
	case XT_TYPE_REAL:
		*(double *)field = xt_parse_real(state, option->name, arg, option->least, option->most);
		break;
	case XT_TYPE_INT:
		*(int *)field = (int)xt_parse_number(state, option->name, arg, option->min, option->max);
		break;
	case XT_TYPE_U16:
		*(uint16_t *)field = (uint16_t)xt_parse_number(state, option->name, arg, option->min, option->max);
		break;
	case XT_TYPE_U32:
		*(uint32_t *)field = (uint32_t)xt_parse_number(state, option->name, arg, option->min, option->max);
		break;
	case XT_TYPE_U64:
		*(uint64_t *)field = xt_parse_number(state, option->name, arg, option->min, option->max);
		break;
	default:
		assert(option->value.type == XT_TYPE_NONE);
	}
}

static void set_mark(const xt_option_t *option, void *field)
{
	switch (option->mark.type) {
	case XT_TYPE_BOOL:
		*(bool *)field = true;
		break;
	case XT_TYPE_INT:
		*(int *)field = 1;
		break;
	case XT_TYPE_U32:
		*(uint32_t *)field |= option->bits;
		break;
	default:
		assert(option->mark.type == XT_TYPE_NONE);
	}
}

static const char **argument_of(const parser_t *parser)
{
	return (const char **)(parser->options + parser->syntax->argument.offset);
}

static void take_argument(struct argp_state *state, const parser_t *parser, char *arg)
{
	const xt_syntax_t *syntax = parser->syntax;
	const char **one = argument_of(parser);

	xt_named_files_add(parser->files, NULL, arg, false);
	if (syntax->take_argument) {
		syntax->take_argument(state, arg, parser->options);
	} else if (syntax->argument.type == XT_TYPE_NONE) {
		argp_error(state, "unexpected argument \"%s\"", arg);
	} else if (*one) {
		argp_error(state, "unexpected argument \"%s\" after \"%s\"", arg, *one);
	} else {
		*one = arg;
	}
}

static error_t take_option(struct argp_state *state, const parser_t *parser, int key, char *arg)
{
	for (const xt_option_t *option = parser->syntax->options; !is_end(option); option++) {
		if (key_of(parser->syntax, option) != key) {
			continue;
		}
		(option->take ? option->take : store)(state, option, arg, parser->options + option->value.offset);
		set_mark(option, parser->options + option->mark.offset);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const parser_t *parser = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (parser->child_input) {
			state->child_inputs[0] = parser->child_input;
		}
		return 0;
	case ARGP_KEY_ARG:
		take_argument(state, parser, arg);
		return 0;
	case ARGP_KEY_END:
		if (parser->syntax->required && !*argument_of(parser)) {
			argp_error(state, "%s", parser->syntax->required);
		}
		if (parser->syntax->check) {
			parser->syntax->check(state, parser->options);
		}
		return 0;
	default:
		return take_option(state, parser, key, arg);
	}
}

static void say_limit(char *text, size_t size, uint64_t limit)
{
	if (limit == UINT64_MAX || limit == UINT32_MAX || limit == XT_MOST_SEED) {
		snprintf(text, size, "2^%d-1", limit == UINT64_MAX ? 64 : limit == UINT32_MAX ? 32 : 62);
	} else {
		snprintf(text, size, "%" PRIu64, limit);
	}
}

/* The text of a row whose argument has a range says so; argp frees it. */
static char *help(int key, const char *text, void *input)
{
	const parser_t *parser = input;
	char limit[24], *whole = NULL;
	const xt_option_t *o;

	for (o = parser->syntax->options; text && !is_end(o) && key_of(parser->syntax, o) != key; o++) {
	}
	if (text && key > 0 && !is_end(o) && o->max) {
		say_limit(limit, sizeof(limit), o->max);
		whole = asprintf(&whole, "%s; from %" PRIu64 " to %s", text, o->min, limit) < 0 ? NULL : whole;
	} else if (text && key > 0 && !is_end(o) && o->most == DBL_MAX) {
		whole = asprintf(&whole, "%s; from %g on", text, o->least) < 0 ? NULL : whole;
	} else if (text && key > 0 && !is_end(o) && o->most > 0.0) {
		whole = asprintf(&whole, "%s; from %g to %g", text, o->least, o->most) < 0 ? NULL : whole;
	} else if (parser->syntax->help_filter) {
		return parser->syntax->help_filter(key, text, input);
	} else if (text && key == ARGP_KEY_HELP_POST_DOC) {
		whole = xt_help_examples(text);
	}
	return whole ? whole : (char *)text;
}

static void make_parser(parser_t *parser, const xt_syntax_t *syntax, void *options)
{
	unsigned count = 0;

	*parser = (parser_t){.syntax = syntax, .options = options};
	for (const xt_option_t *o = syntax->options; !is_end(o); o++) {
		assert(count < MOST_OPTIONS - 1);
		parser->list[count++] =
			(struct argp_option){o->name, key_of(syntax, o), o->argument, o->flags, o->doc, o->group};
	}
	parser->argp = (struct argp){.options = parser->list,
		.parser = parse,
		.args_doc = syntax->args_doc,
		.doc = syntax->doc,
		.children = parser->children,
		.help_filter = help};
}

/* By the name that an option's argument has in the help. */
static bool is_file(const char *argument)
{
	static const char *const names[] = {"FILE", "FILE.svg", "FILE.fst", "IMAGE", "NEW", "OLD", "URI"};

	for (size_t i = 0; argument && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(argument, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* The texts of all options of a table whose arguments are files. */
static void add_files(xt_named_files_t *files, const xt_option_t *list, const char *options)
{
	for (const xt_option_t *o = list; !is_end(o); o++) {
		files->makes_folder |= o->argument && strcmp(o->argument, "FOLDER") == 0;
		if (o->name && o->value.type == XT_TYPE_TEXT && !o->take && is_file(o->argument)) {
			xt_named_files_add(
				files, o->name, *(const char *const *)(options + o->value.offset), o->writes);
		}
	}
}

void xt_parse_options(const xt_syntax_t *syntax, int argc, char **argv, void *options)
{
	char help[] = "--help";
	void *shared = (char *)options + syntax->child_offset;
	parser_t parser, child;
	xt_named_files_t files = {.count = 0};

	make_parser(&parser, syntax, options);
	parser.files = &files;
	if (syntax->child) {
		make_parser(&child, syntax->child, shared);
	}
	if (syntax->child || syntax->child_argp) {
		parser.child_input = syntax->child ? &child : shared;
		parser.children[0] = (struct argp_child){
			syntax->child ? &child.argp : syntax->child_argp, 0, syntax->child_title, syntax->child_group};
	}
	argp_err_exit_status = XT_EXIT_USAGE;
	if (argc == 2 && strcmp(argv[1], "-h") == 0) {
		argv[1] = help;
	}
	argp_parse(&parser.argp, argc, argv, 0, 0, &parser);
	add_files(&files, syntax->options, options);
	if (syntax->child) {
		add_files(&files, syntax->child->options, shared);
	}
	xt_named_files_check(&files, argv[0]);
}

bool xt_is_screen(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void xt_need_one_stdout(struct argp_state *state, bool json, const char *csv, const char *dot, const char *svg)
{
	if (json + xt_is_stdout(csv) + xt_is_stdout(dot) + xt_is_stdout(svg) > 1) {
		argp_error(state, "only one of --json, --csv -, --dot - and --svg - can go to standard output");
	}
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
	case XT_ERR_INTERRUPTED:
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

int xt_write_file(const char *path, xt_write_t write, void *context, xt_diag_t *diag)
{
	xt_output_t *output;
	int status = xt_output_open(path ? path : "-", &output, diag);

	if (status != XT_OK) {
		return status;
	}
	status = write(context, xt_output_stream(output), diag);
	/* What is wrong with the stream the commit says better. */
	if (status != XT_OK && !ferror(xt_output_stream(output))) {
		xt_output_abort(output);
		return status;
	}
	return xt_output_commit(output, diag);
}

int xt_print_json(const char *command, json_t *object)
{
	int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
		     putchar('\n') == EOF;

	json_decref(object);
	if (failed && !ferror(stdout)) {
		fprintf(stderr, "extorus %s: out of memory\n", command);
		return XT_EXIT_USAGE;
	}
	return xt_stdout_lost(command) ? XT_EXIT_USAGE : XT_EXIT_OK;
}

bool xt_stdout_lost(const char *command)
{
	static bool told;
	int error = fflush(stdout) != 0 ? errno : 0;
	const char *program = strncmp(command, "extorus", 7) == 0 ? "" : "extorus ";

	/* The stream does not keep the reason of an earlier failure; one more byte meets with the same. */
	if (!error && ferror(stdout)) {
		error = write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
	}
	if (error && !told) {
		told = true;
		fprintf(stderr, "%s%s: writing to standard output failed: %s\n", program, command, strerror(error));
	}
	return error != 0;
}
