/* SPDX-License-Identifier: Apache-2.0
 *
 * An options struct begins with its size, so that a program and a library of different versions fit together.
 * A new member follows the old struct and its padding, and 0 is its default. A size of 0 is refused
 * (XT_ERR_INVALID). Members that the library does not know must be 0 (XT_ERR_UNSUPPORTED).
 *
 * Descriptions such as xt_traffic_t have no size. They grow only at the end, with 0 as the default of a new member,
 * and the library's SOVERSION grows with them. */
#ifndef EXTORUS_OPTIONS_SIZE_H
#define EXTORUS_OPTIONS_SIZE_H

/* Initial value of an options struct: its size, and all defaults. */
#ifdef __cplusplus
#define XT_OPTIONS_INIT(type)                \
	[] {                                 \
		type options{};              \
		options.size = sizeof(type); \
		return options;              \
	}()
#else
#define XT_OPTIONS_INIT(type)        \
	{                            \
		.size = sizeof(type) \
	}
#endif

#endif
