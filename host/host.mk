# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the library, the command, and the generator's output for every profile.

# The list of profiles, from the file names; rewritten only when a profile comes or goes.
$B/generated/profile_list.c: FORCE
	@mkdir -p $(@D)
	@{ echo '/* From the names of host/params/profile_*.c. */'; \
	   echo '#include <stddef.h>'; echo '#include "extorus/profiles.h"'; \
	   for p in $(ALL_PROFILES); do echo "extern const xt_profile_t xt_profile_$$p;"; done; \
	   echo 'const xt_profile_t *const xt_profiles[] = {'; \
	   for p in $(ALL_PROFILES); do echo "	&xt_profile_$$p,"; done; \
	   echo '	NULL,'; echo '};'; } > $@.$$$$.new; \
	if cmp -s $@.$$$$.new $@; then rm $@.$$$$.new; else mv $@.$$$$.new $@; fi
.PHONY: FORCE
FORCE:

# The shared library shows declarations marked XT_API; symbols hidden from it serve within the static library.
$(LIB_OBJ): override CFLAGS += -fvisibility=hidden
# The command sees public headers only, cmd_gen.c the generator's, and doctor_host.c those of libraries whose version it tells.
$(CLI_OBJ): INCLUDES := -Ihost/include -Ihost/cli
$B/obj/host/cli/cmd_gen.o: INCLUDES := -Ihost/include -Ihost/cli -Ihost
$B/obj/host/cli/boards/doctor_host.o: INCLUDES := -Ihost/include -Ihost/cli -isystem /usr/include/libusb-1.0 -isystem /usr/include/libftdi1
$B/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@
$B/obj/profile_list.o: $B/generated/profile_list.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

# The comparisons that `extorus reproduce` knows, as bytes.
$B/generated/experiments.c: sim/experiments/reproductions/experiments.json
	@mkdir -p $(@D)
	@{ echo '#include <stddef.h>'; echo 'extern const unsigned char xt_experiments_text[];'; \
	   echo 'extern const size_t xt_experiments_size;'; echo 'const unsigned char xt_experiments_text[] = {'; \
	   od -An -v -tu1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g'; echo '};'; \
	   echo 'const size_t xt_experiments_size = sizeof(xt_experiments_text);'; } > $@
$B/obj/experiments.o: $B/generated/experiments.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

# The commit, "-dirty" with changes on top of it; of an archive, what `git archive` filled in.
$B/generated/commit.c: FORCE
	@mkdir -p $(@D)
	@commit=$$([ -e .git ] && git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || sed 's/^[$$].*/unknown/; s/^\(.\{12\}\).*/\1/' host/cli/commit.txt); \
	printf 'extern const char xt_commit[];\nconst char xt_commit[] = "%s";\n' "$$commit" > $@.$$$$.new; \
	if cmp -s $@.$$$$.new $@; then rm $@.$$$$.new; else mv $@.$$$$.new $@; fi
$B/obj/commit.o: $B/generated/commit.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJ)
	$(call say,AR,$@)
	@rm -f $@
	$Qar rcs $@ $^
$(COMMAND): $(CLI_OBJ) $(GEN_OBJ) $(LIB)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $(CLI_OBJ) $(GEN_OBJ) $(LIB) -pie $(LDFLAGS) $(LDLIBS) -o $@

# The generator links the parameters and the base alone, so that other changes of the library generate nothing again.
GENERATOR_OBJ := $B/obj/host/gen/main.o $(GEN_OBJ) $B/obj/profile_list.o \
	$(call obj,$(sort $(wildcard host/params/*.c host/lib/base/*.c)))
$(GENERATOR): $(GENERATOR_OBJ)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $(GENERATOR_OBJ) $(LDFLAGS) -lz -lm -lpthread -o $@
