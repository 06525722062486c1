# SPDX-License-Identifier: Apache-2.0
"""The command on several ranks of Open MPI, more than there are processors."""

import json
import os
import shutil
import signal
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

PLUGIN = ROOT / "build/plugins/extorus-mpi.so"
needed = pytest.mark.skipif(not (shutil.which("mpirun") and PLUGIN.exists()), reason="no mpirun, or no plug-in (make mpi)")
# A rank that waits sleeps by itself.
MCA = {"mpi_yield_when_idle": 0, "btl": "self,vader", "btl_vader_single_copy_mechanism": "none", "rmaps_base_oversubscribe": 1}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               **{f"OMPI_MCA_{key}": str(value) for key, value in MCA.items()}}


# Of the result: what differs between runs of the same.
TIMING = ("wall_seconds", "card_cycles_per_second", "ranks")


def start(folder, *words):
    """mpirun with these words, under way."""
    return subprocess.Popen(["mpirun", *map(str, words)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=ENVIRONMENT, preexec_fn=limited(300)["preexec_fn"])


def end_of(job, timeout):
    """(out, err) of mpirun, or None: after an abort mpirun of Open MPI 4.1 itself may crash or wait for ever, in PMIx_server_finalize."""
    try:
        out, err = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        left = subprocess.run(["pgrep", "--runstates", "D,R,S,T", "-P", str(job.pid)], capture_output=True, text=True, check=False).stdout
        job.kill()
        _, err = job.communicate()
        assert not left, f"ranks that do not end: {left}\n{err}"
        return None
    return None if job.returncode == -signal.SIGSEGV else (out, err)


def ended(folder, *words, timeout=120):
    """Exit status, output and errors of mpirun with these words; once more where mpirun itself, and no rank, failed."""
    for _ in range(4):
        job = start(folder, *words)
        texts = end_of(job, timeout)
        if texts:
            return job.returncode, *texts
    raise AssertionError("mpirun itself failed four times")


def mpirun(extorus, ranks, *words, status=0, stderr=None):
    """Standard output of the command on so many ranks."""
    code, out, err = ended(extorus.folder, "-n", ranks, extorus.command, *words, timeout=300)
    assert status is None or code == status, f"{words}: exit {code}\n{out[-2000:]}{err}"
    if stderr is not None:
        assert stderr in err, err
    return out


def runner(extorus, engine):
    """run(ranks, image, *words) -> what the command says but for the time, and its packets in their order."""

    def run(count, image, *words, status=None):
        words = ("sim", image, "--engine", engine, "--backdoor", "--json", "--counters", "--packet-log", "log.csv", *map(str, words))
        out = mpirun(extorus, count, *words, status=status) if count else extorus(*words, status=status)
        return {key: value for key, value in json.loads(out).items() if key not in TIMING}, (extorus.folder / "log.csv").read_text()

    return run
