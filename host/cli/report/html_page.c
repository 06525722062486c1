/* SPDX-License-Identifier: Apache-2.0 */
#include "html_page.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/version.h"

char *xt_command_line(int argc, char **argv)
{
	static const char plain[] = "_./:=,@%+~- ";
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out) {
		return NULL;
	}
	for (int i = 0; i < argc; i++) {
		/* The first word is "extorus COMMAND". */
		int bare = *argv[i] != '\0';

		for (const char *c = argv[i]; *c; c++) {
			bare = bare && (isalnum((unsigned char)*c) || (strchr(plain, *c) && (i == 0 || *c != ' ')));
		}
		fputs(i ? " " : "", out);
		fputs(bare ? "" : "'", out);
		for (const char *c = argv[i]; *c; c++) {
			if (*c == '\'') {
				fputs("'\\''", out);
			} else {
				fputc(*c, out);
			}
		}
		fputs(bare ? "" : "'", out);
	}
	return fclose(out) == 0 ? line : NULL;
}

/* Characters that HTML does not allow, and bytes that are no UTF-8, become U+FFFD. */
static void write_text(FILE *page, const char *text)
{
	json_t *valid = json_string(text);

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '&') {
			fputs("&amp;", page);
		} else if (*c == '<') {
			fputs("&lt;", page);
		} else if (*c == '>') {
			fputs("&gt;", page);
		} else if (*c == '"') {
			fputs("&quot;", page);
		} else if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f || (*c >= 0x80 && !valid)) {
			fputs("&#xfffd;", page);
		} else {
			fputc(*c, page);
		}
	}
	json_decref(valid);
}

static void element(FILE *page, const char *name, const char *text)
{
	fprintf(page, "<%s>", name);
	write_text(page, text);
	fprintf(page, "</%.*s>\n", (int)strcspn(name, " "), name);
}

/* Tables and pictures that are wider than the page scroll in themselves, by keyboard as well. */
static const char style[] =
	":root{color-scheme:light dark}"
	"body{margin:0 auto;padding:1rem;max-width:75rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}"
	"h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}"
	"pre{padding:.6rem;border:1px solid #8888;white-space:pre-wrap}"
	".scroll{overflow-x:auto;max-width:100%;margin:.8rem 0}.scroll:focus-visible{outline:2px solid #06c}"
	"table{border-collapse:collapse;overflow-wrap:normal}caption{text-align:left;font-weight:600;padding:.3rem 0}"
	"th,td{padding:.2rem .6rem;border-bottom:1px solid #8886;text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}"
	"th[scope=row],td.text{text-align:left}td.text{white-space:normal;min-width:6rem}"
	"thead th{vertical-align:bottom;white-space:normal}"
	"figure{margin:1rem 0}svg{display:block;min-width:44rem;max-width:100%;height:auto;background:#fff}"
	"@media print{.scroll{overflow:visible}}";

