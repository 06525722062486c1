/* SPDX-License-Identifier: Apache-2.0
 *
 * DOT files and their drawings by Graphviz. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extorus/atomic_file.h"
#include "options.h"

extern char **environ;

static int run_graphviz(const char *program, const char *option, FILE *dot, FILE *svg, xt_diag_t *diag)
{
	char *arguments[] = {(char *)program, "-Tsvg", (char *)option, NULL};
	posix_spawn_file_actions_t actions;
	int error, state = 0;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(dot), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDOUT_FILENO);
	error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		return xt_fail(diag, XT_ERR_IO,
			"%s cannot be run: %s; install Graphviz (apt install graphviz) or write a .dot file instead",
			program, strerror(error));
	}
	while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
		return xt_fail(diag, XT_ERR_IO, "%s failed to draw the graph; write a .dot file instead", program);
	}
	return XT_OK;
}

static int draw(
	const char *program, const char *option, xt_write_dot_t write, void *context, FILE *svg, xt_diag_t *diag)
{
	FILE *dot = tmpfile();
	int status;

	if (!dot) {
		return xt_fail(diag, XT_ERR_IO, "no temporary file can be made: %s", strerror(errno));
	}
	status = write(context, dot, diag);
	if (status == XT_OK && (fflush(dot) != 0 || ferror(dot) || fseek(dot, 0, SEEK_SET) != 0)) {
		status = xt_fail(diag, XT_ERR_IO, "writing a temporary file failed: %s", strerror(errno));
	}
	if (status == XT_OK) {
		status = run_graphviz(program, option, dot, svg, diag);
	}
	fclose(dot);
	return status;
}

static int is_svg(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

int xt_write_graph(const char *path, int svg, const char *program, const char *option, xt_write_dot_t write,
	void *context, xt_diag_t *diag)
{
	xt_output_t *output;
	FILE *stream;
	int status = xt_output_open(path, &output, diag);

	if (status != XT_OK) {
		return status;
	}
	stream = xt_output_stream(output);
	status = svg || is_svg(path) ? draw(program, option, write, context, stream, diag)
				     : write(context, stream, diag);
	if (status != XT_OK) {
		xt_output_abort(output);
		return status;
	}
	return xt_output_commit(output, diag);
}
