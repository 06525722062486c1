# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: what the sanitizers build too, unit tests and fuzz targets.

$B/tests/generator: $(GEN_OBJ)
$B/tests/metrics: $(addprefix $B/obj/host/cli/report/,metrics_text.o counter_report.o)
$B/tests/input_queued: $(call obj,$(INPUT_QUEUED_SRC))
$B/tests/%: $B/obj/tests/unit/test_%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $(filter %.o,$^) $(LIB) $(LDFLAGS) -lcmocka $(LDLIBS) -o $@
.PHONY: unit
unit: $(UNIT_BIN)

# The guest of tests/system/usb_host runs this.
$B/tests/usb-stream: $B/obj/tests/system/usb_host/usb_stream.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# Errors, dead links, new tables and resets for a long time.
$B/tests/soak: $B/obj/tests/system/soak/soak.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# A fuzz target with libFuzzer, or with a main that runs it on files.
$B/fuzzers/%: $B/obj/tests/fuzz/fuzz_%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -fsanitize=fuzzer $(filter %.o,$^) $(LIB) $(LDFLAGS) $(LDLIBS) -o $@
$B/replay/%: $B/obj/tests/fuzz/fuzz_%.o $B/obj/tests/fuzz/fuzz_replay.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $(filter %.o,$^) $(LIB) $(LDFLAGS) $(LDLIBS) -o $@
# The file of results is the command's.
# The command's own headers for the tests of its parts.
$B/obj/tests/unit/test_metrics.o $B/obj/tests/fuzz/fuzz_sweep_file.o: INCLUDES += -Ihost/cli
$B/fuzzers/sweep_file $B/replay/sweep_file: $B/obj/host/cli/runs/sweep_store.o
.PHONY: replays fuzzers-clang
replays: $(FUZZ_TARGETS:%=$B/replay/%)
fuzzers-clang: $(FUZZ_TARGETS:%=$B/fuzzers/%)

-include $(LIB_OBJ:.o=.d) $(INPUT_QUEUED_SRC:%.c=$B/obj/%.d) $(GENERATOR_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_SRC:%.c=$B/obj/%.d) $(wildcard $B/obj/tests/fuzz/*.d $B/obj/tests/system/*/*.d)
