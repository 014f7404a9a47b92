"""Turbo Topics (Blei and Lafferty 2009, "Visualizing Topics with Multi-Word Expressions", arXiv:0907.1013).

LDA gives each word of the text a topic. Then, topic by topic, a language model of its text grows: units
that follow each other more often than a permutation test lets chance explain become one unit, and what
follows the new units is tested in the next round, until there is nothing new::

    text of the topic   ... support vector machine ...
    round 1             support vector · vector machine
    cut anew            [support vector] [machine]
    round 2             support vector machine
    cut anew            [support vector machine]
    round 3             nothing follows that more often than chance would have it: done

A topic shows its phrases by how often they occur in it. What the authors' program does
(github.com/blei-lab/turbotopics, 2009), and what is done here:

- A unit has the topic of its first word, and only what follows the topic's units counts; the followers, and
  so the other words of a phrase, may have any topic. As in the program. There, LDA-C gives all copies of a
  word in a document one topic; here, each token has the one that it was last sampled with.
- Units are found from the left, the longest first; a follower may be a phrase; from the second round on
  only new phrases are histories. As in the program, but for one thing: the beginning of a phrase that was
  never accepted itself is no unit.
- A test takes 1 / p permutations, none of which may reach the gain tested, and histories share
  permutations. As in the program, which lets those share them that are about equally frequent; here, all
  do.
- The gain is that of the whole log likelihood. The program leaves out the term of all followers but the one
  tested, (N - n) log(N / (N - x)), in the text as in permutations, and so asks for more. A pair that is
  rarer than chance would have it also raises the likelihood; here it is no candidate.
- The first test that fails is the last of its history, and what became a phrase leaves the later rule. The
  program goes on to the next candidate, whose gain it does not compute anew.
- Texts are kept tokens in chunks, as for all methods here. The program's are lines with stop words and
  without punctuation. Across the end of a chunk no phrase is looked for; what comes there still counts as a
  follower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from topminer._parameters import number, whole
from topminer.engines.local import map_in_order, n_threads_or_all
from topminer.errors import InputError
from topminer.methods.contract import MethodResult, check, ranked_topics
from topminer.methods.lda import sampled_words
from topminer.methods.rivals.back_off import Events, Stems, TopicText, events, openings, topic_text, units_of
from topminer.methods.rivals.permutation_test import Followers, Rule, drawn, significant
from topminer.methods.stopwatch import Stopwatch
from topminer.text.corpus import Corpus

P_VALUES = (1e-6, 0.99)
MOST_PERMUTATIONS = 10**9
_BEHIND = 1e-9  # what rounding may take from (n_permutations + 1) * p_value


@dataclass(frozen=True)
class TurboTopics:
    """Turbo Topics: phrases grown over the words of each topic of LDA.

    Parameters
    ----------
    n_sweeps : int, default 1000
        Of LDA.
    min_count : int, default 25
        How often two units must follow each other to be tested.
    p_value : float, default 0.001
        How likely a test may take chance for a phrase.
    n_permutations : int or None
        Of each test. None: 1 / p_value. If b of them reach the gain tested, it is significant where
        (b + 1) / (n_permutations + 1) is at most ``p_value``.
    n_threads : int or None
        None: all cores. The result does not depend on it.
    """

    n_sweeps: int = 1000
    min_count: int = 25
    p_value: float = 0.001
    n_permutations: int | None = None
    n_threads: int | None = None

    name: ClassVar[str] = "turbo"
    title: ClassVar[str] = "Turbo Topics"

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        rule = self._rule()
        n_threads = n_threads_or_all(self.n_threads)
        stopwatch = stopwatch or Stopwatch()
        lda = sampled_words(corpus, n_topics, seed, self.n_sweeps, stopwatch, n_threads)
        topics, opens = lda.clique_topic_, openings(corpus.doc_start, corpus.chunk_start)
        ranked: list[list[tuple[Stems, float]]] = [[] for _ in range(n_topics)]

        def grow(k: int) -> list[tuple[Stems, float]]:
            text = topic_text(corpus.stem_ids, opens, topics, k, corpus.doc_start)
            return by_count(phrases_of(text, corpus.n_stems, rule, seed, k))

        sizes = np.bincount(topics, minlength=n_topics).tolist()
        grown = map_in_order(grow, range(n_topics), n_threads)
        steps = stopwatch.steps("turbo topics", n_topics, "topics", sizes=sizes)
        for k, phrases in zip(steps, grown, strict=False):
            ranked[k] = phrases
        notes = () if k + 1 == n_topics else (f"Phrases were looked for in {k + 1} of {n_topics} topics.",)
        return MethodResult(
            self.name, ranked_topics(corpus, lda.topic_word_, ranked), tuple(stopwatch.stages), notes=notes
        )

    def _rule(self) -> Rule:
        """Check the parameters."""
        whole("n_sweeps", self.n_sweeps, 1)
        min_count = whole("min_count", self.min_count, 1)
        p_value = number("p_value", self.p_value, *P_VALUES)
        n = round(1 / p_value) if self.n_permutations is None else self.n_permutations
        n = whole("n_permutations", n, 1, MOST_PERMUTATIONS)
        n_allowed = int((n + 1) * p_value + _BEHIND) - 1
        if n_allowed < 0:
            raise InputError(
                f"{n:,} permutations can show no p-value of {self.p_value}: "
                f"at least {int(np.ceil(1 / self.p_value)) - 1:,} are needed"
            )
        return Rule(min_count, n, n_allowed)


def phrases_of(text: TopicText, n_stems: int, rule: Rule, seed: int, topic: int) -> dict[Stems, int]:
    """Phrases of two or more words with their counts in the topic, the first found first."""
    phrases: list[Stems] = []
    n_old, n_rounds = -n_stems, 0  # in the first round, all words are new
    while True:
        found = events(text, units_of(n_stems, phrases), n_stems + len(phrases))
        key = np.random.SeedSequence([seed, topic, n_rounds]).generate_state(1, np.uint64)[0]
        pairs = new_pairs(found, n_stems + n_old, rule, key)
        if not pairs:
            return dict(zip(phrases, found.frequency[n_stems:].tolist(), strict=True))
        n_old, n_rounds = len(phrases), n_rounds + 1
        phrases += [_stems(u, n_stems, phrases) + _stems(v, n_stems, phrases) for u, v in pairs]


def _stems(unit: int, n_stems: int, phrases: Sequence[Stems]) -> Stems:
    return phrases[unit - n_stems] if unit >= n_stems else (unit,)


def new_pairs(found: Events, first_new: int, rule: Rule, key: np.uint64) -> list[tuple[int, int]]:
    """Units, from ``first_new`` on, and what follows them so often that they are to be one unit."""
    order = np.argsort(found.history, kind="stable")
    start = np.searchsorted(found.history[order], np.arange(found.frequency.size + 1))
    n_of = np.bincount(found.follower, minlength=found.frequency.size)
    following = np.flatnonzero(n_of)
    by_n = following[np.argsort(n_of[following], kind="stable")]
    followers = Followers(found.follower[order], start, n_of, by_n.astype(np.int32))
    size = np.diff(start)
    histories = first_new + np.flatnonzero(size[first_new:] >= rule.min_count)
    if histories.size == 0:
        return []
    orders = drawn(followers, rule.n_permutations, int(size[histories].max()), key)
    first, second = significant(followers, orders, histories.astype(np.int32), rule)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def by_count(phrases: dict[Stems, int]) -> list[tuple[Stems, float]]:
    """Phrases that occur, the most frequent first, then by their stems."""
    return sorted(
        ((stems, float(n)) for stems, n in phrases.items() if n), key=lambda phrase: (-phrase[1], phrase[0])
    )
