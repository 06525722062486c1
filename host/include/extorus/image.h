/* SPDX-License-Identifier: Apache-2.0
 *
 * A routing image: what is loaded into the cards of one network, with the wiring it was made for.
 * The file holds magic, format version, profile name and hash, topology and algorithm, wiring,
 * per-card tables, and a CRC-32; all little-endian. */
#ifndef EXTORUS_IMAGE_H
#define EXTORUS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/profile.h"
#include "extorus/topology.h"

XT_BEGIN_C

typedef struct xt_image xt_image_t;

/* One traffic class's field of a table entry, unpacked. */
typedef struct {
	uint8_t valid;
	uint8_t port;          /* card port number: links first, then NIC ports */
	uint8_t vc;            /* deterministic VC within the TC */
	uint8_t adaptive_mask; /* candidate link ports; 0 where there is no adaptive VC */
} xt_route_t;

/* Wiring, identities and PE addresses of a topology; tables empty, all TCs open to every PE, order
 * and match masks 0. XT_ERR_RANGE if the PE addresses do not fit GRT and LRT. */
XT_API int xt_image_create(const xt_topology_t *topology, const char *algorithm, xt_image_t **out, xt_diag_t *diag);

/* The same with the address of each card's first PE given, `address[card]`. XT_ERR_RANGE if one has more bits than the
 * profile's ids, or is that of another PE. */
XT_API int xt_image_create_at(const xt_topology_t *topology, const char *algorithm, const uint32_t *address,
	xt_image_t **out, xt_diag_t *diag);

XT_API int xt_image_read(const char *path, xt_image_t **out, xt_diag_t *diag);
/* Written to a temporary name beside `path` and renamed: a failure leaves the old file alone. */
XT_API int xt_image_write(const xt_image_t *image, const char *path, xt_diag_t *diag);
XT_API void xt_image_free(xt_image_t *image); /* NULL is allowed */
/* The same format in memory. xt_image_encode's buffer is freed with free(); `name` stands for the file
 * in diagnostics. */
XT_API int xt_image_encode(const xt_image_t *image, uint8_t **out, size_t *size, xt_diag_t *diag);
XT_API int xt_image_decode(const void *bytes, size_t size, const char *name, xt_image_t **out, xt_diag_t *diag);

XT_API const xt_profile_t *xt_image_profile(const xt_image_t *image);
XT_API const char *xt_image_topology(const xt_image_t *image); /* the SPEC, e.g. "twin:4x4x2x2x2" */
/* Makes the topology that the SPEC names, without what has failed since; freed with xt_topology_free. A network from a
 * file is made from the image's wiring, without the file. */
XT_API int xt_image_parse_topology(const xt_image_t *image, xt_topology_t **out, xt_diag_t *diag);
/* Likewise with what has failed since, "~5:d0+~7". */
XT_API int xt_image_parse_damaged(const xt_image_t *image, const char *failures, xt_topology_t **out, xt_diag_t *diag);
XT_API const char *xt_image_algorithm(const xt_image_t *image); /* e.g. "ts-dor" */
XT_API unsigned xt_image_cards(const xt_image_t *image);
XT_API unsigned xt_image_pes(const xt_image_t *image); /* PE p sits on card p / (PEs per card) */

/* The card a PE sits on and its address: (global part << lrt_bits) | local part. The digits of an address
 * are, from the lowest: the NIC port (function unit) of the card in xt_profile_unit_bits, the side of a
 * twin torus, the coordinates from dimension 0 on. Addresses are not PE numbers where an NIC digit of
 * no power of two or the cut into local and global part leaves gaps. */
XT_API uint32_t xt_image_pe_card(const xt_image_t *image, unsigned pe);
/* The card's NIC port that a PE is behind, 0 for the first. */
XT_API unsigned xt_image_pe_unit(const xt_image_t *image, unsigned pe);
XT_API uint32_t xt_image_pe_address(const xt_image_t *image, unsigned pe);
/* The highest address of a PE. */
XT_API uint32_t xt_image_last_address(const xt_image_t *image);
/* The PE with this address, or -1. */
XT_API int xt_image_address_pe(const xt_image_t *image, uint32_t address);
/* Bit t set: packets of this PE may be injected in TC t. */
XT_API unsigned xt_image_pe_tc_mask(const xt_image_t *image, unsigned pe);
/* Whether there is a PE with this number: a NIC port can be without one. Nothing is sent to a port without, and its
 * address is 0, which another PE has, or that of its card. */
XT_API bool xt_image_has_pe(const xt_image_t *image, unsigned pe);
/* 0 where there is no PE, and for a PE of a failed card: one without links, not the only one, whose PEs may use no TC.
 * Nothing is sent to it. */
XT_API int xt_image_pe_in_service(const xt_image_t *image, unsigned pe);

XT_API xt_peer_t xt_image_peer(const xt_image_t *image, unsigned card, unsigned port);
/* Those of all link ports of a card, owned by the image. */
XT_API const xt_peer_t *xt_image_peers(const xt_image_t *image, unsigned card);
/* "d0-", "d0+", ..., "int", "nic"; "p3" for a link port that this card does not use. */
XT_API const char *xt_image_port_name(const xt_image_t *image, unsigned card, unsigned port);

