/* SPDX-License-Identifier: Apache-2.0
 *
 * The structs of a run are kept whole, so that no number in them can be forgotten. What they point to is kept behind
 * them, and the pointers of the run that goes on stay its own. */
#include "run_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "extorus/profiles.h"

#define NO_LOG UINT64_MAX

/* ---------------------------------------------------------------- which run it is */

static unsigned long sum_text(unsigned long sum, const char *text)
{
	return text ? crc32(sum, (const unsigned char *)text, (unsigned)strlen(text) + 1) : sum + 1;
}

static unsigned long sum_words(unsigned long sum, const uint64_t *words, size_t count)
{
	return crc32(sum, (const unsigned char *)words, (unsigned)(count * sizeof(*words)));
}

/* All that the result depends on, but for what the back end compares: settings and faults. */
static uint32_t key_of(const xt_run_t *run)
{
	const xt_traffic_t *t = run->traffic;
	const xt_run_options_t *o = run->options;
	const xt_profile_t *profile = xt_device_profile(run->device);
	const uint64_t numbers[] = {xt_profile_hash(profile), xt_device_cards(run->device),
		xt_device_link_latency(run->device), t->tc_mask, t->length.min, t->length.max, t->warmup,
		(uint64_t)t->detect_warmup, t->measure, t->drain, t->seed, t->mix_count, run->watchdog, o->nic_stall,
		o->nic_period, o->error_seed, (uint64_t)o->no_check, xt_source_sum(run->source)};
	const double rates[] = {t->load, t->zipf_exponent, t->length.min_share, o->error_rate};
	unsigned long sum = sum_words(0, numbers, sizeof(numbers) / sizeof(numbers[0]));

	sum = crc32(sum, (const unsigned char *)rates, sizeof(rates));
	sum = sum_text(sum, t->pattern);
	for (unsigned i = 0; i < t->mix_count; i++) {
		const uint64_t shape[] = {t->mix[i].tc, t->mix[i].length.min, t->mix[i].length.max};

		sum = sum_words(sum_text(sum, t->mix[i].pattern), shape, sizeof(shape) / sizeof(shape[0]));
		sum = crc32(sum, (const unsigned char *)&t->mix[i].share, sizeof(t->mix[i].share));
	}
	sum = crc32(sum, (const unsigned char *)xt_device_peers(run->device),
		xt_device_cards(run->device) * profile->link_ports * (unsigned)sizeof(xt_peer_t));
	for (unsigned c = 0; c < xt_device_cards(run->device); c++) {
		sum = sum_words(sum, xt_image_grt(run->image, c), (size_t)1 << profile->grt_bits);
		sum = sum_words(sum, xt_image_lrt(run->image, c), (size_t)1 << profile->lrt_bits);
	}
	return (uint32_t)sum;
}

/* ---------------------------------------------------------------- the state */

static int save(xt_run_t *run, xt_bytes_t *out)
{
	const unsigned pes = xt_image_pes(run->image);
	FILE *log = run->options->packet_log;
	const uint64_t logged = log ? (uint64_t)ftello(log) : NO_LOG;

	xt_scoreboard_settle(run->scoreboard);
	return xt_bytes_add(out, run, sizeof(*run)) && xt_bytes_add(out, run->result, sizeof(*run->result)) &&
	       xt_bytes_add(out, &logged, sizeof(logged)) && xt_scoreboard_save(run->scoreboard, out) &&
	       xt_violations_save(&run->violations, out) && xt_warmup_save(&run->warmup, out) &&
	       xt_sample_save(&run->network_packet, out) && xt_sample_save(&run->network_cell, out) &&
	       xt_sample_save(&run->end_to_end_packet, out) && xt_sample_save(&run->end_to_end_cell, out) &&
	       xt_bytes_add(out, run->source_cells, pes * sizeof(*run->source_cells)) &&
	       xt_bytes_add(out, run->window_start_cells, run->card_ports * sizeof(*run->window_start_cells)) &&
	       xt_bytes_add(out, run->result->port_load, run->card_ports * sizeof(*run->result->port_load));
}

