// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "switch_bench.hpp"

// A test builds its own Bench, throws Failure when the card is wrong and returns the figures it
// measured, as one line.
struct TestCase {
	const char *name;
	std::string (*run)(const Options &options);
};

std::string figure(const char *format, ...) __attribute__((format(printf, 1, 2)));

// One list per file test_*.cpp.
std::vector<TestCase> register_tests();
std::vector<TestCase> table_tests();
std::vector<TestCase> routing_tests();
std::vector<TestCase> latency_tests();
std::vector<TestCase> throughput_tests();
std::vector<TestCase> blocking_tests();
std::vector<TestCase> credit_tests();
std::vector<TestCase> fairness_tests();
std::vector<TestCase> error_tests();
std::vector<TestCase> soak_tests();
// These have no tests for profiles without the feature.
std::vector<TestCase> adaptive_tests();
std::vector<TestCase> share_tests();
std::vector<TestCase> service_tests();
std::vector<TestCase> error_register_tests();
std::vector<TestCase> link_tests();
std::vector<TestCase> ring_tests();
