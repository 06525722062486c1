// SPDX-License-Identifier: Apache-2.0
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "link_bench.hpp"

std::string figure(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	std::vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return text;
}

static std::vector<TestCase> all_tests()
{
	std::vector<TestCase> all;

	for (auto list : {clean_tests, error_tests, down_tests}) {
		for (const TestCase &test : list()) {
			all.push_back(test);
		}
	}
	return all;
}

static void usage(FILE *stream, const char *program)
{
	std::fprintf(stream,
		"usage: %s [--list] [--seed N] [--scale N] [--tx-latency N] [TEST...]\n"
		"Tests two xt_links back to back; without TEST, all tests. Prints TAP; exit status 1 if a test fails.\n"
		"  --list         print the names of the tests\n"
		"  --seed N       seed of everything random (default 1)\n"
		"  --scale N      make the random tests N times as long (default 1)\n"
		"  --tx-latency N cycles from the switch to the pins (default 2; 3 without the bypass)\n"
		"Example: %s flips --seed 7\n",
		program, program);
}

int main(int argc, char **argv)
{
	Options options;
	std::vector<TestCase> tests, all = all_tests();
	auto number = [&](int &i) {
		char *end;
		unsigned long value = i + 1 < argc ? std::strtoul(argv[i + 1], &end, 0) : 0;

		if (i + 1 >= argc || *end || end == argv[i + 1]) {
			std::fprintf(stderr, "%s: %s wants a number\n", argv[0], argv[i]);
			std::exit(2);
		}
		i++;
		return value;
	};

	for (int i = 1; i < argc; i++) {
		if (!std::strcmp(argv[i], "--list")) {
			for (const TestCase &test : all) {
				std::puts(test.name);
			}
			return 0;
		} else if (!std::strcmp(argv[i], "--help")) {
			usage(stdout, argv[0]);
			return 0;
		} else if (!std::strcmp(argv[i], "--seed")) {
			options.seed = number(i);
		} else if (!std::strcmp(argv[i], "--scale")) {
			options.scale = static_cast<unsigned>(number(i));
		} else if (!std::strcmp(argv[i], "--tx-latency")) {
			options.tx_latency = static_cast<unsigned>(number(i));
		} else {
			bool found = false;

			for (const TestCase &test : all) {
				if (!std::strcmp(argv[i], test.name)) {
					tests.push_back(test);
					found = true;
				}
			}
			if (!found) {
				std::fprintf(stderr, "%s: no test \"%s\"; --list names them\n", argv[0], argv[i]);
				return 2;
			}
		}
	}
	if (tests.empty()) {
		tests = all;
	}

	size_t number_of_test = 0, failed = 0;

	std::printf("1..%zu\n", tests.size());
	std::fflush(stdout);
	for (const TestCase &test : tests) {
		number_of_test++;
		try {
			std::string text = test.run(options);

			std::printf("ok %zu - %s: %s\n", number_of_test, test.name, text.c_str());
		} catch (const Failure &failure) {
			failed++;
			std::printf("not ok %zu - %s: %s\n", number_of_test, test.name, failure.what());
		} catch (const std::exception &error) {
			std::fprintf(stderr, "%s: %s: %s\n", argv[0], test.name, error.what());
			return 2;
		}
		std::fflush(stdout);
	}
	if (failed) {
		std::printf("# %zu of %zu tests failed (seed %llu)\n", failed, tests.size(),
			static_cast<unsigned long long>(options.seed));
	}
	return failed ? 1 : 0;
}
