# SPDX-License-Identifier: Apache-2.0
"""Time limits that count processor time, so that a busy machine fails no test."""

import resource

WALL = 10  # of real time for each second of processor, against what waits for ever


def limited(seconds):
    """Options of subprocess.run: each process of the command gets `seconds` of processor, and the command ten times that in all."""
    def limit():
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        allowed = seconds if hard == resource.RLIM_INFINITY else min(seconds, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))

    return {"timeout": WALL * seconds, "preexec_fn": limit}
