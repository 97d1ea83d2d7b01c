"""Ctrl-C at random moments: one sentence, whatever was going on.

`EVALKIT_KILLS` says how often for each command (5). The signal goes to the whole
process group, as a terminal sends it.
"""

import functools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import small_units

import evalkit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="there are no process groups to signal"
    ),
]

KILLS = int(os.environ.get("EVALKIT_KILLS", "5"))
# Of what keeps nothing, or had nothing to keep yet.
EARLY = "stopped; nothing was begun, the same command begins it\n"
LAB = [sys.executable, "-m", "lab"]
COMMANDS = {
    "list": [*LAB, "data", "list"],
    "scorecard": [*LAB, "scorecard", "--csv"],
    "slice": [
        *LAB,
        "check",
        "xor",
        "--units",
        "1",
        "--longest",
        "5",
        "--quiet",
        "--store",
        "xor.sqlite",
    ],
    "recorded": [
        sys.executable,
        small_units.__file__,
        "run",
        "small_units",
        "--quiet",
        "--export",
        "--jobs",
        "2",
        "--store",
        "small.sqlite",
        "--folder",
        "recorded",
    ],
}


def start(command, folder):
    paths = [
        str(Path(evalkit.__file__).parents[1]),
        str(Path(small_units.__file__).parent),
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "SMALL_LOG": str(folder / "log"),
    }
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A job in the background of a shell ignores Ctrl-C, and what it starts would
        # too.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        cwd=folder,
        env=environment,
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_interrupt_at_a_random_moment(name, tmp_path):
    begun = time.perf_counter()
    process = start(COMMANDS[name], tmp_path)
    _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, "")
    duration = time.perf_counter() - begun
    rng = np.random.default_rng(12)
    interrupted = 0
    for k in range(KILLS):
        folder = tmp_path / str(k)
        folder.mkdir()
        process = start(COMMANDS[name], folder)
        time.sleep(rng.uniform(0, duration))
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        if process.returncode == 0:
            # It was over; or Python dropped the signal in a callback, and said so.
            assert error == "" or error.startswith("Exception ignored in")
            continue
        if re.search(
            r'File "[^"]*/(evalkit|lab)/', error
        ) is None and not error.startswith("stopped; "):
            # Python itself was starting, before any of ours.
            assert process.returncode in (
                1,
                -signal.SIGINT,
            )
            continue
        # Python ends with the signal, which a shell shows as 130, if it fell into a
        # part of its own.
        assert process.returncode in (130, -signal.SIGINT)
        interrupted += 1
        if error == EARLY:
            continue
        sentence = re.fullmatch(
            r"stopped; what was finished is in (\S+); the same command(.*) goes on\n",
            error,
        )
        assert sentence, error
        assert sentence[1] == COMMANDS[name][COMMANDS[name].index("--store") + 1]
        # It had said which slice, and says the same one again.
        seed = out.splitlines()[0].split()[-2:] if name == "slice" else []
        assert sentence[2].split() == (["with", *seed] if seed else [])
    assert interrupted
