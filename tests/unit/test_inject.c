/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that no card would carry as they are: the sender is told, before the receiver gets another packet. */
#include "extorus/board.h"
#include "fake_network.h"

typedef struct {
	unsigned says, cells, tc, more; /* cells by the header, cells and words that there are */
	int status;
} packet_t;

TEST(takes_what_the_header_says)
{
	static const packet_t packets[] = {{3, 3, 0, 0, XT_OK}, {1, 1, 0, 0, XT_OK}, {3, 2, 0, 0, XT_ERR_INVALID},
		{2, 3, 0, 0, XT_ERR_INVALID}, {1, 0, 0, 0, XT_ERR_INVALID}, {1, 0, 0, 1, XT_ERR_INVALID},
		{2, 2, 0, 1, XT_ERR_INVALID}, {32, 32, 0, 0, XT_OK}, {2, 2, 3, 0, XT_OK}};
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_device_t *device = fake_open(image);
	const xt_profile_t *profile = xt_device_profile(device);
	const unsigned words = xt_device_cell_words(device);

	assert_int_equal(profile->packet_cells, 32);
	assert_int_equal(profile->tcs, 4);
	for (unsigned i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		const packet_t *p = &packets[i];
		uint32_t packet[33 * 4] = {0};
		xt_diag_t diag = {""};

		xt_packet_set_header(profile, packet,
			&(xt_packet_header_t){.destination = 2, .source = 1, .cells = p->says, .tc = p->tc});
		assert_int_equal(xt_device_inject(device, 1, packet, p->cells * words + p->more, 0, &diag), p->status);
		if (p->status != XT_OK) {
			assert_says(&diag, "a packet of ");
		}
	}
	fake_close(device);
	xt_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_the_header_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
