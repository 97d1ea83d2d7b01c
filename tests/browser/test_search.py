"""One of the first two pages that the search finds answers; the contents beside a page
show where one is.
"""

import re
from urllib.parse import quote_plus, urlsplit

import pytest
from bs4 import BeautifulSoup
from conftest import HTML, PAGES, set_width, settle
from selenium.webdriver.support.wait import WebDriverWait

SUMMARY = "#search-results .search-summary"
HITS = "#search-results li > a"

# In the words of people who may not know the term; the pages that answer, any of them.
QUESTIONS = {
    "is my gap real": "which_test significance",
    "is my improvement significant": "which_test significance",
    "are these two numbers really different": "which_test significance intervals",
    "which test": "which_test",
    "peeking": "which_test",
    "no failures in 300": "which_test",
    "click-through rate": "which_test",
    "how do I compare two models": "which_test significance ask",
    "only one run": "which_test seeds",
    "how many seeds": "seeds",
    "how many runs do I need": "seeds ask",
    "lucky seed": "seeds",
    "best of thirty seeds": "seeds ask",
    "can I report the best run": "expected_maximum seeds ask",
    "my training diverges": "seeds",
    "GPU nondeterminism": "more/seeds",
    "pass@k": "expected_maximum",
    "best of n": "expected_maximum",
    "kappa": "baselines more/significance",
    "LLM as a judge": "which_test more/significance",
    "inter-annotator agreement": "which_test more/significance",
    "what does p mean": "significance",
    "p-hacking": "significance",
    "wilcoxon": "more/significance",
    "paired bootstrap": "more/significance",
    "permutation test": "significance",
    "multiple comparisons": "significance",
    "non-inferiority": "significance which_test",
    "sample size": "significance",
    "when can I stop adding runs": "more/significance",
    "how sure am I of this accuracy": "intervals",
    "error bars": "intervals",
    "Clopper-Pearson": "intervals",
    "AUC": "ask more/intervals",
    "is 95 % accuracy good": "baselines",
    "majority class": "baselines",
    "macro F1": "baselines more/intervals",
    "fair comparison with the same budget": "tuning",
    "how many hyperparameter trials": "more/tuning",
    "which settings do I ship": "tuning",
    "what leaks": "splits",
    "same speaker in train and test": "splits",
    "time series split": "splits",
    "should K be 5 or 10": "splits ask",
    "cross validation unstable": "jkfold",
    "which claims were replicated": "scorecard",
    "how do I report results": "checklist seeds",
    "report": "first_report checklist",
    "Melis": "melis2017",
    "how to cite": "about",
    "is the winner just noise": "which_test significance seeds tuning",
    "how many examples do I need in my test set": (
        "significance more/significance which_test"
    ),
    "can I average over seeds": "seeds which_test",
    "do overlapping intervals mean no difference": "intervals",
    "what is a good baseline": "baselines",
    "tuning on the test set": "tuning splits",
    "leave one out": "more/splits",
    "expected validation performance": "expected_maximum more/expected_maximum",
    "crashed runs": "seeds recipes",
    "compare two F1 scores": "which_test more/significance more/intervals ask",
    "report template for my paper": "first_report checklist",
    # As they are asked in public, where this book had no word of them.
    "choosing the epoch on the test set": "more/tuning tuning",
    "early stopping on the test set": "more/tuning tuning splits",
    "why does a fixed model have a standard error": "intervals",
    "the model is deterministic, why an error bar": "intervals",
    "episodes and returns": "more/seeds",
    "interquartile mean": "more/seeds",
    "IQM": "more/seeds",
    "why resample with replacement": "more/intervals intervals",
    "judged by a model": "significance more/significance",
    "correct the judge's errors": "significance more/significance",
    "prompts vary": "intervals twelve_models expected_maximum",
    "prompt template": "intervals twelve_models expected_maximum",
    "may I look at the results early": "more/significance",
    "alpha spending": "more/significance",
    "always-valid interval": "more/significance",
    "Bradley-Terry": "more/leaderboards",
    "Elo rating with an interval": "more/leaderboards",
    "latency p99": "more/intervals",
    "quantile of response times": "more/intervals",
    "interval for the generalisation error by cross-validation": "more/intervals",
    "multilevel model": "more/seeds",
    "mixed effects": "more/seeds",
    "my model is 0.3 points better, is that anything": "which_test significance",
    "three seeds enough?": "seeds more/seeds",
    "compare chatbots with human votes": "more/leaderboards",
    "early stopping of bad trials": "more/tuning",
    "bonferroni": "significance",
    # Of the page of questions, as they stand there.
    "Two models answered the same questions. Is one better?": "ask significance",
    "I have ten seeds of each. Is a t-test enough?": "ask seeds",
    "May I do a t-test on five runs?": "ask intervals",
    "Which test do I use for a repeated k-fold cross-validation?": "ask significance",
    "Does it suffice to bootstrap the test set?": "ask more/significance",
    "Can I let a language model judge the answers?": "ask more/significance",
    "Which prompt template do I report?": "ask twelve_models",
    "How do I compare two AUCs?": "ask more/intervals",
    "Where do I get an interval for F1?": "ask more/intervals",
    "I compare more than two systems. What changes?": "ask significance",
    "I have nine algorithms on two data sets. Which test?": "ask significance which_test",
    "Is the first of a leaderboard really first?": "ask leaderboards",
    "How many runs do I need?": "ask seeds",
    "May I report the best of thirty seeds?": "ask seeds",
    "After a nested cross-validation, which model do I ship?": "ask tuning",
    "Should K be 5 or 10?": "ask splits",
    "ten test cases and several answers to each": "ask which_test seeds intervals",
    "What does the ± in a table mean?": "ask intervals which_test",
    "group_interval": "api/intervals",
    "evalkit.holm": "api/significance",
}


