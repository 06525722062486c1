/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of several files: the input is the files of rank 0, 1 and so on, with a separator between them. They are
 * written into a folder of this process. */
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "fuzz_workload.h"

enum { FUZZ_MOST_FILES = 8, FUZZ_PATH_ROOM = 128 };

static char fuzz_folder[FUZZ_PATH_ROOM / 2];

/* FOLDER/RANK, as libextorus-capture.so names files; with ".et" at its end a trace of Chakra too. */
static inline void fuzz_path(char *path, unsigned rank, const char *end)
{
	snprintf(path, FUZZ_PATH_ROOM, "%s/%s%u%s", fuzz_folder, *end ? "t." : "", rank, end);
}

static inline void fuzz_remove_folder(void)
{
	char path[FUZZ_PATH_ROOM];

	for (unsigned rank = 0; rank < FUZZ_MOST_FILES; rank++) {
		fuzz_path(path, rank, "");
		unlink(path);
		fuzz_path(path, rank, ".et");
		unlink(path);
	}
	rmdir(fuzz_folder);
}

static inline void fuzz_make_folder(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(fuzz_folder, sizeof(fuzz_folder), "%s/fuzz-XXXXXX", parent && strlen(parent) < 40 ? parent : "/tmp");
	FUZZ_ASSERT(mkdtemp(fuzz_folder));
	atexit(fuzz_remove_folder);
}

/* Writes the files and removes those of more ranks, which another input had. */
static inline void fuzz_write_files(const uint8_t *data, size_t size, const char *between, const char *end)
{
	const size_t length = strlen(between);
	unsigned rank = 0;

	if (!*fuzz_folder) {
		fuzz_make_folder();
	}
	for (const uint8_t *rest = data; rest && rank < FUZZ_MOST_FILES; rank++) {
		const size_t left = size - (size_t)(rest - data);
		const uint8_t *next = memmem(rest, left, between, length);
		const size_t part = next ? (size_t)(next - rest) : left;
		char path[FUZZ_PATH_ROOM];
		int fd;

		fuzz_path(path, rank, end);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		FUZZ_ASSERT(fd >= 0 && write(fd, rest, part) == (ssize_t)part && close(fd) == 0);
		rest = next ? next + length : NULL;
	}
	for (; rank < FUZZ_MOST_FILES; rank++) {
		char path[FUZZ_PATH_ROOM];

		fuzz_path(path, rank, end);
		unlink(path);
	}
}

/* How many digits, or bytes that a number of the wire format goes on after, follow each other at most. */
static inline size_t fuzz_longest_run(const uint8_t *data, size_t size, uint8_t from, uint8_t to)
{
	size_t run = 0, most = 0;

	for (size_t i = 0; i < size; i++) {
		run = data[i] >= from && data[i] <= to ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}