void xt_html_begin(FILE *page, const char *title, const char *command_line)
{
	fprintf(page,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		"'unsafe-inline'\">\n"
		"<meta name=\"generator\" content=\"extorus %s\">\n",
		xt_version_string());
	element(page, "title", title);
	fprintf(page, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
	element(page, "h1", title);
	element(page, "pre aria-label=\"command line\"", command_line);
}

void xt_html_end(FILE *page)
{
	fprintf(page, "</main>\n</body>\n</html>\n");
}

void xt_html_heading(FILE *page, const char *text)
{
	element(page, "h2", text);
}

void xt_html_paragraph(FILE *page, const char *text)
{
	element(page, "p", text);
}

/* A name of the JSON as words. */
static void write_name(FILE *page, const char *name)
{
	for (; *name; name++) {
		char one[2] = {*name == '_' ? ' ' : *name, '\0'};

		write_text(page, one);
	}
}

static int is_mean(const json_t *value)
{
	return json_object_size(value) == 2 && json_object_get(value, "mean") && json_object_get(value, "ci95");
}

/* Enough decimals for a load, and none for a rate. */
static int decimals(double value)
{
	return value >= 1000 ? 0 : value >= 10 ? 2 : 4;
}

static void write_value(FILE *page, const json_t *value)
{
	char *dump;

	if (json_is_string(value)) {
		write_text(page, json_string_value(value));
	} else if (json_is_real(value)) {
		fprintf(page, "%.*f", decimals(json_real_value(value)), json_real_value(value));
	} else if (json_is_integer(value)) {
		fprintf(page, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	} else if (json_is_boolean(value)) {
		fputs(json_is_true(value) ? "yes" : "no", page);
	} else if (json_is_null(value)) {
		fputs("&ndash;", page);
	} else if (is_mean(value)) {
		const json_t *mean = json_object_get(value, "mean"), *ci95 = json_object_get(value, "ci95");

		write_value(page, mean);
		if (json_is_real(ci95)) {
			fprintf(page, " &plusmn; %.*f", decimals(json_real_value(mean)), json_real_value(ci95));
		}
	} else if ((dump = json_dumps(value, JSON_REAL_PRECISION(6)))) {
		write_text(page, dump);
		free(dump);
	}
}

static void write_cell(FILE *page, const json_t *value)
{
	fputs(json_is_string(value) ? "<td class=\"text\">" : "<td>", page);
	write_value(page, value);
	fputs("</td>", page);
}

static void begin_table(FILE *page, const char *caption)
{
	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", page);
	write_text(page, caption);
	fputs("\"><table>\n<caption>", page);
	write_text(page, caption);
	fputs("</caption>\n", page);
}

/* `corner`: for the column of the rows' names; NULL: there is none. */
static void write_head(FILE *page, const char *corner, const json_t *row)
{
	const char *name;
	json_t *value;

	fputs("<thead><tr>", page);
	if (corner) {
		fprintf(page, "<th scope=\"col\">%s</th>", corner);
	}
	json_object_foreach((json_t *)row, name, value)
	{
		fputs("<th scope=\"col\">", page);
		write_name(page, name);
		fputs("</th>", page);
	}
	fputs("</tr></thead>\n<tbody>\n", page);
}

/* One row below the head of `columns`. */
static void write_row(FILE *page, const char *title, const json_t *columns, const json_t *row)
{
	const char *name;
	json_t *value;

	fputs("<tr>", page);
	if (title) {
		fputs("<th scope=\"row\">", page);
		write_name(page, title);
		fputs("</th>", page);
	}
	json_object_foreach((json_t *)columns, name, value)
	{
		write_cell(page, json_object_get(row, name));
	}
	fputs("</tr>\n", page);
}

void xt_html_rows(FILE *page, const char *caption, const json_t *rows)
{
	const json_t *first = json_array_get(rows, 0);
	const json_t *row;
	size_t index;

	begin_table(page, caption);
	write_head(page, NULL, first);
	json_array_foreach(rows, index, row)
	{
		write_row(page, NULL, first, row);
	}
	fputs("</tbody></table></div>\n", page);
}

/* An object whose members are objects with the same names: a row each. */
static int is_matrix(const json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value)
	{
		if (!json_is_object(value)) {
			return 0;
		}
	}
	return json_object_size(object) > 0;
}

static void write_matrix(FILE *page, const char *caption, const json_t *object)
{
	const char *name;
	json_t *value, *first = json_object_iter_value(json_object_iter((json_t *)object));

	begin_table(page, caption);
	write_head(page, "", first);
	json_object_foreach((json_t *)object, name, value)
	{
		write_row(page, name, first, value);
	}
	fputs("</tbody></table></div>\n", page);
}

static void write_pairs(FILE *page, const char *caption, const json_t *object)
{
	const char *name;
	json_t *value;

	begin_table(page, caption);
	fputs("<tbody>\n", page);
	json_object_foreach((json_t *)object, name, value)
	{
		if (!json_is_object(value) && !json_is_array(value)) {
			fputs("<tr><th scope=\"row\">", page);
			write_name(page, name);
			fputs("</th>", page);
			write_cell(page, value);
			fputs("</tr>\n", page);
		}
	}
	fputs("</tbody></table></div>\n", page);
}

static void write_list(FILE *page, const char *caption, const json_t *list)
{
	const json_t *value;
	size_t index;

	element(page, "h3", caption);
	fputs("<ul>\n", page);
	json_array_foreach(list, index, value)
	{
		fputs("<li>", page);
		write_value(page, value);
		fputs("</li>\n", page);
	}
	fputs("</ul>\n", page);
}

void xt_html_object(FILE *page, const char *caption, const json_t *object)
{
	const char *name;
	json_t *value;

	if (is_matrix(object)) {
		write_matrix(page, caption, object);
		return;
	}
	write_pairs(page, caption, object);
	json_object_foreach((json_t *)object, name, value)
	{
		char title[128];

		snprintf(title, sizeof(title), "%s", name);
		for (char *c = title; *c; c++) {
			*c = *c == '_' ? ' ' : *c;
		}
		if (json_is_object(value)) {
			xt_html_object(page, title, value);
		} else if (json_is_object(json_array_get(value, 0))) {
			xt_html_rows(page, title, value);
		} else if (json_array_size(value)) {
			write_list(page, title, value);
		}
	}
}

/* Names within the SVG, and what refers to them, become this picture's own. */
static void write_svg(FILE *page, unsigned number, const char *svg)
{
	static const char *const names[] = {"id=\"", "id='", "href=\"#", "href='#", "url(#"};

	while (*svg) {
		int found = 0;

		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++) {
			size_t length = strlen(names[i]);

			found = strncmp(svg, names[i], length) == 0;
			if (found) {
				fprintf(page, "%sp%u-", names[i], number);
				svg += length;
			}
		}
		if (!found) {
			fputc(*svg++, page);
		}
	}
}

int xt_html_picture(FILE *page, unsigned number, const char *text, xt_write_t draw, void *context, xt_diag_t *diag)
{
	char *svg = NULL, *begin = NULL;
	size_t size;
	FILE *picture = open_memstream(&svg, &size);
	int status;

	if (!picture) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for a picture: %s", strerror(errno));
	}
	status = draw(context, picture, diag);
	if (fclose(picture) != 0 || (status == XT_OK && !(begin = strstr(svg, "<svg")))) {
		status = xt_fail(diag, XT_ERR_IO, "a picture is no SVG");
	}
	if (status == XT_OK) {
		fputs("<figure><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"picture ", page);
		fprintf(page, "%u\">\n<svg role=\"img\" aria-label=\"", number);
		write_text(page, text);
		fputs("\"", page);
		write_svg(page, number, begin + strlen("<svg"));
		fputs("</div>\n<figcaption>", page);
		write_text(page, text);
		fputs("</figcaption></figure>\n", page);
	}
	free(svg);
	return status;
}
