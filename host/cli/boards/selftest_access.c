/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers and tables of a card, read and written by the self-test, which counts the words. */
#include <stdlib.h>

#include "extorus/registers.h"
#include "selftest.h"

int xt_selftest_write(selftest_t *t, unsigned card, uint32_t address, uint32_t value)
{
	t->words++;
	return xt_device_write(t->device, card, address, &value, 1, &t->diag);
}

int xt_selftest_read(selftest_t *t, unsigned card, uint32_t address, uint32_t *value)
{
	t->words++;
	return xt_device_read(t->device, card, address, value, 1, &t->diag);
}

int xt_selftest_write_tables(selftest_t *t, unsigned card, uint32_t ports, const uint64_t *values)
{
	unsigned grt = 1u << t->profile->grt_bits;
	uint32_t *words = malloc((size_t)t->entries * 2 * sizeof(*words));
	int status =
		words ? xt_selftest_write(t, card, xt_register_address(XT_REG_TABLE_PORTS, 0, 0), ports) : XT_ERR_NOMEM;

	for (unsigned i = 0; i < t->entries && words; i++) {
		words[2 * i] = (uint32_t)values[i];
		words[2 * i + 1] = (uint32_t)(values[i] >> 32);
	}
	if (status == XT_OK) {
		status = xt_device_write(
			t->device, card, xt_register_address(XT_REG_GRT, 0, 0), words, 2 * (size_t)grt, &t->diag);
	}
	if (status == XT_OK) {
		status = xt_device_write(t->device, card, xt_register_address(XT_REG_LRT, 0, 0),
			words + 2 * (size_t)grt, 2 * (size_t)(t->entries - grt), &t->diag);
	}
	t->words += 2ull * t->entries;
	free(words);
	return status;
}

int xt_selftest_restore_tables(selftest_t *t, unsigned card)
{
	unsigned ports = xt_profile_ports(t->profile);
	int status = XT_OK;

	for (unsigned port = 0; port < ports && status == XT_OK; port++) {
		status = xt_selftest_write_tables(t, card, 1u << port, t->kept + (size_t)port * t->entries);
	}
	return status;
}

void xt_selftest_begin_restoring(selftest_t *t)
{
	xt_device_shield(t->device, 1);
}

int xt_selftest_end_restoring(selftest_t *t, int status, int restored)
{
	xt_device_shield(t->device, 0);
	t->unrestored |= restored != XT_OK;
	return status ? status : restored;
}
