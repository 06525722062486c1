// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ECPIX-5 with one card of profile extoll64.
#include "board_mesh/tops/ecpix5.hpp"
