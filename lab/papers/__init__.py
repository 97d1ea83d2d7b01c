"""The papers: what they print, recomputed from the authors' data, and what they did,
done again.
"""
