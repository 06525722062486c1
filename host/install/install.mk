# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: installation into a prefix that can be moved.

##@ Install
# Into a prefix that can be moved.
PREFIX ?= /usr/local
DESTDIR ?=
SHARED := $B/libextorus.so.$(SOVERSION)
PUBLIC_HEADERS := $(sort $(wildcard host/include/extorus/*.h))

$(SHARED): $(LIB_OBJ)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,--no-undefined $(LIB_OBJ) $(LDFLAGS) $(LDLIBS) -o $@
build/documents/.stamp: $(COMMAND) host/install/documents.py $(PUBLIC_HEADERS) host/include/extorus/protocol.h
	$(call say,DOCUMENT,build/documents)
	$Q$(PYTHON) host/install/documents.py $(COMMAND) host/include/extorus host/include/extorus/protocol.h build/documents $(VERSION)
	@touch $@

# The C library is in it: a program needs no other, and finds the simulators beside it.
$(SYSTEMC_SHARED): $(SYSTEMC_SRC:%.cpp=build/obj/%.o) $(LIB_OBJ)
	$(call say,LINK,$@)
	$Q$(CXX) -shared -Wl,-soname,$(@F) $(filter %.o,$^) $(LDFLAGS) -lsystemc $(LDLIBS) -o $@

.PHONY: install install-built install-systemc dist
fill = sed -e 's|@SOVERSION@|$(SOVERSION)|' -e 's|@VERSION@|$(VERSION)|' $(1)
install: all ## Install command, library, simulators and documents into PREFIX (/usr/local)
	@$(MAKE) install-built
install-built: $(COMMAND) $(SHARED) build/documents/.stamp
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$Qset -- "$(DESTDIR)$(PREFIX)"; \
	install -d "$$1"/bin "$$1"/lib/extorus "$$1"/lib/pkgconfig "$$1"/lib/cmake/extorus "$$1"/lib/udev/rules.d "$$1"/include/extorus "$$1"/share/man/man1 \
		"$$1"/share/man/man3 "$$1"/share/bash-completion/completions; \
	install -m 755 $(COMMAND) "$$1"/bin/extorus; \
	install -m 644 $(SHARED) $(LIB) "$$1"/lib; \
	ln -sf $(notdir $(SHARED)) "$$1"/lib/libextorus.so; \
	for library in build/libextorus-capture*.so; do [ ! -e $$library ] || install -m 644 $$library "$$1"/lib; done; \
	for plugin in build/plugins/*.so; do [ ! -e $$plugin ] || install -m 644 $$plugin "$$1"/lib/extorus; done; \
	install -m 644 $(PUBLIC_HEADERS) "$$1"/include/extorus; \
	$(call fill,host/install/extorus.pc.in) > "$$1"/lib/pkgconfig/extorus.pc; \
	$(call fill,host/install/extorusConfig.cmake.in) > "$$1"/lib/cmake/extorus/extorusConfig.cmake; \
	$(call fill,host/install/extorusConfigVersion.cmake.in) > "$$1"/lib/cmake/extorus/extorusConfigVersion.cmake; \
	install -m 644 build/documents/*.rules "$$1"/lib/udev/rules.d; \
	install -m 644 build/documents/*.1 "$$1"/share/man/man1; \
	install -m 644 build/documents/*.3 "$$1"/share/man/man3; \
	install -m 644 build/documents/extorus.bash "$$1"/share/bash-completion/completions/extorus
install-systemc: install-built $(SYSTEMC_SHARED) ## Install what is built, and the SystemC library
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$Qset -- "$(DESTDIR)$(PREFIX)"; \
	install -d "$$1"/include/extorus/systemc; \
	install -m 644 $(SYSTEMC_SHARED) "$$1"/lib; \
	ln -sf $(notdir $(SYSTEMC_SHARED)) "$$1"/lib/libextorus-systemc.so; \
	install -m 644 sim/systemc/include/extorus/systemc.hpp "$$1"/include/extorus; \
	install -m 644 sim/systemc/include/extorus/systemc/*.hpp "$$1"/include/extorus/systemc; \
	$(call fill,host/install/extorus-systemc.pc.in) > "$$1"/lib/pkgconfig/extorus-systemc.pc

# The commit's files with the commit's time, so that a commit has one archive. It builds without git.
dist: ## Write build/dist/extorus-VERSION.tar.gz from the commit
	@mkdir -p build/dist
	@git diff --quiet HEAD || echo "make dist: the archive is of the commit, without what is changed on top of it" >&2
	$(call say,ARCHIVE,build/dist/extorus-$(VERSION).tar.gz)
	$Qgit -c tar.umask=0022 archive --format=tar --prefix=extorus-$(VERSION)/ HEAD | gzip -n -9 > build/dist/extorus-$(VERSION).tar.gz

# What a release of Debian installs, from what is built here: the folder debian/ is where its tools want it in a copy only.
DEB := build/deb/extorus-$(VERSION)
.PHONY: deb install-python
install-python: build/python/package/.stamp
	$Q$(PYTHON) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation --no-compile --target $(PYTHON_DIR) ./build/python/package
	$Qrm -f $(PYTHON_DIR)/*.dist-info/direct_url.json
deb: setup ## Build build/deb/*.deb: library, development files, command, Python package
	@.ci/setup .ci/packages-deb
	@$(MAKE) all build/python/package/.stamp deb-built
deb-built: $(SHARED)
	$(call say,PACKAGE,build/deb)
	$Qrm -rf build/deb && mkdir -p $(DEB) && cp -r host/install/debian $(DEB)
	$Qdate=$$(git log -1 --format=%ct 2>/dev/null || stat -c %Y host/cli/commit.txt); \
	$(call fill,host/install/debian/changelog) | sed "s|@DATE@|$$(date -R -u -d @$$date)|" > $(DEB)/debian/changelog; \
	cd $(DEB) && SOURCE_DATE_EPOCH=$$date DEB_BUILD_OPTIONS=noautodbgsym EXTORUS_TREE=$(CURDIR) dpkg-buildpackage -b -us -uc > ../build.log 2>&1 || \
		{ cat ../build.log; exit 1; }
	lintian --fail-on error build/deb/*.changes
