#!/usr/bin/env python3
"""Makes distributions.csv: `python3 distributions.py > distributions.csv` (mpmath 1.3, some minutes).

The functions are evaluated from their definitions with as many digits as their differences cancel, and 60 more; the
derivatives come from differential equations and Leibniz's rule, and every family is compared with differences of the
function itself at 1e-20 before a line is written. Points: chosen ones and random ones of a fixed seed, but none where
a density is subnormal: derivatives are products with it, and have the digits that it has.
"""
import random
import sys

import mpmath as m
from mpmath import mp, mpf

ORDERS = 5  # d0..d4, and one more for the conditioning
DIGITS = 60


def digits(extra=0):
    mp.dps = int(DIGITS + 20 + extra)


def erfcx(x, _):
    """f' = 2xf - 2/sqrt(pi), differentiated; far out the forward recurrence loses x^2 at each step."""
    digits(3 * ORDERS * max(0, float(m.log10(abs(x) + 1))))
    if x > 1e5:  # asymptotic series, term by term
        f, c = [mpf(0)] * (ORDERS + 1), 1 / m.sqrt(m.pi)
        for j in range(0, 14):
            power, e = c * x ** -(2 * j + 1), -(2 * j + 1)
            for k in range(ORDERS + 1):
                f[k] += power
                power, e = power * e / x, e - 1
            c *= -mpf(2 * j + 1) / 2
        return f
    f = [m.exp(x * x) * m.erfc(x)]
    f.append(2 * x * f[0] - 2 / m.sqrt(m.pi))
    for n in range(1, ORDERS):
        f.append(2 * x * f[n] + 2 * n * f[n - 1])
    return f


def exprel(x, _):
    """The derivatives are integrals of t^n exp(xt), functions of Kummer."""
    digits(0.5 * abs(float(x)))
    return [m.hyp1f1(n + 1, n + 2, x) / (n + 1) for n in range(ORDERS + 1)]


def ln_1m_exp(x, _):
    """f' = -u with u = exp(x)/(1 - exp(x)), and u' = u + u^2: polynomials in u."""
    digits(0.5 * abs(float(x)) + abs(float(m.log10(-x))))
    u = m.exp(x) / -m.expm1(x)
    f, c = [m.log(-m.expm1(x))], [0, -1]
    for n in range(ORDERS):
        f.append(sum(a * u**k for k, a in enumerate(c)))
        c = [k * a for k, a in enumerate(c)] + [0]
        c = [a + (c[k - 1] if k else 0) for k, a in enumerate(c)]
    return f


def norm_quantile(x, _):
    """f' = 1/density(f), by polynomials in f: d/dx(P(f) f'^k) = (P'(f) + k f P(f)) f'^(k+1)."""
    digits()
    root = lambda y: m.log(m.erfc(-y / m.sqrt(2)) / 2) - m.log(min(x, 1 - x))
    f = m.findroot(root, -m.sqrt(-2 * m.log(min(x, 1 - x))) if min(x, 1 - x) < 0.02 else 0)
    f = -f if x > 0.5 else f
    g, c, d = m.sqrt(2 * m.pi) * m.exp(f * f / 2), [1] + [0] * ORDERS, [f]
    for k in range(1, ORDERS + 1):
        d.append(sum(a * f**j for j, a in enumerate(c)) * g**k)
        slope = [(j + 1) * a for j, a in enumerate(c[1:])] + [0]
        c = [slope[j] + (k * c[j - 1] if j else 0) for j in range(len(c))]
    return d


def density(x):
    """The derivatives of the normal density."""
    digits()
    f = [m.exp(-x * x / 2) / m.sqrt(2 * m.pi)]
    f.append(-x * f[0])
    for n in range(1, ORDERS):
        f.append(-x * f[n] - n * f[n - 1])
    return f


def norm_pdf(x, _):
    return density(x)


