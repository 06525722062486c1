/* SPDX-License-Identifier: Apache-2.0 */
#include "target_list.h"

#include "interrupt.h"

/* An exit status. */
static int do_board(
	const char *command, xt_boards_t *boards, unsigned b, int *next, xt_target_t *target, int (*work)(void *))
{
	xt_diag_t diag = {""};
	char where[160];
	int status = xt_boards_open_one(boards, b, next, &diag);

	snprintf(where, sizeof(where), "%s: %.120s", command, boards->uris[b]);
	target->where = where;
	target->uri = boards->uris[b];
	target->device = boards->devices[b];
	if (status != XT_OK) {
		return xt_target_report(target, status, &diag);
	}
	target->end = xt_device_cards(target->device);
	return work(target);
}

/* The boards of the list have all cards of the image, if there is one. */
static int check_all(const char *command, const xt_boards_t *boards, const xt_target_t *target, int next)
{
	xt_diag_t diag = {""};

	return target->wanted && next >= 0 && xt_boards_fit(boards, target->wanted, &diag) != XT_OK
		       ? xt_report(command, XT_ERR_MISMATCH, &diag)
		       : XT_EXIT_OK;
}

static int do_list(const char *command, xt_target_t *target, int (*work)(void *))
{
	xt_boards_t boards = {.list = target->list};
	xt_diag_t diag = {""};
	int status = target->wanted_path ? xt_image_read(target->wanted_path, &target->wanted, &diag) : XT_OK;
	int result, next = 0;

	target->told = target->json ? json_array() : NULL;
	if (status == XT_OK) {
		status = xt_boards_read(&boards, &diag);
	}
	result = status == XT_OK ? XT_EXIT_OK : xt_report(command, status, &diag);
	for (unsigned b = 0; status == XT_OK && b < boards.count && !xt_interrupted(NULL); b++) {
		const int one = do_board(command, &boards, b, &next, target, work);

		result = result == XT_EXIT_OK ? one : result;
	}
	if (result == XT_EXIT_OK) {
		result = check_all(command, &boards, target, next);
	}
	if (target->told && status == XT_OK) {
		const int printed = xt_print_json(
			command, json_pack("{s:b, s:O}", "ok", result == XT_EXIT_OK, "boards", target->told));

		result = result == XT_EXIT_OK ? printed : result;
	}
	json_decref(target->told);
	xt_image_free(target->wanted);
	return xt_boards_close(&boards, command, result);
}

int xt_target_list_run(const char *command, const xt_syntax_t *syntax, int argc, char **argv, void *options,
	int (*work)(void *options))
{
	xt_target_t *target = options;

	xt_parse_options(syntax, argc, argv, options);
	return target->list ? do_list(command, target, work) : xt_target_do(command, options, work);
}
