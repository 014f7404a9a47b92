"""An HTML file as a browser would find it."""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from hashlib import sha256
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input"}


class Parsed(HTMLParser):
    """Elements, which must be closed where they should be, their attributes, and texts by element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = defaultdict(list)  # of each element, with all that is inside it
        self._open: list[tuple[str, int]] = []
        self.feed(html)
        self.close()
        assert self._open == []
        self.text = " ".join("".join(self.texts["body"]).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, len(self.texts[tag])))
            self.texts[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        inside = {tag for tag, _ in self._open}
        for tag, i in self._open:
            if tag != "body" or not inside & {"script", "style"}:
                self.texts[tag][i] += data

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a kind."""
        return [given for found, given in self.found if found == tag]

    def rows(self) -> list[list[str]]:
        """The rows of all tables."""
        rows: list[list[str]] = []
        counts: dict[str, int] = defaultdict(int)
        for tag, _ in self.found:
            if tag == "tr":
                rows.append([])
            elif tag in ("td", "th"):
                rows[-1].append(" ".join(self.texts[tag][counts[tag]].split()))
                counts[tag] += 1
        return rows

    @property
    def policy(self) -> str:
        [policy] = [given["content"] or "" for given in self.all("meta") if "http-equiv" in given]
        return policy

    def check_harmless(self) -> None:
        """Nothing can run or be loaded but the style and the script that the policy names by their hashes."""
        styles = [f"'sha256-{hash_of(text)}'" for text in self.texts["style"]]
        run = [(given, text) for given, text in zip(self.all("script"), self.texts["script"], strict=True)]
        scripts = [f"'sha256-{hash_of(text)}'" for given, text in run if given == {}]
        assert all(given in ({}, {"type": "application/json", "id": "data"}) for given, _ in run)
        rules = dict(rule.split(" ", 1) for rule in self.policy.split("; "))
        assert rules.pop("connect-src", "'self'") == "'self'"
        assert rules.pop("script-src", "") == " ".join(scripts)
        assert rules == {
            "default-src": "'none'",
            "style-src": " ".join(styles),
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        tags = {tag for tag, _ in self.found}
        assert not tags & {"img", "iframe", "object", "embed", "base", "image", "use"}
        for _, given in self.found:
            assert not given.keys() & {"style", "src", "srcset", "action", "formaction"}
            assert not [name for name in given if name.startswith("on")]
            assert (given.get("href") or "#").startswith(("#", "data:,"))


def hash_of(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