def norm_cdf(x, _):
    d = density(x)
    return [m.erfc(-x / m.sqrt(2)) / 2] + d[:ORDERS]


def ln_norm_cdf(x, _):
    """r = density/distribution, r' = -r(x + r), differentiated."""
    if x < -1e5:
        return ln_norm_cdf_far(x)
    digits(0.5 * float(x) ** 2 if x > 0 else 6 * ORDERS * float(m.log10(1 - x)))
    value = m.erfc(-x / m.sqrt(2)) / 2
    r = [m.exp(-x * x / 2) / m.sqrt(2 * m.pi) / value]
    for n in range(ORDERS):
        square = sum(m.binomial(n, k) * r[k] * r[n - k] for k in range(n + 1))
        r.append(-x * r[n] - (n * r[n - 1] if n else 0) - square)
    return [m.log(value)] + r[:ORDERS]


def ln_norm_cdf_far(x):
    """By the asymptotic series of Mills' ratio in w = 1/x^2 and the logarithm's, with exact coefficients."""
    digits()
    n = 10
    a = [mpf(1)]  # 1 - w + 3w^2 - 15w^3 ...
    for k in range(1, n):
        a.append(-a[-1] * (2 * k - 1))
    b = [mpf(0)]  # its logarithm
    for k in range(1, n):
        b.append(a[k] - sum(mpf(j) / k * b[j] * a[k - j] for j in range(1, k)))
    f = [-x * x / 2 - m.log(-x) - m.log(2 * m.pi) / 2, -x - 1 / x, -1 + 1 / x**2, -2 / x**3, 6 / x**4, -24 / x**5]
    for k in range(1, n):
        power, e = b[k] * x ** (-2 * k), -2 * k
        for i in range(ORDERS + 1):
            f[i] += power
            power, e = power * e / x, e - 1
    return f


def gamma_pdf(x, p):
    """Leibniz's rule for x^(a-1) and e^-x."""
    a = mpf(p[0])
    digits(10 * ORDERS)
    power = [m.ff(a - 1, j) * x ** (a - 1 - j) for j in range(ORDERS + 1)]
    scale = m.exp(-x) * m.rgamma(a)
    return [scale * sum(m.binomial(n, j) * power[j] * (-1) ** (n - j) for j in range(n + 1)) for n in range(ORDERS + 1)]


def gamma_p(x, p):
    """The power series, all of whose terms are positive."""
    digits()
    a, term, total, n = mpf(p[0]), mpf(1), mpf(1), 0
    while term > total * mpf(10) ** -mp.dps:
        n += 1
        term *= x / (a + n)
        total += term
    return [m.exp(a * m.log(x) - x - m.loggamma(a + 1)) * total] + gamma_pdf(x, p)[:ORDERS]


def gamma_q(x, p):
    """1 - P, or by the function of mpmath, which agrees where both have digits."""
    digits()
    value = m.gammainc(mpf(p[0]), x, m.inf, regularized=True)
    series = 1 - gamma_p(x, p)[0]
    assert abs(series - value) < mpf(10) ** -DIGITS, (x, p)
    return [value] + [-d for d in gamma_pdf(x, p)[:ORDERS]]


def beta_pdf(x, p):
    """Leibniz's rule for x^(a-1) and (1-x)^(b-1)."""
    a, b = mpf(p[0]), mpf(p[1])
    digits(10 * ORDERS + 2 * ORDERS * float(abs(m.log10(x)) + abs(m.log10(1 - x))))
    left = [m.ff(a - 1, j) * x ** (a - 1 - j) for j in range(ORDERS + 1)]
    right = [(-1) ** j * m.ff(b - 1, j) * (1 - x) ** (b - 1 - j) for j in range(ORDERS + 1)]
    scale = m.exp(m.loggamma(a + b) - m.loggamma(a) - m.loggamma(b))
    return [scale * sum(m.binomial(n, j) * left[j] * right[n - j] for j in range(n + 1)) for n in range(ORDERS + 1)]


