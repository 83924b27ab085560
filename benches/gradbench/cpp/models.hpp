// The functions of the evals over any number type T.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// The value of a number, for the choice of a largest or nearest one.
inline double value_of(double x) { return x; }

template <class T>
T logsumexp(const T* x, size_t n) {
    double largest = value_of(x[0]);
    for (size_t i = 1; i < n; ++i) largest = std::max(largest, value_of(x[i]));
    T sum = 0.0;
    for (size_t i = 0; i < n; ++i) sum += exp(x[i] - largest);
    return log(sum) + largest;
}

struct Mixture {
    size_t d, k;
    double m, gamma, constant;
    Rows x;
    // Of the parameters alpha, then all mu, q and l. The exponentials of q and their sums are computed once.
    template <class T>
    T operator()(const std::vector<T>& p) const {
        size_t below = d * (d - 1) / 2;
        const T *alpha = p.data(), *mu = alpha + k, *q = mu + k * d, *l = q + k * d;
        std::vector<T> scales(k * d), totals(k), apart(d), y(d), terms(k);
        T squares = 0.0, all = 0.0;
        for (size_t c = 0; c < k; ++c) {
            T total = 0.0;
            for (size_t j = 0; j < d; ++j) {
                scales[c * d + j] = exp(q[c * d + j]);
                total += q[c * d + j];
                squares += scales[c * d + j] * scales[c * d + j];
            }
            totals[c] = total;
            all += total;
            for (size_t j = 0; j < below; ++j) squares += l[c * below + j] * l[c * below + j];
        }
        T sum = 0.0;
        for (const Row& at : x) {
            for (size_t c = 0; c < k; ++c) {
                for (size_t j = 0; j < d; ++j) {
                    apart[j] = at[j] - mu[c * d + j];
                    y[j] = scales[c * d + j] * apart[j];
                }
                const T* entry = l + c * below;
                for (size_t j = 0; j < d; ++j)
                    for (size_t i = j + 1; i < d; ++i) y[i] += *entry++ * apart[j];
                T square = 0.0;
                for (size_t j = 0; j < d; ++j) square += y[j] * y[j];
                terms[c] = alpha[c] + totals[c] - 0.5 * square;
            }
            sum += logsumexp(terms.data(), k);
        }
        return sum + m * all - 0.5 * gamma * gamma * squares - double(x.size()) * logsumexp(alpha, k) + constant;
    }
};

template <class T>
std::array<T, 3> cross(const std::array<T, 3>& a, const std::array<T, 3>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The weighted error of an observation: z is a camera, a point and a weight.
template <class T>
void reprojection(const T* z, const double* feat, T* error) {
    std::array<T, 3> r = {z[0], z[1], z[2]}, x = {z[11] - z[3], z[12] - z[4], z[13] - z[5]}, at;
    T square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (value_of(square) == 0.0) {
        auto by = cross(r, x);
        for (int i = 0; i < 3; ++i) at[i] = x[i] + by[i];
    } else {
        T angle = sqrt(square), s = sin(angle), c = cos(angle);
        std::array<T, 3> axis = {r[0] / angle, r[1] / angle, r[2] / angle};
        auto by = cross(axis, x);
        T along = (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) * (1.0 - c);
        for (int i = 0; i < 3; ++i) at[i] = x[i] * c + by[i] * s + axis[i] * along;
    }
    T u = at[0] / at[2], v = at[1] / at[2], rho = u * u + v * v;
    T scale = z[6] * (1.0 + z[9] * rho + z[10] * rho * rho);
    error[0] = z[14] * (u * scale + z[7] - feat[0]);
    error[1] = z[14] * (v * scale + z[8] - feat[1]);
}

template <class T>
using Map = std::array<std::array<T, 4>, 3>;

template <class A, class B, class T>
void multiply(const Map<A>& a, const Map<B>& b, Map<T>& out) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
            if (j == 3) out[i][j] += a[i][3];
        }
}

struct Hand {
    std::vector<int> parents;
    std::vector<Map<double>> base_relatives, inverse_base_absolutes;
    Rows base_positions, weights, us, points;
    std::vector<std::array<size_t, 3>> triangles;
    std::vector<size_t> correspondences;
    bool is_mirrored;

