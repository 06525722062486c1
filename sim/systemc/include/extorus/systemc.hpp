// SPDX-License-Identifier: Apache-2.0
//
// Cards and whole networks as SystemC modules. C++17 and SystemC 2.3.4.
#pragma once

#include "extorus/systemc/card.hpp"
#include "extorus/systemc/link.hpp"
#include "extorus/systemc/network.hpp"
#include "extorus/systemc/nic.hpp"
#include "extorus/systemc/packet.hpp"
#include "extorus/systemc/registers.hpp"
#include "extorus/systemc/signals.hpp"
