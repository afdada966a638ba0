"""Writes reference.tsv: values and partial derivatives of the elemental functions from mpmath at 120
digits, rounded to 64 bits. Partials are mpmath's numerical derivatives of the value, so they share no
formula with the table under test. Usage: python3 reference.py > reference.tsv (mpmath 1.3)."""

import mpmath as mp

mp.mp.dps = 120
X = mp.mpf


def num(x):
    return repr(float(x))


def row(name, f, *args):
    args = [float(a) for a in args]
    exact = [X(a) for a in args]
    value = f(*exact)
    partials = []
    for k in range(len(args)):
        if name in ("powi", "polygamma") and k == (1 if name == "powi" else 0):
            partials.append("-")
            continue
        g = lambda t, k=k: f(*(exact[:k] + [t] + exact[k + 1:]))
        h = abs(exact[k]) * X(10) ** -25 if exact[k] else X(10) ** -25
        # Fourth-order central difference: truncation about 1e-98 relative, rounding about 1e-34.
        d = (8 * (g(exact[k] + h) - g(exact[k] - h)) - (g(exact[k] + 2 * h) - g(exact[k] - 2 * h))) / (12 * h)
        partials.append(num(d))
    print("\t".join([name] + [",".join(map(num, args)), num(value), ",".join(partials)]))


def log_abs_gamma(x):
    return mp.log(abs(mp.gamma(x)))


SMALL = [1e-12, -1e-5, 0.01, -0.3, 0.75]
UNARY = {
    "neg": (lambda x: -x, SMALL + [3.5]),
    "sqrt": (mp.sqrt, [1e-300, 1e-12, 0.3, 2.0, 7.25, 1e10, 1e300]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [1e-300, -1e-12, 0.3, -2.0, 27.5, 1e300]),
    "exp": (mp.exp, SMALL + [-700.0, -20.0, 3.0, 700.0]),
    "expm1": (mp.expm1, SMALL + [-40.0, -2.0, 3.0, 700.0]),
    "log": (mp.log, [1e-300, 1e-5, 0.3, 0.999, 1.0001, 2.0, 1e10, 1e300]),
    "log1p": (mp.log1p, SMALL + [-0.999, 3.0, 1e10]),
    "log2": (lambda x: mp.log(x) / mp.log(2), [1e-300, 0.3, 0.999, 1.0001, 3.0, 1e300]),
    "log10": (lambda x: mp.log(x) / mp.log(10), [1e-300, 0.3, 0.999, 1.0001, 3.0, 1e300]),
    "sin": (mp.sin, SMALL + [1.5, 3.14, -10.0, 1e5]),
    "cos": (mp.cos, SMALL + [1.5, 3.14, -10.0, 1e5]),
    "tan": (mp.tan, SMALL + [1.5, 1.5707963, 3.14, -10.0, 1e5]),
    "asin": (mp.asin, SMALL + [0.999999, -0.9999999999]),
    "acos": (mp.acos, SMALL + [0.999999, -0.9999999999]),
    "atan": (mp.atan, SMALL + [1.5, -100.0, 1e10]),
    "sinh": (mp.sinh, SMALL + [1.5, -20.0, 700.0]),
    "cosh": (mp.cosh, SMALL + [1.5, -20.0, 700.0]),
    "tanh": (mp.tanh, SMALL + [1.5, -20.0, 30.0]),
    "asinh": (mp.asinh, SMALL + [1.5, -200.0, 1e10, 1e200]),
    "acosh": (mp.acosh, [1.0000000001, 1.001, 1.5, 200.0, 1e10, 1e200]),
    "atanh": (mp.atanh, SMALL + [0.999999, -0.9999999999]),
    "abs": (abs, SMALL + [-3.5]),
    "floor": (mp.floor, [0.3, -0.3, 2.5, -7.25]),
    "ceil": (mp.ceil, [0.3, -0.3, 2.5, -7.25]),
    "round": (lambda x: mp.sign(x) * mp.floor(abs(x) + 0.5), [0.3, -0.3, 2.25, -7.75]),
    "trunc": (lambda x: mp.sign(x) * mp.floor(abs(x)), [0.3, -0.3, 2.5, -7.25]),
    "erf": (mp.erf, SMALL + [1.5, -3.0, 5.5]),
    "erfc": (mp.erfc, SMALL + [1.5, -3.0, 5.5, 20.0]),
    "gamma": (mp.gamma, [1e-5, 0.3, 1.0, 1.5, 4.75, 30.25, 150.5, -0.3, -2.5, -10.7]),
    "lgamma": (log_abs_gamma, [1e-5, 0.3, 1.25, 1.75, 4.75, 30.25, 1e5, -0.3, -2.25, -10.7]),
    "digamma": (mp.digamma, [1e-8, 0.3, 1.0, 1.25, 1.4, 1.46, 1.461632144968362, 1.5, 1.6, 1.75, 2.0, 4.75, 9.9,
                             30.25, 1e5, 1e18, -1e-7, -0.3, -2.5, -10.7, -1000.25]),
}
for name, (f, points) in UNARY.items():
    for x in points:
        row(name, f, x)


