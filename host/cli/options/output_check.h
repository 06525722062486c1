/* SPDX-License-Identifier: Apache-2.0
 *
 * An output of a command is none of its inputs, and no other output. */
#pragma once

#include <stdbool.h>

enum { XT_MOST_FILES = 256 };

/* The files that a command line names. */
typedef struct {
	struct {
		const char *option; /* NULL: an argument */
		const char *path;
		bool writes;
	} files[XT_MOST_FILES];
	unsigned count;
	bool makes_folder; /* the command may make the folder of a file first */
} xt_named_files_t;

void xt_named_files_add(xt_named_files_t *files, const char *option, const char *path, bool writes);
/* Ends the process with a message if two are one file and one of them is written, or if one cannot be written: before
 * the work, not after. */
void xt_named_files_check(const xt_named_files_t *files, const char *command);

/* Whether two paths are one file, there already or not. */
bool xt_is_same_file(const char *a, const char *b);
/* Whether a path means standard output; NULL does not. */
bool xt_is_stdout(const char *path);
