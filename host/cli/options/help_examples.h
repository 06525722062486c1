/* SPDX-License-Identifier: Apache-2.0
 *
 * Examples of a help that are longer than a line stay commands that can be copied. */
#pragma once

/* A copy of `text` in which the lines under "Example:" or "Examples:" are broken by a backslash where argp would break
 * them; NULL: none is too long, or there is no memory. */
char *xt_help_examples(const char *text);
