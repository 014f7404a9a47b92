"""The live explorer: a model in the browser, with its documents, a search and texts of one's own.

``explorer`` has the answers, ``app`` puts them on the web, ``access`` decides who gets them, and ``server``
limits how long and how many clients are connected.
"""
