"""The kernels with JAX, on one thread of the processor, in double precision, compiled before they are timed.

As a user of JAX would write them: arrays instead of loops where there are no recurrences, scans where there are. The
factorisation is the library's. Calls give back the arrays of JAX; the time to make numbers of them is not counted.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.scipy.linalg import solve_triangular  # noqa: E402
from jax.scipy.special import logsumexp  # noqa: E402

from common import TRIPS, main  # noqa: E402
import sys  # noqa: E402

jax.config.update("jax_enable_x64", True)


def branchy(x):
    # what is not chosen must not be evaluated outside of its domain
    high = jnp.where(x > 1.0, x, 1.0)
    v = jnp.where(
        x > 1.0,
        jnp.log(high) + x,
        jnp.where(x > 0.0, x * jnp.sin(x), jnp.where(x > -1.0, jnp.exp(x) - 1.0, x / (1.0 + x * x))),
    )
    return jnp.sum(v * v)


def cholesky(a, b):
    # the program reads the lower triangle only
    lower = jnp.tril(a, -1)
    factor = jnp.linalg.cholesky(lower + lower.T + jnp.diag(jnp.diag(a)), symmetrize_input=False)
    y = solve_triangular(factor, b, lower=True)
    return jnp.sum(2.0 * jnp.log(jnp.diag(factor))) + y @ y


def rk4_of(steps, h):
    def slope(p, x, y):
        return x * (p[0] - p[1] * y), y * (p[2] * x - p[3])

    def rk4(p, u0):
        def step(state, _):
            x, y = state
            kx1, ky1 = slope(p, x, y)
            kx2, ky2 = slope(p, x + 0.5 * h * kx1, y + 0.5 * h * ky1)
            kx3, ky3 = slope(p, x + 0.5 * h * kx2, y + 0.5 * h * ky2)
            kx4, ky4 = slope(p, x + h * kx3, y + h * ky3)
            x = x + h / 6.0 * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4)
            y = y + h / 6.0 * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4)
            return (x, y), None

        (x, y), _ = jax.lax.scan(step, (u0[0], u0[1]), None, length=steps)
        return x * x + y * y

    return rk4


def burgers_of(steps):
    def burgers(c, u0):
        def step(u, _):
            d = u[1:] - u[:-1]
            inner = u[1:-1]
            v = inner - c * inner * jnp.where(inner > 0.0, d[:-1], d[1:])
            return jnp.concatenate([u[:1], v, u[-1:]]), None

        u, _ = jax.lax.scan(step, u0, None, length=steps)
        return jnp.sum(0.5 * u * u)

    return burgers


def newton(a, b):
    # reverse mode does not go through lax.while_loop: as many trips for all as the longest may take
    def step(state, _):
        x, r = state
        x = jnp.where(jnp.abs(r) > 1e-12, x - r / (3.0 * x * x + a), x)
        return (x, x * x * x + a * x - b), None

    x = b / (a + 1.0)
    (x, _), _ = jax.lax.scan(step, (x, x * x * x + a * x - b), None, length=TRIPS)
    return jnp.sum(x)


def mixture(alpha, mu, q, l, x):
    w = jnp.tril(l, -1) + jnp.exp(q)[:, :, None] * jnp.eye(x.shape[1])
    y = jnp.einsum("kjr,ikr->ikj", w, x[:, None, :] - mu[None, :, :])
    s = alpha + jnp.sum(q, axis=1) - 0.5 * jnp.sum(y * y, axis=2)
    return jnp.sum(logsumexp(s, axis=1)) - x.shape[0] * logsumexp(alpha)


def bound(function, names, passive=()):
    """From a point to calls of the compiled function and gradient."""

    def bind(point):
        f = function(point)
        arguments = [jnp.asarray(point[name], dtype=jnp.float64) for name in [*names, *passive]]
        primal = jax.jit(f)
        both = jax.jit(jax.value_and_grad(f, argnums=tuple(range(len(names)))))

        def gradient():
            value, parts = jax.block_until_ready(both(*arguments))
            if "check" in sys.argv:
                return value, {name: part.ravel().tolist() for name, part in zip(names, parts)}
            return value, parts

        return lambda: jax.block_until_ready(primal(*arguments)), gradient

    return bind


KERNELS = {
    "branchy": bound(lambda point: branchy, ["x"]),
    "cholesky": bound(lambda point: cholesky, ["a", "b"]),
    "rk4": bound(lambda point: rk4_of(point["steps"], point["h"]), ["p", "u0"]),
    "burgers": bound(lambda point: burgers_of(point["steps"]), ["c", "u0"]),
    "mixture": bound(lambda point: mixture, ["alpha", "mu", "q", "l"], ["x"]),
    "newton": bound(lambda point: newton, ["a", "b"]),
}
NOTES = {"newton": f"{TRIPS} trips for all elements"}

main("jax", KERNELS, NOTES)
