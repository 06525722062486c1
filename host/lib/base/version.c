/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/version.h"

unsigned xt_version_number(void)
{
	return XT_VERSION_NUMBER;
}

const char *xt_version_string(void)
{
	return XT_VERSION_STRING;
}
