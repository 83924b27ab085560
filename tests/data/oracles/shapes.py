#!/usr/bin/env python3
"""Makes shapes.csv: `python3 shapes.py > shapes.csv` (mpmath 1.3, minutes).

The gamma distribution as a function of x and of its shape, the second variable y. Derivatives of P in the shape are
differences of mpmath's function with 120 digits more, at two steps; with x the density comes in, whose derivatives follow
from f(x, a)′ = f(x, a − 1) − f(x, a) in x, and in the shape from Taylor's series of 1/Γ. Points: chosen ones and random ones
of a fixed seed.
"""
import random

import mpmath as m
from mpmath import mp, mpf

HEADER = "id,fn,class,x,y,f,fx,fy,fxx,fxy,fyy,fxxx,fxxy,fxyy,fyyy,cond"


def density(x, a, i, j):
    """The derivative of order i in x and j in a."""
    if i:
        return density(x, a - 1, i - 1, j) - density(x, a, i - 1, j)
    g = m.taylor(m.rgamma, a, j, chop=False)
    log = m.log(x)
    terms = (m.binomial(j, k) * m.factorial(k) * g[k] * log ** (j - k) for k in range(j + 1))
    return m.exp((a - 1) * log - x) * sum(terms)


def share(x, a, j):
    """The j-th derivative of P in a."""

    def p(a):
        # The power series, with the digits that its terms cancel.
        with mp.workdps(mp.dps + int(x / 2 + 20)):
            term = m.exp(a * m.log(x) - x - m.loggamma(a + 1))
            total, n = term, a
            while n < x or abs(term) > abs(total) * mpf(10) ** -mp.dps:
                n += 1
                term *= x / n
                total += term
            return total

    with mp.workdps(160):
        h = mpf(10) ** -20 * a
        points = {k: p(a + k * h) for k in range(-3, 4)}

        def difference(s):
            at = {k: points[k * s] for k in (-1, 0, 1)}
            return [at[0], (at[1] - at[-1]) / (2 * s * h), (at[1] - 2 * at[0] + at[-1]) / (s * h) ** 2]

        one, two = difference(1), difference(2)
        third = [
            (points[2] - 2 * points[1] + 2 * points[-1] - points[-2]) / (2 * h**3),
            (points[3] - 3 * points[1] + 3 * points[-1] - points[-3]) / (8 * h**3),
        ]
        # Errors of order h² cancel.
        best = [one[0]] + [(4 * a - b) / 3 for a, b in zip(one[1:], two[1:])]
        if j < 3:
            assert j == 0 or abs(best[j] - one[j]) < mpf(10) ** -30 * abs(best[j])
            return best[j]
        assert abs(third[0] - third[1]) < mpf(10) ** -25 * abs(third[0])
        return third[0] if j == 3 else (points[2] - 4 * points[1] + 6 * points[0] - 4 * points[-1] + points[-2]) / h**4


def gamma_pdf(x, a):
    return {(i, j): density(x, a, i, j) for i in range(5) for j in range(5 - i)}


def gamma_p(x, a):
    d = {(0, j): share(x, a, j) for j in range(5)}
    return d | {(i, j): density(x, a, i - 1, j) for i in range(1, 5) for j in range(5 - i)}


def gamma_q(x, a):
    return {k: (1 if k == (0, 0) else 0) - d for k, d in gamma_p(x, a).items()}


def points():
    chosen = [(1, 1), (2, 3), (0.5, 0.5), (1.5, 0.25), (7, 0.75), (20, 30), (30, 20), (0.5, 1e-3), (3, 0.01), (0.3, 1), (3, 3)]
    yield from (("gen", float(x), float(a)) for x, a in chosen)
    for _ in range(25):
        yield "random", 10 ** random.uniform(-2, 1.5), 10 ** random.uniform(-2, 1.5)
    for _ in range(15):
        a = 10 ** random.uniform(0, 2.5)
        yield "middle", max(a + random.uniform(-3, 3) * a**0.5, 0.1 * a), a
    yield from (("tiny", x, a) for x, a in [(1e-8, 0.02), (1e-30, 0.5), (1e-12, 3.0), (2.5, 1e-9), (1e-5, 1.5)])
    yield from (("large", x, a) for x, a in [(1e3, 900.0), (1e3, 1100.0), (2000.0, 2000.0), (60.0, 0.5), (100.0, 3.0)])


def main():
    random.seed(31)
    mp.dps = 60
    print(HEADER)
    number = 0
    for f in [gamma_pdf, gamma_p, gamma_q]:
        for kind, x, a in points():
            d = f(mpf(x), mpf(a))
            keys = [(order - j, j) for order in range(4) for j in range(order + 1)]
            entries = [d[key] for key in keys]
            conditions = [(abs(x * d[i + 1, j]) + abs(a * d[i, j + 1])) / (abs(d[i, j]) or m.inf) for i, j in keys]
            cells = [f"{f.__name__}-{number}", f.__name__, kind, repr(x), repr(a)]
            cells += [repr(float(e)) for e in entries]
            print(",".join(cells + [";".join(f"{float(c):.3g}" for c in conditions)]))
            number += 1


if __name__ == "__main__":
    main()
