/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/number_text.h"

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

int xt_number_read(
	const char *what, const char *text, unsigned base, uint64_t min, uint64_t max, uint64_t *value, xt_diag_t *diag)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";

	errno = 0;
	*value = strtoull(text, NULL, (int)base);
	if (*text && !text[strspn(text, digits)] && !errno && *value >= min && *value <= max) {
		return XT_OK;
	}
	*value = min;
	return base == 16 ? xt_fail(diag, XT_ERR_RANGE,
				    "%s: \"%.80s\" is not a hexadecimal number from %" PRIx64 " to %" PRIx64, what,
				    text, min, max)
			  : xt_fail(diag, XT_ERR_RANGE, "%s: \"%.80s\" is not a number from %" PRIu64 " to %" PRIu64,
				    what, text, min, max);
}

int xt_wait_seconds(unsigned otherwise, unsigned *seconds, xt_diag_t *diag)
{
	const char *text = getenv("EXTORUS_WAIT_SECONDS");
	uint64_t value = otherwise;
	int status = text ? xt_number_read("EXTORUS_WAIT_SECONDS", text, 10, 1, 86400, &value, diag) : XT_OK;

	*seconds = (unsigned)value;
	return status;
}

xt_locale_t xt_locale_begin(void)
{
	const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return (xt_locale_t){.own = own, .before = own ? uselocale(own) : (locale_t)0};
}

void xt_locale_end(xt_locale_t *locale)
{
	if (locale->own) {
		uselocale(locale->before);
		freelocale(locale->own);
	}
}

int xt_real_take(const char **text, double *value)
{
	XT_POINT_IN_FRACTIONS;
	char digits[64] = "", *end;
	const size_t length = strspn(*text, "0123456789.eE+-");

	if (length >= sizeof(digits) || **text == '+' || **text == '-') {
		return XT_ERR_INVALID;
	}
	memcpy(digits, *text, length);
	*value = strtod(digits, &end);
	*text += end - digits;
	return end > digits && isfinite(*value) ? XT_OK : XT_ERR_INVALID;
}

int xt_real_read(const char *what, const char *text, double min, double max, double *value, xt_diag_t *diag)
{
	const char *rest = text;

	if (xt_real_take(&rest, value) == XT_OK && !*rest && *value >= min && *value <= max) {
		return XT_OK;
	}
	*value = min;
	return max == DBL_MAX ? xt_fail(diag, XT_ERR_RANGE, "%s: \"%.80s\" is not a number from %g on", what, text, min)
			      : xt_fail(diag, XT_ERR_RANGE, "%s: \"%.80s\" is not a number from %g to %g", what, text,
					min, max);
}

int xt_tcp_place_read(const char *what, const char *text, uint16_t least, xt_tcp_place_t *place, xt_diag_t *diag)
{
	const int brackets = *text == '[';
	const char *host = text + brackets, *end = brackets ? strchr(text, ']') : strchr(text, ':');
	const char *colon = end ? end + brackets : NULL;
	uint64_t port;
	int status;

	if (!colon || *colon != ':' || (size_t)(end - host) >= sizeof(place->host) || (brackets && end == host)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%s: \"%.80s\" is not HOST:PORT, for example tcp:localhost:5555 or tcp:[::1]:5555", what, text);
	}
	if (!brackets && strchr(colon + 1, ':')) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%s: \"%.80s\": write an IPv6 address in brackets, as tcp:[::1]:5555", what, text);
	}
	status = xt_number_read(what, colon + 1, 10, least, UINT16_MAX, &port, diag);
	if (status != XT_OK) {
		return status;
	}
	memcpy(place->host, host, (size_t)(end - host));
	place->host[end - host] = '\0';
	if (!*place->host) {
		strcpy(place->host, "localhost");
	}
	place->port = (uint16_t)port;
	return XT_OK;
}
