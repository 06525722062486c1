/* SPDX-License-Identifier: Apache-2.0
 *
 * XT_API marks a declaration that the shared library exports. All other symbols of the library are hidden. */
#ifndef EXTORUS_EXPORT_H
#define EXTORUS_EXPORT_H

#define XT_API __attribute__((visibility("default")))

#endif
