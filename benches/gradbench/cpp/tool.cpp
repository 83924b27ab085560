// A tool of GradBench in C++. Compile it with -include and the file of a library: sacado.hpp, adolc.hpp, or none.hpp for
// the functions alone.
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

using json = nlohmann::json;

// Runs a function as often as the input demands, and notes the time of each run.
template <class Run>
void timed(const json& in, json& timings, Run run) {
    double total = 0.0, seconds = in.value("min_seconds", 0.0);
    for (int runs = 0; runs < in.value("min_runs", 1) || total < seconds; ++runs) {
        auto start = std::chrono::steady_clock::now();
        run();
        std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        total += time.count() / 1e9;
        timings.push_back({{"name", "evaluate"}, {"nanoseconds", (long long)time.count()}});
    }
}

using Call = std::function<json(const json&, json&)>;

// The value of a function; f makes the function and its point from the input.
template <class Make>
Call value(Make make) {
    return [=](const json& in, json& timings) -> json {
        auto [f, x] = make(in);
        double y = 0.0;
        timed(in, timings, [&] { y = f(x); });
        return y;
    };
}

template <class Make, class Shape>
Call gradient(Make make, Shape shape) {
    return [=](const json& in, json& timings) -> json {
        auto [f, x] = make(in);
        Row g(x.size());
        Gradient<decltype(f)> gradient(f, x);
        timed(in, timings, [&] { gradient(x, g); });
        return shape(in, g);
    };
}

json flat(const json&, const Row& g) { return g; }

Row joined(const json& rows) {
    Row all;
    for (const Row& row : rows.get<Rows>()) all.insert(all.end(), row.begin(), row.end());
    return all;
}

