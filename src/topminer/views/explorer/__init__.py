"""The live explorer: a model looked at in a browser, with its documents, a search and texts of one's own.

``explorer`` knows what there is to tell, ``app`` puts it on the web, and ``access`` says for whom.
"""
