/* SPDX-License-Identifier: Apache-2.0
 *
 * Alerts in the text for Prometheus, of links in every state, and counters that wrapped, there and in the table. */
#include <jansson.h>
#include <string.h>

#include "cli/report/counter_report.h"
#include "cli/report/metrics_text.h"
#include "extorus/profiles.h"
#include "support.h"

static char *written(const char *port)
{
	json_t *counters = json_loads(port, 0, NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(counters);
	assert_non_null(out);
	xt_metrics_write(xt_profile_find("extoll"), 1, counters, out);
	assert_int_equal(fclose(out), 0);
	json_decref(counters);
	return text;
}

TEST(test_alerts)
{
	static const struct {
		const char *counters, *says;
	} cases[] = {
		{"\"link_state\": \"up\", \"link_cause\": \"none\", \"replays\": 0",
			"link_alert_retry{card=\"3\",port=\"d0+\"} 0\n"},
		{"\"link_state\": \"up\", \"link_cause\": \"none\", \"replays\": 2",
			"link_alert_retry{card=\"3\",port=\"d0+\"} 1\n"},
		{"\"link_state\": \"up\", \"link_cause\": \"none\", \"replays\": 2",
			"link_replays_total{card=\"3\",port=\"d0+\"} 2\n"},
		{"\"link_state\": \"up\", \"link_cause\": \"none\", \"timeouts\": 1",
			"link_alert_retry{card=\"3\",port=\"d0+\"} 1\n"},
		{"\"link_state\": \"up\", \"link_cause\": \"none\"", "link_alert_down{card=\"3\",port=\"d0+\"} 0\n"},
		{"\"link_state\": \"down\", \"link_cause\": \"timeout\"",
			"link_alert_down{card=\"3\",port=\"d0+\"} 1\n"},
		{"\"link_state\": \"down\", \"link_cause\": \"disabled\"",
			"link_alert_down{card=\"3\",port=\"d0+\"} 0\n"},
		{"\"link_state\": \"down\", \"link_cause\": \"disabled\"", "link_up{card=\"3\",port=\"d0+\"} 0\n"},
		{"\"wrapped\": 1", "counters_wrapped{card=\"3\",port=\"d0+\"} 1\n"},
		{"\"wrapped\": 0", "counters_wrapped{card=\"3\",port=\"d0+\"} 0\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char port[256], *text;

		snprintf(port, sizeof(port), "[{\"card\": 3, \"port\": \"d0+\", %s}]", cases[i].counters);
		text = written(port);
		assert_non_null(strstr(text, cases[i].says));
		free(text);
	}
}

/* The counters of `wrapped` of two ports passed their end, which is no error. */
static void check_table(int first, int second, const char *says)
{
	json_t *counters = json_pack("[{s:i, s:s, s:i, s:[i]}, {s:i, s:s, s:i, s:[i]}]", "card", 0, "port", "d0+",
		"wrapped", first, "rx_cells", 7, "card", 0, "port", "nic", "wrapped", second, "rx_cells", 9);
	char *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xt_counters_print(counters, out), 0);
	assert_int_equal(fclose(out), 0);
	line = strstr(text, "counters of");
	assert_true(says ? line && strncmp(line, says, strlen(says)) == 0 : !line);
	assert_null(strstr(text, "flags"));
	free(text);
	json_decref(counters);
}

TEST(test_counters_that_wrapped_are_told)
{
	check_table(0, 0, NULL);
	check_table(0, 1, "counters of 1 port may have passed 2^32: ");
	check_table(1, 1, "counters of 2 ports may have passed 2^32: ");
}

TEST(test_labels_are_escaped)
{
	char *text = written("[{\"card\": 0, \"port\": \"a\\\"b\\\\c\\n\", \"replays\": 1}]");

	assert_non_null(strstr(text, "port=\"a\\\"b\\\\c\\n\"} 1\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alerts),
		cmocka_unit_test(test_counters_that_wrapped_are_told),
		cmocka_unit_test(test_labels_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
