/* SPDX-License-Identifier: Apache-2.0
 *
 * What the plug-in extorus-mpi.so implements; it exports `const xt_ranks_plugin_t *xt_ranks_entry(void)`. One thread at
 * a time calls it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { XT_RANKS_ABI = 2 };

typedef struct {
	uint32_t abi;  /* XT_RANKS_ABI */
	uint32_t size; /* of this structure */
	/* 0: it cannot be had. */
	int (*start)(unsigned *own, unsigned *count);
	void (*finish)(void);
	void (*abort)(int exit_status);
	/* NULL: it failed. */
	void *(*post)(unsigned to, unsigned tag, const void *bytes, size_t size);
	/* Likewise, to receive what `look` has found. */
	void *(*take)(unsigned from, unsigned tag, void *bytes, size_t size);
	/* Whether it is sent or received; then `request` is over. */
	int (*is_done)(void *request);
	/* *from UINT32_MAX: any. */
	int (*look)(unsigned *from, unsigned tag, size_t *size);
} xt_ranks_plugin_t;

const xt_ranks_plugin_t *xt_ranks_entry(void);
