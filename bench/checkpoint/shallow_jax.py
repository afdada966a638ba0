"""The gradient of shallow.c with JAX: scans of scans, each body under jax.checkpoint, so that states are kept where the
bodies begin. Prints what drive.c does, but kB before the gradient instead of the sum, and writes the gradient to
a file.

    python shallow_jax.py STEPS FILE LENGTH[,LENGTH...]

The product of the lengths of the scans, the outermost first, is STEPS.
"""

import os
import pathlib
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)

N = 64
G = 9.81


def step(u, dt):
    """Shifts are slices of an array with a rim of one cell: jnp.roll takes longer."""
    h, p, q = (jnp.pad(x, 1, mode="wrap") for x in u)
    r = dt / 2.0
    n, s, e, w = np.s_[2:, 1:-1], np.s_[:-2, 1:-1], np.s_[1:-1, 2:], np.s_[1:-1, :-2]

    def mean(x):
        return 0.25 * (x[n] + x[s] + x[e] + x[w])

    square = 0.5 * G * h * h
    pp, pq, qq = p * p / h + square, p * q / h, q * q / h + square
    return (
        mean(h) - r * (p[n] - p[s] + q[e] - q[w]),
        mean(p) - r * (pp[n] - pp[s] + pq[e] - pq[w]),
        mean(q) - r * (pq[n] - pq[s] + qq[e] - qq[w]),
    )


def scans(body, lengths):
    """The body as often as the product of the lengths says, with states in front of each pass of each scan."""
    for length in reversed(lengths):
        body = repeated(jax.checkpoint(body), length)
    return body


def repeated(body, length):
    return lambda u: jax.lax.scan(lambda v, _: (body(v), None), u, None, length=length)[0]


def energy(u, lengths, dt):
    h, p, q = scans(lambda v: step(v, dt), lengths)(u)
    return jnp.sum(0.5 * (p * p + q * q) / h + 0.5 * G * (h - 1.0) * (h - 1.0))


def kb(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what))


def timed(call, u):
    processor, wall = time.process_time(), time.monotonic()
    out = jax.block_until_ready(call(u))
    return out, time.process_time() - processor, time.monotonic() - wall


def main():
    steps, lengths = int(sys.argv[1]), [int(n) for n in sys.argv[3].split(",")]
    assert np.prod(lengths) == steps
    i, j = np.meshgrid(np.arange(N), np.arange(N), indexing="ij")
    h = 1.0 + 0.1 * np.exp(-0.01 * ((i - 30) * (i - 30) + (j - 20) * (j - 20)))
    u = tuple(jnp.asarray(x) for x in (h, np.zeros((N, N)), np.zeros((N, N))))
    primal = jax.jit(lambda u: energy(u, [steps], 0.05)).lower(u).compile()
    gradient = jax.jit(jax.value_and_grad(lambda u: energy(u, lengths, 0.05))).lower(u).compile()
    value, primal_time, primal_wall = timed(primal, u)
    # The peak begins anew: compilers have theirs behind them.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = kb("VmRSS")
    (value_again, u_b), gradient_time, gradient_wall = timed(gradient, u)
    peak = kb("VmHWM")
    np.stack(u_b).tofile(sys.argv[2])
    print(0, float(value - value_again), before, primal_time, gradient_time, peak, 0, 0, primal_wall, gradient_wall)


if __name__ == "__main__":
    main()
