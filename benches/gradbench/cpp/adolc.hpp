// ADOL-C: a tape is recorded once, before the time is taken, and run again at the point.
#pragma once
#include <adolc/adolc.h>

inline double value_of(const adouble& x) { return x.value(); }

#include "models.hpp"

const char* const TOOL = "ADOL-C";

// Records f(x, y), which sets y. The buffers keep the tape in memory.
template <class F>
void record(const Row& x, size_t outputs, F f) {
    const int size = 1 << 27;
    trace_on(1, 0, size, size, size, size, 1);
    std::vector<adouble> at(x.size()), y(outputs);
    for (size_t i = 0; i < x.size(); ++i) at[i] <<= x[i];
    f(at, y);
    double value;
    for (adouble& y : y) y >>= value;
    trace_off();
}

template <class F>
struct Gradient {
    Gradient(const F& f, const Row& x) {
        record(x, 1, [&](auto& x, auto& y) { y[0] = f(x); });
    }
    void operator()(const Row& x, Row& g) { ::gradient(1, int(x.size()), x.data(), g.data()); }
};

// The gradient and the product of the Hessian with ones.
template <class F>
struct GradientAndProduct : Gradient<F> {
    using Gradient<F>::Gradient;
    void operator()(const Row& x, Row& g, Row& h) {
        Row at = x, ones(x.size(), 1.0);
        Gradient<F>::operator()(x, g);
        hess_vec(1, int(x.size()), at.data(), ones.data(), h.data());
    }
};

struct Jacobian {
    Jacobian(const Hand& f, const Row& x, size_t outputs) {
        record(x, outputs, [&](auto& x, auto& y) { f(x, y); });
    }
    void operator()(const Row& x, Rows& j) {
        std::vector<double*> rows;
        for (Row& row : j) rows.push_back(row.data());
        ::jacobian(1, int(j.size()), int(x.size()), x.data(), rows.data());
    }
};

// The rows of an observation's Jacobian.
struct Observation {
    Observation(const double* z, const double* feat) {
        record(Row(z, z + 15), 2, [&](auto& x, auto& y) { reprojection(x.data(), feat, y.data()); });
    }
    // All observations have the features of the recorded one.
    void operator()(const double* z, const double*, double* j) {
        double* rows[2] = {j, j + 15};
        ::jacobian(1, 2, 15, z, rows);
    }
};
