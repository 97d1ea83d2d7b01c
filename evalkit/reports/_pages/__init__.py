"""What is written of a comparison: sentences, tables, the figure, and the forms of a
page.
"""
