"""Fields and properties that are worked out when they are first asked for.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Square:
...     side: int
...     area: Deferred[int] = Deferred(0)
>>> def area() -> int:
...     print("multiplying")
...     return 25
>>> square = Square(5, Later(area))
>>> square.area, square.area
multiplying
(25, 25)
>>> square == Square(5, 25)
True

A class that has them and is pickled says ``__getstate__ = worked_out``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801  # a copy of Python's own
        """Python's, without its lock: before Python 3.12 that takes longer than most of what is cached."""

        def __init__(self, work: Callable[[Any], Any]) -> None:
            self._work, self.__doc__ = work, work.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            # From now on the attribute is found before this descriptor.
            found = vars(instance)[self._name] = self._work(instance)
            return found


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Later(Generic[T_co]):
    """A value that is worked out once, when it is first asked for."""

    work: Callable[[], T_co]

    @cached_property
    def value(self) -> T_co:
        """What the work gives."""
        return self.work()


def already(value: T) -> Later[T]:
    """What is known already, where something for later is expected."""
    return Later(lambda: value)


class Deferred(Generic[T]):
    """A field whose value may be given as a ``Later``.

    Options of the field go around it: ``field(default=Deferred(0), hash=False)``.
    """

    def __init__(self, default: T) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> T:
        if instance is None:  # dataclasses ask the class for the default
            return self._default
        values = vars(instance)
        value = values[self._name]
        if isinstance(value, Later):
            value = values[self._name] = value.value
        found: T = value
        return found

    def __set__(self, instance: object, value: T | Later[T] | Deferred[T]) -> None:
        # What is left out comes as the default that ``field`` was given: this descriptor.
        vars(instance)[self._name] = value._default if isinstance(value, Deferred) else value


def worked_out(self: Any) -> dict[str, Any]:
    """The values of all fields of a dataclass, for pickling: none of them is left for later."""
    return {field.name: getattr(self, field.name) for field in fields(self)}
