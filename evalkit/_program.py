"""What the commands `evalkit` and `lab` have in common: how they read their words, and
how they end.

What takes time to import is imported by the command that needs it: `--help` answers at
once.
"""

import argparse
import contextlib
import difflib
import errno
import os
import select
import sys

# --------------------------------------------------------------------------------------
# Words
# --------------------------------------------------------------------------------------


def meant(word, words, otherwise=None):
    """Return the words that someone may have meant, as the end of a sentence.

    Parameters
    ----------
    word : str
    words : iterable of str
        Those there are.
    otherwise : str, optional
        What is said if none comes near; by default all words.

    Returns
    -------
    str
    """
    words = list(words)
    close = difflib.get_close_matches(word, words)
    if word and not close:
        close = [known for known in words if word.lower() in known.lower()][:3]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return otherwise or f"there are: {', '.join(words)}"


class Parser(argparse.ArgumentParser):
    """A parser that ends in one sentence, with the words that come near to a wrong
    one.
    """

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help says more)\n")

    def _print_message(self, message, file=None):
        print(message, end="", file=file or sys.stderr, flush=True)

    def _check_value(self, action, value):
        # No word where there may be several: some versions of Python ask about it too.
        if value == []:
            return
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(
                action, f"{value!r} is unknown; {meant(value, action.choices)}"
            )

    def parse_args(self, args=None, namespace=None):
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = options.parser or self
            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                parser.error(f"{word!r} is one word too many")
            known = [
                name for action in parser._actions for name in action.option_strings
            ]
            parser.error(f"{word!r} is unknown; {meant(word, known)}")
        return options


def number(convert, fits, needs):
    """Return a type for argparse: a number that fits, or a sentence that says what is
    needed.

    Parameters
    ----------
    convert : callable
        From text to a number.
    fits : callable
        From a number to whether it will do.
    needs : str
        What is needed, in words.

    Returns
    -------
    callable
    """

    def read(text):
        with contextlib.suppress(ValueError):
            if fits(value := convert(text)):
                return value
        raise argparse.ArgumentTypeError(f"must be {needs}, got {text!r}")

    return read


def place(text):
    """Return the name of a file or a folder, for argparse; an empty one would silently
    be another.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    if not text:
        raise argparse.ArgumentTypeError("must be a place, got ''")
    return text


# --------------------------------------------------------------------------------------
# How it ends
# --------------------------------------------------------------------------------------


_ADVICE = {
    errno.ENOSPC: "the disk is full; make room, and the same command goes on",
    errno.EDQUOT: "the disk is full for you; make room, and the same command goes on",
    errno.EACCES: "there is no permission for it; change that, or name another place",
    errno.EPERM: "there is no permission for it; change that, or name another place",
    errno.EROFS: "its disk cannot be written; name another place",
    errno.EISDIR: (
        "it is a folder, where a file should be; move it away, or name another file"
    ),
    errno.ENOTDIR: (
        "it leads through a file, where a folder should be; name another place"
    ),
    errno.EEXIST: (
        "it is a file, where a folder should be; move it away, or name another place"
    ),
    errno.ENOENT: "it does not exist; name one that does",
}


def _sentence(error):
    """Say what went wrong: our own errors say it themselves, the system's say it in its
    words.
    """
    if (
        isinstance(error, OSError)
        and error.filename is not None
        and error.errno in _ADVICE
    ):
        return f"{error.filename}: {_ADVICE[error.errno]}"
    if isinstance(error, OSError) and error.errno in _ADVICE:
        return _ADVICE[error.errno]
    return str(error)


def _reader_gone():
    """Tell whether whoever read standard output has closed it."""
    if not hasattr(select, "poll"):  # Windows
        return True
    poll = select.poll()
    poll.register(1, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _drop_output():
    # Python writes what is left when it ends, and would fail once more.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def run(name, command_line, arguments=None):
    """Run a command line.

    Parameters
    ----------
    name : str
        Of the program.
    command_line : callable
        Returns the parser: what it sets as `action` is called with the options.
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0; 1 if something failed or did not agree; 130 if it was
        interrupted, 141 if its output was closed.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace(kept="nothing was begun, the same command begins it")
    try:
        parser = command_line()
        parser.parse_args(arguments, options)
        status = 0
        if options.version:
            from evalkit import __version__

            print(f"{name} {__version__}")
        elif options.action is None:
            (options.parser or parser).print_help()
        else:
            status = options.action(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"stopped; {options.kept}", file=sys.stderr)
        return 130
    except Exception as error:
        return _failed(name, error)


def _failed(name, error):
    """Say what went wrong and return the exit status; what is nobody's fault but ours
    is raised.
    """
    if isinstance(error, BrokenPipeError) and _reader_gone():
        _drop_output()
        return 141
    if not isinstance(error, (RuntimeError, ValueError, OSError, ImportError)):
        raise error
    print(f"{name}: {_sentence(error)}", file=sys.stderr)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        return 1
    _drop_output()  # it is standard output itself that fails
    return 1
