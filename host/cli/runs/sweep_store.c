/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that outlive a sweep: the first line says what all runs have in common, each other one has the key and the
 * result of a run. Lines are only appended. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extorus/version.h"
#include "sweep.h"

static const char format[] = "extorus-sweep-1";

struct xt_store {
	const char *path;
	int file;
	json_t *results;  /* by key as text */
	json_t *included; /* likewise, of other files */
	int (*is_result)(const json_t *result);
	pthread_mutex_t lock;
};

static char *key_text(const json_t *key)
{
	return json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(12));
}

static int append(const xt_store_t *store, json_t *line, xt_diag_t *diag)
{
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	size_t length = text ? strlen(text) : 0, done = 0;
	ssize_t written = 0;

	if (!text) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.300s: out of memory", store->path);
	}
	text[length++] = '\n'; /* in the place of its end */
	while (done < length && (written = write(store->file, text + done, length - done)) > 0) {
		done += (size_t)written;
	}
	free(text);
	return done == length ? XT_OK
			      : xt_fail(diag, XT_ERR_IO, "%.300s: cannot be written: %s", store->path, strerror(errno));
}

/* The text of a value, for a message. */
static void value_text(const json_t *value, char *text, size_t size)
{
	char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	snprintf(text, size, "%.60s", dumped ? dumped : "not said");
	free(dumped);
}

static int check_common(const char *path, const json_t *header, const json_t *common, xt_diag_t *diag)
{
	const json_t *there = json_object_get(header, "common");
	const json_t *name = json_object_get(header, "format");
	char old[64], new[64];
	const char *key;
	const json_t *value;

	if (!json_is_string(name) || strcmp(json_string_value(name), format) != 0 || !json_is_object(there)) {
		return xt_fail(diag, XT_ERR_FORMAT, "%.300s:1: this is no file of results of a sweep", path);
	}
	json_object_foreach((json_t *)(uintptr_t)common, key, value)
	{
		if (!json_equal(value, json_object_get(there, key))) {
			value_text(json_object_get(there, key), old, sizeof(old));
			value_text(value, new, sizeof(new));
			return xt_fail(diag, XT_ERR_MISMATCH,
				"%.300s has results of another configuration: %s is %s there and %s here; name another "
				"folder, or remove the file",
				path, key, old, new);
		}
	}
	if (json_object_size(there) != json_object_size(common)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"%.300s has results of another configuration; name another folder, or remove the file", path);
	}
	return XT_OK;
}

/* A file that is read. */
typedef struct {
	const xt_store_t *store;
	const char *command, *path;
	const json_t *common;
	json_t *results;
	int mend; /* take a last line away that is cut off */
} reading_t;

/* A later line takes the place of an earlier one with the same key, also where it holds no result. */
static int take_line(const reading_t *reading, unsigned long number, json_t *line, xt_diag_t *diag)
{
	json_t *key = json_object_get(line, "key"), *result = json_object_get(line, "result");
	char *text = NULL;

	if (number == 1) {
		return check_common(reading->path, line, reading->common, diag);
	}
	if (json_is_object(key)) {
		text = key_text(key);
	}
	if (text && reading->store->is_result(result)) {
		json_object_set(reading->results, text, result);
	} else {
		fprintf(stderr, "extorus %s: %s:%lu: no key and whole result; the run is done again\n",
			reading->command, reading->path, number);
		json_object_del(reading->results, text ? text : "");
	}
	free(text);
	return XT_OK;
}

/* Reads all lines. One that is cut off is the end of the file, and taken away: the run was ended while it wrote. */
static int read_lines(const reading_t *reading, FILE *in, unsigned long *lines, xt_diag_t *diag)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	off_t good = 0;
	int status = XT_OK;

	*lines = 0;
	while (status == XT_OK && (length = getline(&text, &size, in)) > 0) {
		int whole = text[length - 1] == '\n';
		json_t *line = whole ? json_loadb(text, (size_t)length, 0, NULL) : NULL;
		const int next = getc(in);

		ungetc(next, in);
		if (!line && next == EOF) {
			fprintf(stderr, "extorus %s: %s: line %lu, the last, was cut off; its run is done again\n",
				reading->command, reading->path, *lines + 1);
			if (reading->mend && ftruncate(reading->store->file, good) != 0) {
				status = xt_fail(diag, XT_ERR_IO, "%.300s: cannot be mended: %s", reading->path,
					strerror(errno));
			}
			break;
		}
		/* A head that is damaged is none. */
		status = take_line(reading, ++*lines, line, diag);
		good += length;
		json_decref(line);
	}
	free(text);
	return status;
}

