/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `extorus`: finds the subcommand and runs it. */
#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extorus/profiles.h"
#include "extorus/version.h"
#include "options/command.h"
#include "options/interrupt.h"
#include "options/options.h"

/* In the order of the help text. */
#define COMMAND_LIST(X) \
	X(gen)          \
	X(topo)         \
	X(configs)      \
	X(layout)       \
	X(crossings)    \
	X(latency)      \
	X(route)        \
	X(check)        \
	X(trace)        \
	X(traffic)      \
	X(sim)          \
	X(sweep)        \
	X(collective)   \
	X(workload)     \
	X(reproduce)    \
	X(probe)        \
	X(load)         \
	X(verify)       \
	X(dump)         \
	X(diff)         \
	X(inject)       \
	X(capture)      \
	X(counters)     \
	X(watch)        \
	X(reset)        \
	X(link)         \
	X(selftest)     \
	X(eye)          \
	X(doctor)       \
	X(serve)

#define DECLARE(name) extern const xt_command_t xt_command_##name;
COMMAND_LIST(DECLARE)

#define POINT_TO(name) &xt_command_##name,
static const xt_command_t *const commands[] = {COMMAND_LIST(POINT_TO)};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE *out)
{
	fprintf(out, "Usage: extorus COMMAND [OPTION...]\n"
		     "The EXTOLL-class interconnect switch: generate, route, check, simulate, load.\n\n"
		     "Commands:\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	}
	fprintf(out, "\n"
		     "extorus COMMAND --help describes one command; extorus --version prints\n"
		     "version, commit and profiles.\n\n"
		     "Examples:\n"
		     "  extorus route twin:2x2x2x2x2 --algorithm ts-dor -o twin.img\n"
		     "  extorus check twin.img\n\n"
		     "Exit status: 0 all is well, 1 what was checked is wrong or damaged, 2 wrong usage or input,\n"
		     "3 no device.\n");
}

/* Of the whole command, and so of every subcommand. */
static void print_version(FILE *out, struct argp_state *state)
{
	(void)state;
	fprintf(out, "extorus %s\ncommit   %s\nprofiles", xt_version_string(), xt_commit);
	for (const xt_profile_t *const *profile = xt_profiles; *profile; profile++) {
		fprintf(out, " %s", (*profile)->name);
	}
	fprintf(out, "\n");
}

void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

static bool checked; /* the output of a command, by `run` */

/* Help and version end the process elsewhere, so their output is checked at its end. */
static void check_output(void)
{
	if (!checked && xt_stdout_lost("extorus")) {
		_exit(XT_EXIT_USAGE);
	}
}

/* The subcommand's exit status, unless part of its output was lost, or a signal ends it. */
static int run(const xt_command_t *command, int argc, char **argv)
{
	char name[64];
	int result;

	snprintf(name, sizeof(name), "extorus %s", command->name);
	argv[0] = name;
	result = command->run(argc, argv);
	checked = true;
	/* Usage: the command has said what is wrong, and maybe this. */
	if (result != XT_EXIT_USAGE && xt_stdout_lost(name)) {
		result = XT_EXIT_USAGE;
	}
	if (result != XT_EXIT_OK) {
		xt_interrupt_end();
	}
	return result;
}

int main(int argc, char **argv)
{
	char help[] = "--help";

	/* A file that a limit keeps from growing fails as on a full disk, with a message. */
	signal(SIGXFSZ, SIG_IGN);
	atexit(check_output);
	if (argc < 2) {
		print_help(stderr);
		return XT_EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 && argc > 2) {
		argv[1] = argv[2];
		argv[2] = help;
		argc = 3;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 ||
		strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return XT_EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		print_version(stdout, NULL);
		return XT_EXIT_OK;
	}
	for (unsigned i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i]->name) == 0) {
			return run(commands[i], argc - 1, argv + 1);
		}
	}
	fprintf(stderr, "extorus: no command \"%s\"; extorus --help lists them\n", argv[1]);
	return XT_EXIT_USAGE;
}
