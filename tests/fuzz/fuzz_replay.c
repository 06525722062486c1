/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target on the files that are named, without a fuzzer. */
#include "fuzz.h"

static int replay(const char *path)
{
	enum { MOST = 1 << 20 };
	uint8_t *data = malloc(MOST);
	FILE *file = fopen(path, "rb");
	size_t size = file && data ? fread(data, 1, MOST, file) : 0;
	int read = file && data && !ferror(file);

	if (file) {
		fclose(file);
	}
	if (read) {
		/* In memory of its own size, as a fuzzer gives it. */
		uint8_t *exact = malloc(size + !size);

		FUZZ_ASSERT(exact);
		memcpy(exact, data, size);
		LLVMFuzzerTestOneInput(exact, size);
		free(exact);
	}
	free(data);
	return read;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		int ok = replay(argv[i]);

		printf("%s %d - %s\n", ok ? "ok" : "not ok", i, argv[i]);
		fflush(stdout);
		failed |= !ok;
	}
	return failed;
}
