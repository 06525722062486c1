/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a rank. Its end is mapped into memory, so that the kernel has each line at once, also when the rank is
 * killed; a line costs no system call. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record.h"

enum { STEP = 4 << 20 /* bytes, a multiple of a page */ };

static struct {
	int fd, open;
	char *map;
	off_t begin; /* of the map, in the file */
	size_t used; /* of the map */
} file;

/* The disk's room is taken before, as a write into a map cannot fail with a message. */
static int map_step(off_t begin)
{
	void *map;

	if (posix_fallocate(file.fd, begin, STEP) != 0) {
		return 0;
	}
	map = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, begin);
	if (map == MAP_FAILED) {
		return 0;
	}
	file.map = map;
	file.begin = begin;
	file.used = 0;
	return 1;
}

int xt_file_is_open(void)
{
	return file.open;
}

static void give_up(void)
{
	fprintf(stderr, "libextorus-capture: no room on the disk; the rest of this rank is not captured\n");
	file.open = 0;
	close(file.fd);
}

static void put(const char *text, size_t length)
{
	while (length && file.open) {
		size_t part = length < STEP - file.used ? length : STEP - file.used;

		memcpy(file.map + file.used, text, part);
		file.used += part;
		text += part;
		length -= part;
		if (file.used == STEP) {
			munmap(file.map, STEP);
			if (!map_step(file.begin + STEP)) {
				give_up();
			}
		}
	}
}

/* The line's end comes last: a line without one was not finished. */
void xt_file_append(const char *text, size_t length)
{
	put(text, length);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	put("\n", 1);
}

int xt_file_open(const char *path, const char *header)
{
	file.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file.fd < 0 || !map_step(0)) {
		return -1;
	}
	file.open = 1;
	xt_file_append(header, strlen(header));
	return 0;
}

void xt_file_close(void)
{
	if (file.open) {
		off_t end = file.begin + (off_t)file.used;

		file.open = 0;
		munmap(file.map, STEP);
		if (ftruncate(file.fd, end) != 0) {
			perror("libextorus-capture");
		}
		close(file.fd);
	}
}
