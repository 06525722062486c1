/* SPDX-License-Identifier: Apache-2.0
 *
 * Confidence of means. */
#ifndef EXTORUS_CONFIDENCE_H
#define EXTORUS_CONFIDENCE_H

#include "extorus/export.h"

XT_BEGIN_C

/* The 97.5 % quantile of Student's t with `freedom` degrees of freedom; not a number for 0. The 95 % confidence
 * interval of a mean of n samples is the mean plus and minus xt_student_t(n - 1) * standard deviation / sqrt(n). */
XT_API double xt_student_t(unsigned freedom);

/* A mean, and half of its 95 % interval: not a number for fewer than two values, as the mean is for none. */
typedef struct {
	double mean, ci95;
} xt_mean_t;
XT_API xt_mean_t xt_mean_of(const double *values, unsigned count);

XT_END_C
#endif
