# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the Python package, with the library and the simulators that are built in it.

PYTHON_SRC := $(wildcard host/python/extorus/*)
# The package without binaries, as Debian's package has it.
build/python/package/.stamp: host/python/declarations.py host/python/pyproject.toml.in host/python/README.md $(PYTHON_SRC) $(PUBLIC_HEADERS)
	$(call say,PACKAGE,$(@D))
	$Qrm -rf $(@D) && mkdir -p $(@D)/extorus
	$Qcp $(PYTHON_SRC) $(@D)/extorus
	$Qcp host/python/README.md $(@D)
	$Q$(call fill,host/python/pyproject.toml.in) > $(@D)/pyproject.toml
	$QCC=$(CC) $(PYTHON) host/python/declarations.py host/include $(@D)/extorus/_library.py
	@touch $@

##@ Install
.PHONY: wheel
wheel: build/python/package/.stamp $(SHARED) $(MODEL_PLUGINS) ## Build the Python package, build/python/extorus-*.whl
	$(call say,WHEEL,build/python)
	$Qrm -rf build/python/wheel build/python/*.whl && cp -r build/python/package build/python/wheel
	$Qinstall -D -m 644 -s -t build/python/wheel/extorus/lib $(SHARED)
	$Qinstall -D -m 644 -s -t build/python/wheel/extorus/lib/extorus $(filter-out %-trace.so,$(wildcard build/plugins/*.so))
	$Qprintf '[bdist_wheel]\nplat_name = %s\n' "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_platform())')" > build/python/wheel/setup.cfg
	$Q$(PYTHON) -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w build/python ./build/python/wheel

# The notebook runs where a user would run it: beside the installed wheel.
build/venv-notebook/done: host/python/requirements-notebook.txt
	@mkdir -p $(@D)
	$(call say,VENV,$(@D))
	$Q$(PYTHON) -m venv $(@D)
	$Q$(@D)/bin/pip install -q --disable-pip-version-check 'cffi>=1.15' -r $<
	@touch $@
.PHONY: notebook
notebook: wheel build/venv-notebook/done ## Run host/python/load_latency.ipynb; out/notebook has the picture
	$Qbuild/venv-notebook/bin/pip install -q --disable-pip-version-check --no-deps --force-reinstall build/python/*.whl
	@mkdir -p out/notebook && cp host/python/load_latency.ipynb out/notebook
	$Qcd out/notebook && ../../build/venv-notebook/bin/jupyter-execute --inplace load_latency.ipynb
