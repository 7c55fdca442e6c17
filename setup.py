"""Puts the documents that the kernel works on into the wheel; all else stands in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DATA = Path(__file__).resolve().parent / "notebooks" / "data"
OF_THE_KERNEL = ("corpus", "recordings")


class WithDocuments(build_py):
    """A wheel holds them as `kernel/data`. A clone is installed in place and has them in
    `notebooks/data`.
    """

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in OF_THE_KERNEL:
            shutil.copytree(
                DATA / name,
                Path(self.build_lib, "kernel", "data", name),
                ignore=shutil.ignore_patterns("__pycache__"),
                dirs_exist_ok=True,
            )


setup(cmdclass={"build_py": WithDocuments})
