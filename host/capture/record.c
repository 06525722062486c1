/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines, with the time that the program computed before each, and the begin and end of the record. */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TEXT = 21 /* of a number, with a blank */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static clockid_t the_clock = CLOCK_MONOTONIC;
static char *trace, *folder; /* for the whole run */
static int world_rank;

/* Calls within calls count as one. `computed`: outside MPI since the last line. */
static _Thread_local struct {
	unsigned depth;
	int64_t last, computed;
} thread;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(the_clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int xt_call_begin(void)
{
	if (thread.depth++ || !xt_file_is_open()) {
		return 0;
	}
	if (thread.last) {
		thread.computed += now() - thread.last;
	}
	return 1;
}

void xt_call_end(void)
{
	if (--thread.depth == 0 && xt_file_is_open()) {
		thread.last = now();
	}
}

/* ---------------------------------------------------------------- lines */

static char *number(char *at, int64_t value)
{
	char digits[MOST_TEXT], *d = digits + sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	*at++ = ' ';
	if (value < 0) {
		*at++ = '-';
	}
	do {
		*--d = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	memcpy(at, d, (size_t)(digits + sizeof(digits) - d));
	return at + (digits + sizeof(digits) - d);
}

static char *head(char *at, char letter, unsigned count, const int64_t *values)
{
	*at++ = letter;
	at = number(at, thread.computed);
	thread.computed = 0;
	for (unsigned i = 0; i < count; i++) {
		at = number(at, values[i]);
	}
	return at;
}

static void append(const char *text, size_t length)
{
	pthread_mutex_lock(&lock);
	if (xt_file_is_open()) {
		xt_file_append(text, length);
	}
	pthread_mutex_unlock(&lock);
}

void xt_long_line(char letter, unsigned count, const int64_t *values, unsigned more, const int64_t *list)
{
	char *text = malloc(((size_t)count + more + 2) * (MOST_TEXT + 1)), *at = text;

	if (text) {
		at = head(at, letter, count, values);
		for (unsigned i = 0; i < more; i++) {
			at = number(at, list[i]);
		}
		append(text, (size_t)(at - text));
	}
	free(text);
}

void xt_line(char letter, unsigned count, const int64_t *values, const char *text)
{
	char line[16 * (MOST_TEXT + 1)];
	size_t length = (size_t)(head(line, letter, count, values) - line);
	size_t more = text ? strlen(text) : 0;
	char *whole = more ? malloc(length + more + 1) : NULL;

	if (!more) {
		append(line, length);
	} else if (whole) {
		memcpy(whole, line, length);
		whole[length] = ' ';
		memcpy(whole + length + 1, text, more);
		append(whole, length + more + 1);
	}
	free(whole);
}

/* ---------------------------------------------------------------- begin and end */

/* EXTORUS_CAPTURE is the trace; the ranks' files lie beside the trace, in a folder. */
static void name_files(void)
{
	const char *name = getenv("EXTORUS_CAPTURE"), *clock_name = getenv("EXTORUS_CAPTURE_CLOCK");
	char here[PATH_MAX];

	name = name && *name ? name : "capture.goal";
	/* The program may change its folder later. */
	if (name[0] == '/' || !getcwd(here, sizeof(here))) {
		here[0] = '\0';
	}
	if (asprintf(&trace, "%s%s%s", here, here[0] ? "/" : "", name) < 0 ||
		asprintf(&folder, "%s.ranks", trace) < 0) {
		abort();
	}
	if (clock_name && strcmp(clock_name, "cpu") == 0) {
		the_clock = CLOCK_THREAD_CPUTIME_ID;
	}
}

void xt_record_begin(void)
{
	char header[128], *path = NULL;
	int64_t run = 0;
	struct timespec t;
	int ranks;

	/* Of Fortran, where MPI may come through C's call as well. */
	if (xt_file_is_open()) {
		return;
	}
	name_files();
	PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	clock_gettime(CLOCK_REALTIME, &t);
	run = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	/* Files of one run are told from those of another. */
	PMPI_Bcast(&run, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
	snprintf(header, sizeof(header), "extorus-capture 1 %d %d %" PRId64, world_rank, ranks, run);
	if (asprintf(&path, "%s/%d", folder, world_rank) < 0) {
		abort();
	}
	if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || xt_file_open(path, header) != 0) {
		fprintf(stderr, "libextorus-capture: %s: cannot be written: %s\n", path, strerror(errno));
	} else {
		xt_communicators_begin();
	}
	free(path);
}

void xt_record_end(void)
{
	xt_line('E', 0, NULL, NULL);
	pthread_mutex_lock(&lock);
	xt_file_close();
	pthread_mutex_unlock(&lock);
	PMPI_Barrier(MPI_COMM_WORLD);
}

void xt_record_merge(void)
{
	const char *wanted = getenv("EXTORUS_CAPTURE_MERGE");

	if (world_rank == 0 && !(wanted && strcmp(wanted, "0") == 0)) {
		xt_merge_files(folder, trace);
	}
}
