// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Bytes, first in, first out, contiguous in memory.
class ByteQueue
{
      public:
	size_t size() const
	{
		return bytes_.size() - first_;
	}
	bool empty() const
	{
		return size() == 0;
	}
	// The oldest; valid until the next change.
	const uint8_t *data() const
	{
		return bytes_.data() + first_;
	}
	void push(uint8_t byte)
	{
		bytes_.push_back(byte);
	}
	void push(const uint8_t *data, size_t size)
	{
		bytes_.insert(bytes_.end(), data, data + size);
	}
	// At most size().
	void drop(size_t size)
	{
		first_ += size;
		if (first_ == bytes_.size()) {
			clear();
		} else if (first_ > 65536 && first_ > bytes_.size() / 2) {
			bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(first_));
			first_ = 0;
		}
	}
	// In front of the oldest.
	void pushBack(const std::vector<uint8_t> &data)
	{
		bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(first_));
		first_ = 0;
		bytes_.insert(bytes_.begin(), data.begin(), data.end());
	}
	void clear()
	{
		bytes_.clear();
		first_ = 0;
	}

      private:
	std::vector<uint8_t> bytes_;
	size_t first_ = 0;
};
