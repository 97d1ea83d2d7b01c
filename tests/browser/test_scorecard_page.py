"""The scorecard in a browser: a limit that is moved gives the word of the rule, and the
printed figures that are shown are those of `lab.scorecard`.
"""

import dataclasses
import math
import re
from urllib.parse import quote

import pytest
from conftest import HTML

from lab import effects, scorecard
from lab.claim_pages import name_of
from lab.papers import judging, published

PAGE = "book/scorecard.html"
SHOWN = """
return [...document.querySelectorAll('.figures tbody tr')].filter(
    row => row.checkVisibility()).length
"""
# Moves each limit of a claim to some places, and reads the word and the ends drawn.
MOVED = """
const fold = document.getElementById(arguments[0]), form = fold.querySelector('form');
const ends = () => fold.querySelector('summary .interval').getAttribute('d');
const said = form.querySelector(':scope > output');
return [...form.querySelectorAll('input')].flatMap((input) => {
  const [start, low, high] = [input.value, +input.min, +input.max];
  const found = [0.1, 0.35, 0.6, 0.9].map((share) => {
    input.value = low + share * (high - low);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    return [+input.dataset.limit, +input.value, said.textContent, ends()];
  });
  input.value = start;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return [...found, [+input.dataset.limit, null, said.textContent, ends()]];
});
"""
SETTLED = 0.6  # seconds; the script waits for a pause in typing before it speaks


@pytest.fixture
def page(chromium, address):
    """Return a function that opens the page afresh, with what stands after its
    address.
    """
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built")

    chromium.get_log("browser")  # reading a log empties it

    def visit(after="", base=address):
        chromium.get("about:blank")  # else a new hash alone would not load the page
        chromium.get(f"{base}/{PAGE}{after}")
        return chromium

    yield visit
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    # The theme says this of a reader's first visit, on every page.
    assert [message for message in severe if "invalid theme mode" not in message] == []


def expected(paper="", verdict=""):
    """How many printed figures fit, by a fresh call of the package."""
    table = scorecard.printed()
    fits = (table.paper == paper) if paper else table.paper.notna()
    return int((fits & ((table.verdict == verdict) if verdict else True)).sum())


def field(chromium, name):
    return chromium.find_element("name", name)


def announced(chromium):
    chromium.execute_async_script(f"setTimeout(arguments[0], {1000 * SETTLED})")
    said = chromium.find_element("css selector", ".scorecard-filter output")
    return int(said.get_property("textContent").split()[0])


def moved(limit, to):
    """Return a limit that confirms at another number, and refutes as far from it."""
    by = to - (limit.confirms or limit.refutes)[2]
    return dataclasses.replace(
        limit,
        **{
            name: (*condition[:2], condition[2] + by)
            for name in ("confirms", "refutes")
            if (condition := getattr(limit, name))
        },
    )


def drawn(rule, limits, quantities, failed):
    """Return the ends of the effect that decides where limits were moved, on the scale
    of those in force.
    """

    def nearness(found):
        effect, limit = found
        if failed:
            against = limit.refutes
            return effect.ends[1] - effect.place(against[2]) if against else math.inf
        line = effect.place((limit.confirms or limit.refutes)[2])
        return effect.ends[0 if limit.confirms else 1] - line

    pairs = [
        (effects.Effect("", old, q.estimate, q.low, q.high), new)
        for name, q in quantities.items()
        for old, new in zip(rule, limits, strict=True)
        if old.fits(name)
    ]
    return [effects.x(end) for end in min(pairs, key=nearness)[0].ends]


def test_a_limit_that_is_moved_gives_the_word_of_the_rule_and_its_effect(page):
    chromium, analyses = page(), scorecard.analyses()
    claims, wrong, words = scorecard.verdicts().set_index("id"), [], set()
    for row in scorecard.main_claims().itertuples():
        claim = claims.loc[row.id]
        if claim.verdict in (judging.COPY, judging.OUT_OF_REACH):
            continue
        judged = analyses[(analyses.id == row.id) & (analyses.analysis == "as judged")]
        quantities = {
            q.quantity: judging.Quantity(q.estimate, q.low, q.high)
            for q in judged.itertuples()
        }
        rule = published.limits()[row.id][claim.criterion]
        name = row.id.replace("/", "-")
        for place, to, word, ends in chromium.execute_script(MOVED, name):
            limits = list(rule)
            if to is not None:
                limits[place] = moved(rule[place], to)
            confirmed, refuted = judging.decide(limits, quantities)
            yes, smaller, no, open_ = judging.WORDS[claim.counts_as]
            right = (smaller if refuted else yes) if confirmed else no
            right = right if confirmed or refuted else open_
            words.add(word)
            if word != right or (to is None and word != claim.verdict):
                wrong.append((row.id, place, to, word, right))
            ends = [float(end) for end in re.findall(r"[MH]([\d.e-]+)", ends)]
            deciding = drawn(rule, limits, quantities, right == no)
            if ends != pytest.approx(deciding, abs=0.06):
                wrong.append((row.id, place, to, ends, deciding))
    assert not wrong
    assert {"replicated", "not replicated", "inconclusive", "not supported"} <= words


