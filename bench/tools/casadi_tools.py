"""The problems with CasADi: one element's or one step's function, mapped or folded; the gradient printed as C and
compiled with the flags of the run."""

import os

import casadi as ca
import numpy

from problems import steps_to_ground


def symbols(*names):
    return [ca.SX.sym(name) for name in names]


def folded(step, state, count, parameter):
    """The step applied `count` times to its state, the parameter the same in all."""
    return step.mapaccum("steps", count)(state, ca.repmat(parameter, 1, count))[:, -1]


def llsq(point, x):
    n, m = point["n"], point["m"]
    t, target, xs = ca.SX.sym("t"), ca.SX.sym("target"), ca.SX.sym("xs", m)
    power, r = 1, target
    for j in range(m):
        r -= xs[j] * power
        power *= t
    places = numpy.linspace(-1.0, 1.0, n)
    term = ca.Function("term", [t, target, xs], [r * r]).map(n)
    return 0.5 * ca.sum2(term(ca.DM(places).T, ca.DM(numpy.sign(places)).T, ca.repmat(x, 1, n)))


def lse(point, x):
    return ca.logsumexp(x)


def ode(point, x):
    n, h = point["n"], 2.0 / point["steps"]
    y, xs = ca.SX.sym("y", n), ca.SX.sym("xs", n)

    def slope(y):
        return xs * ca.vertcat(1, y[:-1])

    k1 = slope(y)
    k2 = slope(y + 0.5 * h * k1)
    k3 = slope(y + 0.5 * h * k2)
    k4 = slope(y + h * k3)
    step = ca.Function("step", [y, xs], [y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    return folded(step, ca.DM.zeros(n), point["steps"], x)[-1]


def kmeans(point, c):
    n, d, k = point["n"], point["d"], point["k"]
    x, cs = ca.SX.sym("x", d), ca.SX.sym("cs", k * d)
    least = ca.inf
    for j in range(k):
        least = ca.fmin(least, ca.sumsqr(x - cs[j * d : (j + 1) * d]))
    cost = ca.Function("cost", [x, cs], [least]).map(n)
    return ca.sum2(cost(ca.DM(point["x"]).T, ca.repmat(c, 1, n)))


def particle(point, w):
    h, (x, y, u, v), ws = point["step"], symbols("x", "y", "u", "v"), ca.SX.sym("ws", point["n"])
    dx, dy = x - 10, y - ws
    square = dx * dx + dy * dy
    cube = square * ca.sqrt(square)
    after = ca.vertcat(x + h * u, y + h * v, u + h * ca.sum1(dx / cube), v + h * ca.sum1(dy / cube))
    step = ca.Function("step", [ca.vertcat(x, y, u, v), ws], [after])
    x, y, u, v = ca.vertsplit(folded(step, ca.DM([0.0, 8.0, 0.75, 0.0]), steps_to_ground(**point), w))
    return (x - y / v * u) ** 2


def saddle(point, p):
    n = point["n"]
    x, y, ps = (ca.SX.sym(name, n) for name in ("x", "y", "ps"))
    here, step = symbols("here", "step")

    def payoff(x, y, p):
        return ca.sum1(x * x - y * y + p * ca.sin(x * y))

    z = y + step * (ps * x * ca.cos(x * y) - 2 * y)
    there = payoff(x, z, ps)
    better = there > here
    after = [ca.if_else(better, z, y), ca.if_else(better, there, here), ca.if_else(better, 2 * step, 0.5 * step)]
    state, xp = ca.vertcat(y, here, step), ca.vertcat(x, ps)
    trial = ca.Function("trial", [state, xp], [ca.vertcat(*after)])
    xs, ys, p1 = (ca.MX.sym(name, n) for name in ("xs", "ys", "p1"))
    ones = ca.DM.ones(n)
    best = folded(trial, ca.vertcat(ones, payoff(xs, ones, p1), 0.03125), point["trials"], ca.vertcat(xs, p1))[:n]
    moved = xs - 0.1 * (2 * xs + p1 * best * ca.cos(xs * best))
    descend = ca.Function("descend", [ca.vertcat(xs, ys), p1], [ca.vertcat(moved, best)])
    end = folded(descend, ca.DM.ones(2 * n), point["descents"], p)
    return payoff(end[:n], end[n:], p)


def lstm(point, parameters):
    d, h, steps = point["d"], point["h"], point["steps"]
    ends = [0, 4 * h * d, 4 * h * (d + h), 4 * h * (d + h + 1), 4 * h * (d + h + 1) + h]
    w, u, bias, v = ca.vertsplit(parameters, ends)
    x, state, cell, b = (ca.MX.sym(*name) for name in (("x", d), ("state", h), ("cell", h), ("b", 4 * h)))
    ws, us = ca.MX.sym("ws", d, 4 * h), ca.MX.sym("us", h, 4 * h)
    gates = ca.vertsplit(b + ca.mtimes(ws.T, x) + ca.mtimes(us.T, state), h)
    forget, admit, emit = (1 / (1 + ca.exp(-gate)) for gate in gates[:3])
    after = forget * cell + admit * ca.tanh(gates[3])
    new = ca.vertcat(emit * ca.tanh(after), after)
    step = ca.Function("step", [ca.vertcat(state, cell), x, ws, us, b], [new])
    inputs = ca.DM(point["x"]).T
    repeated = (ca.repmat(a, 1, steps) for a in (ca.reshape(w, d, 4 * h), ca.reshape(u, h, 4 * h), bias))
    states = step.mapaccum("steps", steps)(ca.DM.zeros(2 * h), inputs, *repeated)
    return 0.5 * ca.sumsqr(ca.mtimes(states[:h, :].T, v) - ca.DM(point["y"]))


def burgers(point, u0):
    n, (left, here, right) = point["n"], symbols("left", "here", "right")
    v = here - point["c"] * here * ca.if_else(here > 0, here - left, right - here)
    inner = ca.Function("cell", [left, here, right], [v]).map(n - 2)
    u = ca.MX.sym("u", n)
    step = ca.Function("step", [u], [ca.vertcat(u[0], inner(u[:-2].T, u[1:-1].T, u[2:].T).T, u[-1])])
    end = step.mapaccum("steps", point["steps"])(u0)[:, -1]
    return 0.5 * ca.dot(end, end)


def casadi_gradient(problem, folder, flags):
    if problem.name not in globals():
        return "recursion would be written out"
    x = ca.MX.sym("x", len(problem.start))
    value = globals()[problem.name](problem.point, x)
    name = f"casadi_{problem.name}"
    function = ca.Function(name, [x], [value, ca.densify(ca.gradient(value, x))])
    here = os.getcwd()
    os.chdir(folder)
    try:
        function.generate(f"{name}.c")
        options = {"flags": flags, "compiler": "gcc", "linker": "gcc"}
        function = ca.external(name, ca.Importer(f"{name}.c", "shell", options))
    finally:
        os.chdir(here)
    buffer, call = function.buffer()
    start, f, g = numpy.array(problem.start), numpy.zeros(1), numpy.zeros(len(problem.start))
    buffer.set_arg(0, memoryview(start))
    buffer.set_res(0, memoryview(f))
    buffer.set_res(1, memoryview(g))

    def gradient(keep=(buffer, start)):
        call()
        return f[0], g

    return gradient
