/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands on a device that do the same on every board of a list. */
#pragma once

#include "board_list.h"

#define XT_TARGET_LIST XT_OPTION_BOARD_LIST(xt_target_t, list)

/* As xt_target_run, with --devices for every board of the list. A board that does not answer is named, and the others
 * are done. JSON is {"ok": ..., "boards": [...]}; each board has its "device", and one that failed an "error". */
int xt_target_list_run(const char *command, const xt_syntax_t *syntax, int argc, char **argv, void *options,
	int (*work)(void *options));
