"""The objects that a language model answers with, and what of them may be used.

Each reader turns a reply into a contract or raises `Unusable` with a sentence that tells the model what to mend.
"""
