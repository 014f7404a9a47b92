"""The joint likelihood of words and topics, from the paper's appendix.

For topics in which each clique has one topic, it is LDA's joint divided by a normaliser C. C does not
depend on Z and is left out, since it cannot be computed. With lnΓ(x + n) - lnΓ(x) written as rise(x, n)::

    ln P(W, Z | α, β) = Σ_dk rise(α_k, N_dk) - Σ_d rise(Σα, N_d) + Σ_wk rise(β, N_wk) - Σ_k rise(Vβ, N_k)

The constants that the appendix leaves out are included, so that likelihoods under different priors can be
compared, as in LDA.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topminer.topics.model.histograms import Histograms, count

_LARGE = 10.0  # from here on Stirling's series is exact to the last digits


def log_likelihood(histograms: Histograms, alpha: NDArray[np.float64], beta: float) -> float:
    """Return ln P(W, Z | ``alpha`` (topics,), ``beta``); 0 for a corpus without tokens."""
    alpha, beta = np.asarray(alpha, np.float64), float(beta)
    topic, doc_topic, lengths, cells, n_k, n_words = histograms
    topics = count(n_k)
    return (
        _total_rise(alpha[topic], *doc_topic)
        - _total_rise(np.full(lengths.n.size, alpha.sum()), *lengths)
        + _total_rise(np.full(cells.n.size, beta), *cells)
        - _total_rise(np.full(topics.n.size, n_words * beta), *topics)
    )


def _total_rise(x: NDArray[np.float64], n: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    return float(times @ rise(x, n))


def rise(x: ArrayLike, n: ArrayLike) -> NDArray[np.float64]:
    """Return lnΓ(x + n) - lnΓ(x) for x > 0 and n ≥ 0, without a difference of large numbers.

    It is the logarithm of x (x + 1) … with n factors. Once x is large, the rest follows from Stirling's
    series lnΓ(x) = (x - 1/2) ln x - x + ln(2π)/2 + 1/12x - …, without the terms that cancel.
    """
    x, n = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(n, np.float64))
    product = np.ones(x.shape)
    while (few := (n > 0) & (x < _LARGE)).any():
        product = np.where(few, product * x, product)
        x, n = np.where(few, x + 1.0, x), np.where(few, n - 1.0, n)
    y = x + n
    stirling = n * (np.log(y) - 1.0) + (x - 0.5) * np.log1p(n / x)
    tail = _tail(y) - _tail(x)
    risen: NDArray[np.float64] = np.log(product) + np.where(n > 0, stirling + tail, 0.0)
    return risen


def _tail(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the last terms of Stirling's series, Σ B_2i / (2i (2i - 1) x^(2i - 1))."""
    s = 1.0 / (x * x)
    series = s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156))))
    terms: NDArray[np.float64] = (1 / 12 - s * (1 / 360 - series)) / x
    return terms
