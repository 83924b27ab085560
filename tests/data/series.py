"""Taylor coefficients of orders 0 to 31 along straight lines, of functions whose series are composed: series.csv.

    python3 tests/data/series.py > tests/data/series.csv        (mpmath 1.3)

With 150 digits. The line is x + at, y + bt; a function of one variable has y = b = 0.
"""
from mpmath import mp, mpf, mpc

mp.dps = 150


def coefficients(f, n):
    """By Cauchy's integral on a small circle: the trapezoidal rule is exact to (radius)^(points - n)."""
    points, radius = 64, mpf(10) ** -3
    values = [f(radius * mp.expjpi(mpf(2 * i) / points)) for i in range(points)]
    return [
        mp.re(sum(v * mp.expjpi(-mpf(2 * i * k) / points) for i, v in enumerate(values)) / points / radius**k)
        for k in range(n)
    ]


ONE = {
    "erfcx": lambda z: mp.exp(z * z) * mp.erfc(z),
    "ln_norm_cdf": lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2),
    "atan": mp.atan,
    "asinh": mp.asinh,
    "ln_gamma": mp.loggamma,
    "sinc": lambda z: mp.sin(z) / z,
}
TWO = {
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    "ln_beta": lambda x, y: mp.loggamma(x) + mp.loggamma(y) - mp.loggamma(x + y),
    "beta": mp.beta,
}
POINTS = {
    "erfcx": [-3.0, -0.5, 0.0, 0.25, 0.75, 2.0, 30.0],
    "ln_norm_cdf": [-20.0, -3.0, -0.5, 0.0, 1.0, 2.5],
    "atan": [0.25, 0.5756182183816242, -0.65, 3.0],
    "asinh": [0.25, 0.75, 3.0],
    "ln_gamma": [0.5, 1.75, 6.0],
    "sinc": [0.5, 3.0, 40.0],
}


def row(name, line, c):
    print(",".join([name, *(repr(v) for v in line), *(mp.nstr(v, 17) for v in c)]))


print("function,x,y,a,b," + ",".join(f"c{k}" for k in range(32)))
for name, points in POINTS.items():
    for x in points:
        row(name, [x, 0.0, 1.0, 0.0], coefficients(lambda t: ONE[name](mpf(x) + t), 32))
for name, f in TWO.items():
    for line in [[1.5, 0.75, 1.0, 0.0], [2.0, 1.25, 0.0, 1.0], [0.75, 1.5, 1.0, -0.5]]:
        x, y, a, b = line
        row(name, line, coefficients(lambda t: f(mpf(x) + a * t, mpf(y) + b * t), 32))
