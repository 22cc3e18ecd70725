"""Builds wheels: maturin, after the page of the viewer where Node.js can build it.

Without Node.js everything works but what shows that page: ``World.view``, ``Recording.show``.
"""

import os
import shutil
import subprocess
import sys
from typing import Any

import maturin
from maturin import *  # noqa: F403

_VIEWER = os.path.join(os.path.dirname(__file__), "..", "..", "viewer")


def _page() -> None:
    npm = shutil.which("npm")
    built = os.path.exists(os.path.join(_VIEWER, "dist", "index.html"))
    if built or npm is None or not os.path.exists(os.path.join(_VIEWER, "package.json")):
        return
    for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "--silent", "build"]):
        if subprocess.run([npm, *arguments], cwd=_VIEWER, stdout=sys.stderr).returncode:
            print("the viewer's page was not built: World.view will not work", file=sys.stderr)
            return


def build_wheel(*arguments: Any, **more: Any) -> Any:
    """See PEP 517."""
    _page()
    return maturin.build_wheel(*arguments, **more)


def build_editable(*arguments: Any, **more: Any) -> Any:
    """See PEP 660."""
    _page()
    return maturin.build_editable(*arguments, **more)


def build_sdist(*arguments: Any, **more: Any) -> Any:
    """See PEP 517."""
    _page()
    return maturin.build_sdist(*arguments, **more)
