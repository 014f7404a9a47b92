"""Forms for annotators: one HTML file each, to be opened anywhere, without a network and without a server.

The questions of phrase intrusion, and the lists that experts rate, of the paper's section "Interpretability".
The file is an ordinary form that can also be printed; its script counts what is answered, keeps it in the
browser, and makes the CSV that :mod:`topminer.evaluation.judgements` reads. Neither the methods nor the
intruders are in it. Its policy names the style and the script by their hashes, so nothing else can run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from topminer.evaluation.intrusion import LETTERS, Question
from topminer.evaluation.judgements import UNABLE
from topminer.evaluation.ratings import HIGHEST, LOWEST, RatingList
from topminer.text.printable import printable
from topminer.views import colours
from topminer.views.colours import Colour
from topminer.views.harmless import document, policy_of

_COLOURS = {
    "ground": colours.GROUND,
    "raised": Colour("#f6f8fa", "#1b2127"),
    "ink": colours.INK,
    "faint": colours.FAINT,
    "grid": colours.GRID,
    "accent": colours.ACCENT,
    "wash": colours.WASH,
    "warning": colours.THRESHOLD,
}

_FORM = """<main>
<form autocomplete="off" data-form="{form}" data-file="{file}" data-columns="{columns}" data-noun="{noun}">
<h1>{title}</h1>
{introduction}
<noscript><p class="message">This page needs JavaScript to save your answers, and it is switched off here.
You can still print the page and answer on paper.</p></noscript>
<p class="message" id="unkept" hidden>This browser does not keep your answers when the page is closed.
Download them before you leave.</p>
<p class="name"><label for="annotator">Your name</label>
<input id="annotator" type="text" maxlength="100" spellcheck="false" aria-describedby="missing">
<button type="button" id="again" class="quiet">Start again</button>
<span id="missing" aria-live="assertive"></span></p>
<ol class="{kind}">
{items}
</ol>
</form>
</main>
<footer class="bar">
<progress max="{n_answers}" value="0" aria-label="Progress"></progress>
<span id="done" role="status"></span>
<button type="button" id="save">Download answers</button>
</footer>
<dialog aria-labelledby="sure"><p id="sure">Delete your name and all your answers from this page?</p>
<p class="buttons"><button type="button" id="keep" autofocus>Keep them</button>
<button type="button" id="delete">Delete them</button></p></dialog>"""

_INTRUSION = f"""<p class="lead">Each question shows four phrases. Three of them belong together; one,
the intruder, was taken from elsewhere. Choose the intruder. If you cannot tell, say so: that is an answer
too.</p>
<p class="keys">With the keyboard: <kbd>{LETTERS[0]}</kbd> to <kbd>{LETTERS[-1]}</kbd> choose a phrase,
<kbd>{UNABLE}</kbd> says that you cannot tell, <kbd>Delete</kbd> takes an answer back, and <kbd>Tab</kbd> goes
on.</p>"""

_RATING = f"""<p class="lead">Each list shows the phrases that are to describe one topic, the best first.
Give it two ratings from {LOWEST} to {HIGHEST}, and use the whole scale.</p>
<dl class="lead">
<dt>Coherence</dt><dd>Do the phrases have one theme? {LOWEST}: they have nothing to do with each
other. {HIGHEST}: they are clearly about one thing.</dd>
<dt>Phrase quality</dt><dd>Are they sensible phrases? {LOWEST}: words thrown together. {HIGHEST}: all are
meaningful phrases, as people use them.</dd>
</dl>
<p class="keys">With the keyboard: <kbd>1</kbd> to <kbd>9</kbd> give a rating, <kbd>0</kbd> gives {HIGHEST},
<kbd>Delete</kbd> takes it back, and <kbd>Tab</kbd> goes on.</p>"""

_SCALES = {
    "coherence": ("Coherence", "nothing in common", "one clear theme"),
    "quality": ("Phrase quality", "words thrown together", "meaningful phrases"),
}


def intrusion_form(questions: Sequence[Question], title: str) -> str:
    """Return the form of phrase intrusion as one HTML file."""
    items = [_question(question, i + 1, len(questions)) for i, question in enumerate(questions)]
    ids = [question.id for question in questions]
    return _form(title, _INTRUSION, "questions", items, ids, ["answer"], "intrusion")


def rating_form(lists: Sequence[RatingList], title: str) -> str:
    """Return the form of expert ratings as one HTML file."""
    items = [_list(each, i + 1, len(lists)) for i, each in enumerate(lists)]
    return _form(title, _RATING, "lists", items, [each.id for each in lists], [*_SCALES], "ratings")


def _form(
    title: str,
    introduction: str,
    kind: str,
    items: Sequence[str],
    ids: Sequence[str],
    columns: Sequence[str],
    file: str,
) -> str:
    body = _FORM.format(
        title=_safe(title),
        form=sha256("\n".join(ids).encode()).hexdigest()[:16],  # whose answers the browser keeps
        file=file,
        columns=" ".join(columns),
        noun="answered" if kind == "questions" else "rated",
        introduction=introduction,
        kind=kind,
        items="\n".join(items),
        n_answers=max(1, len(items) * len(columns)),
    )
    return document(title, _style(), body, _script())


def _question(question: Question, number: int, n: int) -> str:
    options = [
        _radio(question.id, "answer", letter, letter, f"<kbd>{letter}</kbd><bdi>{_safe(text)}</bdi>")
        for letter, text in zip(LETTERS, question.options, strict=True)
    ]
    unable = f"<kbd>{UNABLE}</kbd><span>I cannot tell</span>"
    options.append(_radio(question.id, "answer", UNABLE, UNABLE, unable))
    legend = f'<legend><h2>Question {number} <span class="faint">of {n}</span></h2></legend>'
    return f"<li>{_group(question.id, 'answer', legend, options)}</li>"


def _list(each: RatingList, number: int, n: int) -> str:
    phrases = "".join(f"<li><bdi>{_safe(text)}</bdi></li>" for text in each.phrases)
    scales = []
    for column, (name, low, high) in _SCALES.items():
        radios = [
            _radio(each.id, column, str(value), str(value % 10), f"<span>{value}</span>")
            for value in range(LOWEST, HIGHEST + 1)
        ]
        ends = f'<span class="ends"><span>{low}</span><span>{high}</span></span>'
        legend = f'<legend>{name}<span class="unseen"> of list {number}</span></legend>'
        scales.append(_group(each.id, column, legend, ['<span class="scale">', *radios, "</span>", ends]))
    heading = f'<h2>List {number} <span class="faint">of {n}</span></h2>'
    sides = f'<ol class="phrases">{phrases}</ol><div>{"".join(scales)}</div>'
    return f'<li>{heading}<div class="sides">{sides}</div></li>'


def _group(id: str, column: str, legend: str, parts: Iterable[str]) -> str:
    return f'<fieldset data-id="{_safe(id)}" data-column="{column}">{legend}{"".join(parts)}</fieldset>'


def _radio(id: str, column: str, value: str, key: str, label: str) -> str:
    name = f"{_safe(id)} {column}"
    return f'<label><input type="radio" name="{name}" value="{value}" data-key="{key}">{label}</label>'


def policy() -> str:
    """Return the Content-Security-Policy of the forms."""
    return policy_of(_style(), _script())


def _safe(text: str) -> str:
    return escape(printable(text))


def _asset(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    return f'\n(() => {{\n"use strict";\n{_asset("form.js")}}})();\n'


@cache
def _style() -> str:
    """The style, dark where the reader's system wants it; paper is light."""
    light = "".join(f"--{name}:{colour.light};" for name, colour in _COLOURS.items())
    dark = "".join(f"--{name}:{colour.dark};" for name, colour in _COLOURS.items())
    return (
        f"\n:root{{{light}}}\n{_asset('style.css')}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
