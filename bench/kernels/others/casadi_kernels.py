"""The kernels with CasADi: expressions, the gradient function printed as C and compiled with the flags of the run.

Element-wise kernels are maps of one element's function, recurrences are folds of one step's function. The factorisation
has no loop over steps that CasADi could keep, so it is written out in scalars: its size is limited.
"""

import os
import sys
import tempfile

import casadi as ca
import numpy

from common import TRIPS, flat, main

FLAGS = sys.argv[7].split() if len(sys.argv) > 7 else ["-O2"]
FOLDER = tempfile.mkdtemp(dir=sys.argv[4] if len(sys.argv) > 4 else None)


def compiled(function):
    """The function as C, compiled and loaded."""
    here = os.getcwd()
    os.chdir(FOLDER)
    try:
        options = {"flags": FLAGS, "compiler": "gcc", "linker": "gcc"}
        function.generate(f"{function.name()}.c")
        library = ca.Importer(f"{function.name()}.c", "shell", options)
        return ca.external(function.name(), library)
    finally:
        os.chdir(here)


def bound(make, names):
    """From a point to calls of the compiled value and gradient."""

    def bind(point):
        arguments, value = make(point)
        given = [ca.DM(flat(point[name])) for name in names]
        f = compiled(ca.Function("primal", arguments, [value]))
        parts = [ca.gradient(value, a) for a in arguments]
        g = compiled(ca.Function("gradient", arguments, [value, *parts]))

        def buffered(function):
            buffer, call = function.buffer()
            inputs = [numpy.ascontiguousarray(v.full().ravel()) for v in given]
            outputs = [numpy.zeros(function.nnz_out(i)) for i in range(function.n_out())]
            for i, v in enumerate(inputs):
                buffer.set_arg(i, memoryview(v))
            for i, v in enumerate(outputs):
                buffer.set_res(i, memoryview(v))
            return call, inputs, outputs, buffer

        call_f, *keep_f = buffered(f)
        call_g, *keep_g = buffered(g)

        def primal():
            call_f()
            return keep_f[1][0][0]

        def gradient():
            call_g()
            outputs = keep_g[1]
            if "check" in sys.argv:
                dense = {}
                for i, name in enumerate(names):
                    sparse = ca.DM(g.sparsity_out(i + 1), outputs[i + 1])
                    dense[name] = [float(v) for v in ca.densify(sparse).full().ravel(order="F")]
                return outputs[0][0], dense
            return outputs[0][0], outputs

        return primal, gradient

    return bind


def branchy(point):
    x = ca.SX.sym("x")
    high = ca.if_else(x > 1, x, 1)
    v = ca.if_else(
        x > 1,
        ca.log(high) + x,
        ca.if_else(x > 0, x * ca.sin(x), ca.if_else(x > -1, ca.exp(x) - 1, x / (1 + x * x))),
    )
    element = ca.Function("element", [x], [v * v])
    xs = ca.MX.sym("xs", point["n"])
    return [xs], ca.sum2(element.map(point["n"])(xs.T))


def cholesky(point):
    n = point["n"]
    a, b = ca.SX.sym("a", n * n), ca.SX.sym("b", n)
    l, y, f = {}, {}, 0
    for i in range(n):
        for j in range(i):
            s = a[i * n + j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            l[i, j] = s / l[j, j]
        s = a[i * n + i]
        for k in range(i):
            s -= l[i, k] * l[i, k]
        l[i, i] = ca.sqrt(s)
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= l[i, k] * y[k]
        y[i] = s / l[i, i]
        f += 2 * ca.log(l[i, i]) + y[i] * y[i]
    return [a, b], f


def rk4(point):
    h = point["h"]
    p, u = ca.SX.sym("p", 4), ca.SX.sym("u", 2)

    def slope(u):
        return ca.vertcat(u[0] * (p[0] - p[1] * u[1]), u[1] * (p[2] * u[0] - p[3]))

    k1 = slope(u)
    k2 = slope(u + 0.5 * h * k1)
    k3 = slope(u + 0.5 * h * k2)
    k4 = slope(u + h * k3)
    step = ca.Function("step", [u, p], [u + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)])
    ps, u0 = ca.MX.sym("ps", 4), ca.MX.sym("u0", 2)
    end = folded(step, point["steps"])(u0, ps)
    return [ps, u0], ca.dot(end, end)


