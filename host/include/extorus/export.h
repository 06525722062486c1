/* SPDX-License-Identifier: Apache-2.0
 *
 * XT_API marks a declaration that the shared library exports. All other symbols of the library are hidden.
 * XT_BEGIN_C and XT_END_C enclose declarations with the linkage of C. */
#ifndef EXTORUS_EXPORT_H
#define EXTORUS_EXPORT_H

#define XT_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define XT_BEGIN_C extern "C" {
#define XT_END_C }
#else
#define XT_BEGIN_C
#define XT_END_C
#endif

#endif
