# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: cards and networks as SystemC modules.

# The modules serve every profile: the plug-in that they open has the profile. Each folder with main.cpp, and each test,
# is a program.
SYSTEMC := build/libextorus-systemc.a
SYSTEMC_SHARED := build/libextorus-systemc.so.$(SOVERSION)
SYSTEMC_PROGRAMS := $(patsubst sim/systemc/%/main.cpp,build/systemc/%,$(sort $(wildcard sim/systemc/*/main.cpp))) \
	$(patsubst tests/system/systemc/%.cpp,build/tests/systemc-%,$(sort $(wildcard tests/system/systemc/*.cpp)))
SYSTEMC_SOURCES := $(SYSTEMC_SRC) $(wildcard sim/systemc/*/*.cpp) $(wildcard tests/system/systemc/*.cpp)
$(SYSTEMC_SRC:%.cpp=build/obj/%.o): override CXXFLAGS += -fvisibility=hidden
$(SYSTEMC_SOURCES:%.cpp=build/obj/%.o): build/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -Isim/systemc/include $(INCLUDES) -MMD -MP -c $< -o $@
$(SYSTEMC): $(SYSTEMC_SRC:%.cpp=build/obj/%.o)
	$(call say,AR,$@)
	@rm -f $@
	$Qar rcs $@ $^
link_systemc = $(CXX) $(filter %.o,$^) $(SYSTEMC) build/libextorus.a -lsystemc $(LDLIBS) -o $@
define systemc_program
build/systemc/$(1): $(patsubst %.cpp,build/obj/%.o,$(sort $(wildcard sim/systemc/$(1)/*.cpp))) $(SYSTEMC) build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$$(link_systemc)
endef
$(foreach p,$(patsubst sim/systemc/%/main.cpp,%,$(wildcard sim/systemc/*/main.cpp)),$(eval $(call systemc_program,$p)))
build/tests/systemc-%: build/obj/tests/system/systemc/%.o $(SYSTEMC) build/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(link_systemc)
-include $(SYSTEMC_SOURCES:%.cpp=build/obj/%.d)
.PHONY: systemc
systemc: $(SYSTEMC) $(SYSTEMC_PROGRAMS) ## Build the SystemC library, its programs and their tests
