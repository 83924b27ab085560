// No derivatives.
#pragma once
#include <stdexcept>

#include "models.hpp"

const char* const TOOL = "C++";

struct None {
    template <class... A> None(A&&...) {}
    template <class... A> void operator()(A&&...) { throw std::runtime_error("no derivatives"); }
};
template <class F> using Gradient = None;
template <class F> using GradientAndProduct = None;
using Jacobian = None;
using Observation = None;
