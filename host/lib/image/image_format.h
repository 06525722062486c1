/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a routing image. All numbers little-endian; a text is a byte for its length and its
 * characters without a terminator.
 *
 *   8 bytes "XTIMAGE\n", u32 format version
 *   text profile name, u32 profile hash, text topology, text algorithm
 *   u32 cards, u32 PEs
 *   per PE: u32 address, u8 TCs it may use (bit per TC); bit 31 of the address: no PE is at this NIC port, and the
 *     address is 0, or that of the card
 *   per card:
 *     u32 route order, per TC: u32 match mask, u16 internal and middle ports for adaptive routing
 *     per link port: u32 peer card (0xffffffff: none), u8 peer port, u16 ring, with vc_rings u16 ports of its VCs
 *     per port: text name
 *     u32 n, n u64 GRT entries; u32 n, n u64 LRT entries: entries from index 0 to the last used one
 *   u32 CRC-32 of everything before */
#pragma once

enum {
	XT_IMAGE_MAGIC_SIZE = 8,
	XT_IMAGE_FORMAT_VERSION = 2,
	XT_IMAGE_CRC_SIZE = 4,
};

#define XT_IMAGE_NO_PE 0x80000000u

#define XT_IMAGE_MAGIC "XTIMAGE\n"
