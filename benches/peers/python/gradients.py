"""Gradients by CasADi and JAX of the functions of the group `programs`, at its points.

    pip install --target target/python casadi "jax[cpu]"
    PYTHONPATH=target/python python3 benches/peers/python/gradients.py

Of each way that is installed: nanoseconds for a gradient (the least of the bursts; C is called from C, the others as
their packages call them from Python), the value, and the sum of the gradient's entries times 1, 2, 3, …, which all ways must share to 1e-10.
"""

import math
import os
import shutil
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def rosenbrock(x, _):
    total = 0.0
    for i in range(99):
        a = x[i + 1] - x[i] * x[i]
        b = 1.0 - x[i]
        total = total + (100.0 * a * a + b * b)
    return total


def slope(x, u, v):
    return x[2] * u - x[3] * u * v, x[4] * u * v - x[5] * v


def step(x, u, v):
    a, b = slope(x, u, v)
    c, d = slope(x, u + 0.005 * a, v + 0.005 * b)
    e, f = slope(x, u + 0.005 * c, v + 0.005 * d)
    g, i = slope(x, u + 0.01 * e, v + 0.01 * f)
    return u + 0.01 / 6.0 * (a + 2.0 * (c + e) + g), v + 0.01 / 6.0 * (b + 2.0 * (d + f) + i)


def lotka_volterra(x, _):
    u, v = x[0], x[1]
    for _ in range(100):
        u, v = step(x, u, v)
    return u + 2.0 * v


def point(data, d, module):
    """The logarithm of the density of a mixture at one point."""
    inverse = [module.exp(-data[20 + k]) for k in range(15)]
    terms = []
    for k in range(5):
        square = 0.0
        offset = data[k]
        for j in range(3):
            z = (d[j] - data[5 + 3 * k + j]) * inverse[3 * k + j]
            square = square + z * z
            offset = offset - data[20 + 3 * k + j]
        terms.append(offset - 0.5 * square)
    return logsumexp(terms, module)


def logsumexp(terms, module):
    largest = terms[0]
    for t in terms[1:]:
        largest = module.fmax(largest, t)
    total = 0.0
    for t in terms:
        total = total + module.exp(t - largest)
    return module.log(total) + largest


POINTS = [[math.sin(i * 0.37 + d) * 1.5 for d in range(3)] for i in range(1000)]
WORKLOADS = [
    ("Rosenbrock, n = 100", [0.5 + 0.4 * math.sin(i * 0.7) for i in range(100)]),
    ("Lotka–Volterra, 100 steps", [1.0, 0.5, 1.1, 0.4, 0.1, 0.4]),
    ("mixture, 35 parameters, 1000 points", [0.3 * math.sin(i * 1.3) for i in range(35)]),
]


def least(call, calls=1):
    """Nanoseconds of a call that does its work so many times."""
    best = math.inf
    end = time.perf_counter() + 1.0
    repeat = 1
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(repeat):
            call()
        taken = time.perf_counter_ns() - start
        if taken < 500_000 and repeat < 1 << 20:
            repeat *= 2
        else:
            best = min(best, taken / repeat)
    return best / calls


def show(way, nanoseconds, value, gradient):
    check = sum((i + 1) * float(g) for i, g in enumerate(gradient))
    print(f"  {way:44} {nanoseconds:14.1f} ns   f = {float(value):.12e}   Σ i·gᵢ = {check:.12e}", flush=True)


def casadi_ways(index, x):
    import casadi
    import numpy

    import casadi_c

    if index == 2:
        p, d = casadi.SX.sym("p", 35), casadi.SX.sym("d", 3)
        one = casadi.Function("one", [p, d], [point(p, casadi.vertsplit(d), casadi)])
        p = casadi.MX.sym("p", 35)
        total = casadi.sum2(one.map(1000)(p, casadi.DM(POINTS).T))
        value = total - 1000.0 * logsumexp(casadi.vertsplit(p[:5]), casadi)
        symbol = p
    else:
        symbol = casadi.SX.sym("x", len(x))
        value = [rosenbrock, lotka_volterra][index](symbol, casadi)
    # The gradient alone, as in the table of this crate: the value is of another function.
    gradient = casadi.Function("f", [symbol], [casadi.gradient(value, symbol)])
    value = casadi.Function("v", [symbol], [value])(x)
    memory, call = gradient.buffer()
    point_, result = numpy.array(x), numpy.zeros(len(x))
    memory.set_arg(0, memoryview(point_))
    memory.set_res(0, memoryview(result))
    show("CasADi, virtual machine", least(call), value, result)
    if shutil.which("cc"):
        nanoseconds, result = casadi_c.run(gradient, x)
        show("CasADi, C by cc -O3, called from C", nanoseconds, value, result)


def jax_ways(index, x):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    x = jnp.array(x)
    points = jnp.array(POINTS)

    def value(x):
        if index == 0:
            a, b = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
            return jnp.sum(100.0 * a * a + b * b)
        if index == 1:
            u, v = jax.lax.fori_loop(0, 100, lambda _, s: step(x, *s), (x[0], x[1]))
            return u + 2.0 * v
        return jnp.sum(jax.vmap(lambda d: point(x, d, jnp))(points)) - 1000.0 * logsumexp(list(x[:5]), jnp)

    both = jax.jit(jax.value_and_grad(value)).lower(x).compile()
    f, g = both(x)
    show("JAX, jit, calls from Python", least(lambda: jax.block_until_ready(both(x))), f, g)
    # Many in compiled code, each at the point that the last one moved by nothing.
    count = 200

    def many(x):
        return jax.lax.fori_loop(0, count, lambda _, y: y + 1e-300 * jax.grad(value)(y), x)

    loop = jax.jit(many).lower(x).compile()
    jax.block_until_ready(loop(x))
    show("JAX, jit, a loop in compiled code", least(lambda: jax.block_until_ready(loop(x)), count), f, g)


def main():
    for index, (name, x) in enumerate(WORKLOADS):
        print(name)
        for ways in (casadi_ways, jax_ways):
            try:
                ways(index, x)
            except ImportError as missing:
                print(f"  {missing}")


if __name__ == "__main__":
    main()
