/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

void xt_doctor_find(xt_doctor_t *d, const char *about, const char *problem, const char *remedy)
{
	json_array_append_new(
		d->findings, json_pack("{s:s, s:s, s:s?}", "about", about, "problem", problem, "remedy", remedy));
}
