/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/link_state.h"

const char *xt_link_state_name(unsigned state)
{
	static const char *const names[XT_LINK_STATES] = {
		[XT_LINK_TRAIN] = "train",
		[XT_LINK_UP] = "up",
		[XT_LINK_DOWN] = "down",
	};

	return state < XT_LINK_STATES ? names[state] : "unknown";
}

const char *xt_link_cause_name(unsigned cause)
{
	static const char *const names[XT_CAUSES] = {
		[XT_CAUSE_NONE] = "none",
		[XT_CAUSE_RETRIES] = "retries",
		[XT_CAUSE_REMOTE] = "remote",
		[XT_CAUSE_NO_SIGNAL] = "no-signal",
		[XT_CAUSE_DISABLED] = "disabled",
	};

	return cause < XT_CAUSES ? names[cause] : "unknown";
}
