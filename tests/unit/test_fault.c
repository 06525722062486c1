/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form of faults. */
#include "extorus/run.h"
#include "support.h"

TEST(understands_every_kind)
{
	xt_fault_t fault;

	assert_int_equal(xt_fault_parse("drop-credit:3,1,100", &fault, NULL), XT_OK);
	assert_int_equal(fault.kind, XT_FAULT_DROP_CREDIT);
	assert_int_equal(fault.card, 3);
	assert_int_equal(fault.port, 1);
	assert_int_equal(fault.n, 100);
	assert_int_equal(xt_fault_parse("flip-bit:0,5,5000000000,127", &fault, NULL), XT_OK);
	assert_int_equal(fault.kind, XT_FAULT_FLIP_BIT);
	assert_int_equal(fault.n, 5000000000u);
	assert_int_equal(fault.bit, 127);
	assert_int_equal(xt_fault_parse("block-nic:7,6,0", &fault, NULL), XT_OK);
	assert_int_equal(fault.kind, XT_FAULT_BLOCK_NIC);
	assert_int_equal(xt_fault_parse("swap-entry:7,60,2", &fault, NULL), XT_OK);
	assert_int_equal(fault.kind, XT_FAULT_SWAP_ENTRY);
	assert_int_equal(fault.entry_a, 60);
	assert_int_equal(fault.entry_b, 2);
	assert_int_equal(xt_fault_parse("kill-link:5,3,4000", &fault, NULL), XT_OK);
	assert_int_equal(fault.kind, XT_FAULT_KILL_LINK);
	assert_int_equal(fault.card, 5);
	assert_int_equal(fault.port, 3);
	assert_int_equal(fault.n, 4000);
}

TEST(refuses_the_rest)
{
	static const char *const wrong[] = {"", "drop", "drop-credit", "drop-credit:", "drop-credit:1,2",
		"drop-credit:1,2,3,4", "drop-credit:1,2,x", "drop-credit:1,2,-3", "drop-credit:1,2,3,",
		"flip-bit:1,2,3,4,5", "flip-bit:4294967296,0,0,0", "flip-bits:1,2,3,4", "kill-link:1,2",
		"kill-link:1,2,3,4", "swap-entry:1,2,4294967296"};
	xt_fault_t fault;
	xt_diag_t diag;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(xt_fault_parse(wrong[i], &fault, &diag), XT_ERR_INVALID);
		assert_says(&diag, "fault");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(understands_every_kind),
		cmocka_unit_test(refuses_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