def beta_i(x, p):
    """The series of the side of the mean (a+1)/(a+b+2) on which x is, all of whose terms are positive."""
    a, b = mpf(p[0]), mpf(p[1])
    digits(30 - 2 * float(m.log10(b)))
    below = x <= (a + 1) / (a + b + 2)
    u, v, t = (a, b, x) if below else (b, a, 1 - x)
    term, total, n = mpf(1), mpf(1), 0
    while term > total * mpf(10) ** -mp.dps:
        term *= (u + v + n) / (u + 1 + n) * t
        n += 1
        total += term
    log = u * m.log(t) + v * m.log(1 - t) + m.loggamma(a + b) - m.loggamma(a) - m.loggamma(b)
    value = m.exp(log) * total / u
    return [value if below else 1 - value] + beta_pdf(x, p)[:ORDERS]


def check(f, x, p):
    """First to third derivative against differences of the one before."""
    d = f(mpf(x), p)
    h = mpf(10) ** -25
    for k in range(3):
        up, down = f(mpf(x) + h, p)[k], f(mpf(x) - h, p)[k]
        mp.dps = DIGITS
        slope = (up - down) / (2 * h)
        assert abs(slope - d[k + 1]) <= mpf(10) ** -18 * (abs(d[k + 1]) + abs(d[k])), (f.__name__, x, p, k, slope, d)


def text(value):
    """The nearest double, as its shortest text."""
    return repr(float(value))


def line(number, f, kind, x, p):
    d = f(mpf(x), p)
    mp.dps = DIGITS
    if any(0 < abs(e) < mpf(10) ** -300 for e in d[:ORDERS]):
        return
    cond = [abs(mpf(x) * d[k + 1] / d[k]) if d[k] else mpf("inf") for k in range(ORDERS)]
    if f is norm_quantile:  # beyond the range a third derivative is infinite or not a number
        d[3:] = [e if abs(e) < mpf(2) ** 1024 else mpf("nan") for e in d[3:]]
    cells = [f"{f.__name__}-{number}", f.__name__, kind, text(x), ";".join(text(c) for c in p)]
    print(",".join(cells + [text(v) for v in d[:ORDERS]] + [f"{float(c):.3g}" for c in cond]))


def normal_points():
    yield from (("gen", x) for x in [-5.0, -3.5, -3.0, -2.5, -1.5, -1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 4.0])
    yield from (("random", random.uniform(-8, 6)) for _ in range(24))
    yield from (("tiny", x) for x in [5e-324, -1e-300, 1e-17, -1e-8, 1e-4, -1e-3])
    yield ("zero", 0.0)


NORMAL = [
    (erfcx, [], [-30.0, -26.65, -26.635, -26.6, -20.0, -10.0, 7.0, 12.5, 26.0, 27.5, 100.0, 4567.8, 1e8, 1e30, 1e100]),
    (norm_pdf, [], [-37.0, -30.0, -20.0, -10.0, 8.0, 16.0, 37.0]),
    (norm_cdf, [], [-37.0, -30.0, -20.0, -10.0, 8.0, 16.0, 37.0]),
    (ln_norm_cdf, [], [-1e100, -1e30, -1e8, -4567.8, -100.0, -37.5, -20.0, -10.0, 8.0, 16.0, 30.0, 37.0]),
]


def exponential_points():
    yield from (("gen", x) for x in [-5.0, -2.0, -1.0, -0.6931471805599453, -0.69, -0.25, 0.25, 1.0, 3.0, 7.0])
    yield from (("random", random.uniform(-12, 12)) for _ in range(12))
    yield from (("tiny", x) for x in [-1e-300, -1e-17, -1e-8, -1e-3, 1e-17, 1e-4])
    yield from (("huge", x) for x in [-600.0, -100.0, -40.0, 30.0, 100.0, 650.0])


