/* SPDX-License-Identifier: Apache-2.0
 *
 * The eyes of links at pins: how far the sampling phase may move until bits are wrong. */
#ifndef EXTORUS_EYE_H
#define EXTORUS_EYE_H

#include <stdint.h>

#include "extorus/device.h"
#include "extorus/export.h"

XT_BEGIN_C

/* What the bit error test counted at one step; no words: the lanes were not aligned. */
typedef struct {
	uint32_t words, wrong; /* idle words, and their wrong bits */
} xt_eye_point_t;

/* A link port that hears the board whose clock moves. */
typedef struct {
	unsigned device, card, port; /* the device's place among those of the scan */
	/* points[i] is of step i - xt_eye_t.steps / 2; one more than xt_eye_t.steps. */
	const xt_eye_point_t *points;
	/* The steps without a wrong bit in a row, with step 0 among them or as near to it as there are: the eye. */
	int first, last;
	int open;     /* there is an eye */
	int centred;  /* step 0 is in it */
	double width; /* of the eye, in ps: its steps times that of a step */
	double shift; /* of its middle from step 0, in ps: above 0, the lanes lag behind their clock */
} xt_eye_link_t;

typedef struct {
	unsigned steps; /* of a period of the clock; a bit takes half of them */
	double step;    /* in ps */
	uint32_t words; /* that were asked for */
	int set;        /* the step at the end of the scan: that before */
	unsigned count; /* of links */
	xt_eye_link_t *links;
} xt_eye_t;

/* Moves the phase of the clock that board devices[sender] sends along its links, through a whole period, and counts at
 * each step the wrong bits in `words` idle words of every link port with pins of all devices. Step 0 is the phase after
 * power-up, in the middle of a bit. A port whose words suffer at no step does not hear this board, and is not in *out.
 * The phase is put back at the end, also after a failure. Links go down meanwhile; the caller trains them.
 * *out is freed with xt_eye_free. XT_ERR_UNSUPPORTED: this board's phase is fixed, or no device has links at pins;
 * XT_ERR_TIMEOUT: the phase does not move. */
XT_API int xt_eye_scan(
	xt_device_t *const *devices, unsigned count, unsigned sender, uint32_t words, xt_eye_t **out, xt_diag_t *diag);
XT_API void xt_eye_free(xt_eye_t *eye); /* NULL is allowed */

XT_END_C
#endif
