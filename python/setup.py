# SPDX-License-Identifier: Apache-2.0
"""Builds the extension from the library's sources, which stand beside it.

The wheel holds the part of the library that order mode needs, so it depends on
no other library, and one wheel fits every CPython from 3.10 on.
"""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
FOLDERS = ("base", "cost", "queue", "index", "cache")
FLAGS = [
    "-std=gnu11",
    "-O2",
    "-ffp-contract=off",
    "-fno-semantic-interposition",
    "-fvisibility=hidden",
    "-D_GNU_SOURCE",
]


def library_sources():
    files = [f for name in FOLDERS for f in (TOP / "lib" / name).glob("*.c")]
    # It tells configure's version, and there was no configure.
    files = [f for f in files if f.name != "version.c"]
    if not files:
        raise SystemExit(f"fairway: no sources of the library in {TOP}/lib")
    return sorted(str(f) for f in files)


class Build(build_ext):
    """Names the sources only here: setuptools wants them below itself."""

    def build_extension(self, ext):
        own = sorted(str(f) for f in (HERE / "csrc").glob("*.c"))
        ext.sources = own + library_sources()
        ext.depends = [str(f) for f in TOP.glob("lib/*/*.h")]
        ext.depends += [str(f) for f in TOP.glob("include/fairway/*.h")]
        ext.depends += [str(f) for f in (HERE / "csrc").glob("*.h")]
        super().build_extension(ext)


setup(
    ext_modules=[
        Extension(
            "fairway._core",
            sources=[],
            include_dirs=[str(TOP), str(TOP / "include")],
            extra_compile_args=FLAGS,
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
