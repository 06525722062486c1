/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"

static const char magic[8] = "XTCHECK1";

enum { SUM_STEP = 1 << 30 }; /* zlib's lengths have 32 bits */

static unsigned long sum_of(unsigned long sum, const void *items, size_t size)
{
	const unsigned char *bytes = items;

	for (; size > SUM_STEP; size -= SUM_STEP, bytes += SUM_STEP) {
		sum = crc32(sum, bytes, SUM_STEP);
	}
	return crc32(sum, bytes, (unsigned)size);
}

/* ---------------------------------------------------------------- writing */

static void put(xt_checkpoint_writer_t *writer, const void *items, size_t size)
{
	/* What fails is told at the end. */
	(void)fwrite(items, 1, size, xt_output_stream(writer->output));
	writer->sum = sum_of(writer->sum, items, size);
}

static void put_part(xt_checkpoint_writer_t *writer, const xt_bytes_t *part)
{
	const uint64_t size = part->count;

	put(writer, &size, sizeof(size));
	put(writer, part->items, part->count);
}

static int finish(xt_checkpoint_writer_t *writer, xt_diag_t *diag)
{
	xt_output_t *output = writer->output;

	writer->output = NULL;
	return xt_output_commit(output, diag);
}

/* A full disk is told early: the other parts would be made in vain. */
static int check(xt_checkpoint_writer_t *writer, xt_diag_t *diag)
{
	if (!ferror(xt_output_stream(writer->output))) {
		return XT_OK;
	}
	return finish(writer, diag);
}

int xt_checkpoint_begin(xt_checkpoint_writer_t *writer, const char *path, const xt_checkpoint_head_t *head,
	const xt_bytes_t *client, xt_diag_t *diag)
{
	int status = xt_output_open(path, &writer->output, diag);

	if (status != XT_OK) {
		return status;
	}
	writer->sum = 0;
	put(writer, magic, sizeof(magic));
	put(writer, head, sizeof(*head));
	put_part(writer, client);
	return check(writer, diag);
}

int xt_checkpoint_add(xt_checkpoint_writer_t *writer, const xt_bytes_t *part, xt_diag_t *diag)
{
	put_part(writer, part);
	return check(writer, diag);
}

int xt_checkpoint_end(xt_checkpoint_writer_t *writer, xt_diag_t *diag)
{
	const uint64_t sum = writer->sum;
	FILE *stream = xt_output_stream(writer->output);

	put(writer, &sum, sizeof(sum));
	/* The name must not be there before the bytes are. Some special files know no such thing. */
	if (fflush(stream) == 0 && fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOTSUP) {
		const int error = errno;

		xt_checkpoint_abort(writer);
		return xt_fail(diag, XT_ERR_IO, "the checkpoint cannot be written: %s", strerror(error));
	}
	return finish(writer, diag);
}

void xt_checkpoint_abort(xt_checkpoint_writer_t *writer)
{
	xt_output_abort(writer->output);
	writer->output = NULL;
}

/* ---------------------------------------------------------------- reading */

static int read_all(FILE *file, const char *path, xt_bytes_t *bytes, xt_diag_t *diag)
{
	enum { STEP = 1 << 20 };
	size_t got;

	do {
		if (!xt_bytes_reserve(bytes, bytes->count + STEP)) {
			return xt_fail(diag, XT_ERR_NOMEM, "%.300s: out of memory", path);
		}
		got = fread((char *)bytes->items + bytes->count, 1, bytes->room - bytes->count, file);
		bytes->count += got;
	} while (got);
	return ferror(file) ? xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read", path) : XT_OK;
}

static int next_part(xt_bytes_reader_t *reader, xt_bytes_t *part)
{
	uint64_t size = 0;
	const void *items = xt_bytes_take(reader, &size, sizeof(size)) && size < SIZE_MAX - sizeof(size)
				    ? xt_bytes_next(reader, size)
				    : NULL;

	*part = (xt_bytes_t){(void *)(uintptr_t)items, size, 0};
	return items != NULL;
}

static int parse(xt_checkpoint_t *c, const xt_bytes_t *bytes)
{
	xt_bytes_reader_t reader = {bytes->items, (const char *)bytes->items + bytes->count};
	uint64_t sum;
	char found[sizeof(magic)];
	int whole;

	if (!xt_bytes_take(&reader, found, sizeof(found)) || memcmp(found, magic, sizeof(magic)) != 0 ||
		!xt_bytes_take(&reader, &c->head, sizeof(c->head)) || !next_part(&reader, &c->client) ||
		c->head.parts > bytes->count / sizeof(sum)) {
		return 0;
	}
	c->parts = calloc(c->head.parts + 1, sizeof(*c->parts));
	whole = c->parts != NULL;
	for (unsigned i = 0; i < c->head.parts && whole; i++) {
		whole = next_part(&reader, &c->parts[i]);
	}
	c->sum = (uint32_t)sum_of(0, bytes->items, (size_t)(reader.at - (const char *)bytes->items));
	return whole && xt_bytes_take(&reader, &sum, sizeof(sum)) && sum == c->sum && reader.at == reader.end;
}

int xt_checkpoint_read(const char *path, xt_checkpoint_t *checkpoint, xt_diag_t *diag)
{
	xt_bytes_t bytes = {0};
	struct stat info;
	FILE *file;
	int status;

	*checkpoint = (xt_checkpoint_t){0};
	if (stat(path, &info) != 0 && errno == ENOENT) {
		return XT_OK;
	}
	status = xt_input_open(path, &file, diag);
	if (status != XT_OK) {
		return status;
	}
	status = read_all(file, path, &bytes, diag);
	fclose(file);
	checkpoint->bytes = bytes.items;
	if (status == XT_OK && !parse(checkpoint, &bytes)) {
		status = xt_fail(diag, XT_ERR_INVALID,
			"%.300s is no checkpoint, or damaged; remove the file to begin from the start", path);
	}
	if (status != XT_OK) {
		xt_checkpoint_close(checkpoint);
	}
	return status;
}

void xt_checkpoint_close(xt_checkpoint_t *checkpoint)
{
	free(checkpoint->bytes);
	free(checkpoint->parts);
	*checkpoint = (xt_checkpoint_t){0};
}
