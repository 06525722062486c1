/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of extorus. Makefile, command, man pages, pkg-config and CMake take the three numbers from this header;
 * the tag of a release is vMAJOR.MINOR.PATCH. */
#ifndef EXTORUS_VERSION_H
#define EXTORUS_VERSION_H

#include "extorus/export.h"

XT_BEGIN_C

#define XT_VERSION_MAJOR 0 /* also the shared library's SOVERSION */
#define XT_VERSION_MINOR 1
#define XT_VERSION_PATCH 0

#define XT_VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define XT_VERSION_TEXT(a, b, c) XT_VERSION_TEXT_(a, b, c)
/* "MAJOR.MINOR.PATCH" of the headers. */
#define XT_VERSION_STRING XT_VERSION_TEXT(XT_VERSION_MAJOR, XT_VERSION_MINOR, XT_VERSION_PATCH)
/* A number that grows with each version of the headers, for comparisons. */
#define XT_VERSION_NUMBER (XT_VERSION_MAJOR * 1000000 + XT_VERSION_MINOR * 1000 + XT_VERSION_PATCH)

/* XT_VERSION_NUMBER and XT_VERSION_STRING of the library that the program runs with. The text is constant. */
XT_API unsigned xt_version_number(void);
XT_API const char *xt_version_string(void);

XT_END_C
#endif
