/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a checkpoint: who reads what of it, and what is said of damage and of too little memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/checkpoint_file.h"
#include "support.h"

enum { PARTS = 4, PES = 10 /* of each part */, SHARED = 100, PART_HEAD = 32, ROOM = 1 << 20 };

static char path[] = "/tmp/checkpoint-XXXXXX";

/* A file with parts of `size` bytes, each of them the part's number, and with the client's 'c'. */
static void write_parts(size_t size)
{
	const xt_checkpoint_head_t head = {.cycle = 7, .key = 1, .size = 2, .parts = PARTS, .phase = 1};
	xt_checkpoint_writer_t writer = {0};
	xt_bytes_t bytes = {malloc(size), size, size};
	xt_diag_t diag = {""};

	assert_non_null(bytes.items);
	memset(bytes.items, 'c', size);
	assert_int_equal(xt_checkpoint_begin(&writer, path, &head, &bytes, &diag), XT_OK);
	for (uint32_t i = 0; i < PARTS; i++) {
		memset(bytes.items, (int)i, size);
		assert_int_equal(xt_checkpoint_add(&writer, &bytes,
					 &(xt_checkpoint_share_t){SHARED, i * PES, (i + 1) * PES}, &diag),
			XT_OK);
	}
	assert_int_equal(xt_checkpoint_end(&writer, &diag), XT_OK);
	free(bytes.items);
}

/* Where the bytes of part `number` begin. */
static long place(uint32_t number, size_t size)
{
	return (long)(8 + sizeof(xt_checkpoint_head_t) + (number + 2) * PART_HEAD + (number + 1) * size);
}

static void flip(long at)
{
	FILE *file = fopen(path, "r+");
	int byte;

	assert_non_null(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	byte = fgetc(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	fputc(byte ^ 16, file);
	fclose(file);
}

TEST(a_rank_reads_its_parts_only)
{
	xt_checkpoint_t all, own;
	xt_diag_t diag = {""};

	write_parts(1000);
	assert_int_equal(xt_checkpoint_read(path, 1, 0, 1, &all, &diag), XT_OK);
	assert_int_equal(all.head.parts, PARTS);
	assert_int_equal(all.client.count, 1000);
	/* From the last PE of part 1 to the first of part 2. */
	assert_int_equal(xt_checkpoint_read(path, 0, 2 * PES - 1, 2 * PES + 1, &own, &diag), XT_OK);
	assert_int_equal(own.head.parts, PARTS);
	assert_int_equal(own.client.count, 0);
	assert_int_equal(own.sum, all.sum);
	for (uint32_t i = 0; i < PARTS; i++) {
		const size_t count = i == 1 || i == 2 ? 1000 : SHARED;

		assert_int_equal(own.parts[i].count, count);
		assert_int_equal(((const char *)own.parts[i].items)[count - 1], i);
	}
	xt_checkpoint_close(&all);
	xt_checkpoint_close(&own);
}

TEST(damage_is_found_by_who_reads_it)
{
	xt_checkpoint_t found;
	xt_diag_t diag = {""};

	for (uint32_t damaged = 0; damaged < PARTS; damaged++) {
		write_parts(1000);
		flip(place(damaged, 1000) + 500);
		assert_int_equal(xt_checkpoint_read(path, 1, 0, 1, &found, &diag), XT_ERR_INVALID);
		assert_non_null(strstr(diag.text, "is no checkpoint, or damaged"));
		for (uint32_t own = 0; own < PARTS; own++) {
			assert_int_equal(xt_checkpoint_read(path, 0, own * PES, (own + 1) * PES, &found, &diag),
				own == damaged ? XT_ERR_INVALID : XT_OK);
			xt_checkpoint_close(&found);
		}
	}
}

TEST(damage_of_what_tells_the_parts_is_found_by_all)
{
	xt_checkpoint_t found;
	xt_diag_t diag = {""};

	for (long at = 0; at < place(0, 1000); at++) {
		const long client = 8 + (long)sizeof(xt_checkpoint_head_t) + PART_HEAD;

		/* The client's bytes are rank 0's. */
		if (at < client || at >= client + 1000) {
			write_parts(1000);
			flip(at);
			assert_int_equal(xt_checkpoint_read(path, 0, 3 * PES, 4 * PES, &found, &diag), XT_ERR_INVALID);
		}
	}
}

TEST(too_little_memory_is_no_damage)
{
/* Where addresses are not counted by the sanitizer. */
#ifndef __SANITIZE_ADDRESS__
	struct rlimit before, less;
	xt_checkpoint_t found;
	xt_diag_t diag = {""};
	long pages = 0;
	FILE *file;

	write_parts(8 * ROOM);
	file = fopen("/proc/self/statm", "r");
	assert_true(file && fscanf(file, "%ld", &pages) == 1);
	fclose(file);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	less = before;
	less.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + 8 * ROOM;
	assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
	assert_int_equal(xt_checkpoint_read(path, 1, 0, 1, &found, &diag), XT_ERR_NOMEM);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_non_null(strstr(diag.text, "out of memory for the checkpoint"));
	assert_int_equal(xt_checkpoint_read(path, 1, 0, 1, &found, &diag), XT_OK);
	xt_checkpoint_close(&found);
#endif
}

static int make_path(void **state __attribute__((unused)))
{
	const int file = mkstemp(path);

	return file < 0 || close(file) != 0;
}

static int remove_path(void **state __attribute__((unused)))
{
	return remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_reads_its_parts_only),
		cmocka_unit_test(damage_is_found_by_who_reads_it),
		cmocka_unit_test(damage_of_what_tells_the_parts_is_found_by_all),
		cmocka_unit_test(too_little_memory_is_no_damage),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
