/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/check.h"
#include "extorus/settings.h"
#include "interrupt.h"
#include "progress.h"

void xt_need_device(struct argp_state *state, const void *target)
{
	const xt_target_t *t = target;

	if (!t->uri && !t->list) {
		argp_error(state, "say which device, for example --device sim:twin:2x2x2x2x2");
	}
	if (t->uri && t->list) {
		argp_error(state, "use --device or --devices, not both");
	}
	if (t->list && (t->image_path || t->one_card)) {
		argp_error(state, "--%s is for one board, by --device", t->one_card ? "card" : "image");
	}
}

void xt_target_print_name(const xt_target_t *target, const char *end)
{
	if (target->list) {
		printf("%s%s", target->uri, end);
	}
}

int xt_target_print_json(const xt_target_t *target, json_t *object, const char *key)
{
	if (target->told) {
		json_object_set_new(object, "device", json_string(target->uri));
		return json_array_append_new(target->told, object) == 0 ? XT_EXIT_OK
									: xt_report(target->where, XT_ERR_NOMEM, NULL);
	}
	if (key) {
		json_t *part = json_incref(json_object_get(object, key));

		json_decref(object);
		object = part;
	}
	return xt_print_json(target->where, object);
}

int xt_target_report(const xt_target_t *target, int status, const xt_diag_t *diag)
{
	if (target->told) {
		json_array_append_new(
			target->told, json_pack("{s:s, s:s}", "device", target->uri, "error", diag ? diag->text : ""));
	}
	return xt_report(target->where, status, diag);
}

