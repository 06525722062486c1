/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/registers.h"

const xt_register_t xt_registers[XT_REG_COUNT] = {
#define XT_REG_ROW(id, sv, offset, shape, access, feature, doc) \
	{#id, #sv, offset, XT_SHAPE_##shape, XT_ACCESS_##access, XT_FEATURE_##feature, doc},
	XT_REGISTERS(XT_REG_ROW)
#undef XT_REG_ROW
};

const xt_register_field_t xt_register_fields[] = {
#define XT_REG_FIELD_ROW(id, field, lsb, bits, doc) {XT_REG_##id, #field, lsb, bits, doc},
	XT_REGISTER_FIELDS(XT_REG_FIELD_ROW)
#undef XT_REG_FIELD_ROW
		{XT_REG_COUNT, 0, 0, 0, 0},
};
