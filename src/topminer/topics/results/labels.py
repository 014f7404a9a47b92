"""Names of topics: a phrase that stands for the topic, or a few of its words, until the user gives another.

A phrase names a topic if its documents are the topic's. Let θ_dk be the share of topic k in document d, and
let a phrase P be in some documents::

    coverage of k   Σ over documents with P of θ_dk  /  Σ over all documents of θ_dk
    purity          Σ over documents with P of θ_dk  /  number of documents with P

Candidates are the first phrases of the topic in the best order. One qualifies if it has two to four words as
it is shown, a quality of at least 1, five documents or more, and no word of a clause inside; if it covers no
other topic more; and if it covers at least a tenth of what each of the topic's three foremost words covers,
background words aside. Of these the highest log coverage + ½ log (purity / share of k) + 0.3 · quality is
taken, quality with capitals.

If no phrase qualifies, and for a background topic, the name is the topic's foremost words: *movie · film ·
watch*. No two topics have the same name: a number is added where that is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.concentration import concentration
from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.ranking import popularity
from topminer.topics.results.words import WordLists

N_WORDS = 3
N_CANDIDATES = 50
LONGEST = 4  # words as shown
LEAST_QUALITY, LEAST_DOCUMENTS = 1.0, 5
OF_FOREMOST_WORD = 0.1  # of its coverage
OF_PURITY, OF_QUALITY = 0.5, 0.3
JOINED = " · "
# Inside a phrase these make a clause ("read the book"), while "of", "and" or "for" do not ("House of Lords").
_DETERMINERS = "a an the this that these those my your his her its our their"
_PRONOUNS_AND_VERBS = "i you he she it we they is are was were be been to not"
CLAUSE = frozenset(f"{_DETERMINERS} {_PRONOUNS_AND_VERBS}".split())

Shares = Any  # a sparse array (documents, topics): SciPy has no types


def automatic_labels(model: Fitted) -> list[str]:
    """Return a name for each topic."""
    topics, weights = topics_in(model.lda_), model.lda_.topic_weight_.tolist()
    overall = np.zeros(model.corpus_.n_stems)
    for k, weight in enumerate(weights):
        overall += weight * topics.word_probabilities(k)
    return names_of(Entries.of(model), concentration(model.lda_).is_background, overall)


def names_of(entries: Entries, is_background: NDArray[np.bool_], overall: NDArray[np.float64]) -> list[str]:
    """Return the names of topics, given which are background, and the probability of each word."""
    n_topics = entries.sizes.size
    lists = WordLists(entries, is_background, overall)
    words = [lists.first(k, N_WORDS) for k in range(n_topics)]
    phrases = _phrases(entries, words)
    names: dict[str, str] = {}  # by the name in lower case
    for k in range(n_topics):
        shown = JOINED.join(entries.text(int(entries.entry_of[word])) for word in words[k])
        numbered = (f"{shown} ({number})" for number in count(k))
        texts = chain([] if is_background[k] else phrases[k], [shown], numbered)
        name = next(text for text in texts if text.casefold() not in names)
        names[name.casefold()] = name
    return list(names.values())


def _phrases(entries: Entries, words: list[NDArray[np.int64]]) -> list[list[str]]:
    """Return the phrases that qualify as the name of each topic, the best first."""
    can_name = _can_name(entries)
    if not can_name.any():
        return [[] for _ in words]
    scores, frequency = entries.scores("best"), entries.frequency
    places = [entries.ranked(scores, k, N_CANDIDATES, can_name) for k in range(len(words))]
    candidates = np.unique(frequency.types[np.concatenate(places)])
    shares, partition = _shares(entries.model), entries.model.partition_
    of_topics = np.asarray(shares.sum(axis=0)).ravel()
    of_instance = entries.entry_of[partition.type_ids]
    covered, n_documents = _covered(of_instance, partition.doc_start, candidates, shares)
    words = [each[~entries.background_words[each]] for each in words]  # background covers every topic
    foremost = np.unique(np.concatenate(words))
    by_word, _ = _covered(partition.corpus.stem_ids, partition.corpus.doc_start, foremost, shares)
    coverage, word_coverage = popularity(covered, of_topics), popularity(by_word, of_topics)
    purity = covered / np.maximum(n_documents, 1)[:, None]
    share = popularity(of_topics, of_topics.sum())
    found = []
    for k, here in enumerate(places):
        rows = np.searchsorted(candidates, frequency.types[here])
        enough = OF_FOREMOST_WORD * word_coverage[np.searchsorted(foremost, words[k]), k].max(initial=0.0)
        qualifies = (coverage[rows, k] >= enough) & (n_documents[rows] >= LEAST_DOCUMENTS)
        rows = rows[qualifies & (coverage[rows].argmax(axis=1) == k) & (coverage[rows, k] > 0)]
        value = np.log(coverage[rows, k]) + OF_PURITY * np.log(purity[rows, k] / share[k])
        value += OF_QUALITY * np.nan_to_num(entries.quality[candidates[rows]])
        order = np.argsort(-np.round(value, 9), kind="stable")
        found.append([entries.text(entry) for entry in candidates[rows[order]].tolist()])
    return found


def _can_name(entries: Entries) -> NDArray[np.bool_]:
    """Return which entries are phrases that could name a topic, whatever their documents."""
    eligible = (entries.lengths > 1) & ~(entries.quality < LEAST_QUALITY)
    if not eligible.any():
        return eligible
    eligible &= ~entries.is_background
    for entry in np.flatnonzero(eligible).tolist():
        words = entries.text(entry).split()
        eligible[entry] = len(words) <= LONGEST and CLAUSE.isdisjoint(map(str.lower, words[1:-1]))
    return eligible


def _shares(model: Fitted) -> Shares:
    """Return the shares of topics in documents."""
    from scipy.sparse import csr_array

    documents, topics, tokens = model.lda_.document_topics()
    shape = (len(model.partition_), model.lda_.topic_weight_.size)
    lengths = np.bincount(documents, tokens, shape[0])
    return csr_array((tokens / lengths[documents], (documents, topics)), shape=shape)


def _covered(
    of_instance: NDArray[np.integer],
    doc_start: NDArray[np.int64],
    chosen: NDArray[np.integer],
    shares: Shares,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return Σ θ_dk over the documents with each chosen entry or word, and the number of these documents.

    ``of_instance`` is the entry or word of each instance, and document d has those from ``doc_start[d]`` on.
    """
    from scipy.sparse import csr_array

    row_of = np.full(int(max(of_instance.max(initial=0), chosen.max(initial=0))) + 1, -1)
    row_of[chosen] = np.arange(chosen.size)
    rows = row_of[of_instance]
    listed = np.flatnonzero(rows >= 0)
    documents = np.searchsorted(doc_start, listed, "right") - 1
    pairs = np.unique(rows[listed] * shares.shape[0] + documents)
    row, document = np.divmod(pairs, shares.shape[0])
    found = csr_array((np.ones(pairs.size), (row, document)), shape=(chosen.size, shares.shape[0]))
    return (found @ shares).toarray(), np.bincount(row, minlength=chosen.size)


def labels_of(automatic: list[str], own: Mapping[int, str]) -> list[str]:
    """Return the user's own labels where there are any, automatic ones elsewhere."""
    return [own.get(topic, name) for topic, name in enumerate(automatic)]