def test_the_figures_are_laid_out_when_their_fold_is_opened(page):
    chromium = page()
    assert not chromium.find_elements("css selector", ".figures table")
    chromium.find_element("css selector", ".figures summary").send_keys("\ue007")
    assert announced(chromium) == expected()
    assert chromium.execute_script(SHOWN) == expected()


def test_the_page_is_there_without_a_script(page):
    chromium = page()
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page()
        fold = chromium.find_element("css selector", ".claims details")
        evidence = fold.find_element("css selector", "div")
        assert not evidence.is_displayed()
        fold.find_element("tag name", "summary").click()
        assert evidence.is_displayed()
        assert not fold.find_element("tag name", "form").is_displayed()
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


def test_the_keyboard_chooses_a_paper_and_words(page):
    chromium = page()
    chromium.find_element("css selector", ".figures summary").send_keys("\ue007")
    select = field(chromium, "paper")
    select.send_keys("Moss")  # as a keyboard does it: the first option that begins so
    assert announced(chromium) == expected("moss2018")
    assert chromium.execute_script(SHOWN) == expected("moss2018")
    assert chromium.current_url.endswith("#paper=Moss+2018")
    select.send_keys("\ue004\ue004")  # Tab, over the verdict to the words
    words = chromium.switch_to.active_element
    assert words.get_attribute("name") == "text"
    words.send_keys("ACCURACY")
    assert 0 < announced(chromium) < expected("moss2018")
    assert chromium.current_url.endswith("#paper=Moss+2018&text=ACCURACY")
    words.send_keys("\ue004", " ")  # Tab to the button, and press it
    assert announced(chromium) == expected()
    assert "#" not in chromium.current_url


def test_each_verdict_on_the_list_finds_its_rows(page):
    chromium = page()
    options = chromium.find_elements("css selector", "select[name=verdict] option")
    words = {option.get_property("value") for option in options} - {""}
    assert words == set(scorecard.printed().verdict)
    for word in sorted(words):
        chromium = page(f"#verdict={quote(word)}")
        assert announced(chromium) == expected("", word)
        assert chromium.execute_script(SHOWN) == expected("", word)


def test_the_address_restores_a_choice(page):
    chromium = page(f"#paper={quote(name_of('moss2018'))}&text=1-10+table")
    assert field(chromium, "paper").get_property("value") == "Moss 2018"
    assert field(chromium, "text").get_property("value") == "1-10 table"
    assert 0 < announced(chromium) < expected("moss2018")
    chromium.execute_script("location.hash = 'paper=Potts+2020'")
    assert announced(chromium) == expected("potts2020")
    assert field(chromium, "text").get_property("value") == ""


@pytest.mark.parametrize("after", ["#paper=poe2022&verdict=maybe", "#text=%"])
def test_an_address_that_fits_no_option_is_read_as_far_as_it_does(page, after):
    chromium = page(after)
    found = announced(chromium)
    assert (found == expected()) == ("poe" in after)
    assert found > 0


@pytest.mark.parametrize("after", ["#%", "#%E0%A4%A"])
def test_an_address_that_is_no_name_opens_nothing(page, after):
    chromium = page(after)
    assert not chromium.find_elements("css selector", "details[open]")


def test_a_link_to_a_claim_opens_it(page):
    claim = scorecard.main_claims().id.iloc[-1].replace("/", "-")
    chromium = page(f"#{claim}", base=HTML.as_uri())
    fold = chromium.find_element("id", claim)
    assert fold.find_element("css selector", "div").is_displayed()
    other = scorecard.main_claims().id.iloc[0].replace("/", "-")
    chromium.execute_script("location.hash = arguments[0]", other)
    chromium.execute_async_script("setTimeout(arguments[0], 100)")
    assert chromium.find_element("id", other).get_property("open")


def test_each_control_has_a_name(page):
    chromium = page("#paper=")
    fold = scorecard.main_claims().id.iloc[3].replace("/", "-")
    chromium.execute_script("document.getElementById(arguments[0]).open = true", fold)
    fields = chromium.find_elements("css selector", ".scorecard-filter [name]")
    fields += chromium.find_elements("css selector", f"#{fold} input")
    names = []
    for element in fields:  # what is far away is named when it comes near
        chromium.execute_script("arguments[0].scrollIntoView()", element)
        chromium.execute_async_script(
            "requestAnimationFrame(() => setTimeout(arguments[0], 100))"
        )
        names.append(element.accessible_name)
    assert names[:3] == ["Paper", "Verdict", "Words"]
    assert all(names[3:])
