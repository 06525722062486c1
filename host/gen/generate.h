/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the hardware and its users need from a profile's table and the register map. */
#pragma once

#include <stdio.h>

#include "extorus/profiles.h"

/* Checks the profile (xt_profile_check), makes `folder` if it is not there, and writes
 * xt_pkg.sv, xt_registers.h, registers.md, registers.rdl, registers.xml, xt_bridge_pkg.sv, xt_bridge.h and bridge.md
 * into it; of a profile without RTL, xt_registers.h only. */
int xt_generate(const xt_profile_t *profile, const char *folder, xt_diag_t *diag);

/* The files; `profile` has passed xt_profile_check. Errors stay in the stream. */
void xt_generate_sv_package(const xt_profile_t *profile, FILE *out);
void xt_generate_c_header(const xt_profile_t *profile, FILE *out);
void xt_generate_markdown(const xt_profile_t *profile, FILE *out);
void xt_generate_system_rdl(const xt_profile_t *profile, FILE *out);
void xt_generate_ip_xact(const xt_profile_t *profile, FILE *out);
void xt_generate_bridge_package(const xt_profile_t *profile, FILE *out);
void xt_generate_bridge_header(const xt_profile_t *profile, FILE *out);
void xt_generate_bridge_markdown(const xt_profile_t *profile, FILE *out);