def search(chromium, address, question):
    """Ask, and return the links that are found, the nearest first."""
    chromium.get(f"{address}/search.html?q={quote_plus(question)}")
    WebDriverWait(chromium, 20, 0.05).until(
        lambda c: c.find_element("css selector", SUMMARY).text
    )
    return [
        link.get_attribute("href")
        for link in chromium.find_elements("css selector", HITS)
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_answers_is_among_the_first_two(chromium, address, question):
    found = [urlsplit(link).path for link in search(chromium, address, question)[:2]]
    assert {re.sub(r"^/(book|notebooks)/|\.html$", "", path) for path in found} & set(
        QUESTIONS[question].split()
    )


def test_of_a_word_that_is_nowhere_nothing_is_found(chromium, address):
    assert search(chromium, address, "xyzzyplugh") == []


@pytest.mark.parametrize("question", ["macro F1", "Holm", "stratified", "evalkit.holm"])
def test_a_hit_opens_at_its_section(chromium, address, question):
    first, *_ = search(chromium, address, question)
    anchor = urlsplit(first).fragment
    assert anchor
    chromium.get(first)
    settle(chromium, 500)  # it stays there
    place = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
    assert -20 <= chromium.execute_script(place, anchor) <= 300


@pytest.mark.parametrize(
    "question", ["IQM", "alpha spending", "Bradley-Terry", "kappa", "macro F1"]
)
def test_a_hit_has_the_name_of_its_section(chromium, address, question):
    link = urlsplit(search(chromium, address, question)[0])
    shown = chromium.find_element("css selector", HITS).text
    page = BeautifulSoup(
        (HTML / link.path[1:]).read_text(encoding="utf-8"), "html.parser"
    )
    heading = page.find(id=link.fragment).find(re.compile("^h[1-6]$"))
    heading.select_one(".headerlink").decompose()
    assert heading.get_text().strip() in shown


# Of functions, which say their kind in a span, nothing is quoted.
QUOTED = """return [...document.querySelectorAll("#search-results li:not(:has(> span))")]
    .map((hit) => [hit.querySelector("a").href, hit.querySelector("p")?.textContent]);"""


def all_quoted(hits):
    """Return {address: what is quoted} once all are there, which come one by one."""
    return all(text is not None for _, text in hits) and {
        link: text.strip("… ") for link, text in hits if text
    }


@pytest.mark.parametrize("question", ["how many seeds", "Holm", "leakage", "Binder"])
def test_a_hit_quotes_sentences_of_its_page(chromium, address, question):
    search(chromium, address, question)
    found = WebDriverWait(chromium, 20, 0.05).until(
        lambda c: all_quoted(c.execute_script(QUOTED))
    )
    assert len(found) >= 3
    for link, text in found.items():
        page = BeautifulSoup(
            (HTML / urlsplit(link).path[1:]).read_text(encoding="utf-8"), "html.parser"
        )
        article = page.select_one("article")
        for hidden in article.select(
            "annotation, .headerlink, .cell, nav, form, table"
        ):
            hidden.decompose()
        assert text in " ".join(article.get_text().split())


def test_only_the_page_of_the_search_reads_its_index(address):
    reading = [
        page
        for page in PAGES
        if "searchindex.js" in (HTML / page).read_text(encoding="utf-8")
    ]
    assert reading == []
    assert (HTML / "search.html").read_text(encoding="utf-8").count(
        "searchindex.js"
    ) == 1


def test_the_search_finds_a_word_where_storage_is_forbidden(chromium, address):
    forbid = """for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, {configurable: true, get() { throw new DOMException(name); }});"""
    page = "Page.{}ScriptToEvaluateOnNewDocument"
    script = chromium.execute_cdp_cmd(page.format("add"), {"source": forbid})
    chromium.get_log("browser")
    try:
        assert search(chromium, address, "Wilcoxon")
        assert [
            entry
            for entry in chromium.get_log("browser")
            if "DOMException" in entry["message"]
        ] == []
    finally:
        chromium.execute_cdp_cmd(page.format("remove"), script)


LINE = """const line = document.querySelector('.bd-docs-nav a[href="#"]').getBoundingClientRect();
    return 0 <= line.top && line.bottom <= innerHeight;"""


@pytest.mark.parametrize(
    "page", ["book/more/jkfold", "book/api/results", "genindex", "book/how_to_use"]
)
def test_the_contents_show_the_page_after_any_other(chromium, address, page):
    set_width(chromium, 1280)
    for before in ("book/how_to_use", "genindex"):
        chromium.get(f"{address}/{before}.html")
        chromium.get(f"{address}/{page}.html")
        assert chromium.execute_script(LINE)


def test_the_contents_show_the_page_on_a_phone(chromium, address):
    set_width(chromium, 390)
    try:
        chromium.get(f"{address}/book/about.html")
        chromium.find_element("css selector", ".primary-toggle").click()
        WebDriverWait(chromium, 5, 0.05).until(lambda c: c.execute_script(LINE))
    finally:
        set_width(chromium, 1280)


def test_contents_that_show_the_page_stay_where_they_were(chromium, address):
    set_width(chromium, 1280)
    chromium.get(f"{address}/book/splits.html")
    bar = "document.querySelector('.bd-sidebar-primary').scrollTop"
    chromium.execute_script(f"{bar} = 120")
    chromium.get(f"{address}/book/baselines.html")
    assert chromium.execute_script(f"return {bar}") == 120
