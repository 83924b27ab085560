"""Small Jacobians by CasADi, as C: those of the arm and of the camera's residual in `benches/workloads`, at their points.

    pip install --target target/python casadi
    PYTHONPATH=target/python python3 benches/peers/python/jacobians.py

Each is generated once, compiled by `cc -O3`, and called from C. The figure is for one Jacobian without the values, all
entries; `cargo bench --bench machine_code --features jit` takes the same one. Entries are compared with differences.
"""

import casadi
import casadi_c
import numpy

JOINTS = [
    [0.0, -1.0, 0.0, 0.34],
    [0.0, 1.0, 0.02, 0.0],
    [0.0, 1.0, -0.03, 0.40],
    [0.0, -1.0, 0.05, 0.01],
    [0.0, -1.0, 0.0, 0.40],
    [0.0, 1.0, 0.08, 0.0],
    [0.8, 0.6, 0.01, 0.126],
]


def pose(q):
    x, y, z, p = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]
    for q, (ca, sa, a, d) in zip(casadi.vertsplit(q), JOINTS):
        s, c = casadi.sin(q), casadi.cos(q)
        for k in range(3):
            u, v = x[k] * c + y[k] * s, y[k] * c - x[k] * s
            p[k] = p[k] + u * a + z[k] * d
            x[k], y[k], z[k] = u, v * ca + z[k] * sa, z[k] * ca - v * sa
    return casadi.vertcat(*x, *y, *z, *p)


def residual(x):
    r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, w = casadi.vertsplit(x)
    d0, d1, d2 = x0 - c0, x1 - c1, x2 - c2
    theta = casadi.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    sin, cos = casadi.sin(theta), casadi.cos(theta)
    a0, a1, a2 = r0 / theta, r1 / theta, r2 / theta
    dot = (a0 * d0 + a1 * d1 + a2 * d2) * (1 - cos)
    p0 = d0 * cos + (a1 * d2 - a2 * d1) * sin + a0 * dot
    p1 = d1 * cos + (a2 * d0 - a0 * d2) * sin + a1 * dot
    p2 = d2 * cos + (a0 * d1 - a1 * d0) * sin + a2 * dot
    u, v = p0 / p2, p1 / p2
    rho = u * u + v * v
    s = focal * ((k2 * rho + k1) * rho + 1)
    return casadi.vertcat(w * (u * s + u0 - 1.2), w * (v * s + v0 + 0.7))


WORKLOADS = [
    ("arm, 12 × 7", pose, [0.3, -0.8, 1.1, 0.6, -1.4, 0.9, 0.2]),
    (
        "camera, 2 × 15",
        residual,
        [0.1, -0.2, 0.3, 0.5, 0.4, -6.0, 1.2, 0.05, -0.03, 0.01, -0.002, 0.7, -0.4, 0.9, 0.8],
    ),
]


def main():
    for name, function, point in WORKLOADS:
        x = casadi.SX.sym("x", len(point))
        y = function(x)
        f = casadi.Function("y", [x], [y])
        jacobian = casadi.Function("f", [x], [casadi.densify(casadi.jacobian(y, x))])
        time, entries = casadi_c.run(jacobian, point)
        one = numpy.array(entries).reshape((len(point), -1))
        for k, column in enumerate(one):
            ahead, behind = [f([p + (h if i == k else 0) for i, p in enumerate(point)]) for h in (1e-5, -1e-5)]
            assert numpy.allclose((ahead - behind).full().ravel() / 2e-5, column, atol=1e-8)
        print(f"{name:20} {time:10.1f} ns")


if __name__ == "__main__":
    main()