static int lock_file(int file, int kind, const char *path, xt_diag_t *diag)
{
	return flock(file, kind | LOCK_NB) == 0 ? XT_OK
						: xt_fail(diag, XT_ERR_IO, "%.300s: another sweep is writing it", path);
}

static int open_file(xt_store_t *store, xt_diag_t *diag)
{
	struct stat info;

	store->file = open(store->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (store->file < 0) {
		return xt_fail(diag, XT_ERR_IO, "%.300s: cannot be opened: %s", store->path, strerror(errno));
	}
	if (fstat(store->file, &info) != 0 || !S_ISREG(info.st_mode)) {
		return xt_fail(diag, XT_ERR_IO, "%.300s: is no file", store->path);
	}
	return lock_file(store->file, LOCK_EX, store->path, diag);
}

int xt_store_open(const char *command, const char *path, json_t *common, int (*is_result)(const json_t *result),
	xt_store_t **out, xt_diag_t *diag)
{
	xt_store_t *store = calloc(1, sizeof(*store));
	unsigned long lines = 0;
	FILE *in = NULL;
	int status;

	*out = NULL;
	if (!store || !common) {
		free(store);
		json_decref(common);
		return xt_fail(diag, XT_ERR_NOMEM, "%.300s: out of memory", path);
	}
	json_object_set_new(common, "program", json_string(XT_VERSION_STRING));
	store->path = path;
	store->is_result = is_result;
	store->results = json_object();
	store->included = json_object();
	pthread_mutex_init(&store->lock, NULL);
	status = open_file(store, diag);
	if (status == XT_OK && !(in = fopen(path, "rb"))) {
		status = xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
	}
	if (status == XT_OK) {
		const reading_t reading = {store, command, path, common, store->results, 1};

		status = read_lines(&reading, in, &lines, diag);
	}
	if (in) {
		fclose(in);
	}
	if (status == XT_OK && lines == 0) {
		json_t *header = json_pack("{s:s, s:O}", "format", format, "common", common);

		status = append(store, header, diag);
		json_decref(header);
	}
	json_decref(common);
	if (status != XT_OK) {
		xt_store_close(store);
		return status;
	}
	*out = store;
	return XT_OK;
}

int xt_store_include(xt_store_t *store, const char *command, const char *path, const json_t *common, xt_diag_t *diag)
{
	const reading_t reading = {store, command, path, common, store->included, 0};
	unsigned long lines;
	FILE *in = fopen(path, "rb");
	int status;

	if (!in) {
		return errno == ENOENT ? XT_OK : xt_fail(diag, XT_ERR_IO, "%.300s: %s", path, strerror(errno));
	}
	status = lock_file(fileno(in), LOCK_SH, path, diag);
	if (status == XT_OK) {
		status = read_lines(&reading, in, &lines, diag);
	}
	fclose(in);
	return status;
}

int xt_store_adopt(xt_store_t *store, const json_t *key, xt_diag_t *diag)
{
	char *text = key_text(key);
	json_t *found = text && !json_object_get(store->results, text) ? json_object_get(store->included, text) : NULL;

	free(text);
	return found ? xt_store_add(store, json_deep_copy(key), json_incref(found), diag) : XT_OK;
}

const json_t *xt_store_find(const xt_store_t *store, const json_t *key)
{
	char *text = key_text(key);
	const json_t *found = text ? json_object_get(store->results, text) : NULL;

	if (!found && text) {
		found = json_object_get(store->included, text);
	}
	free(text);
	return found;
}

int xt_store_add(xt_store_t *store, json_t *key, json_t *result, xt_diag_t *diag)
{
	json_t *line = json_pack("{s:o, s:o}", "key", key, "result", result);
	int status;

	pthread_mutex_lock(&store->lock);
	status = append(store, line, diag);
	pthread_mutex_unlock(&store->lock);
	json_decref(line);
	return status;
}

void xt_store_close(xt_store_t *store)
{
	if (store) {
		if (store->file >= 0) {
			close(store->file);
		}
		json_decref(store->results);
		json_decref(store->included);
		pthread_mutex_destroy(&store->lock);
		free(store);
	}
}
