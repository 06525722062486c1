/* SPDX-License-Identifier: Apache-2.0
 *
 * All public headers of the library. */
#ifndef EXTORUS_EXTORUS_H
#define EXTORUS_EXTORUS_H

#include "extorus/atomic_file.h"
#include "extorus/board.h"
#include "extorus/check.h"
#include "extorus/confidence.h"
#include "extorus/device.h"
#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/fault.h"
#include "extorus/fault_diameter.h"
#include "extorus/floor_plan.h"
#include "extorus/hardware_table.h"
#include "extorus/image.h"
#include "extorus/latency.h"
#include "extorus/link_state.h"
#include "extorus/number_text.h"
#include "extorus/options_size.h"
#include "extorus/port_assignment.h"
#include "extorus/profile.h"
#include "extorus/profiles.h"
#include "extorus/protocol.h"
#include "extorus/random.h"
#include "extorus/registers.h"
#include "extorus/replay.h"
#include "extorus/routing.h"
#include "extorus/run.h"
#include "extorus/server.h"
#include "extorus/settings.h"
#include "extorus/thread_pool.h"
#include "extorus/topology.h"
#include "extorus/trace.h"
#include "extorus/traffic.h"
#include "extorus/traffic_matrix.h"
#include "extorus/update.h"
#include "extorus/version.h"
#include "extorus/workload.h"
#include "extorus/workload_file.h"

#endif
