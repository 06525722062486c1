/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"

static const char magic[8] = "XTCHECK3";

/* Before the bytes of a part: `shared` that all processes read, and the rest. */
typedef struct {
	uint64_t size, shared;
	uint32_t first_pe, end_pe;
	uint32_t shared_sum, rest_sum;
} part_head_t;

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

/* The file's own sum is of the heads, so that who reads some parts only can check it too. */
static void put_part(xt_checkpoint_writer_t *writer, const xt_bytes_t *part, const xt_checkpoint_share_t *share)
{
	const char *rest = (const char *)part->items + share->shared;
	const size_t left = part->count - share->shared;
	const part_head_t head = {part->count, share->shared, share->first_pe, share->end_pe,
		(uint32_t)sum_of(0, part->items, share->shared), (uint32_t)sum_of(0, rest, left)};

	put(writer, &head, sizeof(head));
	(void)fwrite(part->items, 1, part->count, xt_output_stream(writer->output));
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
	put_part(writer, client, &(xt_checkpoint_share_t){0, 0, 0});
	return check(writer, diag);
}

int xt_checkpoint_add(
	xt_checkpoint_writer_t *writer, const xt_bytes_t *part, const xt_checkpoint_share_t *share, xt_diag_t *diag)
{
	put_part(writer, part, share);
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

typedef struct {
	FILE *file;
	unsigned long sum;
} source_t;

static int take(source_t *source, void *items, size_t size)
{
	const int whole = fread(items, 1, size, source->file) == size;

	source->sum = whole ? sum_of(source->sum, items, size) : source->sum;
	return whole;
}

/* `size` bytes more go behind `part`. In steps: the size may be wrong, and then the file ends first. */
static int read_body(const source_t *source, uint64_t size, uint32_t sum, xt_bytes_t *part)
{
	enum { STEP = 1 << 20 };
	const size_t at = part->count;

	while (part->count - at < size) {
		const uint64_t left = size - (part->count - at);
		const size_t step = left < STEP ? (size_t)left : STEP;

		if (!xt_bytes_reserve(part, part->count + step) ||
			fread((char *)part->items + part->count, 1, step, source->file) != step) {
			return 0;
		}
		part->count += step;
	}
	/* An empty part has memory too. */
	return xt_bytes_reserve(part, part->count + 1) &&
	       sum_of(0, (const char *)part->items + at, part->count - at) == sum;
}

static int skip_body(const source_t *source, uint64_t size)
{
	char bytes[4096];

	if (size <= INT64_MAX && fseeko(source->file, (off_t)size, SEEK_CUR) == 0) {
		return 1;
	}
	while (size) {
		const size_t step = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);

		if (fread(bytes, 1, step, source->file) != step) {
			return 0;
		}
		size -= step;
	}
	return 1;
}

/* Reads the next part: all of it if `leads`, or if it has one of these PEs. */
static int next_part(source_t *source, int leads, uint32_t first_pe, uint32_t end_pe, xt_bytes_t *part)
{
	part_head_t head;

	if (!take(source, &head, sizeof(head)) || head.shared > head.size ||
		!read_body(source, head.shared, head.shared_sum, part)) {
		return 0;
	}
	if (!leads && (head.first_pe >= end_pe || head.end_pe <= first_pe)) {
		return skip_body(source, head.size - head.shared);
	}
	return read_body(source, head.size - head.shared, head.rest_sum, part);
}

/* Room for one more part, empty. */
static int make_room(xt_checkpoint_t *c, uint32_t count)
{
	xt_bytes_t *parts = realloc(c->parts, (count + 1) * sizeof(*parts));
	void **memory = parts ? realloc(c->memory, (count + 2) * sizeof(*memory)) : NULL;

	c->parts = parts ? parts : c->parts;
	c->memory = memory ? memory : c->memory;
	if (memory) {
		parts[count] = (xt_bytes_t){0};
		memory[count + 1] = NULL;
	}
	return memory != NULL;
}

static int parse(xt_checkpoint_t *c, FILE *file, int leads, uint32_t first_pe, uint32_t end_pe)
{
	source_t source = {.file = file};
	uint32_t count;
	uint64_t sum;
	char found[sizeof(magic)], more;
	int whole = take(&source, found, sizeof(found)) && memcmp(found, magic, sizeof(magic)) == 0 &&
		    take(&source, &c->head, sizeof(c->head)) && make_room(c, 0) &&
		    next_part(&source, leads, 0, 0, &c->client);

	count = c->head.parts;
	c->head.parts = 0;
	if (c->memory) {
		c->memory[0] = c->client.items;
	}
	for (uint32_t i = 0; i < count && whole; i++) {
		whole = make_room(c, i);
		if (whole) {
			whole = next_part(&source, leads, first_pe, end_pe, &c->parts[i]);
			c->memory[i + 1] = c->parts[i].items;
			c->head.parts = i + 1;
		}
	}
	c->sum = (uint32_t)source.sum;
	return whole && take(&source, &sum, sizeof(sum)) && sum == c->sum && fread(&more, 1, 1, file) == 0 &&
	       !ferror(file);
}

int xt_checkpoint_read(
	const char *path, int leads, uint32_t first_pe, uint32_t end_pe, xt_checkpoint_t *checkpoint, xt_diag_t *diag)
{
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
	errno = 0;
	if (!parse(checkpoint, file, leads, first_pe, end_pe)) {
		status = ferror(file) ? xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read", path)
				      : xt_checkpoint_refuse(path, diag);
	}
	fclose(file);
	if (status != XT_OK) {
		xt_checkpoint_close(checkpoint);
	}
	return status;
}

int xt_checkpoint_refuse(const char *path, xt_diag_t *diag)
{
	return errno == ENOMEM
		       ? xt_fail(diag, XT_ERR_NOMEM, "%.300s: out of memory for the checkpoint", path)
		       : xt_fail(diag, XT_ERR_INVALID,
				 "%.300s is no checkpoint, or damaged; remove the file to begin from the start", path);
}

void xt_checkpoint_close(xt_checkpoint_t *checkpoint)
{
	for (uint32_t i = 0; checkpoint->memory && i <= checkpoint->head.parts; i++) {
		free(checkpoint->memory[i]);
	}
	free(checkpoint->memory);
	free(checkpoint->parts);
	*checkpoint = (xt_checkpoint_t){0};
}
