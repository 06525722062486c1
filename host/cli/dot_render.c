/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by other programs: Graphviz, gnuplot. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot.h"

extern char **environ;

/* Runs the program from `script` to `picture`. */
static int run_program(const xt_drawing_t *d, FILE *script, FILE *picture, xt_diag_t *diag)
{
	const char *program = d->arguments[0];
	posix_spawn_file_actions_t actions;
	int error, state = 0;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
	error = posix_spawnp(&child, program, &actions, NULL, (char **)d->arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		return xt_fail(
			diag, XT_ERR_IO, "%s cannot be run: %s; install %s", program, strerror(error), d->remedy);
	}
	while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
		return xt_fail(diag, XT_ERR_IO, "%s failed to draw %s", program, d->failure);
	}
	return XT_OK;
}

int xt_draw(void *drawing, FILE *picture, xt_diag_t *diag)
{
	const xt_drawing_t *d = drawing;
	FILE *script = tmpfile();
	int status;

	if (!script) {
		return xt_fail(diag, XT_ERR_IO, "no temporary file can be made: %s", strerror(errno));
	}
	status = d->write(d->context, script, diag);
	if (status == XT_OK && (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0)) {
		status = xt_fail(diag, XT_ERR_IO, "writing a temporary file failed: %s", strerror(errno));
	}
	if (status == XT_OK) {
		status = run_program(d, script, picture, diag);
	}
	fclose(script);
	return status;
}

static int is_svg(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

int xt_write_graph(const char *path, int svg, const char *program, const char *option, xt_write_t write, void *context,
	xt_diag_t *diag)
{
	xt_drawing_t drawing = {.arguments = {program, "-Tsvg", option},
		.remedy = "Graphviz (apt install graphviz) or write a .dot file instead",
		.failure = "the graph; write a .dot file instead",
		.write = write,
		.context = context};

	return svg || is_svg(path) ? xt_write_file(path, xt_draw, &drawing, diag)
				   : xt_write_file(path, write, context, diag);
}
