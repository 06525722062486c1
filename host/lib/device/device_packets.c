/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets to and from the PEs of a device, board or simulated. */
#include <limits.h>
#include <string.h>

#include "extorus/board.h"
#include "extorus/profiles.h"
#include "simulated_nic.h"

enum {
	CYCLES_PER_MS = 1000,  /* of a simulator, for a time-out */
	QUEUE_WORDS = 1 << 16, /* that may wait for a simulated NIC */
};

static void put_bits(uint32_t *words, unsigned lsb, unsigned bits, uint64_t value)
{
	for (unsigned i = 0; i < bits; i++) {
		uint32_t mask = UINT32_C(1) << (lsb + i) % 32;
		uint32_t *word = &words[(lsb + i) / 32];

		*word = value >> i & 1 ? *word | mask : *word & ~mask;
	}
}

static uint64_t get_bits(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits; i++) {
		value |= (uint64_t)(words[(lsb + i) / 32] >> (lsb + i) % 32 & 1) << i;
	}
	return value;
}

static unsigned tag_bits(const xt_header_layout_t *h)
{
	return h->tag_bits < 64 ? h->tag_bits : 64;
}

void xt_packet_set_header(const xt_profile_t *profile, uint32_t *cell, const xt_packet_header_t *header)
{
	xt_header_layout_t h = xt_profile_header(profile);

	put_bits(cell, h.dest_lsb, h.dest_bits, header->destination);
	put_bits(cell, h.src_lsb, h.src_bits, header->source);
	put_bits(cell, h.len_lsb, h.len_bits, header->cells - 1u);
	put_bits(cell, h.tc_lsb, h.tc_bits, header->tc);
	put_bits(cell, h.tag_lsb, tag_bits(&h), header->tag);
}

xt_packet_header_t xt_packet_get_header(const xt_profile_t *profile, const uint32_t *cell)
{
	xt_header_layout_t h = xt_profile_header(profile);

	return (xt_packet_header_t){
		.destination = (uint32_t)get_bits(cell, h.dest_lsb, h.dest_bits),
		.source = (uint32_t)get_bits(cell, h.src_lsb, h.src_bits),
		.cells = (unsigned)get_bits(cell, h.len_lsb, h.len_bits) + 1,
		.tc = (unsigned)get_bits(cell, h.tc_lsb, h.tc_bits),
		.tag = get_bits(cell, h.tag_lsb, tag_bits(&h)),
	};
}

static int check_pe(const xt_device_t *device, unsigned pe, xt_diag_t *diag)
{
	return pe < xt_device_pes(device)
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_RANGE, "there is no PE %u, only 0 to %u", pe, xt_device_pes(device) - 1);
}

/* A card ends a packet where its header says. It fills up one that is cut short, and cuts off one that is too long;
 * without a link layer nobody would tell the receiver. */
static int check_header(const xt_device_t *device, const uint32_t *words, unsigned count, xt_diag_t *diag)
{
	const unsigned cell = xt_device_cell_words(device);
	xt_packet_header_t h = {0};

	if (count >= cell) {
		h = xt_packet_get_header(device->profile, words);
	}
	if (h.cells == 0 || h.cells * cell != count || h.cells > device->profile->packet_cells) {
		return xt_fail(diag, XT_ERR_INVALID,
			"a packet of %u words whose header says %u cells, of %u words each; the longest packet has %u "
			"cells",
			count, h.cells, cell, device->profile->packet_cells);
	}
	return h.tc < device->profile->tcs ? XT_OK
					   : xt_fail(diag, XT_ERR_INVALID, "a packet of TC %u; there are %u TCs", h.tc,
						     device->profile->tcs);
}

int xt_device_inject(
	xt_device_t *device, unsigned pe, const uint32_t *words, unsigned count, unsigned timeout_ms, xt_diag_t *diag)
{
	unsigned nics = device->profile->nic_ports;
	xt_simulated_nic_t *nic;
	int status = check_pe(device, pe, diag);

	if (status == XT_OK) {
		status = check_header(device, words, count, diag);
	}
	if (status == XT_OK) {
		status = xt_device_check_interrupted(device, diag);
	}
	if (status) {
		return status;
	}
	if (device->backend->inject) {
		return device->backend->inject(device->engine, pe / nics, pe % nics, words, count, timeout_ms, diag);
	}
	status = xt_simulated_nic_of(device, &nic, diag);
	for (unsigned i = 0; status == XT_OK && xt_simulated_nic_queued(nic, pe) > QUEUE_WORDS; i++) {
		if (i >= timeout_ms) {
			return xt_fail(diag, XT_ERR_TIMEOUT, "PE %u takes no packets; load its tables first", pe);
		}
		status = xt_simulated_nic_step(nic, CYCLES_PER_MS, UINT_MAX, diag);
	}
	return status ? status : xt_simulated_nic_put(nic, pe, words, count, diag);
}

int xt_device_flush(xt_device_t *device, xt_diag_t *diag)
{
	return device->backend->flush ? device->backend->flush(device->engine, diag) : XT_OK;
}

int xt_device_receive(xt_device_t *device, unsigned pe, uint32_t *words, unsigned room, unsigned *count, int *poisoned,
	unsigned timeout_ms, xt_diag_t *diag)
{
	unsigned nics = device->profile->nic_ports;
	xt_simulated_nic_t *nic;
	int status = check_pe(device, pe, diag);

	*count = 0;
	*poisoned = 0;
	if (status == XT_OK && room < xt_device_packet_words(device)) {
		status = xt_fail(diag, XT_ERR_INVALID, "packets have up to %u words, there is room for %u",
			xt_device_packet_words(device), room);
	}
	if (status == XT_OK) {
		status = xt_device_check_interrupted(device, diag);
	}
	if (status) {
		return status;
	}
	if (device->backend->receive) {
		return device->backend->receive(
			device->engine, pe / nics, pe % nics, words, room, count, poisoned, timeout_ms, diag);
	}
	status = xt_simulated_nic_of(device, &nic, diag);
	for (unsigned i = 0; status == XT_OK; i++) {
		if (xt_simulated_nic_take(nic, pe, words, count, poisoned) || xt_simulated_nic_idle(nic) ||
			i >= timeout_ms) {
			break;
		}
		status = xt_simulated_nic_step(nic, CYCLES_PER_MS, pe, diag);
	}
	return status;
}
