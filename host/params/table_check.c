/* SPDX-License-Identifier: Apache-2.0
 *
 * What a profile's table must satisfy for the switch to be built from it and to work. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "extorus/profiles.h"
#include "extorus/registers.h"

enum {
	/* A credit comes back this many cycles late for the next packet's check: with less room beyond
	 * one packet a VC that owns only its reserve could not stream back to back. */
	CREDIT_MARGIN = 5,
	MAX_PACKET_CELLS = 255, /* a length class has 8 bits in the SystemVerilog package */
	MAX_BUFFER_CELLS = 1 << 15,
	MAX_EJECT_CELLS = 1 << 15,
	MAX_REPLAY_CELLS = 1 << 15,
	MAX_CHECKED_BITS = 270, /* of a frame, below its check word, which finds 5 wrong ones among so many */
	/* Cycles in the link layers at both ends from a cell's start to the release of its place, and as
	 * many cells as pass while `hold` is on its way to the scheduler. */
	REPLAY_MARGIN = 16,
	WINDOW_GRT_BITS = 11, /* 0x4000 .. 0x7fff by entries of 8 bytes */
	WINDOW_LRT_BITS = 12, /* 0x8000 .. 0xffff */
	MODEL_LRT_BITS = 14,  /* 0x8000 .. 0x27fff, where there is no RTL */
};

static int refuse(const xt_profile_t *p, xt_diag_t *diag, const char *entry, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(const xt_profile_t *p, xt_diag_t *diag, const char *entry, const char *format, ...)
{
	char reason[384];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return xt_fail(diag, XT_ERR_INVALID, "profile %.32s: %s: %s", p->name ? p->name : "(no name)", entry, reason);
}

static int check_range(
	const xt_profile_t *p, xt_diag_t *diag, const char *entry, unsigned value, unsigned low, unsigned high)
{
	if (value < low || value > high) {
		return refuse(p, diag, entry, "%u is not in %u .. %u", value, low, high);
	}
	return XT_OK;
}

static int check_power_of_two(const xt_profile_t *p, xt_diag_t *diag, const char *entry, unsigned value)
{
	if (value == 0 || (value & (value - 1)) != 0) {
		return refuse(p, diag, entry, "%u is not a power of two", value);
	}
	return XT_OK;
}

static int check_name(const xt_profile_t *p, xt_diag_t *diag)
{
	if (!p->name || !p->name[0]) {
		return refuse(p, diag, "name", "is missing; name the profile like its file profile_NAME.c");
	}
	for (const char *c = p->name; *c; c++) {
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_') {
			return refuse(p, diag, "name", "has a character other than a-z, 0-9 and _");
		}
		if (c - p->name >= 31) {
			return refuse(p, diag, "name", "is longer than 31 characters");
		}
	}
	return XT_OK;
}

static int check_tc(const xt_profile_t *p, unsigned t, xt_diag_t *diag)
{
	char entry[32];
	unsigned vcs = 0;
	unsigned adaptive = 0;

	for (unsigned v = 0; v < XT_MAX_VCS_PER_TC; v++) {
		unsigned kind = (unsigned)p->tc[t].vc[v];

		snprintf(entry, sizeof(entry), "tc[%u].vc[%u]", t, v);
		if (kind > XT_VC_ADAPTIVE) {
			return refuse(p, diag, entry, "%u is not a kind of VC", kind);
		}
		if (kind == XT_VC_NONE) {
			continue;
		}
		if (t >= p->tcs) {
			return refuse(p, diag, entry,
				"is set but there are only %u traffic classes; raise tcs or remove it", p->tcs);
		}
		if (vcs != v) {
			return refuse(p, diag, entry, "follows an empty VC; list the VCs without gaps");
		}
		if (kind == XT_VC_ADAPTIVE) {
			adaptive++;
		} else if (adaptive) {
			return refuse(p, diag, entry, "a deterministic VC follows an adaptive one; list it first");
		}
		vcs++;
	}
	if (t >= p->tcs) {
		return XT_OK;
	}
	snprintf(entry, sizeof(entry), "tc[%u]", t);
	if (vcs == 0) {
		return refuse(p, diag, entry, "has no VC; give it a deterministic VC at least");
	}
	if (p->tc[t].vc[0] != XT_VC_DETERMINISTIC) {
		return refuse(p, diag, entry, "has no deterministic VC: adaptive packets would have no escape");
	}
	if (p->model_only) {
		return XT_OK;
	}
	if (vcs > XT_MAX_RTL_VCS_PER_TC) {
		return refuse(p, diag, entry, "has %u VCs, more than the %d of RTL; remove some, or set model_only",
			vcs, XT_MAX_RTL_VCS_PER_TC);
	}
	if (adaptive > 1) {
		return refuse(
			p, diag, entry, "has %u adaptive VCs, RTL has one; remove some, or set model_only", adaptive);
	}
	return XT_OK;
}

