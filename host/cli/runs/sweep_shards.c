/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a sweep's shards, beside that of the whole. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

enum { PATH_SIZE = 4096 };

static const char end[] = ".jsonl";

/* Without its end. */
static int stem_length(const char *path)
{
	const size_t length = strlen(path), less = sizeof(end) - 1;

	return (int)(length > less && strcmp(path + length - less, end) == 0 ? length - less : length);
}

int xt_sweep_shard_path(const char *path, unsigned shard, unsigned shards, char *text, size_t size)
{
	return snprintf(text, size, "%.*s-%u-of-%u%s", stem_length(path), path, shard, shards, end);
}

/* Whether a file's name is that of a shard of results whose file is `whole`. */
static int is_shard(const char *name, const char *whole)
{
	const int stem = stem_length(whole);
	unsigned shard, shards;
	char again[PATH_SIZE];

	if (strncmp(name, whole, (size_t)stem) != 0 || sscanf(name + stem, "-%u-of-%u", &shard, &shards) != 2) {
		return 0;
	}
	xt_sweep_shard_path(whole, shard, shards, again, sizeof(again));
	return strcmp(name, again) == 0;
}

static int include_all(const xt_sweep_t *sweep, const char *folder, const char *whole, xt_store_t *store,
	const json_t *common, xt_diag_t *diag)
{
	struct dirent **names = NULL;
	const int count = scandir(folder, &names, NULL, alphasort);
	int status =
		count < 0 ? xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read: %s", folder, strerror(errno)) : XT_OK;

	for (int i = 0; i < count; i++) {
		char path[2 * PATH_SIZE];

		if (status == XT_OK && is_shard(names[i]->d_name, whole)) {
			snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
			status = xt_store_include(store, sweep->command, path, common, diag);
		}
		free(names[i]);
	}
	free(names);
	return status;
}

int xt_sweep_shards_include(const xt_sweep_t *sweep, xt_store_t *store, const json_t *common, xt_diag_t *diag)
{
	char folder[PATH_SIZE], name[PATH_SIZE];

	if (sweep->shards) {
		return xt_store_include(store, sweep->command, sweep->whole_path, common, diag);
	}
	snprintf(folder, sizeof(folder), "%s", sweep->path);
	snprintf(name, sizeof(name), "%s", sweep->path);
	return include_all(sweep, dirname(folder), basename(name), store, common, diag);
}
