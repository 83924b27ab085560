"""The derivatives of a tool of GradBench by Enzyme, of the functions in `cpp/models.hpp`: the compiler of the package
enzyme-ad differentiates them, JAX calls them. For det, lstm and ode it ended without a result.

    pip install --target target/enzyme enzyme-ad "jax[cpu]"
"""

import ctypes
import os
import subprocess
from importlib import metadata

# Code that is compiled while the program runs finds the functions of the C++ library.
ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)

from jax_tool import jax, main, np, timed
from enzyme_ad.jax import cpp_call

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True).stdout.strip()
with open(os.path.join(HERE, "..", "cpp", "models.hpp")) as file:
    MODELS = file.read().replace("#pragma once", "")


def function(body, x, *data):
    """A function of numbers in C++: `body` gets them as the vector `x`, and data as the arrays `data0`, `data1`, …"""
    arguments = "".join(f", const enzyme::tensor<double, {d.size}>& data{i}" for i, d in enumerate(data))
    source = f"""{MODELS}
Rows rows(const double* from, size_t count, size_t width) {{
    Rows rows;
    for (size_t i = 0; i < count; ++i) rows.emplace_back(from + i * width, from + (i + 1) * width);
    return rows;
}}
void run(enzyme::tensor<double, 1>& out, const enzyme::tensor<double, {x.size}>& in{arguments}) {{
    Row x(&in[0], &in[0] + {x.size});
    out[0] = {body};
}}
"""
    shapes = [jax.core.ShapedArray([1], np.float64)]
    flags = ("-isystem", INCLUDE, "-O3", "-std=c++17")
    return lambda x, *data: cpp_call(x, *data, out_shapes=shapes, source=source, fn="run", argv=flags)[0][0]


def gradient(input, body, x, *data):
    x, *data = [np.asarray(a).ravel() for a in (x, *data)]
    return timed(input, jax.grad(function(body, x, *data)), x, *data)


def evaluate(module, input):
    if module == "gmm":
        d, k, n = input["d"], input["k"], len(input["x"])
        x = np.concatenate([np.asarray(input[name]).ravel() for name in ["alpha", "mu", "q", "l"]])
        body = f"Mixture{{{d}, {k}, {input['m']}, {input['gamma']}, 0.0, rows(&data0[0], {n}, {d})}}(x)"
        g, times = gradient(input, body, x, input["x"])
        parts = {"alpha": g[:k], "mu": g[k : k + k * d], "q": g[k + k * d : k + 2 * k * d], "l": g[k + 2 * k * d :]}
        return {name: (p if name == "alpha" else p.reshape((k, -1))).tolist() for name, p in parts.items()}, times
    bodies = {"lse": "LogSumExp{}(x)", "llsq": "Polynomial{%(n)s}(x)"}
    if module not in bodies:
        raise ValueError(f"no module {module}")
    g, times = gradient(input, bodies[module] % input, input["x"])
    return g.tolist(), times


if __name__ == "__main__":
    main(f"enzyme-ad {metadata.version('enzyme-ad')}", evaluate)
