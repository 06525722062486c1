/* SPDX-License-Identifier: Apache-2.0
 *
 * The CSV file of a traffic matrix. What is accepted has weights that are numbers, none of an end to itself. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "extorus/traffic_matrix.h"
#include "fuzz.h"

enum { ENDS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_traffic_matrix_t *matrix = NULL;
	xt_diag_t diag = {""};
	double row[ENDS], sum = 0.0;
	char path[64];
	int file = memfd_create("matrix", 0);

	FUZZ_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (fuzz_ok(xt_traffic_matrix_read(path, ENDS, &matrix, &diag), &diag)) {
		FUZZ_ASSERT(xt_traffic_matrix_is_listed(matrix));
		for (unsigned source = 0; source < ENDS; source++) {
			xt_traffic_matrix_row(matrix, source, row);
			FUZZ_ASSERT(row[source] == 0.0);
			for (unsigned end = 0; end < ENDS; end++) {
				FUZZ_ASSERT(row[end] >= 0.0 && isfinite(row[end]));
				sum += row[end];
			}
		}
		FUZZ_ASSERT(sum > 0.0);
	}
	xt_traffic_matrix_free(matrix);
	close(file);
	return 0;
}
