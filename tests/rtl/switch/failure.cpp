// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdarg>
#include <cstdio>

void fail(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	std::vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	throw Failure(text);
}
