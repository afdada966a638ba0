#!/usr/bin/env python3
"""Writes the points at which the kernels are run.

    python3 bench/kernels/points.py            writes NAME/small.json, and NAME/large.json where it is small
    python3 bench/kernels/points.py DIR        writes DIR/NAME.small.json and DIR/NAME.large.json of all kernels

The numbers come from a linear congruential generator and are the same everywhere. Large points of more than
100 kB are not committed; `run` makes them in its own folder.
"""

import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
LIMIT = 100_000


class Random:
    """A linear congruential generator (Knuth's MMIX constants): 53 bits in [0, 1)."""

    def __init__(self, seed):
        self.state = seed
        for _ in range(4):
            self.next()

    def next(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def between(self, low, high):
        return round(low + (high - low) * self.next(), 6)

    def vector(self, n, low, high):
        return [self.between(low, high) for _ in range(n)]


def branchy(n):
    return {"n": n, "x": Random(1).vector(n, -3.0, 3.0)}


def cholesky(n):
    random = Random(2)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            a[i][j] = a[j][i] = random.between(-1.0, 1.0)
        a[i][i] = n + random.between(0.0, 1.0)
    return {"n": n, "a": a, "b": random.vector(n, -1.0, 1.0)}


def rk4(steps):
    return {"steps": steps, "h": 0.01, "p": [1.1, 0.4, 0.1, 0.4], "u0": [10.0, 5.0]}


def burgers(n, steps):
    """A wave of both signs with some noise, `c` well within the condition of Courant, Friedrichs and Lewy."""
    random = Random(4)
    u = []
    for i in range(n):
        t = 2.0 * i / n - 1.0
        u.append(round(4.0 * t * (1.0 - abs(t)) + random.between(-0.2, 0.2), 6))
    return {"n": n, "steps": steps, "c": 0.1, "u0": u}


def newton(n):
    return {"n": n, "a": Random(5).vector(n, 0.05, 10.0), "b": 7.0}


def mixture(n, d, m):
    random = Random(6)
    centres = [random.vector(d, -2.0, 2.0) for _ in range(m)]
    points = []
    for _ in range(n):
        centre = centres[int(m * random.next())]
        points.append([round(c + random.between(-1.0, 1.0), 6) for c in centre])
    return {
        "n": n,
        "d": d,
        "m": m,
        "alpha": random.vector(m, -0.5, 0.5),
        "mu": [[round(c + random.between(-0.3, 0.3), 6) for c in centre] for centre in centres],
        "q": [random.vector(d, -0.2, 0.6) for _ in range(m)],
        "l": [
            [[random.between(-0.4, 0.4) if r < j else 0.0 for r in range(d)] for j in range(d)]
            for _ in range(m)
        ],
        "x": points,
    }


def helmholtz(m, n):
    """Shares of like size, and volumes such that less than half of the room is taken."""
    random = Random(7)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            a[i][j] = a[j][i] = round(random.between(0.5, 2.0) / n, 9)
    b = [round(random.between(0.1, 0.5) / n, 9) for _ in range(n)]
    return {"m": m, "n": n, "t": 1.3, "a": a, "b": b, "x": [random.vector(n, 0.05, 1.0) for _ in range(m)]}


def lu_solve(n):
    """A matrix whose columns are dominated by their diagonals, then its rows shuffled."""
    random = Random(8)
    a = [random.vector(n, -1.0, 1.0) for _ in range(n)]
    rows = list(range(n))
    for j in range(n):
        k = j + int((n - j) * random.next())
        rows[j], rows[k] = rows[k], rows[j]
        a[rows[j]][j] = n + random.between(0.0, 1.0)
    return {"n": n, "a": a, "b": random.vector(n, -n, n)}


def lstm(steps, d, h):
    """Weights such that no gate saturates, and a noisy sum of the inputs to be followed."""
    random = Random(9)
    bound = 2.0 / (d + h) ** 0.5

    def matrices(columns):
        return [[random.vector(columns, -bound, bound) for _ in range(h)] for _ in range(4)]

    w, u = matrices(d), matrices(h)
    x = [random.vector(d, -1.0, 1.0) for _ in range(steps)]
    return {
        "steps": steps,
        "d": d,
        "h": h,
        "w": w,
        "u": u,
        "bias": [random.vector(h, -0.5, 0.5) for _ in range(4)],
        "v": random.vector(h, -1.0, 1.0),
        "x": x,
        "y": [round(sum(row) / d + random.between(-0.1, 0.1), 6) for row in x],
    }


def ba(n, m, p):
    """Cameras on one side of a cloud of points, turned a little; the first is not turned. What was seen is noise: the
    work does not depend on the fit."""
    random = Random(10)
    cameras = []
    for i in range(n):
        turn = random.vector(3, -0.3, 0.3) if i > 0 else [0.0, 0.0, 0.0]
        centre = random.vector(2, -1.0, 1.0) + [random.between(-6.0, -5.0)]
        lens = [random.between(1.0, 1.5)] + random.vector(2, -0.05, 0.05) + random.vector(2, -0.1, 0.1)
        cameras.append(turn + centre + lens)
    return {
        "n": n,
        "m": m,
        "p": p,
        "cameras": cameras,
        "points": [random.vector(3, -1.0, 1.0) for _ in range(m)],
        "weights": random.vector(p, 0.5, 1.0),
        "camera_of": [int(n * random.next()) for _ in range(p)],
        "point_of": [int(m * random.next()) for _ in range(p)],
        "seen": [random.vector(2, -0.5, 0.5) for _ in range(p)],
    }


def kmeans(n, d, k):
    random = Random(11)
    centres = [random.vector(d, -2.0, 2.0) for _ in range(k)]
    points = []
    for _ in range(n):
        centre = centres[int(k * random.next())]
        points.append([round(c + random.between(-1.0, 1.0), 6) for c in centre])
    near = [[round(c + random.between(-0.3, 0.3), 6) for c in centre] for centre in centres]
    return {"n": n, "d": d, "k": k, "c": near, "x": points}


def seidel(n, sweeps):
    random = Random(12)
    return {"n": n, "sweeps": sweeps, "u0": [random.vector(n, -1.0, 1.0) for _ in range(n)]}


POINTS = {
    "ba": {"small": lambda: ba(3, 8, 20), "large": lambda: ba(50, 10_000, 250_000)},
    "branchy": {"small": lambda: branchy(40), "large": lambda: branchy(500_000)},
    "burgers": {"small": lambda: burgers(16, 20), "large": lambda: burgers(1_000, 6_000)},
    "cholesky": {"small": lambda: cholesky(9), "large": lambda: cholesky(400)},
    "helmholtz": {"small": lambda: helmholtz(3, 6), "large": lambda: helmholtz(4_000, 60)},
    "kmeans": {"small": lambda: kmeans(25, 3, 4), "large": lambda: kmeans(50_000, 10, 40)},
    "lstm": {"small": lambda: lstm(6, 3, 4), "large": lambda: lstm(2_000, 16, 32)},
    "lu_solve": {"small": lambda: lu_solve(8), "large": lambda: lu_solve(400)},
    "mixture": {"small": lambda: mixture(13, 3, 4), "large": lambda: mixture(40_000, 8, 5)},
    "newton": {"small": lambda: newton(30), "large": lambda: newton(120_000)},
    "rk4": {"small": lambda: rk4(50), "large": lambda: rk4(300_000)},
    "seidel": {"small": lambda: seidel(7, 4), "large": lambda: seidel(200, 40)},
}


def with_adjoint():
    """The kernels that have an adjoint by hand. Others are named on standard output, and left out by all that runs."""
    names = sorted(POINTS)
    without = [name for name in names if not (FOLDER / name / "hand.c").exists()]
    if without:
        print(f"left out, there is no hand.c: {', '.join(without)}", flush=True)
    return [name for name in names if name not in without]


def text(point):
    """The point as JSON with one line for each parameter."""
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in point.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for name, sizes in POINTS.items():
        for size, make in sizes.items():
            written = text(make())
            if target is not None:
                (target / f"{name}.{size}.json").write_text(written)
            elif len(written) <= LIMIT:
                (FOLDER / name / f"{size}.json").write_text(written)


if __name__ == "__main__":
    main()
