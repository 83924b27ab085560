"""Values and derivatives of complex functions on a grid of moduli and arguments, for tests/complex/values_on_grid.rs.

    python3 generate.py > functions.csv          (mpmath 1.3)
    python3 generate.py 500 > more.csv           (500 random points for each function in place of the grid)

Columns: function with parameters behind `:`, the argument (exact doubles), the value f, f1 = f', f2 = f''. A part of z
that is a signed zero is the side of a cut: it is taken as 1e-1000 of that sign where the function has cuts. Results
are rounded from 1300 digits (3300 on the axes), overflow is `inf`. Rows without a finite value are left out.
`abs`, `arg`, `unit` have derivatives along the real axis, `powc:u:v` in the exponent u + iv, `powz:u:v` in z.
"""
import math
import random
import sys
from mpmath import mp, mpf, mpc

I = mpc(0, 1)


def root(z):
    return mp.sqrt(z)


def asin(z):
    r = root(1 - z) * root(1 + z)
    return -I * mp.log(r + I * z), 1 / r, z / r**3


def acos(z):
    f, d, s = asin(z)
    return mp.pi / 2 - f, -d, -s


def asinh(z):
    f, d, s = asin(I * z)
    return -I * f, d, I * s


def acosh(z):
    r = root(z - 1) * root(z + 1)
    return mp.log(z + r), 1 / r, -z / r**3


def atanh(z):
    d = 1 / ((1 - z) * (1 + z))
    return (mp.log(1 + z) - mp.log(1 - z)) / 2, d, 2 * z * d * d


def atan(z):
    f, d, s = atanh(I * z)
    return -I * f, d, I * s


def tanh(z):
    sign = 1 if z.real >= 0 else -1
    w = mp.exp(-2 * sign * z)
    f, d = sign * (1 - w) / (1 + w), 4 * w / (1 + w) ** 2
    return f, d, -2 * f * d


def tan(z):
    f, d, s = tanh(I * z)
    return -I * f, d, I * s


def sech2(z):
    t, f, _ = tanh(z)
    return f, -2 * f * t, f * (4 - 6 * f)


def cardinal(value, other, sign):
    """f = value/z with (z f)'' = sign·z f and (z f)' = other."""
    def f(z):
        f0 = value(z) / z
        f1 = (other(z) - f0) / z
        return f0, f1, sign * f0 - 2 * f1 / z
    return f


sinc = cardinal(mp.sin, mp.cos, -1)


def sinc_slope(z):
    s, f, d = sinc(z)
    return f, d, -f - 2 * d / z + 2 * f / z**2


def exponential(base):
    def f(z):
        l = mp.log(base)
        f0 = mp.exp(z * l)
        return f0, f0 * l, f0 * l * l
    return f


def logarithm(base):
    return lambda z: tuple(x / mp.log(base) for x in (mp.log(z), 1 / z, -1 / z**2))


def power(w):
    def f(z):
        f0 = mp.exp(w * mp.log(z))
        return f0, w * f0 / z, w * (w - 1) * f0 / z**2
    return f


def integer_power(n):
    return lambda z: (z**n, n * z ** (n - 1), n * (n - 1) * z ** (n - 2))


def exponent(w):
    def f(z):
        l = mp.log(z)
        f0 = mp.exp(w * l)
        return f0, f0 * l, f0 * l * l
    return f


def modulus(z):
    x, y, r = z.real, z.imag, abs(z)
    return r, x / r, y * y / r**3


def angle(z):
    f, x, y, r = mp.atan2(z.imag, z.real), exact(z.real), exact(z.imag), abs(z)
    return f, -y / r**2, 2 * x * y / r**4


def exact(part):
    return part if abs(part) > mpf(10) ** -400 else mpf(0)


def unit(z):
    x, r = z.real, abs(z)
    return z / r, 1 / r - z * x / r**3, -(2 * x + z) / r**3 + 3 * z * x * x / r**5


def of_exp(f, d, s):
    return lambda z: (f(z), d(z), s(z))


# Functions without cuts; a zero part is zero.
ENTIRE = {
    "recip": lambda z: (1 / z, -1 / z**2, 2 / z**3),
    "square": lambda z: (z**2, 2 * z, mpc(2)),
    "exp": exponential(mp.e),
    "exp2": exponential(mpf(2)),
    "exp_base:2.5": exponential(mpf(2.5)),
    "exp_base:1e-200": exponential(mpf(1e-200)),
    "exp_m1": lambda z: (mp.exp(z) - 1, mp.exp(z), mp.exp(z)),
    "sin": of_exp(mp.sin, mp.cos, lambda z: -mp.sin(z)),
    "cos": of_exp(mp.cos, lambda z: -mp.sin(z), lambda z: -mp.cos(z)),
    "sinh": of_exp(mp.sinh, mp.cosh, mp.sinh),
    "cosh": of_exp(mp.cosh, mp.sinh, mp.cosh),
    "tan": tan,
    "tanh": tanh,
    "sech2": sech2,
    "sinc": sinc,
    "sinc_slope": sinc_slope,
    "sinhc": cardinal(mp.sinh, mp.cosh, 1),
    "cosc": cardinal(mp.cos, lambda z: -mp.sin(z), -1),
    "coshc": cardinal(mp.cosh, mp.sinh, 1),
    "powi:3": integer_power(3),
    "powi:-2": integer_power(-2),
    "powi:4": integer_power(4),
    "powi:11": integer_power(11),
    "powi:-100": integer_power(-100),
    "abs": modulus,
    "unit": unit,
}
# Functions with cuts.
CUT = {
    "sqrt": lambda z: (root(z), 1 / (2 * root(z)), -1 / (4 * z * root(z))),
    "cbrt": lambda z: power(mpf(1) / 3)(z),
    "ln": lambda z: (mp.log(z), 1 / z, -1 / z**2),
    "ln_1p": lambda z: (mp.log(1 + z), 1 / (1 + z), -1 / (1 + z) ** 2),
    "log2": logarithm(mpf(2)),
    "log10": logarithm(mpf(10)),
    "log:2.5": logarithm(mpf(2.5)),
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "powf_const:2.5": power(mpf(2.5)),
    "powf_const:-0.3": power(mpf(-0.3)),
    "powf_const:100.5": power(mpf(100.5)),
    "powc:1.5:-0.5": exponent(mpc(1.5, -0.5)),
    "powz:1.5:-0.5": power(mpc(1.5, -0.5)),
    "powc:-20.0:30.0": exponent(mpc(-20, 30)),
    "arg": angle,
}


