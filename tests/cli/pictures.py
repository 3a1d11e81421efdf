"""Looks at the pictures that the program draws."""
from tests.viewer.page import rows


def share_of(png, like):
    """Part of the pixels whose colour `like(red, green, blue)` accepts."""
    size, lines = rows(png)
    found = [like(*line[i:i + 3]) for line in lines for i in range(0, len(line), size)]
    return sum(found) / len(found)


def yellow(red, green, blue):
    """The colour of what is soft in the samples, under any light."""
    return red > 60 and red > green > 1.3 * blue and red < 1.8 * green
