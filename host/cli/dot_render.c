/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by other programs: Graphviz, gnuplot. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot.h"

extern char **environ;

/* Takes what the program draws. A program may end well although its picture did not fit on the disk, so the picture
 * goes through here. Returns whether it is whole. */
static int copy_picture(int from, FILE *picture)
{
	static const char end[] = "</svg>";
	char bytes[4096 + sizeof(end)];
	size_t kept = 0;
	int whole = 0;
	ssize_t got;

	while ((got = read(from, bytes + kept, sizeof(bytes) - 1 - kept)) > 0 || (got < 0 && errno == EINTR)) {
		size_t size = kept + (size_t)(got > 0 ? got : 0);

		fwrite(bytes + kept, 1, size - kept, picture);
		bytes[size] = '\0';
		whole |= strstr(bytes, end) != NULL;
		kept = size < sizeof(end) - 2 ? size : sizeof(end) - 2;
		memmove(bytes, bytes + size - kept, kept);
	}
	return whole;
}

/* Runs the program from `script` to `picture`. */
static int run_program(const xt_drawing_t *d, FILE *script, FILE *picture, xt_diag_t *diag)
{
	const char *program = d->arguments[0];
	posix_spawn_file_actions_t actions;
	int error, state = 0, way[2], whole = 0;
	pid_t child;

	if (pipe2(way, O_CLOEXEC) != 0) {
		return xt_fail(diag, XT_ERR_IO, "%s cannot be run: %s", program, strerror(errno));
	}

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, way[1], STDOUT_FILENO);
	error = posix_spawnp(&child, program, &actions, NULL, (char **)d->arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(way[1]);
	if (error == 0) {
		whole = copy_picture(way[0], picture);
	}
	close(way[0]);
	if (error != 0) {
		return xt_fail(
			diag, XT_ERR_IO, "%s cannot be run: %s; install %s", program, strerror(error), d->remedy);
	}
	while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || !whole) {
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
