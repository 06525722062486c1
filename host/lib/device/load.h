/* SPDX-License-Identifier: Apache-2.0
 *
 * What loading into a simulator and loading into a board share. */
#pragma once

#include "device_internal.h"
#include "extorus/board.h"
#include "extorus/registers.h"

enum { XT_ENTRY_WORDS = 2 };

/* An image and a device under way. */
typedef struct xt_load_job {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_profile_t *profile;
	unsigned grt_entries, lrt_entries, ports;
	xt_progress_t progress;
	void *context;
	uint64_t done, total;
	xt_diag_t *diag;
} xt_load_job_t;

xt_load_job_t xt_load_job(
	xt_device_t *device, const xt_image_t *image, xt_progress_t progress, void *context, xt_diag_t *diag);

/* Entry `index` of GRT and LRT in one row: its register, and what the image has there. */
uint32_t xt_load_entry_address(const xt_load_job_t *job, unsigned index);
uint64_t xt_load_image_entry(const xt_load_job_t *job, unsigned card, unsigned index);

enum { XT_LOAD_SETTINGS = 3 + XT_MAX_TCS + 2 * XT_MAX_LINK_PORTS };

/* A register that an image gives a value. */
typedef struct {
	xt_register_id_t id;
	unsigned index; /* TC or port */
	uint32_t value;
} xt_load_setting_t;

uint32_t xt_load_setting_address(xt_load_setting_t setting);
/* Identity, order, masks and what else the image has for registers of a card; returns how many. */
unsigned xt_load_settings_of(const xt_load_job_t *job, unsigned card, xt_load_setting_t settings[XT_LOAD_SETTINGS]);

/* Whether the image belongs to the device. */
int xt_load_check_fits(xt_load_job_t *job);
