"""The derivatives of a tool of GradBench in JAX: functions of whole arrays, compiled, on one thread, in double precision.

    pip install --target target/python "jax[cpu]"

Input is on the device before the time is taken, and functions are compiled before; a run ends when its result is there.
"""

import json
import os
import sys
import time

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as np
from jax.scipy.special import gammaln, logsumexp

jax.config.update("jax_enable_x64", True)


def timed(input, function, *arguments):
    """The result of a compiled function, and the times of its runs."""
    arguments = [np.asarray(a) if isinstance(a, (list, float)) else a for a in arguments]
    function = jax.jit(function)
    result = jax.block_until_ready(function(*arguments))
    times, least = [], input.get("min_seconds", 0)
    while len(times) < input.get("min_runs", 1) or sum(times) < least * 1e9:
        start = time.perf_counter_ns()
        result = jax.block_until_ready(function(*arguments))
        times.append(time.perf_counter_ns() - start)
    return result, times


def gmm(input):
    d, k, m, gamma = input["d"], input["k"], input["m"], input["gamma"]
    n, nu = len(input["x"]), input["d"] + input["m"] + 1.0
    # The places of `l` in a lower triangle: column by column.
    columns, rows = np.triu_indices(d, 1)
    ln_gamma = 0.25 * d * (d - 1) * np.log(np.pi) + gammaln(0.5 * (nu - np.arange(d))).sum()
    constant = k * (nu * d * np.log(gamma / np.sqrt(2.0)) - ln_gamma) - 0.5 * n * d * np.log(2.0 * np.pi)

    def density(p, x):
        scales = np.exp(p["q"])
        lower = np.zeros((k, d, d)).at[:, rows, columns].set(p["l"])
        apart = x[:, None, :] - p["mu"][None]
        y = scales * apart + np.einsum("cij,ncj->nci", lower, apart)
        terms = p["alpha"] + p["q"].sum(1) - 0.5 * (y * y).sum(2)
        squares = (scales * scales).sum() + (p["l"] * p["l"]).sum()
        points = logsumexp(terms, axis=1).sum() - n * logsumexp(p["alpha"])
        return points + m * p["q"].sum() - 0.5 * gamma * gamma * squares + constant

    p = {name: np.asarray(input[name]).reshape((k, -1)) for name in ["mu", "q", "l"]}
    p["alpha"] = np.asarray(input["alpha"])
    return density, p, input["x"]


def rotated(r, x):
    square = r @ r
    angle = np.sqrt(np.where(square == 0, 1.0, square))
    a = r / angle
    turned = x * np.cos(angle) + np.cross(a, x) * np.sin(angle) + a * (a @ x) * (1 - np.cos(angle))
    return np.where(square == 0, x + np.cross(r, x), turned)


def reprojection(z, feat):
    at = rotated(z[:3], z[11:14] - z[3:6])
    p = at[:2] / at[2]
    rho = p @ p
    return z[14] * (p * z[6] * (1 + z[9] * rho + z[10] * rho * rho) + z[7:9] - feat)


def ba(input):
    n, m, p = input["n"], input["m"], input["p"]
    cameras, points = np.tile(np.asarray(input["cam"]), (n, 1)), np.tile(np.asarray(input["x"]), (m, 1))
    weights, feats = np.full(p, input["w"]), np.tile(np.asarray(input["feat"]), (p, 1))
    i = np.arange(p)

    def run(cameras, points, weights, feats):
        z = np.concatenate([cameras[i % n], points[i % m], weights[:, None]], axis=1)
        blocks = jax.vmap(jax.jacfwd(reprojection))(z, feats)
        return np.concatenate([blocks.ravel(), jax.vmap(jax.grad(lambda w: 1 - w * w))(weights)])

    values, times = timed(input, run, cameras, points, weights, feats)
    places = [[11 * (k % n) + j for j in range(11)] + [11 * n + 3 * (k % m) + j for j in range(3)] for k in range(p)]
    columns = [c for k in range(p) for c in 2 * (places[k] + [11 * n + 3 * m + k])]
    columns += [11 * n + 3 * m + k for k in range(p)]
    offsets = [15 * row for row in range(2 * p + 1)] + [30 * p + k + 1 for k in range(p)]
    some = lambda list: list[:30] + list[-1:]
    return {"rows": some(offsets), "cols": some(columns), "vals": some(values.tolist())}, times


