# SPDX-License-Identifier: Apache-2.0
"""Builds the extension from the library's sources.

They stand beside this folder in a checkout, and inside of it in an sdist. The
wheel holds the part of the library that order mode needs, so it depends on no
other library, and one wheel fits every CPython from 3.10 on.
"""

import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
TOP = HERE if (HERE / "lib").is_dir() else HERE.parent
FOLDERS = ("base", "cost", "queue", "index", "cache")
FLAGS = [
    "-std=gnu11",
    "-O2",
    "-ffp-contract=off",
    "-fno-semantic-interposition",
    "-fvisibility=hidden",
    "-D_GNU_SOURCE",
    # The folder of the build leaves no trace: the same wheel from each.
    f"-ffile-prefix-map={TOP}=fairway",
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


class BuildModules(build_py):
    """Gives files the modes of a release, whatever those of the checkout."""

    def run(self):
        super().run()
        for name in self.get_outputs(include_bytecode=False):
            Path(name).chmod(0o644)


class Source(sdist):
    """Takes the library's sources along, which stand outside of the package."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        headers = [*TOP.glob("lib/*/*.h"), *TOP.glob("include/fairway/*.h")]
        own = [*(HERE / "csrc").glob("*.[ch]")]
        for path in (*map(Path, library_sources()), *headers, *own):
            top = HERE if path in own else TOP
            to = Path(base_dir, path.relative_to(top))
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
        shutil.copyfile(TOP / "LICENSE", Path(base_dir, "LICENSE"))


# setuptools before and after 77 want it in another form in pyproject.toml.
setup(
    license="Apache-2.0",
    ext_modules=[
        Extension(
            "fairway._core",
            sources=[],
            include_dirs=[str(TOP), str(TOP / "include")],
            extra_compile_args=FLAGS,
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": Build, "build_py": BuildModules, "sdist": Source},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
