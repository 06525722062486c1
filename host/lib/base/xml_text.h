/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

/* Writes text with &, <, > and quotes as entities, for XML and for HTML-like labels. */
void xt_xml_text(const char *text, FILE *out);