Row joined(const json& in, std::initializer_list<const char*> names) {
    Row all;
    for (const char* name : names) {
        Row part = in[name][0].is_array() ? joined(in[name]) : in[name].get<Row>();
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

// A list of numbers as k rows.
Rows split(const double* from, size_t k, size_t width) {
    Rows rows;
    for (size_t c = 0; c < k; ++c) rows.emplace_back(from + c * width, from + (c + 1) * width);
    return rows;
}

auto mixture(const json& in) {
    Mixture f{in["d"], in["k"], in["m"], in["gamma"], 0.0, in["x"].get<Rows>()};
    double n = f.x.size(), d = f.d, k = f.k, nu = d + f.m + 1.0, pi = std::acos(-1.0);
    double ln_gamma = 0.25 * d * (d - 1.0) * std::log(pi);
    for (size_t j = 0; j < f.d; ++j) ln_gamma += std::lgamma(0.5 * (nu - j));
    f.constant = k * (nu * d * std::log(f.gamma / std::sqrt(2.0)) - ln_gamma) - 0.5 * n * d * std::log(2.0 * pi);
    return std::pair(f, joined(in, {"alpha", "mu", "q", "l"}));
}

auto taped_mixture(const json& in) {
    auto made = mixture(in);
    const Mixture& f = made.first;
    double products = double(f.x.size()) * f.k * f.d * (f.d + 1);
    if (products > 1e8) throw std::length_error("the tape exceeds the memory of this machine");
    return made;
}

json as_mixture(const json& in, const Row& g) {
    size_t d = in["d"], k = in["k"];
    const double* mu = g.data() + k;
    return {{"alpha", Row(g.data(), mu)}, {"mu", split(mu, k, d)}, {"q", split(mu + k * d, k, d)},
            {"l", split(mu + 2 * k * d, k, d * (d - 1) / 2)}};
}

auto clusters(const json& in) {
    Clusters f{in["centroids"][0].size(), in["points"].get<Rows>()};
    return std::pair(f, joined(in, {"centroids"}));
}

auto list(const json& in) { return std::pair(LogSumExp{}, in["x"].get<Row>()); }
auto polynomial(const json& in) { return std::pair(Polynomial{in["n"]}, in["x"].get<Row>()); }
auto matrix(const json& in) { return std::pair(Determinant{in["ell"]}, in["A"].get<Row>()); }
auto chain(const json& in) { return std::pair(Chain{in["s"]}, in["x"].get<Row>()); }
auto network(const json& in) {
    Network f{in["state"].size() / 2, in["sequence"][0].size(), in["state"].get<Rows>(), in["sequence"].get<Rows>()};
    return std::pair(f, joined(in, {"main_params", "extra_params"}));
}

struct Bundle {
    size_t n, m, p;
    Row cameras, points, weights, feats;
    Bundle(const json& in) : n(in["n"]), m(in["m"]), p(in["p"]), weights(p, double(in["w"])) {
        auto repeat = [](Row& to, const Row& row, size_t times) {
            while (times--) to.insert(to.end(), row.begin(), row.end());
        };
        repeat(cameras, in["cam"], n), repeat(points, in["x"], m), repeat(feats, in["feat"], p);
    }
    void gather(size_t i, double* z) const {
        std::copy_n(&cameras[11 * (i % n)], 11, z);
        std::copy_n(&points[3 * (i % m)], 3, z + 11);
        z[14] = weights[i];
    }
};

json bundle_errors(const json& in, json& timings) {
    Bundle b(in);
    Row errors(2 * b.p);
    timed(in, timings, [&] {
        double z[15];
        for (size_t i = 0; i < b.p; ++i) b.gather(i, z), reprojection(z, &b.feats[2 * i], &errors[2 * i]);
    });
    double w = in["w"];
    return {{"reproj_error", {{"elements", {errors[0], errors[1]}}, {"repeated", b.p}}},
            {"w_err", {{"element", 1.0 - w * w}, {"repeated", b.p}}}};
}

// The first thirty entries and the last one.
template <class List>
json some(const List& list) {
    List few(list.begin(), list.begin() + 30);
    few.push_back(list.back());
    return few;
}

json bundle_jacobian(const json& in, json& timings) {
    Bundle b(in);
    std::vector<size_t> offsets, columns;
    for (size_t row = 0; row <= 2 * b.p; ++row) offsets.push_back(15 * row);
    for (size_t i = 0; i < b.p; ++i) offsets.push_back(30 * b.p + i + 1);
    size_t first = 11 * b.n + 3 * b.m;
    for (size_t row = 0; row < 2 * b.p; ++row) {
        size_t i = row / 2;
        for (size_t j = 0; j < 11; ++j) columns.push_back(11 * (i % b.n) + j);
        for (size_t j = 0; j < 3; ++j) columns.push_back(11 * b.n + 3 * (i % b.m) + j);
        columns.push_back(first + i);
    }
    for (size_t i = 0; i < b.p; ++i) columns.push_back(first + i);
    Row values(31 * b.p);
    double z[15];
    b.gather(0, z);
    Observation observation(z, &b.feats[0]);
    timed(in, timings, [&] {
        for (size_t i = 0; i < b.p; ++i) b.gather(i, z), observation(z, &b.feats[2 * i], &values[30 * i]);
        for (size_t i = 0; i < b.p; ++i) values[30 * b.p + i] = -2.0 * b.weights[i];
    });
    return {{"rows", some(offsets)}, {"cols", some(columns)}, {"vals", some(values)}};
}

Hand hand(const json& in) {
    const json &data = in["data"], &model = data["model"];
    auto maps = [&](const char* name) {
        std::vector<Map<double>> maps;
        for (const Rows& rows : model[name].get<std::vector<Rows>>()) {
            Map<double> map;
            for (int i = 0; i < 3; ++i) std::copy_n(rows[i].begin(), 4, map[i].begin());
            maps.push_back(map);
        }
        return maps;
    };
    return Hand{model["parents"], maps("base_relatives"), maps("inverse_base_absolutes"), model["base_positions"],
                model["weights"], in["us"], data["points"], model["triangles"], data["correspondences"],
                model["is_mirrored"]};
}

Row angles(const json& in) {
    Row x(in["us"].empty() ? 0 : 2), theta = in["theta"];
    x.insert(x.end(), theta.begin(), theta.end());
    return x;
}

json hand_errors(const json& in, json& timings) {
    Hand f = hand(in);
    Row x = angles(in), errors(3 * f.points.size());
    timed(in, timings, [&] { f(x, errors); });
    return errors;
}

json hand_jacobian(const json& in, json& timings) {
    Hand f = hand(in);
    Row x = angles(in);
    Rows j(3 * f.points.size(), Row(x.size()));
    Jacobian jacobian(f, x, j.size());
    timed(in, timings, [&] { jacobian(x, j); });
    return j;
}

json end_of_chain(const json& in, json& timings) {
    auto [f, x] = chain(in);
    Row y;
    timed(in, timings, [&, &f = f, &x = x] { y = f.solve(x); });
    return y;
}

json newton(const json& in, json& timings) {
    auto [f, x] = clusters(in);
    Row g(x.size()), h(x.size());
    GradientAndProduct<decltype(f)> both(f, x);
    timed(in, timings, [&] {
        both(x, g, h);
        for (size_t i = 0; i < g.size(); ++i) g[i] /= h[i];
    });
    return split(g.data(), g.size() / f.d, f.d);
}

int main() {
    std::map<std::pair<std::string, std::string>, Call> calls = {
        {{"gmm", "objective"}, value(mixture)}, {{"gmm", "jacobian"}, gradient(taped_mixture, as_mixture)},
        {{"ba", "objective"}, bundle_errors}, {{"ba", "jacobian"}, bundle_jacobian},
        {{"ht", "objective"}, hand_errors}, {{"ht", "jacobian"}, hand_jacobian},
        {{"kmeans", "cost"}, value(clusters)}, {{"kmeans", "dir"}, newton},
        {{"lse", "primal"}, value(list)}, {{"lse", "gradient"}, gradient(list, flat)},
        {{"llsq", "primal"}, value(polynomial)}, {{"llsq", "gradient"}, gradient(polynomial, flat)},
        {{"det", "primal"}, value(matrix)}, {{"det", "gradient"}, gradient(matrix, flat)},
        {{"lstm", "objective"}, value(network)}, {{"lstm", "jacobian"}, gradient(network, flat)},
        {{"ode", "primal"}, end_of_chain}, {{"ode", "gradient"}, gradient(chain, flat)},
    };
    for (std::string line; std::getline(std::cin, line);) {
        json message = json::parse(line), answer = {{"id", message["id"]}};
        if (message["kind"] == "start") answer["tool"] = TOOL;
        if (message["kind"] == "evaluate") {
            auto call = calls.find({message["module"], message["function"]});
            answer["success"] = call != calls.end();
            json timings = json::array();
            try {
                if (call != calls.end()) answer["output"] = call->second(message["input"], timings);
                else answer["error"] = "no such function";
            } catch (const std::exception& error) {
                answer["success"] = false;
                answer["error"] = error.what();
            }
            answer["timings"] = timings;
        }
        std::cout << answer.dump() << std::endl;
    }
}
