"""Ctrl-C works in the tests and in what they start, even where they run in the background."""

import signal

# A shell lets what it starts in the background ignore interrupts, and Python leaves it at that.
signal.signal(signal.SIGINT, signal.default_int_handler)
