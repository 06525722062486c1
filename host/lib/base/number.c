/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <errno.h>
#include <stdlib.h>

int xt_number_take(const char **text, uint64_t most, uint64_t *value)
{
	char *end;

	if (**text < '0' || **text > '9') {
		return XT_ERR_INVALID;
	}
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return errno || *value > most ? XT_ERR_INVALID : XT_OK;
}

int xt_number_parse(const char *text, uint64_t most, uint64_t *value)
{
	int status = xt_number_take(&text, most, value);

	return status == XT_OK && *text ? XT_ERR_INVALID : status;
}