    // The errors of all points. x are 26 angles; if corners are weighted, after two numbers added to all weights.
    template <class T>
    void operator()(const std::vector<T>& x, std::vector<T>& errors) const {
        const T* theta = x.data() + (x.size() - 26);
        size_t bones = parents.size();
        std::vector<Map<T>> absolutes(bones), transforms(bones);
        for (size_t b = 0; b < bones; ++b) {
            T tx = 0.0, tz = 0.0;
            if (b >= 2 && (b - 2) / 4 < 5) {
                size_t finger = (b - 2) / 4, joint = (b - 2) % 4;
                if (joint == 0) tx = theta[6 + 4 * finger], tz = theta[7 + 4 * finger];
                if (joint == 1 || joint == 2) tx = theta[7 + 4 * finger + joint];
            }
            T sx = sin(tx), cx = cos(tx), sz = sin(tz), cz = cos(tz), zero = 0.0;
            Map<T> turn = {{{cz, -sz * cx, sz * sx, zero}, {sz, cz * cx, -cz * sx, zero}, {zero, sx, cx, zero}}};
            Map<T> relative;
            multiply(base_relatives[b], turn, relative);
            if (parents[b] < 0) absolutes[b] = relative;
            else multiply(absolutes[parents[b]], relative, absolutes[b]);
            multiply(absolutes[b], inverse_base_absolutes[b], transforms[b]);
        }
        std::array<std::array<T, 3>, 3> global;
        T square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
        if (value_of(square) < 1e-8) {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) global[i][j] = i == j ? 1.0 : 0.0;
        } else {
            T angle = sqrt(square), s = sin(angle), c = cos(angle), d = 1.0 - c;
            T u = theta[0] / angle, v = theta[1] / angle, w = theta[2] / angle;
            global = {{{u * u * d + c, u * v * d - w * s, u * w * d + v * s},
                       {u * v * d + w * s, v * v * d + c, v * w * d - u * s},
                       {u * w * d - v * s, v * w * d + u * s, w * w * d + c}}};
        }
        auto vertex = [&](size_t v, T* out) {
            const Row& base = base_positions[v];
            T at[3] = {0.0, 0.0, 0.0};
            for (size_t b = 0; b < bones; ++b) {
                double w = weights[v][b];
                if (w == 0.0) continue;
                const Map<T>& map = transforms[b];
                for (int i = 0; i < 3; ++i)
                    at[i] += w * (map[i][0] * base[0] + map[i][1] * base[1] + map[i][2] * base[2] + map[i][3] * base[3]);
            }
            if (is_mirrored) at[0] = -at[0];
            for (int i = 0; i < 3; ++i)
                out[i] = global[i][0] * at[0] + global[i][1] * at[1] + global[i][2] * at[2] + theta[3 + i];
        };
        for (size_t k = 0; k < points.size(); ++k) {
            T a[3], b[3], c[3];
            if (us.empty()) {
                vertex(correspondences[k], a);
                for (int i = 0; i < 3; ++i) errors[3 * k + i] = points[k][i] - a[i];
            } else {
                auto corners = triangles[correspondences[k]];
                vertex(corners[0], a), vertex(corners[1], b), vertex(corners[2], c);
                T u = us[k][0] + x[0], v = us[k][1] + x[1], w = 1.0 - u - v;
                for (int i = 0; i < 3; ++i) errors[3 * k + i] = points[k][i] - (u * a[i] + v * b[i] + w * c[i]);
            }
        }
    }
};

struct Clusters {
    size_t d;
    Rows points;
    template <class T>
    T operator()(const std::vector<T>& centroids) const {
        T sum = 0.0;
        for (const Row& point : points) {
            T least = std::numeric_limits<double>::infinity();
            for (size_t c = 0; c < centroids.size(); c += d) {
                T square = 0.0;
                for (size_t j = 0; j < d; ++j) {
                    T apart = centroids[c + j] - point[j];
                    square += apart * apart;
                }
                if (value_of(square) < value_of(least)) least = square;
            }
            sum += least;
        }
        return sum;
    }
};

struct LogSumExp {
    template <class T>
    T operator()(const std::vector<T>& x) const { return logsumexp(x.data(), x.size()); }
};

