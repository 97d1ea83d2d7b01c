"""What both command lines are asked, `evalkit` and `lab`: they read their words, and
end, in one way.
"""

import os
import shlex
import subprocess
import sys

import pytest

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="pipes and streams end otherwise there"
)
FULL_DEVICE = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="there is no full device"
)


def usage_error(capsys, main, *arguments):
    """Call a command line with wrong words, and return the one line that it says."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def loaded(name, *arguments):
    """Return which slow packages a program imports."""
    code = f"""
import sys
sys.argv = [{name!r}, *{arguments!r}]
try:
    from {name}.__main__ import main
    main()
except SystemExit:
    pass
slow = {{"numpy", "scipy", "pandas", "sklearn", "joblib", "torch", "asyncio"}}
print(*slow & set(sys.modules), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()[-1].split()


def end_of_closed_pipe(name, *arguments, unbuffered, cwd):
    """Run a program whose reader goes away; return its status and what it says."""
    process = subprocess.Popen(
        [sys.executable, "-m", name, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        start_new_session=True,
    )
    process.stdout.close()  # as `head` does once it has its lines
    said = process.stderr.read()
    process.stderr.close()
    return process.wait(60), said


def end_without_streams(name, *arguments, closed, cwd):
    """Run a program without some of its standard streams."""
    line = f"{shlex.join([sys.executable, '-m', name, *arguments])} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=cwd)
    assert "Traceback" not in done.stderr
    return done


def end_on_a_full_disk(name, *arguments, cwd):
    """Run a program whose output does not fit; return its status and what it says."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", name, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
        )
    return done.returncode, done.stderr
