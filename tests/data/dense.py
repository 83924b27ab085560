"""Derivatives of the functions of one variable on a grid, next to the zeros of their derivatives too: dense.csv.

    python3 tests/data/dense.py > tests/data/dense.csv        (mpmath 1.3)

By central differences with 130 digits and steps of 1e-16: correct to 17 digits and more. `ck` is |x f⁽ᵏ⁺¹⁾/f⁽ᵏ⁾|, what
the k-th derivative changes by, relatively, when x does.
"""
import mpmath as M
from mpmath import mp, mpf

mp.dps = 130


def cardinal(x):
    return M.sin(x) / x


def spherical(n):
    return lambda x: M.sign(x) ** n * M.sqrt(mp.pi / (2 * abs(x))) * M.besselj(n + mpf(1) / 2, abs(x))


FUNCTIONS = {
    "recip": (-8, 8, lambda x: 1 / x),
    "sqrt": (0, 20, M.sqrt),
    "cbrt": (-8, 8, lambda x: M.sign(x) * M.cbrt(abs(x))),
    "exp": (-20, 20, M.exp),
    "exp2": (-20, 20, lambda x: mpf(2) ** x),
    "exp_m1": (-20, 20, M.expm1),
    "ln": (0, 20, M.ln),
    "log2": (0, 20, lambda x: M.ln(x) / M.ln(2)),
    "log10": (0, 20, lambda x: M.ln(x) / M.ln(10)),
    "ln_1p": (-1, 20, lambda x: M.ln(1 + x)),
    "sin": (-10, 10, M.sin),
    "cos": (-10, 10, M.cos),
    "tan": (-1.5, 1.5, M.tan),
    "asin": (-1, 1, M.asin),
    "acos": (-1, 1, M.acos),
    "atan": (-12, 12, M.atan),
    "sinh": (-12, 12, M.sinh),
    "cosh": (-12, 12, M.cosh),
    "tanh": (-12, 12, M.tanh),
    "sech2": (-12, 12, lambda x: M.sech(x) ** 2),
    "asinh": (-12, 12, M.asinh),
    "acosh": (1, 20, M.acosh),
    "atanh": (-1, 1, M.atanh),
    "sinc": (-15, 15, cardinal),
    "sinc_slope": (-15, 15, lambda x: (M.cos(x) - cardinal(x)) / x),
    "sinhc": (-12, 12, lambda x: M.sinh(x) / x),
    "cosc": (-12, 12, lambda x: M.cos(x) / x),
    "coshc": (-12, 12, lambda x: M.cosh(x) / x),
    "sigmoid": (-12, 12, lambda x: 1 / (1 + M.exp(-x))),
    "softplus": (-12, 12, lambda x: M.ln(1 + M.exp(x))),
    "entr": (0, 10, lambda x: -x * M.ln(x)),
    "gaussian": (-5, 5, lambda x: M.exp(-x * x)),
    "exp_square": (-4, 4, lambda x: M.exp(x * x)),
    "erf": (-5, 5, M.erf),
    "erfc": (-5, 8, M.erfc),
    "erfinv": (-1, 1, M.erfinv),
    "erfcx": (-2, 8, lambda x: M.exp(x * x) * M.erfc(x)),
    "norm_pdf": (-5, 5, M.npdf),
    "norm_cdf": (-5, 5, M.ncdf),
    "ln_norm_cdf": (-8, 5, lambda x: M.ln(M.ncdf(x))),
    "gamma": (0, 8, M.gamma),
    "lgamma": (0, 12, M.loggamma),
    "digamma": (0, 12, M.digamma),
    "trigamma": (0, 12, lambda x: M.psi(1, x)),
    "bessel_j0": (-15, 15, lambda x: M.besselj(0, x)),
    "bessel_j1": (-15, 15, lambda x: M.besselj(1, x)),
    "bessel_j2": (-15, 15, lambda x: M.besselj(2, x)),
    "sph_j1": (-15, 15, spherical(1)),
    "sph_j2": (-15, 15, spherical(2)),
}
SINGULAR_AT_0 = {"recip", "sqrt", "cbrt", "ln", "log2", "log10", "cosc", "coshc", "entr", "gamma", "lgamma"}
SINGULAR_AT_0 |= {"digamma", "trigamma"}


def derivatives(name, x):
    low, high, f = FUNCTIONS[name]
    room = min(mpf(1), abs(x)) if name in SINGULAR_AT_0 else mpf(1)
    for end in (low, high):
        if name in ("asin", "acos", "atanh", "erfinv", "ln_1p", "acosh"):
            room = min(room, abs(x - end))
    h = room * mpf(10) ** -16
    m3, m2, m1, z, p1, p2, p3 = (M.re(f(x + k * h)) for k in range(-3, 4))
    return [
        (p3 - m3 - 9 * (p2 - m2) + 45 * (p1 - m1)) / (60 * h),
        (2 * (p3 + m3) - 27 * (p2 + m2) + 270 * (p1 + m1) - 490 * z) / (180 * h**2),
        (-(p3 - m3) + 8 * (p2 - m2) - 13 * (p1 - m1)) / (8 * h**3),
        (-(p3 + m3) + 12 * (p2 + m2) - 39 * (p1 + m1) + 56 * z) / (6 * h**4),
    ]


def points(name):
    low, high, _ = FUNCTIONS[name]
    grid = [float(low + (high - low) * (mpf(k) + mpf("0.37")) / 24) for k in range(24)]
    rows = [(x, derivatives(name, mpf(x))) for x in grid]
    yield from grid
    for order in range(3):
        for (a, da), (b, db) in zip(rows, rows[1:]):
            if da[order] * db[order] >= 0 or a * b < 0:
                continue
            a, b, left = mpf(a), mpf(b), da[order]
            for _ in range(40):
                middle = (a + b) / 2
                if derivatives(name, middle)[order] * left > 0:
                    a = middle
                else:
                    b = middle
            for off in ("-0.06", "-0.003", "0.0007", "0.02", "1e-8"):
                yield float(a * (1 + mpf(off)))


print("fn,x,d1,d2,d3,c1,c2,c3")
for name in FUNCTIONS:
    for x in points(name):
        d = derivatives(name, mpf(x))
        c = [abs(x * d[k + 1] / d[k]) if d[k] else mpf("inf") for k in range(3)]
        cells = [M.nstr(t, 20) for t in d[:3]] + [M.nstr(t, 3) for t in c]
        print(name, repr(x), *cells, sep=",")
