/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "extorus/workload.h"

/* A map, not a file that is open: there may be more ranks than files that a process may open. */
static int map_file(xt_rank_file_t *file, xt_diag_t *diag)
{
	int fd, status = xt_input_descriptor(file->path, &fd, diag);
	struct stat about;

	if (status != XT_OK) {
		return status;
	}
	if (fstat(fd, &about) != 0) {
		about.st_size = 0;
	}
	file->size = (size_t)about.st_size;
	file->map = file->size ? mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	close(fd);
	if (file->map == MAP_FAILED) {
		file->map = NULL;
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", file->path, strerror(errno));
	}
	return XT_OK;
}

/* Of a rank that was killed the file ends with zeros, before them a line that may not be whole. */
static size_t whole_lines(const xt_rank_file_t *file)
{
	size_t length = file->map ? strnlen(file->map, file->size) : 0;

	while (length && ((const char *)file->map)[length - 1] != '\n') {
		length--;
	}
	return length;
}

static int read_header(xt_rank_file_t *file)
{
	uint64_t version, rank, ranks;
	const char *word = xt_text_line(&file->text) ? xt_text_word(&file->text) : NULL;
	int status;

	if (!word || strcmp(word, "extorus-capture") != 0) {
		return xt_text_fail(&file->text, "not a file of libextorus-capture.so");
	}
	if ((status = xt_text_number(&file->text, "version", UINT32_MAX, &version)) != XT_OK ||
		(status = xt_text_number(&file->text, "rank", XT_MAX_RANKS - 1, &rank)) != XT_OK ||
		(status = xt_text_number(&file->text, "number of ranks", XT_MAX_RANKS, &ranks)) != XT_OK ||
		(status = xt_text_number(&file->text, "number of the run", UINT64_MAX, &file->run)) != XT_OK) {
		return status;
	}
	if (version != 1) {
		return xt_text_fail(&file->text, "version %" PRIu64 " is not known; this is version 1", version);
	}
	if (rank >= ranks || rank != file->rank) {
		return xt_text_fail(
			&file->text, "rank %" PRIu64 " of %" PRIu64 " is not the one of the file's name", rank, ranks);
	}
	file->ranks = (uint32_t)ranks;
	return XT_OK;
}

int xt_rank_file_open(xt_rank_file_t *file, const char *folder, uint32_t rank, xt_diag_t *diag)
{
	size_t length;
	int status;

	*file = (xt_rank_file_t){.rank = rank};
	if (asprintf(&file->path, "%s/%" PRIu32, folder, rank) < 0) {
		file->path = NULL;
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if ((status = map_file(file, diag)) != XT_OK) {
		return status;
	}
	file->text = (xt_text_t){.name = file->path, .diag = diag};
	length = whole_lines(file);
	if (length == 0) {
		return xt_fail(diag, XT_ERR_FORMAT, "%.200s: empty", file->path);
	}
	file->text.file = fmemopen(file->map, length, "r");
	return file->text.file ? read_header(file) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
}

void xt_rank_file_close(xt_rank_file_t *file)
{
	if (file->text.file) {
		fclose(file->text.file);
	}
	if (file->map) {
		munmap(file->map, file->size);
	}
	free(file->text.text);
	free(file->path);
}

int xt_rank_file_number(xt_rank_file_t *file, const char *what, uint64_t most, uint64_t *value)
{
	const char *word = xt_text_word(&file->text);

	if (word && strcmp(word, "-1") == 0) {
		*value = UINT64_MAX;
		return XT_OK;
	}
	if (!word || !xt_word_number(word, most, value)) {
		return xt_text_fail(&file->text, "%s: %s", what, word ? word : "missing");
	}
	return XT_OK;
}