/* A checkpoint never names bytes of the log that may be lost. */
static int log_is_kept(FILE *log)
{
	return !log ||
	       (!ferror(log) && fflush(log) == 0 && (fsync(fileno(log)) == 0 || errno == EINVAL || errno == ENOTSUP));
}

/* What points elsewhere stays. */
static void take_run(xt_run_t *run, const xt_run_t *saved)
{
	const xt_run_t own = *run;

	*run = *saved;
	run->device = own.device;
	run->image = own.image;
	run->traffic = own.traffic;
	run->options = own.options;
	run->source = own.source;
	run->scoreboard = own.scoreboard;
	run->result = own.result;
	run->source_cells = own.source_cells;
	run->window_start_cells = own.window_start_cells;
	run->addresses = own.addresses;
	run->rank_cards = own.rank_cards;
	run->checkpoint = own.checkpoint;
	run->writer = own.writer;
	/* Those of the process before; the loaders make new ones. */
	run->violations.reports = NULL;
	run->warmup.cells = run->warmup.latency = NULL;
	run->network_packet.bins = run->network_cell.bins = NULL;
	run->end_to_end_packet.bins = run->end_to_end_cell.bins = NULL;
}

static void take_result(xt_result_t *result, const xt_result_t *saved)
{
	const xt_result_t own = *result;

	*result = *saved;
	result->engine = own.engine;
	result->reports = own.reports;
	result->links_down = own.links_down;
	result->port_load = own.port_load;
	result->rank_count = own.rank_count;
	result->ranks = own.ranks;
}

static int take_log(FILE *log, uint64_t logged, xt_diag_t *diag)
{
	if ((log == NULL) != (logged == NO_LOG)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"the run in the checkpoint had %s packet log; run it so again, or remove the checkpoint",
			log ? "no" : "a");
	}
	if (log && (fseeko(log, 0, SEEK_END) != 0 || (uint64_t)ftello(log) < logged ||
			   ftruncate(fileno(log), (off_t)logged) != 0 || fseeko(log, (off_t)logged, SEEK_SET) != 0)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"the packet log does not have the %" PRIu64
			" bytes any more that it had at the checkpoint; remove the checkpoint to begin from the start",
			logged);
	}
	return XT_OK;
}

static int load(xt_run_t *run, xt_bytes_reader_t *in, xt_diag_t *diag)
{
	const unsigned pes = xt_image_pes(run->image);
	xt_result_t result;
	xt_run_t saved;
	uint64_t logged;

	if (!xt_bytes_take(in, &saved, sizeof(saved)) || !xt_bytes_take(in, &result, sizeof(result)) ||
		!xt_bytes_take(in, &logged, sizeof(logged))) {
		return xt_checkpoint_refuse(run->options->checkpoint, diag);
	}
	take_run(run, &saved);
	take_result(run->result, &result);
	if (!xt_scoreboard_load(run->scoreboard, in) || !xt_violations_load(&run->violations, in) ||
		!xt_warmup_load(&run->warmup, in) || !xt_sample_load(&run->network_packet, in) ||
		!xt_sample_load(&run->network_cell, in) || !xt_sample_load(&run->end_to_end_packet, in) ||
		!xt_sample_load(&run->end_to_end_cell, in) ||
		!xt_bytes_take(in, run->source_cells, pes * sizeof(*run->source_cells)) ||
		!xt_bytes_take(in, run->window_start_cells, run->card_ports * sizeof(*run->window_start_cells)) ||
		!xt_bytes_take(in, run->result->port_load, run->card_ports * sizeof(*run->result->port_load))) {
		return xt_checkpoint_refuse(run->options->checkpoint, diag);
	}
	return take_log(run->options->packet_log, logged, diag);
}

/* What each process has kept of its PEs; the engine's state is behind that. */
static int load_parts(xt_run_t *run, xt_diag_t *diag)
{
	errno = 0;
	for (unsigned i = 0; i < run->checkpoint.head.parts; i++) {
		const xt_bytes_t *part = &run->checkpoint.parts[i];
		xt_bytes_reader_t in = {part->items, (const char *)part->items + part->count};

		if (!xt_source_load(run->source, &in)) {
			return xt_checkpoint_refuse(run->options->checkpoint, diag);
		}
		run->checkpoint.parts[i] = (xt_bytes_t){(void *)(uintptr_t)in.at, (size_t)(in.end - in.at), 0};
	}
	return XT_OK;
}

