"""The book-keeping of a page: what its sentences say is what its cells computed."""


def keep(values=None, /, **named):
    """Keep values for the sentences of a page, under the names by which the text asks for them.

    Where nothing glues them into a text, in a plain notebook, there is nothing to do.

    Parameters
    ----------
    values : dict of str to object, optional
        For names that are computed.
    **named
        Numbers, or words that are laid out already.
    """
    try:
        from myst_nb import glue
    except ModuleNotFoundError:
        return
    for name, value in {**(values or {}), **named}.items():
        glue(name, value, display=False)