void xt_take_select(struct argp_state *state, const xt_option_t *option, char *arg, void *select)
{
	xt_diag_t diag;

	if (xt_select_parse(arg, select, &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

static void print_cycles(const xt_image_t *image)
{
	xt_check_t *check;

	if (xt_check_image(image, &check, NULL) == XT_OK) {
		xt_check_print_cycles(image, check, stderr);
		xt_check_free(check);
	}
}

int xt_load_counted(
	xt_device_t *device, const xt_image_t *image, unsigned flags, xt_load_counts_t *counts, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	int status;

	xt_progress_begin(&bar, "loading");
	status = xt_device_load_counted(device, image, flags, xt_progress_step, &bar, counts, diag);
	xt_progress_end(&bar);
	if (status == XT_ERR_UNSAFE) {
		print_cycles(image);
	}
	return status;
}

int xt_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_diag_t *diag)
{
	xt_load_counts_t counts;

	return xt_load_counted(device, image, flags, &counts, diag);
}

int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag)
{
	int status = xt_image_read(path, image, diag);

	return status == XT_OK ? xt_load(device, *image, flags, diag) : status;
}

static void log_line(void *context, xt_log_level_t level, const char *text)
{
	static const char *const names[] = {"error", "warning", "info"};

	(void)context;
	fprintf(stderr, "extorus: %s: %s\n", names[level], text);
}

int xt_open_device(const char *uri, xt_device_t **device, xt_diag_t *diag)
{
	const char *wanted = getenv("EXTORUS_LOG");
	const xt_open_options_t options = {
		.size = sizeof(options), .log = wanted && *wanted ? log_line : NULL, .interrupted = xt_interrupted};
	int status = xt_device_open_with(uri, &options, device, diag);

	/* A simulated network ends with the process. */
	if (status == XT_OK && xt_device_board(*device, NULL)) {
		xt_interrupt_begin();
	}
	return status;
}

int xt_check_released(const char *command, xt_device_t *device, int result)
{
	xt_diag_t diag = {""};

	if (!device || !xt_device_board(device, NULL) || result == XT_EXIT_NO_DEVICE) {
		return result;
	}
	xt_device_shield(device, 1);
	return xt_device_check_released(device, &diag) == XT_ERR_MISMATCH ? xt_report(command, XT_ERR_MISMATCH, &diag)
									  : result;
}

static int open_target(xt_target_t *target, xt_diag_t *diag)
{
	int status = target->wanted_path ? xt_image_read(target->wanted_path, &target->wanted, diag) : XT_OK;

	if (status == XT_OK) {
		status = xt_open_device(target->uri, &target->device, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	target->end = xt_device_cards(target->device);
	if (target->one_card) {
		if (target->card >= target->end) {
			return xt_fail(diag, XT_ERR_RANGE, "there is no card %" PRIu64 ", only 0 to %u", target->card,
				target->end - 1);
		}
		target->first = (unsigned)target->card;
		target->end = target->first + 1;
	}
	return target->image_path
		       ? xt_load_file(target->device, target->image_path, target->flags, &target->image, diag)
		       : XT_OK;
}

int xt_target_do(const char *command, void *options, int (*work)(void *options))
{
	xt_target_t *target = options;
	xt_diag_t diag = {""};
	int status = open_target(target, &diag);
	int result;

	target->where = command;
	result = status == XT_OK ? work(options) : xt_report(command, status, &diag);
	result = xt_check_released(command, target->device, result);
	xt_device_close(target->device);
	xt_image_free(target->image);
	xt_image_free(target->wanted);
	return result;
}

int xt_target_run(const char *command, const xt_syntax_t *syntax, int argc, char **argv, void *options,
	int (*work)(void *options))
{
	xt_parse_options(syntax, argc, argv, options);
	return xt_target_do(command, options, work);
}

void xt_take_switch(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch)
{
	xt_device_switch_t *s = device_switch;

	if (strcmp(arg, "extorus") != 0 && strcmp(arg, "input-queued") != 0) {
		argp_error(state, "--%s: \"%s\" is not known; use extorus or input-queued", option->name, arg);
	}
	s->kind = strcmp(arg, "extorus") == 0 ? NULL : arg;
	s->named = 1;
}

void xt_take_port_buffer(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch)
{
	xt_device_switch_t *s = device_switch;

	s->port_buffer = xt_parse_number(state, option->name, arg, option->min, option->max);
}

void xt_take_injection_queues(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch)
{
	xt_device_switch_t *s = device_switch;

	s->injection_queues = xt_parse_number(state, option->name, arg, option->min, option->max);
}

void xt_take_crossbar(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch)
{
	xt_device_switch_t *s = device_switch;

	if (strcmp(arg, "port") != 0 && strcmp(arg, "vc") != 0) {
		argp_error(state, "--%s: \"%s\" is not known; use port or vc", option->name, arg);
	}
	s->crossbar_per_vc = strcmp(arg, "vc") == 0;
}

void xt_check_switch(struct argp_state *state, const xt_device_switch_t *device_switch, const char *engine)
{
	if (device_switch->kind && strcmp(engine, "model") != 0) {
		argp_error(state, "--switch: the %s switch has no RTL; use --engine model", device_switch->kind);
	}
	if (!device_switch->kind && (device_switch->port_buffer || device_switch->injection_queues ||
					    device_switch->crossbar_per_vc || device_switch->transit_first)) {
		argp_error(state, "--%s goes with --switch input-queued",
			device_switch->port_buffer        ? "port-buffer"
			: device_switch->injection_queues ? "injection-queues"
			: device_switch->crossbar_per_vc  ? "crossbar"
							  : "transit-first");
	}
}

xt_switch_text_t xt_switch_text(const xt_device_switch_t *device_switch)
{
	xt_switch_text_t text = {""};

	if (device_switch->kind) {
		snprintf(text.text, sizeof(text.text),
			";switch=%s;port-buffer=%" PRIu64 ";injection-queues=%" PRIu64 "%s%s", device_switch->kind,
			xt_switch_buffer(device_switch),
			device_switch->injection_queues ? device_switch->injection_queues : 1,
			device_switch->crossbar_per_vc ? ";crossbar=vc" : "",
			device_switch->transit_first ? ";transit=first" : "");
	}
	return text;
}

void xt_switch_json(const xt_device_switch_t *device_switch, json_t *object)
{
	json_t *told;

	if (!device_switch->kind) {
		return;
	}
	told = json_pack("{s:s, s:I, s:b}", "kind", device_switch->kind, "port_buffer",
		(json_int_t)xt_switch_buffer(device_switch), "rtl", 0);
	if (device_switch->injection_queues > 1) {
		json_object_set_new(
			told, "injection_queues", json_integer((json_int_t)device_switch->injection_queues));
	}
	if (device_switch->crossbar_per_vc) {
		json_object_set_new(told, "crossbar", json_string("vc"));
	}
	if (device_switch->transit_first) {
		json_object_set_new(told, "transit_first", json_true());
	}
	json_object_set_new(object, "switch", told);
}