static int check_tcs(const xt_profile_t *p, xt_diag_t *diag)
{
	int status;

	if (p->tcs == 0) {
		return refuse(p, diag, "tcs", "there is no traffic class; at least one is needed");
	}
	if ((status = check_range(p, diag, "tcs", p->tcs, 1, XT_MAX_TCS)) != XT_OK) {
		return status;
	}
	for (unsigned t = 0; t < XT_MAX_TCS; t++) {
		if ((status = check_tc(p, t, diag)) != XT_OK) {
			return status;
		}
	}
	if (xt_profile_vcs(p) > XT_MAX_VCS) {
		return refuse(p, diag, "tc", "%u VCs in all; at most %u", xt_profile_vcs(p), XT_MAX_VCS);
	}
	/* The proof of freedom from deadlock has the channels of a card in one word. */
	if (p->link_ports * xt_profile_vc_stride(p) > 64) {
		return refuse(p, diag, "link_ports",
			"%u with %u channels each are more than 64; use fewer ports or VCs", p->link_ports,
			xt_profile_vc_stride(p));
	}
	return XT_OK;
}

static int check_ports(const xt_profile_t *p, xt_diag_t *diag)
{
	int status;

	if ((status = check_range(p, diag, "link_ports", p->link_ports, 1, XT_MAX_LINK_PORTS)) != XT_OK) {
		return status;
	}
	if (p->link_ports > XT_MAX_RTL_LINK_PORTS && !p->model_only) {
		return refuse(p, diag, "link_ports", "%u are more than the %d of RTL; use fewer, or set model_only",
			p->link_ports, XT_MAX_RTL_LINK_PORTS);
	}
	if (p->link_ports > XT_ENTRY_MASK_BITS && xt_profile_adaptive_tcs(p)) {
		return refuse(p, diag, "link_ports",
			"%u are more than the %d of an adaptive mask; use fewer, or remove the adaptive VCs",
			p->link_ports, XT_ENTRY_MASK_BITS);
	}
	if (p->nic_ports == 0) {
		return refuse(p, diag, "nic_ports", "there is no NIC port; at least one is needed");
	}
	if (p->nic_ports > XT_MAX_PORTS - p->link_ports) {
		return refuse(p, diag, "nic_ports", "%u link ports and %u NIC ports are more than %u", p->link_ports,
			p->nic_ports, XT_MAX_PORTS);
	}
	return XT_OK;
}

static int check_length_classes(const xt_profile_t *p, xt_diag_t *diag)
{
	char entry[32];
	int status;

	if ((status = check_range(p, diag, "length_classes", p->length_classes, 1, XT_MAX_LENGTH_CLASSES)) != XT_OK) {
		return status;
	}
	for (unsigned i = 0; i < XT_MAX_LENGTH_CLASSES; i++) {
		unsigned cells = p->length_class[i];

		snprintf(entry, sizeof(entry), "length_class[%u]", i);
		if (i >= p->length_classes) {
			if (cells != 0) {
				return refuse(p, diag, entry, "is set but length_classes is %u", p->length_classes);
			}
		} else if (i == 0 ? cells == 0 : cells <= p->length_class[i - 1]) {
			return refuse(p, diag, entry,
				"%u is not above the one before (%u); list them strictly ascending", cells,
				i ? p->length_class[i - 1] : 0);
		} else if (i + 1 == p->length_classes && cells != p->packet_cells) {
			return refuse(p, diag, entry,
				"the last class is %u but packets have up to %u cells (packet_cells)", cells,
				p->packet_cells);
		}
	}
	return XT_OK;
}

static int check_bubble(const xt_profile_t *p, xt_diag_t *diag)
{
	if (p->vc_rings && !p->bubble) {
		return refuse(p, diag, "vc_rings", "is set without bubble flow control; set bubble too, or remove it");
	}
	if (p->vc_rings > 1) {
		return refuse(p, diag, "vc_rings", "%u is not in 0 .. 1", p->vc_rings);
	}
	if (p->bubble && xt_profile_adaptive_tcs(p) && !p->model_only) {
		return refuse(p, diag, "bubble",
			"RTL has no adaptive VCs with bubble flow control; remove them, or set model_only");
	}
	if (p->bubble && xt_profile_vc_stride(p) > XT_MAX_RTL_VCS_PER_TC) {
		return refuse(p, diag, "bubble", "a RING register names VCs 0 to 3 only; let no TC have more VCs");
	}
	return XT_OK;
}

