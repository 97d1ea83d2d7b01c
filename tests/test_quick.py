"""`make quick` runs what is near to a change, and says what it leaves."""

import quick


def test_the_tests_of_a_module_come_before_those_of_what_imports_it():
    tests, without = quick.chosen(["evalkit/splits.py"])
    assert tests[:2] == ["evalkit/splits.py", "tests/test_splits.py"]
    assert "tests/test_labels.py" in tests  # it calls evalkit.split_report
    assert without == []


def test_a_test_is_run_for_itself_and_for_what_it_borrows():
    assert quick.chosen(["tests/test_style.py"])[0] == ["tests/test_style.py"]
    assert "tests/test_cli.py" in quick.chosen(["tests/programs.py"])[0]


def test_a_page_has_the_tests_of_pages_and_what_has_none_is_named():
    tests, without = quick.chosen(["book/splits.md", "Makefile"])
    assert tests == quick.OF_PAGES
    assert without == ["Makefile"]


def test_what_there_is_no_time_for_is_counted():
    late = quick.ForSeconds(0)

    class Item:
        nodeid = "tests/test_a.py::test_b"

    assert late.pytest_runtest_protocol(Item) is True
    assert late.left == {"tests/test_a.py": 1}
    assert quick.ForSeconds(60).pytest_runtest_protocol(Item) is None
