"""The problems with JAX, in double precision on one thread, compiled before they are timed, as its users write them:
arrays where there are no recurrences, scans where there are. Enzyme, in its package for JAX, reads the C."""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

from problems import steps_to_ground  # noqa: E402

jax.config.update("jax_enable_x64", True)


def iterate(step, state, count):
    return jax.lax.scan(lambda s, _: (step(s), None), state, None, length=count)[0]


def llsq(point):
    t = numpy.linspace(-1.0, 1.0, point["n"])
    powers = jnp.asarray(t[:, None] ** numpy.arange(point["m"]))
    return lambda x: 0.5 * jnp.sum((jnp.asarray(numpy.sign(t)) - powers @ x) ** 2)


def lse(point):
    return jax.scipy.special.logsumexp


def ode(point):
    h = 2.0 / point["steps"]

    def value(x):
        def slope(y):
            return x * jnp.concatenate([jnp.ones(1), y[:-1]])

        def step(y):
            k1 = slope(y)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.5 * h * k2)
            return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + slope(y + h * k3))

        return iterate(step, jnp.zeros(point["n"]), point["steps"])[-1]

    return value


def kmeans(point):
    x = jnp.asarray(point["x"])

    def value(c):
        between = x[:, None, :] - c.reshape(point["k"], point["d"])[None, :, :]
        return jnp.sum(jnp.min(jnp.sum(between * between, axis=2), axis=1))

    return value


def particle(point):
    h = point["step"]

    def value(w):
        def step(state):
            x, y, u, v = state
            dx, dy = x - 10.0, y - w
            square = dx * dx + dy * dy
            cube = square * jnp.sqrt(square)
            return x + h * u, y + h * v, u + h * jnp.sum(dx / cube), v + h * jnp.sum(dy / cube)

        x, y, u, v = iterate(step, (0.0, 8.0, 0.75, 0.0), steps_to_ground(**point))
        return (x - y / v * u) ** 2

    return value


def saddle(point):
    def value(p):
        def payoff(x, y):
            return jnp.sum(x * x - y * y + p * jnp.sin(x * y))

        ones = jnp.ones(point["n"])

        def descend(state):
            x, _ = state

            def trial(state):
                y, here, step = state
                z = y + step * (p * x * jnp.cos(x * y) - 2.0 * y)
                there = payoff(x, z)
                better = there > here
                return jnp.where(better, z, y), jnp.where(better, there, here), jnp.where(better, 2.0, 0.5) * step

            y = iterate(trial, (ones, payoff(x, ones), 0.03125), point["trials"])[0]
            return x - 0.1 * (2.0 * x + p * y * jnp.cos(x * y)), y

        return payoff(*iterate(descend, (ones, ones), point["descents"]))

    return value


def lstm(point):
    xs, ys, d, h = jnp.asarray(point["x"]), jnp.asarray(point["y"]), point["d"], point["h"]

    def value(parameters):
        w, u, bias, v = jnp.split(parameters, [4 * h * d, 4 * h * (d + h), 4 * h * (d + h + 1)])
        w, u = w.reshape(4 * h, d), u.reshape(4 * h, h)

        def step(carried, observed):
            state, cell = carried
            x, y = observed
            forget, admit, emit, change = jnp.split(bias + w @ x + u @ state, 4)
            cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(admit) * jnp.tanh(change)
            state = jax.nn.sigmoid(emit) * jnp.tanh(cell)
            return (state, cell), 0.5 * (v @ state - y) ** 2

        return jnp.sum(jax.lax.scan(step, (jnp.zeros(h), jnp.zeros(h)), (xs, ys))[1])

    return value


def burgers(point):
    def value(u):
        def step(u):
            d, inner = u[1:] - u[:-1], u[1:-1]
            inner = inner - point["c"] * inner * jnp.where(inner > 0.0, d[:-1], d[1:])
            return jnp.concatenate([u[:1], inner, u[-1:]])

        u = iterate(step, u, point["steps"])
        return 0.5 * jnp.sum(u * u)

    return value


def jax_gradient(problem):
    if problem.name not in globals():
        return "recursion would be written out"
    both = jax.jit(jax.value_and_grad(globals()[problem.name](problem.point)))
    x = jnp.asarray(problem.start)
    return lambda: jax.block_until_ready(both(x))


# Instead of <math.h>: the package brings no headers of C.
MATH = """
extern "C" double exp(double), log(double), sqrt(double), sin(double), cos(double), tanh(double);
#define INFINITY __builtin_inf()
"""
# Integers are volatile because they are arguments, not constants, for the other tools.
ENZYME = """
extern int enzyme_const, enzyme_dup;
template <class... Types> void __enzyme_autodiff(Types...);
static volatile int k[] = {%(integers)s 0};
static volatile double s[] = {%(reals)s 0};
static void call(const double *x, const double *p, double *f) { *f = %(name)s(%(arguments)s); }
template <std::size_t N, std::size_t M>
void both(enzyme::tensor<double> &f, enzyme::tensor<double, N> &g, const enzyme::tensor<double, N> &x,
          const enzyme::tensor<double, M> &p)
{
    double value = 0.0, seed = 1.0;
    for (std::size_t i = 0; i < N; i++)
        g[i] = 0.0;
    __enzyme_autodiff((void *)call, enzyme_dup, &x[0], &g[0], enzyme_const, &p[0], enzyme_dup, &value, &seed);
    f = value;
}
"""


def enzyme_gradient(problem):
    from enzyme_ad.jax import cpp_call

    lists = {"integers": problem.integers, "reals": problem.reals}
    lists = {name: "".join(f"{v}, " for v in values) for name, values in lists.items()}
    text = problem.text.replace("#include <math.h>", MATH)
    source = text + ENZYME % {"name": problem.name, "arguments": problem.arguments(), **lists}
    x, p = jnp.asarray(problem.start), jnp.asarray(problem.given or [0.0])
    shapes = [jax.core.ShapedArray(shape, jnp.float64) for shape in ([], x.shape)]
    both = jax.jit(lambda x, p: cpp_call(x, p, out_shapes=shapes, source=source, fn="both", argv=("-O2",)))
    return lambda: jax.block_until_ready(both(x, p))
