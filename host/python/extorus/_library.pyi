# SPDX-License-Identifier: Apache-2.0
# The module is generated: declarations.py writes it from the public headers.
from typing import Any

ffi: Any
