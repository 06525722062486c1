/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *xt_strerror(int status)
{
	switch (status) {
	case XT_ERR_INVALID:
		return "invalid argument or table";
	case XT_ERR_NOMEM:
		return "out of memory";
	case XT_ERR_IO:
		return "input or output failed";
	case XT_ERR_FORMAT:
		return "malformed file";
	case XT_ERR_RANGE:
		return "does not exist or does not fit";
	case XT_ERR_UNSUPPORTED:
		return "not supported";
	case XT_ERR_UNSAFE:
		return "unsafe routing";
	case XT_ERR_NODEVICE:
		return "no such device";
	case XT_ERR_TIMEOUT:
		return "timed out";
	case XT_ERR_MISMATCH:
		return "read back something other than was written";
	case XT_ERR_PROTOCOL:
		return "illegal answer from the device";
	case XT_ERR_PERMISSION:
		return "no permission";
	case XT_ERR_BUSY:
		return "in use by another program";
	case XT_ERR_AMBIGUOUS:
		return "several devices fit";
	case XT_ERR_VERSION:
		return "the board's bitstream and this program do not belong together";
	case XT_ERR_GONE:
		return "the device has gone";
	case XT_ERR_RESET:
		return "the board was reset";
	case XT_ERR_INTERRUPTED:
		return "interrupted";
	default:
		return status >= 0 ? "success" : "unknown error";
	}
}

int xt_fail(xt_diag_t *diag, int status, const char *format, ...)
{
	if (diag) {
		va_list args;

		va_start(args, format);
		vsnprintf(diag->text, sizeof(diag->text), format, args);
		va_end(args);
		/* One line that harms no terminal, whatever was quoted. */
		for (char *c = diag->text; *c; c++) {
			if ((unsigned char)*c < ' ' || *c == 0x7f) {
				*c = '?';
			}
		}
	}
	return status;
}
