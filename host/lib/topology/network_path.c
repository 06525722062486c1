/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "network_file.h"

size_t xt_network_encode_path(const char *path, char *text, size_t size)
{
	size_t used = 0;

	for (const char *c = path; *c; c++) {
		const bool plain = isalnum((unsigned char)*c) || strchr("/._-+=@:^!#$&()[]{}?*<>|'`", *c) ||
				   (*c == '~' && c == path && c[1] == '/');

		used += (size_t)snprintf(used < size ? text + used : NULL, used < size ? size - used : 0,
			plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
	if (size && used == 0) {
		*text = '\0';
	}
	return used;
}

static unsigned digit_of(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(toupper((unsigned char)c) - 'A') + 10;
}

/* In place. */
static void decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2])) {
			*to = (char)(digit_of(from[1]) << 4 | digit_of(from[2]));
			from += 3;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

char *xt_network_find_path(const char *path)
{
	const char *home = strncmp(path, "~/", 2) == 0 && access(path, F_OK) != 0 ? getenv("HOME") : NULL;
	size_t size = strlen(path) + (home ? strlen(home) : 0) + 1;
	char *found = malloc(size);

	if (found) {
		snprintf(found, size, "%s%s", home ? home : "", home ? path + 1 : path);
		if (strchr(found, '%') && access(found, F_OK) != 0) {
			decode(found);
		}
	}
	return found;
}

bool xt_network_exists(const char *path, const char *end)
{
	char *text = strndup(path, (size_t)(end - path)), *found = text ? xt_network_find_path(text) : NULL;
	bool exists = found && *text && access(found, F_OK) == 0;

	free(text);
	free(found);
	return exists;
}
