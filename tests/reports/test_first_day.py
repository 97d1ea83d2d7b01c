"""`evalkit init`: what its README prints is run, with its ten seeds."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from evalkit import cli

ROOT = Path(__file__).resolve().parents[2]


def run(command, cwd):
    """Run a line of the README, by this Python and this checkout."""
    python, *rest = shlex.split(command, comments=True)
    program = {"python": [], "evalkit": ["-m", "evalkit"]}[python]
    asked = [sys.executable, *program, *rest]
    found = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        asked, cwd=cwd, capture_output=True, text=True, env=os.environ | found
    )


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab") / "ours"
    assert cli.main(["init", str(folder)]) == 0
    text = (folder / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    return folder, [run(line, folder) for line in "".join(blocks).splitlines()]


@pytest.mark.slow
def test_the_commands_of_its_readme_run_as_printed(ours):
    folder, done = ours
    assert [one.returncode for one in done] == [0] * 4, [one.stderr for one in done]
    _, predictions, check, runs = (one.stdout for one in done)
    assert "other training seeds and other items of this kind, at once" in predictions
    assert check.startswith("# The claim stands")
    assert "about predictions.csv: it is neither read nor written" in runs
    assert (folder / "report.html").exists()
    assert (folder / "runs.html").exists()


@pytest.mark.slow
def test_it_makes_no_run_twice_and_keeps_the_row_of_one_that_crashed(ours):
    folder, _ = ours
    before = (folder / "runs.csv").read_text(encoding="utf-8")
    run("python train.py --seeds 10", folder)
    assert (folder / "runs.csv").read_text(encoding="utf-8") == before
    (folder / "runs.csv").write_text(before[: before.index("network,9")])
    script = (folder / "train.py").read_text(encoding="utf-8")
    (folder / "other.py").write_text(script.replace("(32,)", "(-1,)"))
    run("python other.py --seeds 10", folder)
    last = (folder / "runs.csv").read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith("network,9,,,")
    asked = "--baseline linear --metric accuracy --ignore seconds --ignore code"
    refused = run(f"evalkit report runs.csv {asked}", folder)
    assert refused.returncode == 1
    assert "(gaps)" in refused.stderr


def test_what_is_there_is_left_as_it_is(tmp_path, capsys):
    (tmp_path / "README.md").write_text("ours", encoding="utf-8")
    (tmp_path / "train.py").symlink_to(tmp_path / "gone.py")
    assert cli.main(["init", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("left as it is") == 2
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "ours"
    assert not (tmp_path / "gone.py").exists()


@pytest.mark.parametrize("inside", [".", ".github", ".github/workflows"])
@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_file_or_a_link_is_no_folder(tmp_path, capsys, inside, kind):
    place, other = tmp_path / "lab" / inside, tmp_path / "other"
    other.mkdir()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch() if kind == "file" else place.symlink_to(other)
    assert cli.main(["init", str(tmp_path / "lab")]) == 1
    assert f"is a {kind}; name another place" in capsys.readouterr().err
    assert list(other.iterdir()) == []
    assert not (tmp_path / "lab" / "README.md").exists()