static int check_buffers(const xt_profile_t *p, xt_diag_t *diag)
{
	unsigned vcs = xt_profile_vcs(p), least;
	int status;

	if ((status = check_range(p, diag, "packet_cells", p->packet_cells, 2, MAX_PACKET_CELLS)) != XT_OK ||
		(status = check_power_of_two(p, diag, "packet_cells", p->packet_cells)) != XT_OK ||
		(status = check_power_of_two(p, diag, "buffer_cells", p->buffer_cells)) != XT_OK ||
		(status = check_range(p, diag, "buffer_cells", p->buffer_cells, 2, MAX_BUFFER_CELLS)) != XT_OK) {
		return status;
	}
	if ((status = check_range(p, diag, "bubble", p->bubble, 0, 1)) != XT_OK) {
		return status;
	}
	if (p->bubble && 2 * p->packet_cells > MAX_PACKET_CELLS) {
		return refuse(p, diag, "packet_cells",
			"two longest packets, the room that a bubble profile asks for, are more than %u cells",
			MAX_PACKET_CELLS);
	}
	least = (p->bubble ? 2 : 1) * p->packet_cells + CREDIT_MARGIN;
	if (p->reserved_cells < least) {
		return refuse(p, diag, "reserved_cells",
			"%u is less than %s and the credit pipeline's margin (%u + %u): set %u or more",
			p->reserved_cells,
			p->bubble ? "two longest packets, for bubble flow control," : "a longest packet",
			least - CREDIT_MARGIN, CREDIT_MARGIN, least);
	}
	if ((uint64_t)p->reserved_cells * vcs > p->buffer_cells) {
		return refuse(p, diag, "reserved_cells",
			"%u for each of %u VCs exceed the buffer of %u cells (buffer_cells)", p->reserved_cells, vcs,
			p->buffer_cells);
	}
	if (p->bubble && p->eject_cells < 2 * p->packet_cells + CREDIT_MARGIN) {
		return refuse(p, diag, "eject_cells",
			"%u is less than two longest packets and the credit pipeline's margin, which bubble flow "
			"control compares with: set %u or more",
			p->eject_cells, 2 * p->packet_cells + CREDIT_MARGIN);
	}
	if (p->eject_cells < p->packet_cells + CREDIT_MARGIN) {
		return refuse(p, diag, "eject_cells",
			"%u is less than a longest packet and the credit pipeline's margin (%u + %u): set %u or more",
			p->eject_cells, p->packet_cells, CREDIT_MARGIN, p->packet_cells + CREDIT_MARGIN);
	}
	if ((status = check_range(p, diag, "eject_cells", p->eject_cells, 1, MAX_EJECT_CELLS)) != XT_OK ||
		(status = check_power_of_two(p, diag, "eject_cells", p->eject_cells)) != XT_OK) {
		return status;
	}
	if (p->eject_cells > p->buffer_cells) {
		return refuse(p, diag, "eject_cells",
			"%u exceed the buffer of %u cells (buffer_cells), whose credits all ports count",
			p->eject_cells, p->buffer_cells);
	}
	status = check_bubble(p, diag);
	return status == XT_OK ? check_length_classes(p, diag) : status;
}

static int check_addresses(const xt_profile_t *p, xt_diag_t *diag)
{
	int status;
	unsigned used;

	if ((status = check_range(p, diag, "grt_bits", p->grt_bits, 1, WINDOW_GRT_BITS)) != XT_OK ||
		(status = check_range(p, diag, "lrt_bits", p->lrt_bits, 1,
			 p->model_only ? MODEL_LRT_BITS : WINDOW_LRT_BITS)) != XT_OK) {
		return status;
	}
	if (p->grt_bits > p->lrt_bits) {
		return refuse(p, diag, "grt_bits",
			"%u is above lrt_bits (%u): one register holds the index of either table", p->grt_bits,
			p->lrt_bits);
	}
	if (p->id_bits != p->grt_bits + p->lrt_bits) {
		return refuse(p, diag, "id_bits",
			"%u is not grt_bits + lrt_bits (%u + %u): part of a PE id would select no entry", p->id_bits,
			p->grt_bits, p->lrt_bits);
	}
	if (p->table_ecc > 1) {
		return refuse(p, diag, "table_ecc", "%u is neither 0 nor 1", p->table_ecc);
	}
	used = 2 * p->id_bits + xt_profile_len_bits(p) + xt_profile_tc_bits(p);
	if (used + 1 > p->cell_bits) {
		return refuse(p, diag, "cell_bits",
			"the packet header does not fit the cell: two PE ids, length, TC and a tag of one bit need %u "
			"bits, "
			"the cell has %u",
			used + 1, p->cell_bits);
	}
	return XT_OK;
}

