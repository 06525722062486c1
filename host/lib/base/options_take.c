/* SPDX-License-Identifier: Apache-2.0 */
#include "options_take.h"

#include <string.h>

int xt_options_take(const void *given, void *options, size_t size, const char *who, xt_diag_t *diag)
{
	size_t held = sizeof(held);

	memset(options, 0, size);
	if (given) {
		memcpy(&held, given, sizeof(held));
	}
	if (held < sizeof(held)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%s: the options say a size of %zu bytes; begin them with XT_OPTIONS_INIT", who, held);
	}
	for (size_t i = size; i < held; i++) {
		if (((const unsigned char *)given)[i]) {
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"%s: byte %zu of the options is set, this library knows %zu; use a newer library", who,
				i, size);
		}
	}
	if (given) {
		memcpy(options, given, held < size ? held : size);
	}
	memcpy(options, &size, sizeof(size));
	return XT_OK;
}