def grid():
    """Moduli and arguments, sides of the axes, places where something cancels."""
    for r in [1e-300, 1e-9, 0.4, 1.1, 5.0, 30.0, 1e9, 1e300]:
        yield from [(0.8 * r, 0.6 * r), (-0.3 * r, -0.95 * r)]
    for r in [1e-160, 0.7, 2.3, 800.0, 1e160]:
        yield from [(-0.7 * r, 0.7 * r)]
    for r in [1e-300, 0.5, 1.5, 40.0, 1e300]:
        yield from [(r, -0.0), (-r, 0.0), (0.0, r), (-0.0, -r)]
    yield from [(3.0, 1e-20), (-3.0, -1e-200), (1e-20, 3.0), (-1e-200, -3.0)]  # beside the cuts
    yield from [(1.0, 1e-8), (1 - 1e-9, -5e-5), (-1 + 1e-12, 1e-12), (1.0, 1e-170), (1e-10, 1.0)]  # at 1, -1, i
    yield from [(0.6, 0.8), (1e-3, 720.0), (1.5707963267948966, 1e-9), (5e-6, 6.283185307179586)]
    yield from [(4.493409457909064, 1e-12), (1.2e-6, -4.49340945), (25.0, -1e300), (711.0, 1e-3)]
    yield from [(1.7e308, -1.6e308), (3e-323, 1e-322), (-0.02, 1.0)]


def has_digits(name, y):
    """Whether the angle of an exponential is below 1e12; the base has no more digits."""
    return not name.startswith(("exp2", "exp_base")) or abs(y) < 1e12 / 500


def randoms(n):
    random.seed(n)
    for _ in range(n):
        scale = random.choice([0, 0.3, 1, 3, 10, 100, 308])
        def part():
            return random.choice([-1, 1]) * (1 + random.random()) * 10 ** random.uniform(-scale, scale)
        x, y = part(), part()
        kind = random.random()
        if kind < 0.15:
            x = random.choice([-1, 1]) + (x if abs(x) < 0.5 else 0.5 / x)
        elif kind < 0.3:
            y = random.choice([-1, 1]) + (y if abs(y) < 0.5 else 0.5 / y)
        elif kind < 0.4:
            t, d = random.uniform(-4, 4), random.uniform(-16, -1)
            x, y = float(mp.cos(t)) * (1 + 10**d), float(mp.sin(t)) * (1 + 10**d)
        elif kind < 0.5:
            x, y = random.choice([(x, random.choice([0.0, -0.0])), (random.choice([0.0, -0.0]), y)])
        elif kind < 0.6:
            k = random.randint(-20, 20)
            a, b = float(k * mp.pi / 2) * (1 + random.choice([0, 1e-15, 1e-9])), random.uniform(-1, 1) * 10 ** random.uniform(-20, 0)
            x, y = random.choice([(a, b), (b, a)])
        if abs(x) < 1.7e308 and abs(y) < 1.7e308 and (x or y):
            yield x, y


def double(x):
    if x == 0:
        return 0.0
    if abs(x) >= mpf(2) ** 1024:
        return float("inf") if x > 0 else float("-inf")
    return float(x)


def shown(x):
    return repr(x).removesuffix(".0")


def rows(functions, cut, points):
    for name, f in functions.items():
        for x, y in (p for p in points if has_digits(name, p[1])):
            axis = x == 0 or y == 0
            ordinary = all(t == 0 or 1e-30 < abs(t) < 1e3 for t in (x, y))
            mp.dps = 3300 if axis and cut else 150 if ordinary else 1300
            zero = mpf(10) ** -1000 if cut else mpf(0)
            side = lambda t: zero * math.copysign(1, t) if t == 0 else mpf(t)
            z = mpc(side(x), side(y))
            cells = [double(part) for w in f(z) for part in (mpc(w).real, mpc(w).imag)]
            if abs(complex(*cells[:2])) != float("inf"):
                yield ",".join([name] + [shown(c) for c in [x, y] + cells])


points = list(randoms(int(sys.argv[1])) if len(sys.argv) > 1 else grid())
print("function,z_re,z_im,f_re,f_im,f1_re,f1_im,f2_re,f2_im")
for functions, cut in ((ENTIRE, False), (CUT, True)):
    for row in rows(functions, cut, points):
        print(row, flush=True)
