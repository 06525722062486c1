// SPDX-License-Identifier: Apache-2.0
//
// A frame as a link carries it: one per cycle and direction at most. A field that the profile's links do
// not have is 0 bits wide and reads 0.
#pragma once

#include <cstdint>

#include "xt_registers.h"

struct Frame {
	static constexpr unsigned Bits = EXTORUS_FRAME_BITS;
	static constexpr unsigned Words = (Bits + 31) / 32;

	uint32_t word[Words];

	// Nonzero while the link trains or is down.
	uint32_t ctrl() const
	{
		return get<EXTORUS_FRAME_CTRL_LSB, EXTORUS_FRAME_CTRL_BITS>();
	}
	// The next normal frame starts the numbers from 0: the link trains or is down. A frame that only answers the
	// other end's training, marked by the nack, does not say so.
	bool beginsAnew() const
	{
		constexpr uint32_t Heard = 2;

		return ctrl() && !(ctrl() == Heard && get<EXTORUS_FRAME_CELL_NACK_LSB, EXTORUS_FRAME_CELL_NACK_BITS>());
	}
	// This end says that the link is down.
	bool isDown() const
	{
		return ctrl() == 3;
	}
	bool hasCell() const
	{
		return get<EXTORUS_FRAME_CELL_VALID_LSB, EXTORUS_FRAME_CELL_VALID_BITS>();
	}
	uint32_t cellSequence() const
	{
		return get<EXTORUS_FRAME_CELL_SEQ_LSB, EXTORUS_FRAME_CELL_SEQ_BITS>();
	}
	uint32_t vc() const
	{
		return get<EXTORUS_FRAME_VC_LSB, EXTORUS_FRAME_VC_BITS>();
	}
	// (EXTORUS_CELL_BITS + 31) / 32 words, unused bits 0.
	void cell(uint32_t *to) const
	{
		constexpr unsigned Lsb = EXTORUS_FRAME_CELL_LSB, Size = EXTORUS_CELL_BITS;

		for (unsigned done = 0; done < Size; done += 32) {
			unsigned at = Lsb + done;
			uint64_t pair = word[at / 32];

			if (at / 32 + 1 < Words) {
				pair |= static_cast<uint64_t>(word[at / 32 + 1]) << 32;
			}
			to[done / 32] = static_cast<uint32_t>(pair >> at % 32);
			if (Size - done < 32) {
				to[done / 32] &= (uint32_t{1} << (Size - done)) - 1;
			}
		}
	}
	bool hasCredit() const
	{
		return get<EXTORUS_FRAME_CREDIT_VALID_LSB, EXTORUS_FRAME_CREDIT_VALID_BITS>();
	}
	uint32_t creditSequence() const
	{
		return get<EXTORUS_FRAME_CREDIT_SEQ_LSB, EXTORUS_FRAME_CREDIT_SEQ_BITS>();
	}

	void dropCredit()
	{
		word[EXTORUS_FRAME_CREDIT_VALID_LSB / 32] &= ~(uint32_t{1} << EXTORUS_FRAME_CREDIT_VALID_LSB % 32);
	}
	void flip(unsigned bit)
	{
		word[bit / 32] ^= uint32_t{1} << bit % 32;
	}
	void flipCellBit(unsigned bit)
	{
		flip(EXTORUS_FRAME_CELL_LSB + bit);
	}

      private:
	template <unsigned Lsb, unsigned Size> uint32_t get() const
	{
		static_assert(Size <= 32, "a number of at most 32 bits");
		if constexpr (Size == 0) {
			return 0;
		} else {
			uint64_t pair = word[Lsb / 32];

			if constexpr ((Lsb + Size - 1) / 32 != Lsb / 32) {
				pair |= static_cast<uint64_t>(word[Lsb / 32 + 1]) << 32;
			}
			return static_cast<uint32_t>(pair >> Lsb % 32 & ((uint64_t{1} << Size) - 1));
		}
	}
};
