"""Derivatives of functions of two variables at subnormal arguments and at zeros: small.csv.

    python3 tests/data/small.py > tests/data/small.csv        (mpmath 1.3)

By their formulas with 60 digits (the beta function with as many as its poles take), for the arguments as floats; what no float holds is infinite. The logarithm at a base of
0 has the limits of its derivatives.
"""
from mpmath import mp, mpf, ln, sign, inf

mp.dps = 60


def powf(x, y):
    l = ln(x)
    f = x**y
    return [y * f / x, f * l, y * (y - 1) * f / x**2, (1 + y * l) * f / x, f * l * l]


def hypot(x, y):
    r = mp.sqrt(x * x + y * y)
    return [x / r, y / r, y * y / r**3, -x * y / r**3, x * x / r**3]


def log(x, b):
    l, k = ln(x), ln(b) if b else -inf
    if not b:
        return [mpf(0), -sign(l) * inf if l else mpf(0), mpf(0), -inf, sign(l) * inf if l else mpf(0)]
    return [1 / (x * k), -l / (b * k**2), -1 / (x * x * k), -1 / (x * b * k**2), l * (k + 2) / (b * b * k**3)]


def beta(x, y):
    mp.dps = 60 + 4 * int(-mp.log10(min(x, y, 1)))
    f, s = mp.beta(x, y), mp.psi(0, x + y)
    a, b, c = s - mp.psi(0, x), s - mp.psi(0, y), mp.psi(1, x + y)
    rows = [-f * a, -f * b, f * (a * a - c + mp.psi(1, x)), f * (a * b - c), f * (b * b - c + mp.psi(1, y))]
    mp.dps = 60
    return rows


def cell(v):
    if abs(v) > mpf("1.797693134862315708e308"):
        return "inf" if v > 0 else "-inf"
    return mp.nstr(v, 20)


SMALL = [5e-324, 1e-323, 7e-320, 1e-310, 9e-309, 2e-308, 1e-300]
print("fn,x,y,fx,fy,fxx,fxy,fyy")
for x in SMALL:
    for y in [0.25, 0.5, 0.9, 1.0, 1.25, 1.5, 2.0, 3.0, -0.5, -2.0, 0.01, 9e-6, 1e-7, -3e-6, 1e-300]:
        print("powf", x, y, *map(cell, powf(mpf(x), mpf(y))), sep=",")
    for y in SMALL + [0.0, -1e-312, -3e-309, 1e-200, 1.0]:
        print("hypot", x, y, *map(cell, hypot(mpf(x), mpf(y))), sep=",")
        print("hypot", y, x, *map(cell, hypot(mpf(y), mpf(x))), sep=",")
    print("log_base", x, 2.0, *map(cell, log(mpf(x), mpf(2))), sep=",")
for x in [0.25, 1.0, 2.0, 1e300, 1e-300]:
    print("log_base", x, 0.0, *map(cell, log(mpf(x), mpf(0))), sep=",")
for x, y in [(1e-160, 1e-160), (1e-200, -1e-150), (1e-200, 1e-200)]:
    print("powf", x, y, *map(cell, powf(mpf(x), mpf(y))), sep=",")
for b in SMALL + [3e-308, 1e-292]:
    for x in [0.25, 1.0, 2.0, 1e100, 1e300, 1e-200, 5e-324]:
        print("log_base", x, b, *map(cell, log(mpf(x), mpf(b))), sep=",")
for x in [5e-324, 2.3e-308, 1e-200, 1e-150, 1e-100, 1e-50, 1e-20, 1e-9, 1e-4, 4e-3, 0.04, 0.09]:
    for y in [2.3e-308, 1e-200, 1e-160, 1e-20, 1e-5, 0.07, 0.11, 0.5, 1.0, 1.25, 2.0, 9.0, 1e3, 1e20]:
        if x < y / 20 or x < y < 0.1:
            print("beta", x, y, *map(cell, beta(mpf(x), mpf(y))), sep=",")
            print("beta", y, x, *map(cell, beta(mpf(y), mpf(x))), sep=",")
