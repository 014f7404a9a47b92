"""The kernels of Gibbs sampling. Read plain.py first: it is equation 7, written down as one would on paper.

Notation. Kernels use the paper's letters; counts leave out the clique that is being sampled.

======  ==================================  ==============================================================
paper   field                               meaning
======  ==================================  ==============================================================
K, V    ``n_topics``, ``row_of.size``       number of topics, number of words
α_k, β  ``alpha``, ``beta``                 priors of topics in documents and of words in topics
z       ``z``                               topic of each clique
d       ``d_of``                            document of each clique
N_dk    ``n_dk``                            tokens of document d with topic k
N_wk    ``n_wk_shared``, ``n_wk_own``,      tokens of word w with topic k
        ``z_rare``
N_k     ``n_k`` + ``n_k_change``            tokens with topic k
        ``v_beta_n_k``                      Vβ + N_k at the start of the phase
j       ``c_j``                             c_j: how many earlier words of the clique are the same as word j
        ``t``                               rank of a phrase type in sampling order
B_k     ``b_k``                             of the phrase type: Π_j (β + N_wk + c_j) / Π_j (Vβ + N_k + j)
A_k     (in registers)                      of the document: Π_j (α_k + N_dk + j)
        ``a0_k``                            the same for a document without topic k: Π_j (α_k + j)
======  ==================================  ==============================================================

Layouts. A row has one count for each topic, padded to a multiple of eight and to sixteen at least
(`block.row_length`). Rows lie one behind another in a flat array.

* ``n_dk`` has a row for each document (few topics) or a list of the topics that occur in it (many topics,
  see topic_lists.py).
* ``n_wk_shared`` has the rows of words that occur in phrases. Several phrase types count such a word, and the
  blocks of a phase run at the same time, so each block changes a copy (see rows.py).
* ``n_wk_own`` has the rows of the other words. Such a word is its own phrase type and belongs to one group.
* ``z_rare`` has the topic of each token of a rare word: one with fewer tokens than a row has counts.

Which kernel runs when. Phrases of more than four words always go to ``plain``: the product over their words
may leave the range of float32.

=============  ===========  ================  =================================================
topics         path         rows of n_dk      words; phrases of two words; of three and four
=============  ===========  ================  =================================================
up to 16       REGISTERS    rows              ``registers``; ``registers``; ``dense``
17 to 200      DENSE        rows              ``dense``
more           SPARSE       lists             ``sparse``
tests only     PLAIN        rows              ``plain``
=============  ===========  ================  =================================================

``registers`` and ``dense`` also have kernels that sample two blocks of a phase in one loop: words, and
phrases of two words. Each draw waits for the draw before it, and two blocks need not wait for each other:
with 10 to 100 topics this gives one thread 1.2 to 1.5 times the speed. The topics are the same. ``sparse``
gained 3 to 7 % in this way, which is not worth its kernels.

What the special kernels gain over the dense one, in time per clique (benchmarks/bench_kernels.py; abstracts):
``registers`` half of it for phrases of two words, two fifths for words. ``sparse`` gains a tenth of it for
phrases and loses as much for words at 200 topics; at 500 it gains a third. Its kernel for rare words gains a
tenth at 500 topics over rows filled for each rare word.

predictive.py computes training perplexity on the same blocks. fold_in.py samples new documents with the words
of the topics fixed, in one of two kernels: fold_in_dense.py weighs all topics, four documents side by side;
fold_in_sparse.py has lists of topics, for more than 384.
"""
