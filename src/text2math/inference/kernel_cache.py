"""Where compiled kernels are cached between runs, and what happens if no cache can be written.

numba writes compiled code to ``NUMBA_CACHE_DIR``, else beside our sources, else to the user's cache
directory. If none of them is writable, this process and those it starts use a private temporary directory,
with a copy of what a read-only ``NUMBA_CACHE_DIR`` contains; if that fails too, kernels stay in memory.
Damaged files are discarded and rebuilt.

numba reads these files with pickle, so whoever can write to that directory can run code as the user. The
files are our own; they never come from a model file or from a request.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numba
from llvmlite import binding
from numba.core import environment
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys

log = logging.getLogger("text2math")

_FunctionCache: Any = FunctionCache  # numba has no usable type annotations
_CompileResultCacheImpl: Any = CompileResultCacheImpl
_llvm: Any = binding
_config: Any = numba.config
_runtime: Any = rtsys
_environment: Any = environment

_DIRECTORY_SETTING = "NUMBA_CACHE_DIR"
_HOW_TO_KEEP = (
    "because no cache directory can be written; "
    f"set {_DIRECTORY_SETTING} to one that can be, to start faster next time"
)


class _KernelFile(_CompileResultCacheImpl):  # type: ignore[misc]
    """A compiled function in a file. Its code for LLVM, which other kernels link, is parsed when one does.

    Parsing takes longer than loading the machine code, and numba needs only the names in it.
    """

    def reduce(self, cres: Any) -> Any:
        """What is written: what numba writes, and the names that the code defines."""
        module = cres.library._get_module_for_linking()
        defined = (one for every in (module.functions, module.global_variables) for one in every)
        return super().reduce(cres), sorted(one.name for one in defined if not one.is_declaration)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled function of what was written."""
        ((name, kind, (machine_code, bitcode)), *rest), names = payload
        target_context.codegen()._engine._defined_symbols.update(names)
        found = super().rebuild(target_context, ((name, kind, (machine_code, _empty_bitcode())), *rest))
        found.library._get_module_for_linking = cache(partial(_llvm.parse_bitcode, bitcode))
        return found


@cache
def _empty_bitcode() -> bytes:
    found: bytes = _llvm.parse_assembly("").as_bitcode()
    return found


class KernelCache(_FunctionCache):  # type: ignore[misc]
    """numba's cache of one function; if it can't be read or written, the function is compiled again."""

    _impl_class = _KernelFile

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None if there is none or its file is damaged."""
        try:
            # numba would initialise its whole compiler first and import scipy's linear algebra, which takes
            # ten times as long as loading; if it has to compile after all, it does so then.
            _runtime.initialize(target_context)
            with _numba_unimported(), self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception as error:  # damaged pickles raise almost anything
            log.info("compiling again: a file in %s is damaged (%s)", self.cache_path, type(error).__name__)
            self._discard()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a compiled function, if there is room for it."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            log.info("a compiled function is not kept in %s: %s", self.cache_path, error)

    def _discard(self) -> None:
        try:
            self.flush()  # an index without entries; the files it listed are written anew
        except OSError as error:
            log.info("%s can't be written: %s", self.cache_path, error)
            self.disable()


class _ImportedOnly:
    """Stands for ``importlib`` where a module is wanted for its names, which compiled code never reads."""

    @staticmethod
    def import_module(name: str) -> Any:
        """The module; one of numba's that nobody has imported yet is left alone, and has no names."""
        if name.startswith("numba.") and name not in sys.modules:
            return SimpleNamespace()
        return importlib.import_module(name)


@contextmanager
def _numba_unimported() -> Iterator[None]:
    """Load compiled code without the modules of numba that it was compiled from.

    numba imports them all, for names that only uncompiled code would look up; it takes as long as loading.
    """
    found = _environment.importlib
    _environment.importlib = _ImportedOnly
    try:
        yield
    finally:
        _environment.importlib = found


def keep_compiled(dispatcher: Any) -> Any:
    """Cache a compiled function on disk, if that is possible."""
    if (cache := _cache_of(dispatcher.py_func)) is not None:
        dispatcher._cache = cache  # what njit(cache=True) does, with our class
        # Looking for extensions of numba reads the metadata of every installed package. They matter only to
        # what is compiled, and before compiling numba looks for them once more.
        dispatcher._compilation_chain_init_hook = _nothing
    return dispatcher


def _nothing() -> None:
    pass


def _cache_of(function: Any) -> KernelCache | None:
    for _ in range(2):
        try:
            return KernelCache(function)
        except RuntimeError:  # numba found no directory that can be written
            if not _use_temporary_directory():
                return None
    return None


@cache
def _use_temporary_directory() -> bool:
    """Point numba, here and in the processes we start, to a directory that only this user can read."""
    try:
        directory = tempfile.mkdtemp(prefix="text2math-")  # created with mode 0700
    except OSError:
        log.warning("compiled code is kept in memory only, %s", _HOW_TO_KEEP)
        return False
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    compiled_before = os.environ.get(_DIRECTORY_SETTING, "")
    if os.path.isdir(compiled_before):  # a container's image may hold compiled kernels, read-only
        with suppress(OSError):
            shutil.copytree(compiled_before, directory, dirs_exist_ok=True)
    os.environ[_DIRECTORY_SETTING] = _config.CACHE_DIR = directory
    log.warning("compiled code is kept only while this runs, %s", _HOW_TO_KEEP)
    return True
