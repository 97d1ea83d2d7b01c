"""How numbers are written for readers, and that printing them never fails."""

import io

import pytest
from grids import grid

from evalkit import t_interval
from evalkit._numbers import number, percent, set_cells, typeset


@grid(
    ("written", "wanted"),
    [
        ("95%, 95 % and 95\xa0%", "95\xa0%, 95\xa0% and 95\xa0%"),
        ("-0.3 [-1, -.5] (-2)", "−0.3 [−1, −.5] (−2)"),
        (
            "3-5, 2026-11-26, 1e-05, a-1, %s, 5%20",
            "3-5, 2026-11-26, 1e-05, a-1, %s, 5%20",
        ),
    ],
)
def test_signs_of_numbers_are_set_and_no_others(written, wanted):
    assert typeset(written) == typeset(wanted) == wanted


def test_a_share_is_rounded_as_python_rounds_it():
    assert [percent(0.125), percent(0.1256, 1), percent(-0.5)] == [
        "12\xa0%",
        "12.6\xa0%",
        "−50\xa0%",
    ]
    assert [number(-0.25, "+.1f"), number(1234.5, ",.1f"), number(2e-5, ".2g")] == [
        "−0.2",
        "1,234.5",
        "2e-05",
    ]


def test_cells_of_names_stay_as_they_are():
    table = (
        "<td>-3 to 5%</td><td class='a'>&lt; 5%</td><td>run -3,"
        " 5%</td><td><b>-1</b></td><th>-1</th>"
    )
    wanted = "<td>−3 to 5\xa0%</td><td class='a'>&lt; 5\xa0%</td>"
    assert set_cells(table) == wanted + table.partition("5%</td><td>")[2].join(
        ["<td>", ""]
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_an_output_without_the_signs_gets_plain_ones(monkeypatch, encoding):
    interval, file = t_interval([-0.2, 0.1]), io.BytesIO()
    shown = str(interval)
    with io.TextIOWrapper(file, encoding) as output:
        monkeypatch.setattr("sys.stdout", output)
        print(interval)
        output.flush()
        text = file.getvalue().decode(encoding).strip()
    assert shown.startswith("[−2.0, 1.9] (95\xa0%")
    assert text.replace("-", "−").replace(" %", "\xa0%") == shown
    assert repr(interval).isascii()
