/* SPDX-License-Identifier: Apache-2.0
 *
 * An image is read part by part: what another process does to the file meanwhile is found. */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "image/image_bytes.h"
#include "support.h"

enum { SIZE = 300000, STEP = 4096 };

/* A file with magic and CRC. */
static void make_file(char *path)
{
	uint8_t *bytes = calloc(1, SIZE + 4);
	const int file = mkstemp(path);
	uint32_t crc;

	memcpy(bytes, "XTIMAGE\n", 8);
	for (unsigned i = 8; i < SIZE; i++) {
		bytes[i] = (uint8_t)(i * 7 >> 3);
	}
	crc = (uint32_t)crc32_z(0, bytes, SIZE);
	for (unsigned i = 0; i < 4; i++) {
		bytes[SIZE + i] = (uint8_t)(crc >> 8 * i);
	}
	assert_int_equal(write(file, bytes, SIZE + 4), SIZE + 4);
	close(file);
	free(bytes);
}

/* Whether all bytes come, and are those of the file. */
static int read_on(xt_image_bytes_t *b)
{
	while (b->at < b->size) {
		const size_t count = b->size - b->at < STEP ? b->size - b->at : STEP;
		const uint8_t *bytes = xt_image_bytes_next(b, count);

		for (size_t i = 0; bytes && i < count; i++) {
			assert_true(bytes[i] == (uint8_t)((b->at + i) * 7 >> 3) || b->at + i == SIZE - 1);
		}
		if (!bytes) {
			return 0;
		}
		b->at += count;
	}
	return 1;
}

TEST(test_file_in_parts)
{
	char path[] = "/tmp/extorus-image-XXXXXX";
	xt_image_bytes_t bytes;

	make_file(path);
	assert_int_equal(xt_image_bytes_open(path, &bytes, NULL), XT_OK);
	assert_int_equal(bytes.size, SIZE);
	assert_true(read_on(&bytes) && xt_image_bytes_same(&bytes));
	xt_image_bytes_close(&bytes);
	assert_int_equal(unlink(path), 0);
}

TEST(test_file_that_changes)
{
	char path[] = "/tmp/extorus-image-XXXXXX";
	xt_image_bytes_t bytes;
	FILE *file;

	make_file(path);
	assert_int_equal(xt_image_bytes_open(path, &bytes, NULL), XT_OK);
	file = fopen(path, "r+b");
	assert_int_equal(fseek(file, SIZE - 1, SEEK_SET), 0);
	fputc(0, file);
	fclose(file);
	assert_true(read_on(&bytes) && !xt_image_bytes_same(&bytes));
	xt_image_bytes_close(&bytes);
	assert_int_equal(xt_image_bytes_open(path, &bytes, NULL), XT_ERR_FORMAT);
	xt_image_bytes_close(&bytes);
	assert_int_equal(unlink(path), 0);
}

TEST(test_file_that_becomes_shorter)
{
	char path[] = "/tmp/extorus-image-XXXXXX";
	xt_image_bytes_t bytes;

	make_file(path);
	assert_int_equal(xt_image_bytes_open(path, &bytes, NULL), XT_OK);
	assert_int_equal(truncate(path, SIZE / 2), 0);
	assert_false(read_on(&bytes));
	xt_image_bytes_close(&bytes);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_in_parts),
		cmocka_unit_test(test_file_that_changes),
		cmocka_unit_test(test_file_that_becomes_shorter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
