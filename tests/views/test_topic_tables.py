"""Topics as JSON, CSV, Markdown and HTML, from topics made by hand."""

import csv
import io
import json
import re
from html import escape

import pytest
from parsed import Parsed

from topminer.text.printable import printable
from topminer.topics.results.topic import Topic, TopicPhrase, TopicWord
from topminer.views.topic_tables import as_csv, as_html, as_json, as_markdown

pytestmark = pytest.mark.small

MINING = Topic(
    0,
    0.21,
    (TopicWord("data", 0.03), TopicWord("mining", 0.02)),
    (TopicPhrase("data mining", 812.4), TopicPhrase("association rules", 1 / 3)),
)
WORDS_ONLY = Topic(1, 0.0812, (TopicWord("web", 0.5),), ())
HOSTILE_TEXTS = [
    "<script>alert(1)</script>",
    "a|b\\|c",
    "two\nlines\r\nor\rmore",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\u202eevil\u2066",
    "👩‍🔬 `code` *b* _i_ ~s~ $x$ [l](u)",
    "say \"hi\", &amp; 'bye'",
]
SHOWN = [printable(text) for text in HOSTILE_TEXTS]
HOSTILE = Topic(
    7,
    0.0003,
    tuple(TopicWord(text, 0.1) for text in HOSTILE_TEXTS),
    tuple(TopicPhrase(text, 2.5) for text in HOSTILE_TEXTS),
)
EVERY = [MINING, WORDS_ONLY, HOSTILE]


def test_json_gives_back_every_topic() -> None:
    assert json.loads(as_json([WORDS_ONLY])) == {
        "topics": [
            {
                "id": 1,
                "weight": 0.0812,
                "background": False,
                "words": [{"word": "web", "p": 0.5}],
                "phrases": [],
            }
        ]
    }
    back = [
        Topic(
            read["id"],
            read["weight"],
            tuple(TopicWord(**word) for word in read["words"]),
            tuple(TopicPhrase(**phrase) for phrase in read["phrases"]),
            read["background"],
        )
        for read in json.loads(as_json(EVERY))["topics"]
    ]
    assert back == EVERY
    assert "👩‍🔬" in as_json(EVERY)


def test_csv() -> None:
    assert (
        as_csv([MINING, WORDS_ONLY])
        == """\
topic,weight,kind,rank,text,value
0,0.21,word,1,data,0.03
0,0.21,word,2,mining,0.02
0,0.21,phrase,1,data mining,812.4
0,0.21,phrase,2,association rules,0.3333333333333333
1,0.0812,word,1,web,0.5
"""
    )


def test_csv_gives_back_every_text_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv([HOSTILE]), newline="")))
    formulas = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"}
    texts = [f"'{text}" if text in formulas else text for text in HOSTILE_TEXTS]
    assert [(row["kind"], row["rank"], row["text"]) for row in rows] == [
        (kind, str(rank), text) for kind in ("word", "phrase") for rank, text in enumerate(texts, 1)
    ]
    assert {(row["topic"], float(row["weight"])) for row in rows} == {("7", 0.0003)}


def test_csv_quotes_every_line_end_within_a_text() -> None:
    """Otherwise a lone carriage return would cut the row where a reader takes it for a line end."""
    topic = Topic(0, 1.0, (TopicWord("a\rb", 0.5), TopicWord("a\nb", 0.25)), ())
    assert as_csv([topic]).partition("\n")[2] == '0,1.0,word,1,"a\rb",0.5\n0,1.0,word,2,"a\nb",0.25\n'


def test_markdown() -> None:
    assert (
        as_markdown([MINING, WORDS_ONLY])
        == """\
|  | Topic 0 (21 %) | Topic 1 (8.1 %) |
| --- | --- | --- |
| 1-grams | data | web |
|  | mining |  |
| n-grams | data mining |  |
|  | association rules |  |"""
    )


def test_markdown_sets_five_topics_side_by_side() -> None:
    topics = [Topic(i, 1 / 11, (TopicWord(f"w{i}", 0.1),), ()) for i in range(11)]
    tables = [table.splitlines() for table in as_markdown(topics).split("\n\n")]
    assert [table[-1].count("w") for table in tables] == [5, 5, 1]
    assert (tables[2][0], tables[2][-1]) == ("|  | Topic 10 (9.1 %) |", "| 1-grams | w10 |")


def test_markdown_shows_any_text_as_text() -> None:
    head, _, *rows = as_markdown([HOSTILE]).split("\n")
    escaped = [re.sub(r"[\\`*_~$|\[\]]", r"\\\g<0>", escape(text, quote=False)) for text in SHOWN]
    assert escaped[1] == r"a\|b\\\|c"
    assert head == "|  | Topic 7 (0.03 %) |"
    assert rows == [
        f"| {'' if i else label} | {text} |"
        for label in ("1-grams", "n-grams")
        for i, text in enumerate(escaped)
    ]


def test_html() -> None:
    number, text = '<td style="text-align: right">', '<td dir="auto" style="text-align: start">'
    rows = as_html([MINING, WORDS_ONLY]).splitlines()
    assert rows[0] == '<table class="tex2jax_ignore mathjax_ignore">'
    assert rows[2:] == [
        "<tbody>",
        f"<tr>{number}0</td>{number}21 %</td>{text}data, mining</td>"
        f"{text}data mining, association rules</td></tr>",
        f"<tr>{number}1</td>{number}8.1 %</td>{text}web</td>{text}</td></tr>",
        "</tbody>",
        "</table>",
    ]


def test_html_shows_any_text_as_text() -> None:
    assert SHOWN[2] == "two lines or more"
    assert SHOWN[9] == "·evil·"
    page = Parsed(as_html(EVERY))
    texts = " ".join(", ".join(SHOWN).split())
    assert page.rows() == [
        ["topic", "weight", "words", "phrases"],
        ["0", "21 %", "data, mining", "data mining, association rules"],
        ["1", "8.1 %", "web", ""],
        ["7", "0.03 %", texts, texts],
    ]
    assert {tag for tag, _ in page.found} == {"table", "thead", "tbody", "tr", "th", "td"}
    assert {name for _, given in page.found for name in given} == {"class", "dir", "style"}


def test_no_topics() -> None:
    assert json.loads(as_json([])) == {"topics": []}
    assert as_csv([]) == "topic,weight,kind,rank,text,value\n"
    assert as_markdown([]) == ""
    assert Parsed(as_html([])).rows() == [["topic", "weight", "words", "phrases"]]


def test_own_names_in_markdown() -> None:
    topics = [Topic(0, 0.5, (), ()), Topic(1, 0.25, (), ())]
    head = as_markdown(topics, {1: "Web | *search* <b>"}).splitlines()[0]
    assert head == r"|  | Topic 0 (50 %) | Topic 1: Web \| \*search\* &lt;b&gt; (25 %) |"