def fmod(x, y):
    q = x / y
    return x - y * mp.sign(q) * mp.floor(abs(q))


BINARY = {
    "+": (lambda x, y: x + y, [(0.3, 2.5), (-1e10, 3.0)]),
    "-": (lambda x, y: x - y, [(0.3, 2.5), (-1e10, 3.0)]),
    "*": (lambda x, y: x * y, [(0.3, 2.5), (-1e10, 3.0)]),
    "strong*": (lambda x, y: x * y, [(0.3, 2.5), (-1e10, 3.0)]),
    "/": (lambda x, y: x / y, [(0.3, 2.5), (-1e10, 3.0), (1e-200, 1e-200), (2.0, -1e200)]),
    "**": (mp.power, [(0.3, 2.5), (1.5, 0.25), (2.0, -3.5), (1e-10, 0.5), (1e10, 20.3), (7.0, 1.0), (3.0, 2.0)]),
    "atan2": (mp.atan2, [(0.3, 2.5), (-0.3, -2.5), (3.0, -1e-3), (1e-200, 1e-200), (1e200, -2e200), (0.0, 1.5)]),
    "hypot": (mp.hypot, [(0.3, 2.5), (-0.3, -2.5), (1e-200, 1e-200), (1e200, -2e200), (0.0, 1.5)]),
    "min": (lambda x, y: min(x, y), [(0.3, 2.5), (0.3, -2.5)]),
    "max": (lambda x, y: max(x, y), [(0.3, 2.5), (0.3, -2.5)]),
    "sign": (lambda x, y: abs(x) * mp.sign(y), [(0.3, 2.5), (-0.3, 2.5), (0.3, -2.5), (-0.3, -2.5)]),
    "mod": (fmod, [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (0.3, 5.0), (1e6 + 0.25, 0.7)]),
    "modulo": (lambda x, y: x - y * mp.floor(x / y),
               [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (0.3, 5.0), (-0.3, 5.0), (1e6 + 0.25, 0.7)]),
    "dim": (lambda x, y: max(x - y, X(0)), [(0.3, 2.5), (0.3, -2.5)]),
    "powi": (lambda x, n: mp.power(x, int(n)),
             [(0.3, 0), (0.3, 1), (-0.3, 2), (-1.7, 3), (2.5, 17), (-1.01, 64), (-1.01, 65), (1.0001, 100001),
              (-2.0, -1), (3.3, -4), (1e-150, -2), (1e155, -2), (0.9, -200), (0.0, 1), (0.0, 2), (0.0, 3), (0.0, 0)]),
    "polygamma": (lambda n, x: mp.polygamma(int(n), x),
                  [(1, 1e-5), (1, 0.3), (1, 1.0), (1, 5.5), (1, 1e6), (1, 1e200), (2, 0.3), (2, 11.25), (3, 2.5),
                   (5, 0.01), (5, 40.0), (10, 3.3), (10, 1e4), (40, 2.0), (40, 70.0), (100, 20.5), (100, 1000.0), (1000, 400.0), (20000, 7400.0),
                   (1, -0.3), (1, -2.5), (1, -100.75), (2, -0.3), (2, -2.25), (2, -7.75), (3, -4.4), (4, -1.25), (11, -3.7)]),
}
for name, (f, points) in BINARY.items():
    for p in points:
        row(name, f, *p)
for p in [(0.3, 2.5, -1.0), (-1e10, 3.0, 3e10 - 1)]:
    row("fma", lambda x, y, z: x * y + z, *p)