struct Polynomial {
    size_t n;
    template <class T>
    T operator()(const std::vector<T>& x) const {
        T sum = 0.0;
        for (size_t i = 0; i < n; ++i) {
            double t = -1.0 + 2.0 * double(i) / double(n - 1), power = 1.0;
            T residual = t > 0.0 ? 1.0 : t < 0.0 ? -1.0 : 0.0;
            for (const T& c : x) {
                residual -= c * power;
                power *= t;
            }
            sum += 0.5 * residual * residual;
        }
        return sum;
    }
};

struct Determinant {
    size_t n;
    template <class T>
    T minor_of(const T* a, std::vector<size_t>& columns, size_t row) const {
        if (row + 1 == n) return a[row * n + columns[0]];
        T sum = 0.0;
        for (size_t k = 0; k < n - row; ++k) {
            size_t column = columns[k];
            columns.erase(columns.begin() + k);
            T part = a[row * n + column] * minor_of(a, columns, row + 1);
            columns.insert(columns.begin() + k, column);
            if (k % 2 == 0) sum += part;
            else sum -= part;
        }
        return sum;
    }
    template <class T>
    T operator()(const std::vector<T>& a) const {
        std::vector<size_t> columns(n);
        for (size_t i = 0; i < n; ++i) columns[i] = i;
        return minor_of(a.data(), columns, 0);
    }
};

struct Network {
    size_t layers, b;
    Rows state, sequence;
    template <class T>
    T operator()(const std::vector<T>& p) const {
        const T* extra = p.data() + 8 * layers * b;
        std::vector<T> hidden, cell, input(b);
        for (size_t layer = 0; layer < layers; ++layer) {
            hidden.insert(hidden.end(), state[2 * layer].begin(), state[2 * layer].end());
            cell.insert(cell.end(), state[2 * layer + 1].begin(), state[2 * layer + 1].end());
        }
        auto sigmoid = [](const T& x) -> T { return 1.0 / (1.0 + exp(-x)); };
        T total = 0.0;
        size_t steps = sequence.size() - 1;
        for (size_t t = 0; t < steps; ++t) {
            for (size_t j = 0; j < b; ++j) input[j] = extra[j] * sequence[t][j];
            for (size_t layer = 0; layer < layers; ++layer) {
                const T *w = p.data() + 8 * layer * b, *bias = w + 4 * b;
                for (size_t j = 0; j < b; ++j) {
                    T &h = hidden[layer * b + j], &c = cell[layer * b + j];
                    T forget = sigmoid(input[j] * w[j] + bias[j]);
                    T ingate = sigmoid(h * w[b + j] + bias[b + j]);
                    T outgate = sigmoid(input[j] * w[2 * b + j] + bias[2 * b + j]);
                    T change = tanh(h * w[3 * b + j] + bias[3 * b + j]);
                    c = c * forget + ingate * change;
                    h = outgate * tanh(c);
                    input[j] = h;
                }
            }
            T sum = 2.0;
            std::vector<T> predicted(b);
            for (size_t j = 0; j < b; ++j) {
                predicted[j] = input[j] * extra[b + j] + extra[2 * b + j];
                sum += exp(predicted[j]);
            }
            T all = log(sum);
            for (size_t j = 0; j < b; ++j) total += (predicted[j] - all) * sequence[t + 1][j];
        }
        return -total / double(steps * b);
    }
};

struct Chain {
    size_t steps;
    template <class T>
    std::vector<T> solve(const std::vector<T>& x) const {
        size_t n = x.size();
        std::vector<T> y(n), at(n), k1(n), k2(n), k3(n), k4(n);
        for (T& y : y) y = 0.0;
        double h = 2.0 / double(steps);
        auto slopes = [&](const std::vector<T>& y, std::vector<T>& k) {
            k[0] = x[0];
            for (size_t i = 1; i < n; ++i) k[i] = x[i] * y[i - 1];
        };
        auto ahead = [&](const std::vector<T>& k, double h) {
            for (size_t i = 0; i < n; ++i) at[i] = y[i] + k[i] * h;
        };
        for (size_t step = 0; step < steps; ++step) {
            slopes(y, k1);
            ahead(k1, h / 2.0), slopes(at, k2);
            ahead(k2, h / 2.0), slopes(at, k3);
            ahead(k3, h), slopes(at, k4);
            for (size_t i = 0; i < n; ++i) y[i] += (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) * (h / 6.0);
        }
        return y;
    }
    template <class T>
    T operator()(const std::vector<T>& x) const { return solve(x).back(); }
};
