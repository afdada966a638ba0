"""What the Python tools share: points, the C primals through ctypes, and timing in the way of drive.c."""

import ctypes
import json
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER.parent))

import points  # noqa: E402


# The trips of `newton` for tools whose loops have a fixed number of them; the longest takes as many.
TRIPS = 8


def flat(value):
    if isinstance(value, list):
        return [number for element in value for number in flat(element)]
    return [float(value)]


def c_primal(name, point, folder, cc, flags):
    """The C primal at a point, as a function without arguments."""
    library = pathlib.Path(folder) / f"{name}.primal.so"
    source = FOLDER.parent / name / "primal.c"
    subprocess.run([cc, "-std=c99", *flags.split(), "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), name)
    arguments = []
    for value in point.values():
        if isinstance(value, int):
            arguments.append(ctypes.c_int(value))
        elif isinstance(value, float):
            arguments.append(ctypes.c_double(value))
        else:
            numbers = flat(value)
            arguments.append((ctypes.c_double * len(numbers))(*numbers))
    if name != "cholesky":
        function.restype = ctypes.c_double
        return lambda: function(*arguments)
    factor, result = (ctypes.c_double * point["n"] ** 2)(), ctypes.c_double()
    function.restype = None

    def call():
        function(*arguments, factor, ctypes.byref(result))
        return result.value

    return call


def quartiles(samples):
    samples = sorted(samples)
    n = len(samples)
    return {"min": samples[0], "q1": samples[n // 4], "median": samples[n // 2], "q3": samples[3 * n // 4]}


def interleaved(functions, samples):
    """Processor time of one call of each function, in turn; a sample has as many calls as take two milliseconds."""
    calls = {}
    for name, function in functions.items():
        function()
        start = time.process_time()
        function()
        once = time.process_time() - start
        calls[name] = 1 if once > 1e-3 else int(2e-3 / (once + 1e-6)) + 1
    times = {name: [] for name in functions}
    for _ in range(samples):
        for name, function in functions.items():
            start = time.process_time()
            for _ in range(calls[name]):
                function()
            times[name].append((time.process_time() - start) / calls[name])
    return {name: quartiles(found) for name, found in times.items()}


def gap(mine, theirs):
    scale = max(map(abs, theirs), default=0.0)
    return max(abs(a - b) / max(abs(b), 1e-3 * scale, 1e-300) for a, b in zip(mine, theirs, strict=True))


def main(tool, kernels, notes):
    """`TOOL.py check NAME` prints value and gradient at the small point; `TOOL.py time NAME POINT FOLDER N CC FLAGS` times.

    `kernels` gives for a name a function from a point to (primal, gradient): calls without arguments, the latter's
    result being value and gradient by independent. `notes` says for a name how the tool's program is less than the C
    primal's."""
    what, name = sys.argv[1:3]
    if what == "check":
        point = points.POINTS[name]["small"]()
        primal, gradient = kernels[name](point)
        value, parts = gradient()
        print(json.dumps({"primal": float(primal()), "value": float(value), "gradient": parts, "note": notes.get(name)}))
        return
    size, folder, samples, cc, flags = sys.argv[3:8]
    point = json.loads(pathlib.Path(size).read_text())
    primal, gradient = kernels[name](point)
    functions = {"primal": c_primal(name, point, folder, cc, flags), "own": primal, "gradient": gradient}
    times = interleaved(functions, int(samples))
    ratio = times["gradient"]["min"] / times["primal"]["min"]
    own = times["gradient"]["min"] / times["own"]["min"]
    print(json.dumps({"tool": tool, "kernel": name, **times, "ratio": ratio, "ratio_own": own}))
