/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a sweep's results. What is accepted holds the result that is added to it, also when it is read again. */
#include <sys/mman.h>
#include <unistd.h>

#include "cli/runs/sweep.h"
#include "fuzz.h"

static int is_result(const json_t *result)
{
	return json_is_object(result);
}

static int open_store(const char *path, xt_store_t **store)
{
	xt_diag_t diag = {""};

	return fuzz_ok(xt_store_open("sweep", path, json_pack("{s:i}", "latency", 2), is_result, store, &diag), &diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_store_t *store = NULL;
	xt_diag_t diag = {""};
	json_t *key = json_pack("{s:s, s:f}", "network", "torus:4", "load", 0.1);
	char path[64];
	int file = memfd_create("sweep", 0);

	FUZZ_ASSERT(key && file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (size && data[0] == '+') {
		/* Behind a good first line. */
		FUZZ_ASSERT(open_store(path, &store));
		xt_store_close(store);
		data++;
		size--;
	}
	FUZZ_ASSERT(lseek(file, 0, SEEK_END) >= 0 && write(file, data, size) == (ssize_t)size);
	if (open_store(path, &store)) {
		FUZZ_ASSERT(fuzz_ok(xt_store_add(store, json_incref(key), json_pack("{s:i}", "own", 1), &diag), &diag));
		xt_store_close(store);
		FUZZ_ASSERT(open_store(path, &store));
		FUZZ_ASSERT(json_is_integer(json_object_get(xt_store_find(store, key), "own")));
		xt_store_close(store);
	}
	json_decref(key);
	close(file);
	return 0;
}
