from __future__ import annotations

import json
import re

from gigsheet.notation import check
from gigsheet.notation.trace import trace_data, trace_html, trace_text

GAME = "first: ME\nA4 -A1\nA'9 </script> ’\n\n.."


def test_the_terminal_has_both_sides_and_the_errors_in_place() -> None:
    rows = trace_text(check(GAME, source="g.txt")).splitlines()
    assert rows[0] == "g.txt: WE goes first, ruleset cr"
    assert "first: ME is no header" in rows[2]
    assert rows[3] == "Turn  1  WE    A4 -A1"
    assert rows[4].split() == ["WE", "Street", "Cred", "1", "Gigs", "A1", "Fixer", *"BCDEF"]
    assert rows[5].split()[-6:] == ["A'", "B'", "C'", "D'", "E'", "F'"]
    assert any("error value-range (line 3)" in row for row in rows)
    assert any("error blank-line (line 4)" in row for row in rows)
    assert rows[-1] == "undecided after turn 3"


def test_every_sign_of_a_line_is_on_the_page_once() -> None:
    report = check(GAME + "\nB3 (-A2 +A3) z xB")
    for turn, position in zip(trace_data(report)["turns"], report.positions, strict=True):
        line = report.transcript.lines[position.at - 1].text
        assert "".join(part["text"] for part in turn["parts"]) == line.strip()


def test_the_page_is_self_contained() -> None:
    page = trace_html(check(GAME, source="<b>g</b>"))
    assert page.count("<script>") == page.count("</script>") == 1
    assert not re.search(r"https?://|src=|@import|url\(", page)
    assert "<b>g" not in page
    (data,) = re.findall(r"^const game = (.*);$", page, re.MULTILINE)
    assert json.loads(data)["source"] == "<b>g</b>"
    assert json.loads(data) == trace_data(check(GAME, source="<b>g</b>"))
