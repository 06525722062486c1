/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One subcommand; cmd_NAME.c defines it by XT_COMMAND(NAME, summary, run), main.c lists them. */
typedef struct {
	const char *name;
	const char *summary;
	/* argv[0] is "extorus NAME". Returns the exit status. */
	int (*run)(int argc, char **argv);
} xt_command_t;

#define XT_COMMAND(name, summary, run)               \
	extern const xt_command_t xt_command_##name; \
	const xt_command_t xt_command_##name = {#name, summary, run}

/* Exit statuses of every subcommand. */
enum {
	XT_EXIT_OK = 0,
	XT_EXIT_WRONG = 1, /* the checked thing is wrong */
	XT_EXIT_USAGE = 2,
	XT_EXIT_NO_DEVICE = 3,
};

/* The commit that the command is built from, by the build. */
extern const char xt_commit[];
