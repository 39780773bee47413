"""The contest's table of pieces: 19 shapes and their rotations."""

from typing import Final

SHAPES: Final = {
    "O": ["(0,-1)(0,0)(1,-1)(1,0)"],
    "I": ["(0,-2)(0,-1)(0,0)(0,1)", "(-1,0)(0,0)(1,0)(2,0)"],
    "S": ["(0,0)(0,1)(1,-1)(1,0)", "(-1,0)(0,0)(0,1)(1,1)"],
    "Z": ["(0,-1)(0,0)(1,0)(1,1)", "(-1,1)(0,0)(0,1)(1,0)"],
    "L": [
        "(0,-1)(0,0)(0,1)(1,-1)",
        "(-1,0)(0,0)(1,0)(1,1)",
        "(-1,1)(0,-1)(0,0)(0,1)",
        "(-1,-1)(-1,0)(0,0)(1,0)",
    ],
    "J": [
        "(0,-1)(0,0)(0,1)(1,1)",
        "(-1,0)(-1,1)(0,0)(1,0)",
        "(-1,-1)(0,-1)(0,0)(0,1)",
        "(-1,0)(0,0)(1,-1)(1,0)",
    ],
    "T": [
        "(0,-1)(0,0)(0,1)(1,0)",
        "(-1,0)(0,0)(0,1)(1,0)",
        "(-1,0)(0,-1)(0,0)(0,1)",
        "(-1,0)(0,-1)(0,0)(1,0)",
    ],
}
"""By piece and orientation: (row, column) from the origin, rows downwards."""

STEP: Final = {"lrotate": 1, "rrotate": -1}
"""How far each rotation goes along the ring of orientations."""

CELLS: Final = {
    piece: [
        [
            (int(row), int(column))
            for row, column in (cell.split(",") for cell in shape.strip("()").split(")("))
        ]
        for shape in shapes
    ]
    for piece, shapes in SHAPES.items()
}
