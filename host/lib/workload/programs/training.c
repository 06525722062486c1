/* SPDX-License-Identifier: Apache-2.0
 *
 * Training of a large language model after Megatron-LM (Narayanan et al., Efficient large-scale language model training
 * on GPU clusters, SC 2021). Models and their parallelism are those of its table 1. Vectors have 2,048 tokens,
 * micro-batches one vector, numbers two bytes. A round is one step of the optimiser. It has a pipeline of
 * micro-batches, one forward and one backward in turn, then an allreduce of the gradients among the data-parallel
 * ranks. A layer has two allreduces forward and two backward among its tensor-parallel ranks. With experts (Lepikhin et
 * al., GShard, 2020) every second layer has two alltoalls forward and two backward among the ranks of a group, which
 * are data-parallel otherwise. Left out are the embeddings, and the gradients of experts are as those of a dense layer.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "generator_parts.h"

enum { TOKENS = 2048, NUMBER = 2 };

static const struct {
	uint64_t hidden;
	uint32_t layers, tensor, pipeline;
} models[] = {{2304, 24, 1, 1}, {3072, 30, 2, 1}, {4096, 36, 4, 1}, {6144, 40, 8, 1}, {8192, 48, 8, 2},
	{10240, 60, 8, 4}, {12288, 80, 8, 8}, {16384, 96, 8, 16}, {20480, 105, 8, 35}, {25600, 128, 8, 64}};

typedef struct {
	xt_generator_t *g;
	uint64_t activation, gradient; /* bytes: between layers, of all layers of a stage */
	uint32_t layers;               /* of a stage */
	uint32_t tensor, data, stages, expert, micro_batches;
	uint32_t *members;
} training_t;

/* Tensor-parallel ranks follow each other, then data-parallel ones, then the stages. */
static uint32_t rank_of(const training_t *t, uint32_t stage, uint32_t data, uint32_t tensor)
{
	return (stage * t->data + data) * t->tensor + tensor;
}

/* Of `count` ranks from `first` on, `step` apart. */
static int collective(
	const training_t *t, uint32_t first, uint32_t count, uint32_t step, xt_collective_kind_t kind, uint64_t bytes)
{
	const uint64_t most = UINT64_C(1) << 32;
	int status = XT_OK;

	for (uint32_t i = 0; i < count; i++) {
		t->members[i] = first + i * step;
	}
	for (; bytes && count > 1 && status == XT_OK; bytes -= bytes < most ? bytes : most) {
		status = xt_generator_collective(
			t->g, (xt_group_t){t->members, count}, kind, bytes < most ? bytes : most, NUMBER);
	}
	return status;
}

/* Dispatch to the experts and back, by all groups of a stage. */
static int use_experts(const training_t *t, uint32_t stage)
{
	int status = XT_OK;

	for (uint32_t tensor = 0; tensor < t->tensor; tensor++) {
		for (uint32_t data = 0; data < t->data && status == XT_OK; data += t->expert) {
			for (unsigned i = 0; i < 2 && status == XT_OK; i++) {
				status = collective(t, rank_of(t, stage, data, tensor), t->expert, t->tensor,
					XT_COLLECTIVE_ALLTOALL, t->activation / t->expert / NUMBER * NUMBER);
			}
		}
	}
	return status;
}

/* One micro-batch through a stage, forward or backward, which have as many messages. */
static int pass(const training_t *t, uint32_t stage)
{
	int status = XT_OK;

	for (uint32_t layer = 0; layer < t->layers && status == XT_OK; layer++) {
		for (uint32_t r = rank_of(t, stage, 0, 0); r < rank_of(t, stage + 1, 0, 0); r++) {
			xt_generator_compute(t->g, r, UINT64_C(2) * t->layers * t->micro_batches);
		}
		for (uint32_t data = 0; data < t->data && status == XT_OK; data++) {
			for (unsigned i = 0; i < 2 && status == XT_OK; i++) {
				status = collective(t, rank_of(t, stage, data, 0), t->tensor, 1,
					XT_COLLECTIVE_ALLREDUCE, t->activation);
			}
		}
		status = status == XT_OK && t->expert > 1 && layer % 2 ? use_experts(t, stage) : status;
	}
	return status;
}

/* From or to the rank of the same place in another stage, if there is one. */
static void receive(const training_t *t, uint32_t stage, int from)
{
	for (uint32_t i = 0; from >= 0 && from < (int)t->stages && i < t->data * t->tensor; i++) {
		xt_program_t *p = &t->g->programs[stage * t->data * t->tensor + i];

		xt_program_wait_one(p, xt_program_recv(p, (uint32_t)from * t->data * t->tensor + i, t->activation));
	}
}

