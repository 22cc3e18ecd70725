"""``python -m taut``: the taut command."""

import sys

from ._taut import command


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit status."""
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
