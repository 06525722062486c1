/* SPDX-License-Identifier: Apache-2.0 */
#include "xml_text.h"

void xt_xml_text(const char *text, FILE *out)
{
	for (const char *c = text; *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*c, out);
		}
	}
}