static void send(const training_t *t, uint32_t stage, int to)
{
	for (uint32_t i = 0; to >= 0 && to < (int)t->stages && i < t->data * t->tensor; i++) {
		xt_program_t *p = &t->g->programs[stage * t->data * t->tensor + i];

		xt_program_wait_one(p, xt_program_send(p, (uint32_t)to * t->data * t->tensor + i, t->activation));
	}
}

/* `back`: from the last stage to the first one. */
static int step(const training_t *t, uint32_t stage, int back)
{
	int status;

	receive(t, stage, (int)stage + (back ? 1 : -1));
	status = pass(t, stage);
	send(t, stage, (int)stage + (back ? -1 : 1));
	return status;
}

/* As many forward steps as there are stages behind, then one forward and one backward in turn, then backward ones. */
static int run_stage(const training_t *t, uint32_t stage)
{
	uint32_t ahead = t->stages - 1 - stage < t->micro_batches ? t->stages - 1 - stage : t->micro_batches;
	int status = XT_OK;

	for (uint32_t i = 0; i < ahead && status == XT_OK; i++) {
		status = step(t, stage, 0);
	}
	for (uint32_t i = 0; i < t->micro_batches && status == XT_OK; i++) {
		status = i + ahead < t->micro_batches ? step(t, stage, 0) : XT_OK;
		status = status == XT_OK ? step(t, stage, 1) : status;
	}
	for (uint32_t tensor = 0; tensor < t->tensor && status == XT_OK; tensor++) {
		status = collective(
			t, rank_of(t, stage, 0, tensor), t->data, t->tensor, XT_COLLECTIVE_ALLREDUCE, t->gradient);
	}
	return status;
}

static int check(const training_t *t, uint32_t layers)
{
	uint32_t ranks = t->g->ranks;

	if (ranks % (t->tensor * t->stages)) {
		return xt_fail(t->g->diag, XT_ERR_INVALID,
			"%s: %" PRIu32 " ranks are no multiple of %" PRIu32 " tensor-parallel ones in %" PRIu32
			" stages; choose --tensor and --pipeline",
			t->g->name, ranks, t->tensor, t->stages);
	}
	if (layers % t->stages) {
		return xt_fail(t->g->diag, XT_ERR_INVALID,
			"%s: %" PRIu32 " layers are no multiple of %" PRIu32 " stages; choose another --pipeline",
			t->g->name, layers, t->stages);
	}
	if (t->data % t->expert) {
		return xt_fail(t->g->diag, XT_ERR_INVALID,
			"%s: %" PRIu32 " data-parallel ranks are no groups of %" PRIu32 "; choose another --expert",
			t->g->name, t->data, t->expert);
	}
	return XT_OK;
}

int xt_generate_training(xt_generator_t *g)
{
	static const char *const names[] = {
		"1.7B", "3.6B", "7.5B", "18.4B", "39.1B", "76.1B", "145.6B", "310.1B", "529.6B", "1008B", NULL};
	const xt_application_t *o = g->options;
	training_t t = {.g = g, .expert = o->expert ? o->expert : 1};
	unsigned index;
	uint64_t hidden;
	int status = xt_generator_problem(g, names, &index);

	if (status != XT_OK) {
		return status;
	}
	hidden = models[index].hidden;
	t.tensor = o->tensor ? o->tensor : models[index].tensor;
	t.stages = o->pipeline ? o->pipeline : models[index].pipeline;
	t.micro_batches = o->micro_batches ? o->micro_batches : t.stages;
	t.data = g->ranks / t.tensor / t.stages;
	if ((status = check(&t, models[index].layers)) != XT_OK) {
		return status;
	}
	t.layers = models[index].layers / t.stages;
	t.activation = NUMBER * TOKENS * hidden;
	t.gradient = t.layers * (12 * hidden + 13) * hidden / t.tensor / NUMBER * NUMBER * NUMBER;
	t.members = malloc(g->ranks * sizeof(*t.members));
	if (!t.members) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < xt_generator_rounds(g, 1) && status == XT_OK; i++) {
		for (uint32_t stage = 0; stage < t.stages && status == XT_OK; stage++) {
			status = run_stage(&t, stage);
		}
	}
	free(t.members);
	return status;
}