/* Registers of a card that go with its tables. */
XT_API uint32_t xt_image_card_address(const xt_image_t *image, unsigned card);
XT_API uint32_t xt_image_route_order(const xt_image_t *image, unsigned card); /* bit per TC: 1 = local first */
XT_API uint32_t xt_image_match_mask(const xt_image_t *image, unsigned card, unsigned tc);
/* Register RING of a link port, 0 where no ring passes; see xt_ring_t. */
XT_API uint32_t xt_image_ring(const xt_image_t *image, unsigned card, unsigned port);
/* Register VC_RING_FROM, 0 in profiles without `vc_rings`; see xt_ring_from. */
XT_API uint32_t xt_image_vc_ring_from(const xt_image_t *image, unsigned card, unsigned port);
/* Register ADAPTIVE_PORTS: the internal link's port in bits 7:0, those of the split dimension in 15:8, a
 * bit per link port. */
XT_API uint32_t xt_image_adaptive_ports(const xt_image_t *image, unsigned card);

/* What register RING of an output port holds. A packet that leaves by one of the VCs `vcs` is within a
 * ring if it came in by port `from` on one of `from_vcs`, and enters one if not; VCs within the TC. */
typedef struct {
	unsigned from;
	unsigned vcs, from_vcs; /* bit per VC */
} xt_ring_t;

XT_API uint32_t xt_ring_pack(xt_ring_t ring);
XT_API xt_ring_t xt_ring_unpack(uint32_t word);
/* In profiles with `vc_rings` each of the VCs `vcs` has a ring of its own: the port from which that of `vc` comes, by
 * registers RING and VC_RING_FROM. */
XT_API unsigned xt_ring_from(uint32_t ring, uint32_t vc_ring_from, unsigned vc);
XT_API uint32_t xt_ring_from_with(uint32_t vc_ring_from, unsigned vc, unsigned from);
/* Whether a packet that leaves by `port` on `vc` is within a ring if it came in by `from` on `from_vc`. */
XT_API bool xt_image_continues_ring(
	const xt_image_t *image, unsigned card, unsigned port, unsigned vc, unsigned from, unsigned from_vc);

/* Packed 64-bit entries as the hardware holds them, of one card: xt_image_grt has 1 << grt_bits
 * entries, xt_image_lrt 1 << lrt_bits. Owned by the image. Cards of an image that was read may share tables.
 * The mutable ones are for tests and faults. They give each card its own tables; pointers from earlier calls then show
 * old tables. */
XT_API const uint64_t *xt_image_grt(const xt_image_t *image, unsigned card);
XT_API const uint64_t *xt_image_lrt(const xt_image_t *image, unsigned card);
XT_API uint64_t *xt_image_grt_mutable(xt_image_t *image, unsigned card);
XT_API uint64_t *xt_image_lrt_mutable(xt_image_t *image, unsigned card);

XT_API void xt_image_set_route_order(xt_image_t *image, unsigned card, uint32_t order);
XT_API void xt_image_set_ring(xt_image_t *image, unsigned card, unsigned port, uint32_t word);
/* Only in profiles with `vc_rings`. */
XT_API void xt_image_set_vc_ring_from(xt_image_t *image, unsigned card, unsigned port, uint32_t word);
XT_API void xt_image_set_match_mask(xt_image_t *image, unsigned card, unsigned tc, uint32_t mask);
XT_API void xt_image_set_pe_tc_mask(xt_image_t *image, unsigned pe, unsigned mask);

/* One TC's field of an entry and back. */
XT_API uint64_t xt_entry_with_route(uint64_t entry, unsigned tc, xt_route_t route);
XT_API xt_route_t xt_entry_route(uint64_t entry, unsigned tc);

/* What the hardware of `card` does with a packet of `tc` to `address`: GRT, LRT, order bit and
 * match mask, decoded exactly as in the RTL. route.valid == 0: an illegal route. */
XT_API xt_route_t xt_image_lookup(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address);

/* The entry that decides it: of the GRT or of the LRT, by the order bit and the match mask. */
typedef struct {
	int global; /* GRT */
	uint32_t index;
} xt_table_place_t;

XT_API xt_table_place_t xt_image_table_place(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address);
/* The entry itself; valid as long as the image. */
XT_API const uint64_t *xt_image_entry(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address);

/* Whether all addresses that are equal to `address` outside of the bits `varying` meet the same entry of `card`, so
 * that one lookup tells of all. 0 may also be said where it is not certain. */
XT_API int xt_image_shares_entry(
	const xt_image_t *image, unsigned card, unsigned tc, uint32_t address, uint32_t varying);

/* Some entry has an adaptive mask in a TC with an adaptive VC. */
XT_API int xt_image_is_adaptive(const xt_image_t *image);

/* The routing function that the image encodes, as CSV: header card,tc,dest,port,vc and a line for each
 * combination that a packet of an allowed source to a PE in service meets, sorted; `vc` is 0 at NIC ports, `port`
 * "none" where the route is illegal. An adaptive image has a column `adaptive` more: the candidate ports, separated by
 * spaces. Write errors stay in the stream. */
XT_API int xt_image_write_csv(const xt_image_t *image, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