int xt_run_resume(xt_run_t *run, xt_diag_t *diag)
{
	const char *path = run->options->checkpoint;
	const uint32_t *cards = run->rank_cards, nics = xt_device_profile(run->device)->nic_ports;
	const unsigned own = xt_ranks_own(run->options->ranks);
	xt_checkpoint_t *checkpoint = &run->checkpoint;
	int status = XT_OK;

	if (!path) {
		return XT_OK;
	}
	status = xt_checkpoint_read(path, own == 0, cards ? cards[own] * nics : 0,
		cards ? cards[own + 1] * nics : UINT32_MAX, checkpoint, diag);
	if (status == XT_OK && !checkpoint->memory) {
		FILE *log = run->options->packet_log;

		checkpoint->head.key = key_of(run);
		return take_log(log, log ? 0 : NO_LOG, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	if (checkpoint->head.size != sizeof(*run) + sizeof(*run->result)) {
		status = xt_fail(diag, XT_ERR_MISMATCH, "%.300s is of another version of this program", path);
	} else if (checkpoint->head.key != key_of(run)) {
		status = xt_fail(diag, XT_ERR_MISMATCH,
			"%.300s is the checkpoint of another network, traffic or option; remove the file to begin from "
			"the start",
			path);
	} else if (own > 0) {
		/* The other ranks have no client's side. */
		run->phase = checkpoint->head.phase;
	} else {
		xt_bytes_reader_t in = {
			checkpoint->client.items, (const char *)checkpoint->client.items + checkpoint->client.count};

		errno = 0;
		status = load(run, &in, diag);
	}
	return status == XT_OK ? load_parts(run, diag) : status;
}

/* ---------------------------------------------------------------- what the back end calls */

static int on_due(void *context, uint64_t cycle)
{
	const xt_run_options_t *options = ((const xt_run_t *)context)->options;

	return options->checkpoint && cycle && cycle % options->checkpoint_every == 0;
}

static int on_save(void *context, unsigned first_pe, unsigned end_pe, xt_bytes_t *out)
{
	const xt_run_t *run = context;

	return xt_source_save(run->source, first_pe, end_pe, out);
}

static int on_keep(
	void *context, unsigned part, unsigned parts, const xt_bytes_t *bytes, size_t shared, xt_diag_t *diag)
{
	xt_run_t *run = context;
	const uint32_t *cards = run->rank_cards, nics = xt_device_profile(run->device)->nic_ports;
	int status = XT_OK;

	if (part == 0) {
		const xt_checkpoint_head_t head = {
			run->cycle, run->checkpoint.head.key, sizeof(*run) + sizeof(*run->result), parts, run->phase};
		xt_bytes_t client = {0};

		if (!log_is_kept(run->options->packet_log)) {
			return xt_fail(diag, XT_ERR_IO,
				"the packet log cannot be written; %.300s stays as it was: free some space",
				run->options->checkpoint);
		}
		status = save(run, &client)
				 ? xt_checkpoint_begin(&run->writer, run->options->checkpoint, &head, &client, diag)
				 : xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
		free(client.items);
	}
	if (status == XT_OK) {
		const xt_checkpoint_share_t share = {shared, cards ? cards[part] * nics : 0,
			cards ? cards[part + 1] * nics : xt_image_pes(run->image)};

		status = xt_checkpoint_add(&run->writer, bytes, &share, diag);
	}
	return status == XT_OK && part + 1 == parts ? xt_checkpoint_end(&run->writer, diag) : status;
}

void xt_run_add_checkpoints(xt_run_t *run, xt_client_t *client)
{
	client->due = on_due;
	client->save = on_save;
	client->keep = on_keep;
	if (run->checkpoint.memory) {
		client->resume = run->checkpoint.parts;
		client->resume_parts = run->checkpoint.head.parts;
		client->resume_cycle = run->checkpoint.head.cycle;
		client->resume_sum = run->checkpoint.sum;
	}
}
