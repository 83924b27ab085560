"""The second derivatives in borders.csv: functions of two variables near the ends of domains and of the range.

    python3 borders.py > borders.csv

mpmath has no range of exponents, so nothing overflows or underflows here.
"""

from mpmath import mp, mpf, nstr, sqrt, log, exp

mp.dps = 60
SIZES = [5e-324, 1e-310, 1e-160, 1e-30, 0.3, 1.0, 3.0, 1e160, 1e300]
SIGNED = SIZES + [-x for x in SIZES]
BESIDE_ONE = [0.9999999999999999, 1.0000000000000002]


def hypot(x, y):
    r = sqrt(x * x + y * y)
    return [y * y / r**3, -x * y / r**3, x * x / r**3]


def atan2(y, x):
    r = x * x + y * y
    return [-2 * x * y / r**2, (y * y - x * x) / r**2, 2 * x * y / r**2]


def div(x, y):
    return [mpf(0), -1 / y**2, 2 * x / y**3]


def logarithm(x, b):
    l = log(b)
    return [-1 / (x * x * l), -1 / (x * b * l * l), log(x) * (l + 2) / (b * b * l**3)] if b != 1 else None


def xlogy(x, y):
    return [mpf(0), 1 / y, -x / y**2]


def xlog1py(x, y):
    return [mpf(0), 1 / (1 + y), -x / (1 + y) ** 2]


def logaddexp(x, y):
    e = exp(-min(abs(x - y), mpf(10) ** 6))
    v = e / (1 + e) ** 2 if abs(x - y) < 10**6 else mpf(0)
    return [v, -v, v]


def powf(x, y):
    mp.dps = 400 if abs(y) > 1e20 else 60
    l = log(x)
    # Far outside the range of floats, only the sign counts.
    t = max(min(y * l, mpf(10) ** 6), -(mpf(10) ** 6))
    f = exp(t)
    d = [y * (y - 1) * f / x**2, f / x * (1 + y * l), f * l * l]
    mp.dps = 60
    return d


print("fn,x,y,fxx,fxy,fyy")
for f, xs, ys in [
    (hypot, SIGNED, SIGNED),
    (atan2, SIGNED, SIGNED),
    (div, SIGNED, SIGNED),
    (logarithm, SIZES, SIZES + BESIDE_ONE),
    (xlogy, SIGNED, SIZES),
    (xlog1py, SIGNED, SIZES + [-1e-310, -1e-30, -0.5]),
    (logaddexp, SIGNED + [30.0], SIGNED),
    (powf, SIZES + BESIDE_ONE, SIGNED + [0.0, 0.5, 2.0, 2.5, -0.5]),
]:
    for x, y in [(x, y) for x in xs for y in ys]:
        d = f(mpf(x), mpf(y))
        if d is not None:
            name = {"logarithm": "log"}.get(f.__name__, f.__name__)
            numbers = ["0" if v == 0 else nstr(v, 17).replace("e+", "e") for v in d]
            print(",".join([name, repr(x), repr(y)] + numbers))
