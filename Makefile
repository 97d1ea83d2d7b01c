# Two commands do everything: `make book` and `make test`. `make` alone lists the others. The book needs
# requirements-light.txt alone, and uses torch where it is; the tests need requirements.txt.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: help book page notebooks student teacher plain test quick slow browser linkcheck check bench light binder pins weight cluster lint format serve clean constraints

help:                          ## this list
	@awk -F ':.*## *' '/^[a-z]+:.*##/ { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: .venv/installed          ## execute every page and build the HTML
	$(BIN)/python book/_tools/build.py

page: .venv/installed          ## execute and build one page, P=splits say, beside the others of the last book
	$(BIN)/python book/_tools/build.py --page "$(P)"

notebooks: book                ## the list of all pages as notebooks, in JupyterLab
	$(BIN)/jupyter lab _build/html/_sources/index.ipynb

student: .venv/installed       ## pages and notebooks without solutions, to hand out: _build/student
	$(BIN)/python book/_tools/build.py --edition student

teacher: .venv/installed       ## notebooks with solutions: _build/teacher
	$(BIN)/python book/_tools/build.py --edition teacher

plain: .venv/installed         ## the book without Jupyter Book, by the newest Sphinx and theme: _build/plain/html
	$(BIN)/python book/_tools/plain.py

test: .venv/lab                ## unit, property and doctest suites
	$(BIN)/python -m pytest -m "not slow" --ignore tests/browser -n 2 --dist loadfile

quick: lint                    ## within a minute: style, and the tests nearest to what the working tree changed
	$(BIN)/python tests/quick.py

# Files that have no such test are not read. What kills processes, measures seconds or prints runs by itself.
ALONE := tests/faults tests/reports
slow: .venv/lab                ## faults, coverage simulations, builds of a small book: a quarter of an hour
	$(BIN)/python -m pytest -m slow $(ALONE)
	$(BIN)/python -m pytest -m slow -n 2 --dist worksteal \
	  $(filter-out $(ALONE:=%), $(shell grep -rl --include='test_*.py' 'mark\.slow' tests))

browser: .venv/lab             ## the built pages in Chromium, where there is one
	$(BIN)/python -m pytest tests/browser -n 2 --dist worksteal

linkcheck: .venv/installed     ## links to other hosts; those inside the book fail its build
	PYTHONWARNINGS=ignore $(BIN)/jupyter-book build --builder linkcheck --path-output _build/links .

# Side by side, each on a core; a slice is one unit of an experiment, and needs no workers.
check: .venv/lab               ## run a random slice of every recorded table again and compare
	@$(MAKE) --no-print-directory --jobs 2 check-slices check-verdicts

check-slices:
	$(BIN)/lab check --units 1 --longest 30 --jobs 1 --quiet

check-verdicts:
	$(BIN)/lab scorecard --check

light: .venv/lab               ## do the pages that can do without torch show the same without it? RECORD=1: write what they show
	$(BIN)/python book/_tools/without_torch.py $(if $(RECORD),--record) $(NAMES)

bench: .venv/lab               ## evalkit beside its peers, as ratios in one process; and at the sizes that it promises
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	$(BIN)/python benchmarks/corners.py --record
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest benchmarks/bench_speed.py -c benchmarks/pytest.ini --record
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bounds.py

binder: .venv/lab book         ## open and run each page as Binder does, and record what that takes; needs Linux and Chromium
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r .binder/requirements.txt
	$(BIN)/python benchmarks/binder.py

PINS ?= numpy==2.4.5 scipy==1.17.0,pandas==3.1.0 scikit-learn==1.9.0,matplotlib==3.11.1
pins: .venv/lab                ## what fails with another patch version of a package? an hour; PINS=numpy==2.4.5 tries one
	$(BIN)/python benchmarks/pins.py $(PINS)

weight: .venv/lab              ## how soon each built page is there, far away and on an old phone; needs Chromium
	$(BIN)/python benchmarks/weight.py

cluster: .venv/lab             ## what runs on more than one machine need
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-cluster.txt

lint: .venv/lab                ## style and docstrings
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: .venv/lab              ## style, mended where a machine can
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

PORT ?= 8000
serve: .venv/installed         ## look at the built book at http://127.0.0.1:8000/; PORT=8080 takes another port
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

clean:                         ## remove what was built; recorded runs and unfinished ones stay
	rm -rf .venv _build build dist *.egg-info lab/*.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

constraints: .venv/lab         ## pin what the requirements need in turn
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu//' > constraints.txt

.venv/installed: requirements-light.txt constraints.txt pyproject.toml lab/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + ". Try: make PYTHON=/path/to/python3.11 book")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-light.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . -e ./lab
	@touch $@

# Beyond the book: torch, and what tests.
.venv/lab: .venv/installed requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/lab data corpus
	@touch $@
