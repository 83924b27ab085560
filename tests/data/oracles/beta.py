#!/usr/bin/env python3
"""Makes beta.csv: `python3 beta.py > beta.csv` (mpmath 1.3, seconds).

Beta and its logarithm from ln Γ, their derivatives from the polygamma functions of mpmath, all with 60 digits more than
the differences cancel; the derivatives of beta are compared with differences of the one before. Points: chosen ones and
random ones of a fixed seed.
"""
import random

import mpmath as m
from mpmath import mp, mpf

HEADER = "id,fn,class,x,y,f,fx,fy,fxx,fxy,fyy,fxxx,fxxy,fxyy,fyyy"


def ln_beta(x, y):
    """By (i, j): the derivatives of order i in x and j in y."""
    s = x + y
    d = {(0, 0): m.loggamma(x) + m.loggamma(y) - m.loggamma(s)}
    for i in range(4):
        for j in range(4 - i):
            if i + j:
                first = m.psi(i - 1, x) if j == 0 else m.psi(j - 1, y) if i == 0 else 0
                d[i, j] = first - m.psi(i + j - 1, s)
    return d


def beta(x, y):
    """exp of it: f' = f·l', differentiated."""
    l = ln_beta(x, y)
    f = {(0, 0): m.exp(l[0, 0])}
    for i in range(4):
        for j in range(4 - i):
            if i:
                f[i, j] = sum(
                    m.binomial(i - 1, a) * m.binomial(j, b) * f[a, b] * l[i - a, j - b] for a in range(i) for b in range(j + 1)
                )
            elif j:
                f[i, j] = sum(m.binomial(j - 1, b) * f[0, b] * l[0, j - b] for b in range(j))
    return f


def polygamma_increment(x, y):
    """ψ(x + y) - ψ(x)."""
    s = x + y
    return {(i, j): m.psi(i + j, s) - (m.psi(i, x) if j == 0 else 0) for i in range(4) for j in range(4 - i)}


def check(f, x, y):
    h = mpf(10) ** -25
    d = f(x, y)
    for (i, j), value in d.items():
        if i + j < 3:
            dx = (f(x + h, y)[i, j] - f(x - h, y)[i, j]) / (2 * h)
            dy = (f(x, y + h)[i, j] - f(x, y - h)[i, j]) / (2 * h)
            for got, want in [(dx, d[i + 1, j]), (dy, d[i, j + 1])]:
                assert abs(got - want) < mpf(10) ** -40 * (abs(want) + abs(value)), (f.__name__, x, y, i, j)


def points():
    chosen = [(1, 1), (2, 3), (0.5, 0.5), (1.5, 0.25), (7, 0.75), (20, 30), (60, 0.5), (0.5, 1e-3), (10, 160)]
    yield from (("gen", float(x), float(y)) for x, y in chosen)
    yield from (("random", 10 ** random.uniform(-2, 1.5), 10 ** random.uniform(-2, 1.5)) for _ in range(30))
    yield from (("tiny", x, y) for x, y in [(1e-8, 2e-8), (1e-30, 1e-25), (1e-12, 3.0), (2.5, 1e-9)])
    yield from (("huge", x, y) for x, y in [(1e3, 0.5), (1e8, 1.5), (3.5, 1e15), (1e30, 2.0), (5e5, 1e-3)])
    yield from (("large", x, y) for x, y in [(90.0, 110.0), (250.0, 260.0), (400.0, 11.5), (1e4, 20.0)])


def main():
    random.seed(19)
    print(HEADER)
    number = 0
    for f in [beta, ln_beta, polygamma_increment]:
        mp.dps = 120
        check(f, mpf(1.25), mpf(0.75))
        for kind, x, y in points():
            mp.dps = 150 + 5 * int(abs(m.log10(x)) + abs(m.log10(y)))
            d = f(mpf(x), mpf(y))
            entries = [d[order - j, j] for order in range(4) for j in range(order + 1)]
            cells = [f"{f.__name__}-{number}", f.__name__, kind, repr(x), repr(y)]
            print(",".join(cells + [repr(float(e)) for e in entries]))
            number += 1


if __name__ == "__main__":
    main()
