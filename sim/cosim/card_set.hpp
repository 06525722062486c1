// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// A set of card numbers, 64 to the word.
class CardSet
{
      public:
	explicit CardSet(size_t cards = 0) : words_((cards + 63) / 64)
	{
	}

	void insert(unsigned card)
	{
		words_[card / 64] |= uint64_t{1} << card % 64;
	}
	void erase(unsigned card)
	{
		words_[card / 64] &= ~(uint64_t{1} << card % 64);
	}
	bool contains(unsigned card) const
	{
		return words_[card / 64] >> card % 64 & 1;
	}

	void clear()
	{
		for (uint64_t &word : words_) {
			word = 0;
		}
	}

	bool empty() const
	{
		for (uint64_t word : words_) {
			if (word) {
				return false;
			}
		}
		return true;
	}

	void assignUnion(const CardSet &a, const CardSet &b, const CardSet &c)
	{
		for (size_t w = 0; w < words_.size(); w++) {
			words_[w] = a.words_[w] | b.words_[w] | c.words_[w];
		}
	}

	// Calls f(card) in ascending order.
	template <typename F> void forEach(F f) const
	{
		for (size_t w = 0; w < words_.size(); w++) {
			for (uint64_t rest = words_[w]; rest; rest &= rest - 1) {
				f(static_cast<unsigned>(w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))));
			}
		}
	}

      private:
	std::vector<uint64_t> words_;
};
