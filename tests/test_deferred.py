"""What is worked out when it is first asked for is worked out once."""

from __future__ import annotations

from dataclasses import dataclass

from text2math.deferred import Deferred, Later, cached_property


@dataclass(frozen=True)
class Square:
    side: int
    area: Deferred[int] = Deferred(0)

    @cached_property
    def corners(self) -> list[str]:
        """Its corners."""
        return list("ABCD")


def test_a_cached_property_is_worked_out_once_for_each_object() -> None:
    square, other = Square(5), Square(5)
    assert square.corners == ["A", "B", "C", "D"]
    assert square.corners is square.corners
    assert square.corners is not other.corners
    assert square == other


def test_a_cached_property_of_the_class_is_documented() -> None:
    assert Square.corners.__doc__ == "Its corners."


def test_a_deferred_field_is_worked_out_once() -> None:
    calls: list[int] = []

    def area() -> int:
        calls.append(1)
        return 25

    square = Square(5, Later(area))
    assert not calls
    assert (square.area, square.area, len(calls)) == (25, 25, 1)