def folded(step, count):
    """The step applied `count` times to its state, the parameters the same in all."""
    state, parameter = ca.MX.sym("state", step.sparsity_in(0)), ca.MX.sym("parameter", step.sparsity_in(1))
    accumulate = step.mapaccum("steps", count)
    states = accumulate(state, ca.repmat(parameter, 1, count))
    return ca.Function("folded", [state, parameter], [states[:, -1]])


def burgers(point):
    n = point["n"]
    left, here, right, c = (ca.SX.sym(name) for name in ("left", "here", "right", "c"))
    v = here - c * here * ca.if_else(here > 0, here - left, right - here)
    cell = ca.Function("cell", [left, here, right, c], [v])
    u, cs, u0 = ca.MX.sym("u", n), ca.MX.sym("cs"), ca.MX.sym("u0", n)
    # straight-line code for a thousand cells takes the C compiler minutes, a map of one cell does not
    inner = cell.map(n - 2)(u[:-2].T, u[1:-1].T, u[2:].T, ca.repmat(cs, 1, n - 2))
    step = ca.Function("step", [u, cs], [ca.vertcat(u[0], inner.T, u[-1])])
    end = folded(step, point["steps"])(u0, cs)
    return [cs, u0], 0.5 * ca.dot(end, end)


def newton(point):
    # a function has no loop whose number of trips depends on data: as many for all as the longest may take
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    x = b / (a + 1)
    for _ in range(TRIPS):
        r = x * x * x + a * x - b
        x = ca.if_else(ca.fabs(r) > 1e-12, x - r / (3 * x * x + a), x)
    n = point["n"]
    element = ca.Function("element", [a, b], [x])
    every, bs = ca.MX.sym("every", n), ca.MX.sym("bs")
    return [every, bs], ca.sum2(element.map(n)(every.T, ca.repmat(bs, 1, n)))


def mixture(point):
    n, d, m = point["n"], point["d"], point["m"]
    alpha, mu, q, l = (ca.MX.sym(name, size) for name, size in (("A", m), ("M", m * d), ("Q", m * d), ("L", m * d * d)))
    xs = ca.DM(point["x"]).T
    s = []
    for k in range(m):
        qk = q[k * d : (k + 1) * d]
        # storage order here is by columns
        lk = ca.reshape(l[k * d * d : (k + 1) * d * d], d, d).T
        w = ca.tril(lk, False) + ca.diag(ca.exp(qk))
        y = ca.mtimes(w, xs - ca.repmat(mu[k * d : (k + 1) * d], 1, n))
        s.append(alpha[k] + ca.sum1(qk) - 0.5 * ca.sum1(y * y))
    top = s[0]
    for k in range(1, m):
        top = ca.fmax(top, s[k])
    z = sum(ca.exp(sk - top) for sk in s)
    return [alpha, mu, q, l], ca.sum2(top + ca.log(z)) - n * ca.logsumexp(alpha)


KERNELS = {
    "branchy": bound(branchy, ["x"]),
    "cholesky": bound(cholesky, ["a", "b"]),
    "rk4": bound(rk4, ["p", "u0"]),
    "burgers": bound(burgers, ["c", "u0"]),
    "mixture": bound(mixture, ["alpha", "mu", "q", "l"]),
    "newton": bound(newton, ["a", "b"]),
}
NOTES = {"newton": f"{TRIPS} trips for all elements"}

if __name__ == "__main__":
    main("casadi", KERNELS, NOTES)