def share_points():
    yield from (("gen", x) for x in [0.0625, 0.2, 0.25, 0.3, 0.625, 0.75, 0.9, 0.96875])
    yield from (("random", random.uniform(0, 1)) for _ in range(12))
    yield from (("tiny", x) for x in [1e-200, 1e-100, 1e-30, 1e-8, 1e-3, 0.999, 1 - 1e-8, 1 - 2**-53])
    yield from (("near", x) for x in [0.5 - 1e-8, 0.5 + 1e-3])


def gamma_points(a):
    yield from (("gen", x) for x in [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0])
    yield from (("random", a * 10 ** random.uniform(-1, 0.7)) for _ in range(8))
    yield from (("near", a + k * a**0.5) for k in [-2.5, -1.2, -0.1, 0.3, 1.7] if a > 9)
    yield from (("tiny", x) for x in [1e-3, 1e-8, 1e-30] if a < 20)
    yield from (("huge", x) for x in [40.0, 200.0])


def beta_points(a, b):
    mean = a / (a + b)
    yield from (("gen", x) for x in [0.0625, 0.25, 0.5, 0.75, 0.9375])
    yield from (("random", random.uniform(0, 1)) for _ in range(5))
    yield from (("near", mean + k * (mean * (1 - mean) / (a + b)) ** 0.5) for k in [-2.5, -1.2, -0.1, 0.3, 1.7] if a > 9)
    yield from (("tiny", x) for x in [1e-3, 1e-8, 1e-30] if a < 20)
    yield from (("tiny", x) for x in [0.999, 1 - 1e-8] if b < 20)


SHAPES = [1e-10, 0.1, 0.5, 0.999, 1.0, 1.0625, 1.5, 2.0, 2.5, 3.0, 4.0, 7.3, 20.0, 24.9, 30.0, 80.0, 250.5, 2000.0]

PAIRS = [(0.01, 0.02), (0.5, 0.5), (1.0, 1.0), (1.0, 3.0), (2.0, 2.0), (2.0, 0.75), (3.0, 1.0), (2.5, 1.5), (4.0, 3.0), (7.3, 5.1)]
PAIRS += [(0.3, 20.0), (30.0, 0.6), (12.0, 18.5), (60.0, 45.0), (2.5, 400.0), (500.0, 1.5), (250.0, 300.0), (3000.0, 40.0), (0.8, 1e-3), (30.0, 1e-7)]


def main():
    random.seed(19)
    number = 0
    header = ["id", "fn", "class", "x", "n"] + [f"d{k}" for k in range(ORDERS)] + [f"cond{k}" for k in range(ORDERS)]
    print(",".join(header))
    for f, p, far in NORMAL:
        for x in [-1.25, 0.5, 2.0]:
            check(f, x, p)
        for kind, x in list(normal_points()) + [("huge", x) for x in far]:
            line(number, f, kind, x, p)
            number += 1
    for f in [gamma_pdf, gamma_p, gamma_q]:
        check(f, 1.75, [2.5])
        for a in SHAPES:
            for kind, x in gamma_points(a):
                line(number, f, kind, x, [a])
                number += 1
    for f in [beta_pdf, beta_i]:
        check(f, 0.375, [2.5, 1.5])
        for p in PAIRS:
            for kind, x in ((kind, x) for kind, x in beta_points(*p) if 0 < x < 1):
                line(number, f, kind, x, p)
                number += 1
    for f in [exprel, ln_1m_exp]:
        check(f, -1.25, [])
        for kind, x in ((kind, x) for kind, x in exponential_points() if f is exprel or x < 0):
            line(number, f, kind, x, [])
            number += 1
    check(norm_quantile, 0.125, [])
    for kind, x in share_points():
        line(number, norm_quantile, kind, x, [])
        number += 1


if __name__ == "__main__":
    sys.set_int_max_str_digits(0)
    main()
