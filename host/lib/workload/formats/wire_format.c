/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_format.h"

enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5, KIND_BITS = 3, MOST_SHIFT = 63 };

int xt_wire_number(xt_bytes_t *bytes, uint64_t *value)
{
	*value = 0;
	if (bytes->at == bytes->end) {
		return 0;
	}
	for (unsigned shift = 0; shift <= MOST_SHIFT && bytes->at < bytes->end; shift += 7) {
		uint8_t byte = *bytes->at++;

		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			return 1;
		}
	}
	return -1;
}

static int fixed(xt_bytes_t *bytes, unsigned size, uint64_t *value)
{
	if ((size_t)(bytes->end - bytes->at) < size) {
		return -1;
	}
	*value = 0;
	for (unsigned i = 0; i < size; i++) {
		*value |= (uint64_t)*bytes->at++ << 8 * i;
	}
	return 1;
}

int xt_wire_message(xt_bytes_t *bytes, xt_bytes_t *message)
{
	uint64_t length;
	int found = xt_wire_number(bytes, &length);

	if (found != 1) {
		return found;
	}
	if (length > (uint64_t)(bytes->end - bytes->at)) {
		return -1;
	}
	message->at = bytes->at;
	message->end = bytes->at += length;
	return 1;
}

int xt_wire_field(xt_bytes_t *bytes, xt_field_t *field)
{
	uint64_t key;
	int found = xt_wire_number(bytes, &key);

	if (found != 1) {
		return found;
	}
	*field = (xt_field_t){.number = key >> KIND_BITS};
	switch (key & ((1 << KIND_BITS) - 1)) {
	case VARINT:
		found = xt_wire_number(bytes, &field->value);
		break;
	case FIXED_64:
		found = fixed(bytes, 8, &field->value);
		break;
	case FIXED_32:
		found = fixed(bytes, 4, &field->value);
		break;
	case BYTES:
		field->is_bytes = 1;
		found = xt_wire_message(bytes, &field->bytes);
		break;
	default:
		return -1;
	}
	return found == 1 ? 1 : -1;
}
