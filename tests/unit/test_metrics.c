/* SPDX-License-Identifier: Apache-2.0
 *
 * Alerts in the text for Prometheus, of links in every state. */
#include <jansson.h>
#include <string.h>

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
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char port[256], *text;

		snprintf(port, sizeof(port), "[{\"card\": 3, \"port\": \"d0+\", %s}]", cases[i].counters);
		text = written(port);
		assert_non_null(strstr(text, cases[i].says));
		free(text);
	}
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
		cmocka_unit_test(test_labels_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
