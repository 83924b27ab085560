"""Times of C that CasADi writes, compiled by `cc -O3` and called from C: no call from Python is in a time."""

import os
import subprocess
import tempfile

# The point that every call gets, the calls of a burst, and the least time of a call of fifty bursts.
MAIN = """
#include <stdio.h>
#include <time.h>
int main(void) {{
    static double x[] = {{{point}}}, out[{outputs}], w[f_SZ_W + 1];
    static casadi_int iw[f_SZ_IW + 1];
    const double *arg[f_SZ_ARG + 1] = {{x}};
    double *res[f_SZ_RES + 1] = {{out}};
    double least = 1e300;
    long calls = 1;
    for (int burst = 0; burst < 50;) {{
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (long k = 0; k < calls; k++) {{
            f(arg, res, iw, w, 0);
            __asm__ volatile("" : : "r"(out), "r"(x) : "memory");
        }}
        clock_gettime(CLOCK_MONOTONIC, &b);
        double taken = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
        if (taken < 1e6) {{ calls *= 2; continue; }}
        if (taken / calls < least) least = taken / calls;
        burst++;
    }}
    printf("%.17g", least);
    for (int k = 0; k < {outputs}; k++) printf(" %.17g", out[k]);
    return 0;
}}
"""


def run(function, point):
    """Nanoseconds of a call of `function`, a CasADi function `f` of one input and one output, and its dense output."""
    outputs = function.nnz_out(0)
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)  # CasADi writes to the current folder
        try:
            function.generate("f.c", {"with_header": False})
        finally:
            os.chdir(here)
        # The sizes of its memory, as constants of the preprocessor.
        sizes = zip(["ARG", "RES", "IW", "W"], [function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w()])
        defines = "".join(f"#define f_SZ_{name} {size}\n" for name, size in sizes)
        main = MAIN.format(point=", ".join(map(repr, point)), outputs=outputs)
        with open(os.path.join(folder, "f.c"), "a") as source:
            source.write(defines + main)
        subprocess.run(["cc", "-O3", "f.c", "-o", "f", "-lm"], check=True, cwd=folder)
        printed = subprocess.run([os.path.join(folder, "f")], check=True, capture_output=True).stdout
        numbers = [float(x) for x in printed.split()]
    return numbers[0], numbers[1:]
