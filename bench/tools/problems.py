"""The problems: their C, the point at which they are timed, and what is differentiated."""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = FOLDER.parent / "kernels"
sys.path.insert(0, str(KERNELS))

import points  # noqa: E402


def flat(value):
    return [number for element in value for number in flat(element)] if isinstance(value, list) else [float(value)]


class Problem:
    """A C function that returns a real number; the point has its arguments in order. `constant` names the reals of the
    source, parameters and locals, that no independent reaches: tools with a type of their own keep them `double`."""

    def __init__(self, name, point, independents, constant=(), kernel=False):
        self.name, self.point, self.independents = name, point, independents
        self.constant = [*constant, *(key for key in point if key not in independents)]
        self.source = KERNELS / name / "primal.c" if kernel else FOLDER / "problems" / f"{name}.c"
        self.text = re.sub(r'#include "\w+\.h"\n', "", self.source.read_text())
        self.arrays = {key: flat(value) for key, value in point.items() if isinstance(value, list)}
        self.integers = [value for value in point.values() if isinstance(value, int)]
        self.reals = [value for value in point.values() if isinstance(value, float)]
        self.start = [x for key, array in self.arrays.items() if key in independents for x in array]
        self.given = [x for key, array in self.arrays.items() if key not in independents for x in array]

    def arguments(self, adjoint=False):
        """The arguments as the drivers have them: integers k, reals s, independents x, other arrays p; for the adjoint
        that cfgrev emits with extents in front and derivatives behind."""
        found, at = [], {"k": 0, "s": 0, "x": 0, "p": 0}
        for key, value in self.point.items():
            if key in self.arrays:
                of, size = "x" if key in self.independents else "p", len(self.arrays[key])
                derivative = f"g + {at['x']}" if of == "x" else "NULL"
                found += [str(size), f"{of} + {at[of]}", derivative] if adjoint else [f"{of} + {at[of]}"]
                at[of] += size
            else:
                of = "k" if isinstance(value, int) else "s"
                found += [f"{of}[{at[of]}]"] + ["NULL"] * (adjoint and of == "s")
                at[of] += 1
        return ", ".join(found)

    def template(self):
        """The functions of the C file for any type of real numbers."""
        text = re.sub(r"#include <\w+\.h>\n", "", self.text)
        text = re.sub(rf"\bdouble\b(?! \*?(?:{'|'.join(self.constant) or '-'})\b)", "T", text)
        return re.sub(r"^(?=(?:static |T |void )[^;=]*\()", "template <class T>\n", text, flags=re.MULTILINE)


def steps_to_ground(n, step, w):
    """How many steps `particle` takes."""
    x, y, u, v, count = 0.0, 8.0, 0.75, 0.0, 0
    while y + step * v > 0.0:
        cubes = [((x - 10.0) ** 2 + (y - h) ** 2) ** 1.5 for h in w]
        ax, ay = sum((x - 10.0) / c for c in cubes), sum((y - h) / c for h, c in zip(w, cubes))
        x, y, u, v, count = x + step * u, y + step * v, u + step * ax, v + step * ay, count + 1
    return count


def all_problems():
    random = points.Random(20)
    return [
        Problem("det", {"n": 8, "a": random.vector(64, -1.0, 1.0)}, ["a"]),
        Problem("llsq", {"n": 5000, "m": 40, "x": random.vector(40, -1.0, 1.0)}, ["x"], ["t", "power"]),
        Problem("lse", {"n": 100_000, "x": random.vector(100_000, -5.0, 5.0)}, ["x"]),
        # so short that no product of values and adjoints underflows
        Problem("ode", {"n": 20, "steps": 1000, "x": random.vector(20, 0.5, 1.5)}, ["x"], ["h"]),
        Problem("kmeans", points.kmeans(1000, 10, 20), ["c"], kernel=True),
        Problem("particle", {"n": 10, "step": 0.001, "w": [1.0 * i + 6.0 for i in range(10)]}, ["w"]),
        Problem("saddle", {"n": 300, "descents": 20, "trials": 5, "p": random.vector(300, 0.5, 1.5)}, ["p"], ["step"]),
        Problem("lstm", points.lstm(100, 16, 32), ["w", "u", "bias", "v"], kernel=True),
        Problem("burgers", points.burgers(500, 500), ["u0"], kernel=True),
    ]