static int check_device(const xt_profile_t *p, xt_diag_t *diag)
{
	int status;

	if ((status = check_range(p, diag, "block_ram_only", p->block_ram_only, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "no_u_turns", p->no_u_turns, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "no_credit_sums", p->no_credit_sums, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "no_replay_bypass", p->no_replay_bypass, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "crossbar_register", p->crossbar_register, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "monitors", p->monitors, 0, 1)) != XT_OK ||
		(status = check_range(p, diag, "model_only", p->model_only, 0, 1)) != XT_OK) {
		return status;
	}
	if (p->block_ram_only && p->replay_cells) {
		return refuse(p, diag, "block_ram_only",
			"software reads the tables while no cell arrives, which only links without a link layer tell "
			"in "
			"time: set replay_cells to 0");
	}
	if (p->block_ram_only && p->table_ecc) {
		return refuse(p, diag, "block_ram_only",
			"there is no table code for tables in one memory: set table_ecc to 0");
	}
	if (p->block_ram_only && p->grt_bits == p->lrt_bits) {
		return refuse(p, diag, "block_ram_only",
			"the GRT shares a memory with the LRT: set grt_bits below lrt_bits (%u)", p->lrt_bits);
	}
	return XT_OK;
}

static int check_links(const xt_profile_t *p, xt_diag_t *diag)
{
	unsigned least = 2 * p->packet_cells + REPLAY_MARGIN + 2 * p->link_latency;
	int status;

	if (p->link_latency == 0) {
		return refuse(p, diag, "link_latency", "0 cycles; a link takes at least 1");
	}
	if ((status = check_range(p, diag, "link_latency", p->link_latency, 1, XT_MAX_LINK_LATENCY)) != XT_OK ||
		p->replay_cells == 0) {
		return status;
	}
	if (xt_profile_frame(p).check_lsb > MAX_CHECKED_BITS) {
		return refuse(p, diag, "cell_bits",
			"a frame has %u bits, and its check word protects %d: set %u or less, or replay_cells to 0",
			xt_profile_frame(p).check_lsb, MAX_CHECKED_BITS,
			(p->cell_bits - (xt_profile_frame(p).check_lsb - MAX_CHECKED_BITS)) / 8 * 8);
	}
	if ((p->replay_cells & (p->replay_cells - 1)) != 0) {
		return refuse(p, diag, "replay_cells", "%u is neither 0 nor a power of two", p->replay_cells);
	}
	if (p->replay_cells < least) {
		return refuse(p, diag, "replay_cells",
			"%u is less than two longest packets, the way of a cell and its ack, and %u: set %u or more",
			p->replay_cells, REPLAY_MARGIN, least);
	}
	return check_range(p, diag, "replay_cells", p->replay_cells, least, MAX_REPLAY_CELLS);
}

int xt_profile_check(const xt_profile_t *p, xt_diag_t *diag)
{
	int status;

	if (!p) {
		return xt_fail(diag, XT_ERR_INVALID, "profile: there is no table");
	}
	if ((status = check_name(p, diag)) != XT_OK || (status = check_ports(p, diag)) != XT_OK ||
		(status = check_tcs(p, diag)) != XT_OK) {
		return status;
	}
	if (p->cell_bits % 8 != 0) {
		return refuse(p, diag, "cell_bits", "%u is not a multiple of 8", p->cell_bits);
	}
	if ((status = check_range(p, diag, "cell_bits", p->cell_bits, 8, XT_MAX_CELL_BITS)) != XT_OK ||
		(status = check_buffers(p, diag)) != XT_OK || (status = check_addresses(p, diag)) != XT_OK) {
		return status;
	}
	if (p->islip_iterations == 0 || p->islip_iterations > xt_profile_ports(p)) {
		return refuse(p, diag, "islip_iterations", "%u is not in 1 .. %u (the number of ports)",
			p->islip_iterations, xt_profile_ports(p));
	}
	if ((status = check_device(p, diag)) != XT_OK) {
		return status;
	}
	if (p->ring_adaptive_vcs && !p->model_only) {
		return refuse(p, diag, "ring_adaptive_vcs", "%u, which no RTL has; remove it, or set model_only",
			p->ring_adaptive_vcs);
	}
	return check_links(p, diag);
}
