/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters in the text format that Prometheus reads. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "extorus/profile.h"

/* `counters` is what xt_counters_json returns of `cards` cards. Write errors stay in the stream. */
void xt_metrics_write(const xt_profile_t *profile, unsigned cards, const json_t *counters, FILE *out);