def ht(input):
    data, model = input["data"], input["data"]["model"]
    base = np.asarray(model["base_relatives"])
    inverse = np.asarray(model["inverse_base_absolutes"])
    positions, weights = np.asarray(model["base_positions"]), np.asarray(model["weights"])
    parents, points = model["parents"], np.asarray(data["points"])
    correspondences = np.asarray(data["correspondences"])
    bones = len(parents)
    # The places of the angles of each bone in theta; 26 is the angle 0.
    xs, zs = [26] * bones, [26] * bones
    for b in range(2, min(bones, 22)):
        finger, joint = divmod(b - 2, 4)
        if joint == 0:
            xs[b], zs[b] = 6 + 4 * finger, 7 + 4 * finger
        elif joint < 3:
            xs[b] = 7 + 4 * finger + joint

    def homogeneous(rotation, translation):
        top = np.concatenate([rotation, translation[:, None]], axis=1)
        return np.concatenate([top, np.array([[0.0, 0.0, 0.0, 1.0]])])

    def turn(x, z):
        (sx, cx), (sz, cz) = (np.sin(x), np.cos(x)), (np.sin(z), np.cos(z))
        rotation = np.array([[cz, -sz * cx, sz * sx], [sz, cz * cx, -cz * sx], [0.0, sx, cx]])
        return homogeneous(rotation, np.zeros(3))

    def about(r):
        square = r @ r
        angle = np.sqrt(np.where(square < 1e-8, 1.0, square))
        x, y, z = r / angle
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        a = r / angle
        full = np.eye(3) * np.cos(angle) + skew * np.sin(angle) + np.outer(a, a) * (1 - np.cos(angle))
        return np.where(square < 1e-8, np.eye(3), full)

    def errors(moves, theta, us):
        angles = np.append(theta, 0.0)
        relative = base @ jax.vmap(turn)(angles[np.array(xs)], angles[np.array(zs)])
        absolute = []
        for b, parent in enumerate(parents):
            absolute.append(relative[b] if parent < 0 else absolute[parent] @ relative[b])
        transforms = np.stack(absolute) @ inverse
        used = correspondences if us is None else np.asarray(model["triangles"])[correspondences].ravel()
        images = np.einsum("bij,vj->vbi", transforms[:, :3], positions[used])
        at = (weights[used][:, :, None] * images).sum(1)
        if model["is_mirrored"]:
            at = at * np.array([-1.0, 1.0, 1.0])
        at = at @ about(theta[:3]).T + theta[3:6]
        if us is None:
            return (points - at).ravel()
        u, v = us[:, 0] + moves[0], us[:, 1] + moves[1]
        corners = at.reshape((-1, 3, 3))
        combined = np.stack([u, v, 1 - u - v], axis=1)
        return (points - (combined[:, :, None] * corners).sum(1)).ravel()

    us = np.asarray(input["us"]) if input["us"] else None
    theta = np.asarray(input["theta"])
    x = theta if us is None else np.concatenate([np.zeros(2), theta])
    return (lambda x: errors(x[:-26], x[-26:], us)), x


def cost(centroids, points):
    apart = points[:, None, :] - centroids[None]
    return (apart * apart).sum(2).min(1).sum()


def direction(centroids, points):
    gradient = jax.grad(cost)
    g, h = jax.jvp(lambda c: gradient(c, points), (centroids,), (np.ones_like(centroids),))
    return g / h


def llsq(input):
    n, m = input["n"], len(input["x"])
    t = -1 + 2 * np.arange(n) / (n - 1)
    return (lambda x, t: 0.5 * ((np.sign(t) - t[:, None] ** np.arange(m) @ x) ** 2).sum()), t


def ode(x, steps):
    h = 2.0 / steps

    def slopes(y):
        return x * np.concatenate([np.ones(1), y[:-1]])

    def step(y, _):
        k1 = slopes(y)
        k2 = slopes(y + h / 2 * k1)
        k3 = slopes(y + h / 2 * k2)
        k4 = slopes(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jax.lax.scan(step, np.zeros_like(x), None, length=steps)[0][-1]


def lstm(p, state, sequence):
    b = sequence.shape[1]
    layers = len(state) // 2
    main, extra = p[: 8 * layers * b].reshape((layers, 2, 4, b)), p[8 * layers * b :].reshape((3, b))

    def step(state, both):
        now, target = both
        new, value = [], now * extra[0]
        for layer in range(layers):
            w, bias = main[layer]
            h, c = state[2 * layer], state[2 * layer + 1]
            forget = jax.nn.sigmoid(value * w[0] + bias[0])
            ingate = jax.nn.sigmoid(h * w[1] + bias[1])
            outgate = jax.nn.sigmoid(value * w[2] + bias[2])
            change = np.tanh(h * w[3] + bias[3])
            c = c * forget + ingate * change
            value = outgate * np.tanh(c)
            new += [value, c]
        predicted = value * extra[1] + extra[2]
        all = np.log(2 + np.exp(predicted).sum())
        return np.stack(new), (target * (predicted - all)).sum()

    _, totals = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
    return -totals.sum() / ((len(sequence) - 1) * b)


def evaluate(module, input):
    """The output of an eval's derivative, and the times of its runs."""
    if module == "ba":
        return ba(input)
    derive, arguments = jax.grad, []
    if module == "ht":
        derive, (f, *arguments) = jax.jacfwd, ht(input)
    elif module == "kmeans":
        derive, f, arguments = lambda _: direction, cost, [input["centroids"], input["points"]]
    elif module == "gmm":
        f, *arguments = gmm(input)
    elif module == "lse":
        f, arguments = logsumexp, [input["x"]]
    elif module == "llsq":
        f, t = llsq(input)
        arguments = [input["x"], t]
    elif module == "ode":
        f, arguments = (lambda x: ode(x, input["s"])), [input["x"]]
    elif module == "lstm":
        p = np.concatenate([np.asarray(input[name]).ravel() for name in ["main_params", "extra_params"]])
        f, arguments = lstm, [p, input["state"], input["sequence"]]
    else:
        raise ValueError(f"no module {module}")
    result, times = timed(input, derive(f), *arguments)
    return jax.tree.map(lambda a: a.tolist(), result), times


def main(name, evaluate):
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"id": message["id"]}
        if message["kind"] == "start":
            answer["tool"] = name
        if message["kind"] == "evaluate":
            try:
                output, times = evaluate(message["module"], message["input"])
                timings = [{"name": "evaluate", "nanoseconds": t} for t in times]
                answer |= {"success": True, "output": output, "timings": timings}
            except Exception as error:
                answer |= {"success": False, "error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(f"JAX {jax.__version__}", evaluate)
