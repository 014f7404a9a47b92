"""Colours can be told from their ground, on light screens and on dark ones."""

from itertools import product

import pytest

from topminer.views.colours import ACCENT, GROUND, INK, MARKS, PALETTE, TEXTS, WASH, Colour, dark_rules

pytestmark = pytest.mark.small

READABLE, VISIBLE = 4.5, 3.0  # WCAG 2.2, success criteria 1.4.3 and 1.4.11
MODES = (0, 1)


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("mode", "colour"), list(product(MODES, TEXTS)))
def test_texts_can_be_read(mode: int, colour: Colour) -> None:
    assert contrast(colour[mode], GROUND[mode]) >= READABLE


@pytest.mark.parametrize(("mode", "colour"), list(product(MODES, MARKS)))
def test_marks_can_be_seen(mode: int, colour: Colour) -> None:
    assert contrast(colour[mode], GROUND[mode]) >= VISIBLE


@pytest.mark.parametrize("mode", MODES)
def test_what_is_written_on_a_wash_can_be_read(mode: int) -> None:
    assert contrast(INK[mode], WASH[mode]) >= READABLE
    assert contrast(ACCENT[mode], WASH[mode]) >= VISIBLE


def test_no_colour_stands_for_two() -> None:
    """A rule finds a colour by its light name, and nothing else tells it apart."""
    assert len({colour.light for colour in PALETTE}) == len(PALETTE)
    assert {*TEXTS, *MARKS} < set(PALETTE)


def test_every_colour_has_a_rule() -> None:
    rules = dark_rules("svg.marks")
    for colour in PALETTE:
        assert f'svg.marks [fill="{colour.light}"]{{fill:{colour.dark}}}' in rules
        assert f'svg.marks [stroke="{colour.light}"]{{stroke:{colour.dark}}}' in rules
    assert rules.count("{") == 2 * len(PALETTE)
