// SPDX-License-Identifier: Apache-2.0
//
// The routing table memories inside a Verilated card, for loading large networks without their
// registers. The names are the RTL's hierarchy; if that changes, this file no longer compiles.
#pragma once

#include "extorus/profiles.h"
#include "pins.hpp"
#include "Vxt_card___024root.h"
#include "xt_registers.h"

// TCs of a word of an entry, and words of an entry.
constexpr unsigned WordTcs = EXTORUS_TCS < 2 ? EXTORUS_TCS : 2;
constexpr unsigned EntryWords = (EXTORUS_TCS + WordTcs - 1) / WordTcs;
static_assert(XT_ENTRY_WORD_TCS == 2, "TCs of a word");

#define XT_TABLE_MEMORY(port, table) \
	root.xt_card__DOT__i_switch__DOT__g_input__BRA__##port##__KET____DOT__i_input_unit__DOT__i_receive__DOT__i_route_table__DOT__##table##__DOT__mem
#if EXTORUS_BLOCK_RAM_ONLY
// One memory, the global table above the local one.
#define XT_TABLE_PORT(port)                                                                      \
	f(&XT_TABLE_MEMORY(port, g_one_memory__DOT__i_tables)[EXTORUS_LRT_ENTRIES * EntryWords], \
		&XT_TABLE_MEMORY(port, g_one_memory__DOT__i_tables)[0])
#else
#define XT_TABLE_PORT(port) \
	f(&XT_TABLE_MEMORY(port, g_two_memories__DOT__i_grt)[0], &XT_TABLE_MEMORY(port, g_two_memories__DOT__i_lrt)[0])
#endif

static_assert(EXTORUS_PORTS >= 2 && EXTORUS_PORTS <= 12, "name the table memories of further ports below");

// Stores the words of an entry as the cards do: each field with its code above it, if the profile has one.
template <typename Word> void storeEntry(Word *to, uint64_t entry)
{
	constexpr bool HasCode = EXTORUS_FEATURES & EXTORUS_FEATURES_TABLE_ECC_MASK;
	constexpr unsigned FieldBits = EXTORUS_ENTRY_TC_BITS + (HasCode ? XT_ENTRY_CODE_BITS : 0);

	for (unsigned tc = 0; tc < EXTORUS_TCS; tc++) {
		const auto data = static_cast<uint16_t>(entry >> (tc * EXTORUS_ENTRY_TC_BITS));
		const uint32_t field = data | (HasCode ? uint32_t{xt_entry_code(data)} << EXTORUS_ENTRY_TC_BITS : 0);

		putField<FieldBits>(to[tc / WordTcs], tc % WordTcs, &field);
	}
}

// f(grt, lrt) with the memories of every input port of a card.
template <typename F> void forEachTable(Vxt_card___024root &root, F f)
{
	XT_TABLE_PORT(0);
	XT_TABLE_PORT(1);
#if EXTORUS_PORTS > 2
	XT_TABLE_PORT(2);
#endif
#if EXTORUS_PORTS > 3
	XT_TABLE_PORT(3);
#endif
#if EXTORUS_PORTS > 4
	XT_TABLE_PORT(4);
#endif
#if EXTORUS_PORTS > 5
	XT_TABLE_PORT(5);
#endif
#if EXTORUS_PORTS > 6
	XT_TABLE_PORT(6);
#endif
#if EXTORUS_PORTS > 7
	XT_TABLE_PORT(7);
#endif
#if EXTORUS_PORTS > 8
	XT_TABLE_PORT(8);
#endif
#if EXTORUS_PORTS > 9
	XT_TABLE_PORT(9);
#endif
#if EXTORUS_PORTS > 10
	XT_TABLE_PORT(10);
#endif
#if EXTORUS_PORTS > 11
	XT_TABLE_PORT(11);
#endif
}

#undef XT_TABLE_PORT
#undef XT_TABLE_MEMORY

// All tables of a card at every input port.
inline void storeTables(Vxt_card___024root &root, const uint64_t *grt, const uint64_t *lrt)
{
	forEachTable(root, [&](auto *grtMemory, auto *lrtMemory) {
		for (unsigned i = 0; i < EXTORUS_GRT_ENTRIES; i++) {
			storeEntry(&grtMemory[i * EntryWords], grt[i]);
		}
		for (unsigned i = 0; i < EXTORUS_LRT_ENTRIES; i++) {
			storeEntry(&lrtMemory[i * EntryWords], lrt[i]);
		}
	});
}
