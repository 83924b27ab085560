// Sacado: reverse mode by Rad, which records a function anew each time, and forward mode by SFad.
#pragma once
// Neither views of Kokkos nor messages of MPI.
#define SACADO_DISABLE_FAD_VIEW_SPEC
#include <Sacado_No_Kokkos.hpp>
#include <Sacado_trad.hpp>
#include <Trilinos_version.h>

template <int N> using Forward = Sacado::Fad::SFad<double, N>;
using Reverse = Sacado::Rad::ADvar<double>;
using ReverseOfForward = Sacado::Rad::ADvar<Forward<1>>;

template <int N> double value_of(const Forward<N>& x) { return x.val(); }
inline double value_of(const Reverse& x) { return x.val(); }
inline double value_of(const ReverseOfForward& x) { return x.val().val(); }

#include "models.hpp"

const char* const TOOL = "Sacado " TRILINOS_VERSION_STRING;

template <class F>
struct Gradient {
    const F& f;
    Gradient(const F& f, const Row&) : f(f) {}
    void operator()(const Row& x, Row& g) {
        std::vector<Reverse> at(x.begin(), x.end());
        Reverse y = f(at);
        Reverse::Gradcomp();
        for (size_t i = 0; i < g.size(); ++i) g[i] = at[i].adj();
    }
};

// The gradient and the product of the Hessian with ones.
template <class F>
struct GradientAndProduct {
    const F& f;
    GradientAndProduct(const F& f, const Row&) : f(f) {}
    void operator()(const Row& x, Row& g, Row& h) {
        std::vector<ReverseOfForward> at;
        for (double x : x) at.emplace_back(Forward<1>(1, 0, x));
        ReverseOfForward y = f(at);
        ReverseOfForward::Gradcomp();
        for (size_t i = 0; i < g.size(); ++i) g[i] = at[i].adj().val(), h[i] = at[i].adj().dx(0);
    }
};

struct Jacobian {
    const Hand& f;
    Jacobian(const Hand& f, const Row&, size_t) : f(f) {}
    template <int N> void run(const Row& x, Rows& j) {
        std::vector<Forward<N>> at, errors(j.size());
        for (int i = 0; i < N; ++i) at.emplace_back(N, i, x[i]);
        f(at, errors);
        for (size_t i = 0; i < j.size(); ++i)
            for (int k = 0; k < N; ++k) j[i][k] = errors[i].dx(k);
    }
    void operator()(const Row& x, Rows& j) { x.size() == 26 ? run<26>(x, j) : run<28>(x, j); }
};

// The rows of an observation's Jacobian.
struct Observation {
    Observation(const double*, const double*) {}
    void operator()(const double* z, const double* feat, double* j) {
        Forward<15> at[15], errors[2];
        for (int i = 0; i < 15; ++i) at[i] = Forward<15>(15, i, z[i]);
        reprojection(at, feat, errors);
        for (int i = 0; i < 30; ++i) j[i] = errors[i / 15].dx(i % 15);
    }
};
