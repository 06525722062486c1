/* SPDX-License-Identifier: Apache-2.0
 *
 * SIGINT, SIGTERM and SIGHUP while a command may have changed a device: the command puts back what it changed, and then
 * ends by the signal. */
#pragma once

/* From now on these signals are only noted; a reader that goes away (SIGPIPE) is found when output is written. */
void xt_interrupt_begin(void);
/* Whether one has come; of the type xt_interrupted_t. */
int xt_interrupted(void *context);
/* Ends the process by the signal that has come; returns if there is none. */
void xt_interrupt_end(void);
