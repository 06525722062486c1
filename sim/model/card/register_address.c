/* SPDX-License-Identifier: Apache-2.0 */
#include "register_address.h"

#include "counter_access.h"
#include "extorus/profiles.h"

place_t register_place(unsigned address)
{
	/* The LRT has everything from 0x8000 on. */
	unsigned table_index = address >> 15 ? (address - 0x8000) >> 3 : address >> 3 & 0x7ff;
	place_t place = {IN_NOTHING, address >> 8 & 0xf, address & 0xff, table_index};

	if (address & 3) {
		return place;
	}
	if (address >> 8 == 0) {
		place.area = IN_SINGLE;
	} else if (address >> 12 == EXTORUS_REG_FREE_CELLS(0) >> 12 && place.port < PORTS) {
		place.area = IN_PORT;
	} else if (LATENCY && address >> 12 == EXTORUS_REG_LATENCY(0, 0) >> 12 && (address >> 6 & 0x3f) < NICS) {
		place.area = IN_LATENCY;
		place.port = address >> 6 & 0x3f;
		place.index = address >> 2 & 0xf;
	} else if (address >> 15 && table_index < EXTORUS_LRT_ENTRIES) {
		place.area = IN_LRT;
	} else if (address >> 14 == 1 && table_index < EXTORUS_GRT_ENTRIES) {
		place.area = IN_GRT;
	}
	return place;
}

int register_counter(const place_t *place)
{
	static const struct {
		uint16_t address, number;
	} per_tc[] = {
		{EXTORUS_REG_RX_PACKETS(0, 0), COUNT_RX_PACKETS},
		{EXTORUS_REG_RX_CELLS(0, 0), COUNT_RX_CELLS},
		{EXTORUS_REG_TX_PACKETS(0, 0), COUNT_TX_PACKETS},
		{EXTORUS_REG_TX_CELLS(0, 0), COUNT_TX_CELLS},
		{EXTORUS_REG_STALLS_CREDIT(0, 0), COUNT_STALLS_CREDIT},
		{EXTORUS_REG_STALLS_GRANT(0, 0), COUNT_STALLS_GRANT},
	};
	const int link = place->port < LINKS;

	if (place->area != IN_PORT) {
		return -1;
	}
	for (unsigned k = 0; k < (MONITORS ? 6 : 4); k++) {
		int tc = register_item(place->offset, per_tc[k].address, TCS);

		if (tc >= 0) {
			return per_tc[k].number + tc;
		}
	}
	switch (place->offset) {
	case EXTORUS_REG_ILLEGAL_ROUTES(0) & 0xff:
		return COUNT_ILLEGAL;
	case EXTORUS_REG_FRAMING_ERRORS(0) & 0xff:
		return link ? -2 : COUNT_FRAMING;
	case EXTORUS_REG_DROPPED(0) & 0xff:
		return link ? COUNT_FRAMING : -2;
	case EXTORUS_REG_POISONED(0) & 0xff:
		return LINK_LAYER ? COUNT_POISONED : -2;
	default:
		if (LINK_LAYER && link) {
			int k = register_item(place->offset, EXTORUS_REG_CRC_ERRORS(0), 5);

			return k >= 0 ? COUNT_CRC_ERRORS + k : -1;
		}
		return -1;
	}
}
