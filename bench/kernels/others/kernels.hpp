// The kernels over any number type T, as C++ tapes want them: same computation and order as primal.c. Each is a struct
// with its sizes and constants (`bind`), its independents one behind the other (`start`, `results`), and `value`.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../bench.h"

extern "C" {
double branchy(int n, const double *x);
void cholesky(int n, const double *a, const double *b, double *l, double *f);
double rk4(int steps, double h, const double *p, const double *u0);
double burgers(int n, int steps, double c, const double *u0);
double newton(int n, const double *a, double b);
double mixture(int n, int d, int m, const double *alpha, const double *mu, const double *q, const double *l,
               const double *x);
}

// Independents and where their gradients go.
struct Independents {
    std::vector<double> start;
    std::vector<std::pair<double *, std::size_t>> results;

    const double *add(const point *p, const char *name, std::size_t size)
    {
        const double *at = point_array(p, name);
        start.insert(start.end(), at, at + size);
        results.emplace_back(add_result(name, size), size);
        return at;
    }

    void give(const double *gradient) const
    {
        for (const auto &[to, size] : results)
            for (std::size_t i = 0; i < size; i++)
                to[i] += *gradient++;
    }
};

struct Branchy : Independents {
    int n;
    const double *x0;

    void bind(const point *p)
    {
        n = point_integer(p, "n");
        x0 = add(p, "x", n);
    }
    double primal() const { return branchy(n, x0); }

    template <class T> T value(const T *x) const
    {
        using std::exp, std::log, std::sin;
        T s = 0.0;
        for (int i = 0; i < n; i++) {
            T v;
            if (x[i] > 1.0)
                v = log(x[i]) + x[i];
            else if (x[i] > 0.0)
                v = x[i] * sin(x[i]);
            else if (x[i] > -1.0)
                v = exp(x[i]) - 1.0;
            else
                v = x[i] / (1.0 + x[i] * x[i]);
            s += v * v;
        }
        return s;
    }
};

struct Cholesky : Independents {
    int n;
    const double *a0, *b0;
    std::vector<double> l0;

    void bind(const point *p)
    {
        n = point_integer(p, "n");
        a0 = add(p, "a", std::size_t(n) * n);
        b0 = add(p, "b", n);
        l0.resize(std::size_t(n) * n);
    }
    double primal()
    {
        double f;
        cholesky(n, a0, b0, l0.data(), &f);
        return f;
    }

    template <class T> T value(const T *in) const
    {
        using std::log, std::sqrt;
        const T *a = in, *b = in + std::size_t(n) * n;
        std::vector<T> l(std::size_t(n) * n), y(n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                T s = a[i * n + j];
                for (int k = 0; k < j; k++)
                    s -= l[i * n + k] * l[j * n + k];
                l[i * n + j] = s / l[j * n + j];
            }
            T s = a[i * n + i];
            for (int k = 0; k < i; k++)
                s -= l[i * n + k] * l[i * n + k];
            l[i * n + i] = sqrt(s);
        }
        T f = 0.0;
        for (int i = 0; i < n; i++) {
            T s = b[i];
            for (int k = 0; k < i; k++)
                s -= l[i * n + k] * y[k];
            y[i] = s / l[i * n + i];
            f += 2.0 * log(l[i * n + i]) + y[i] * y[i];
        }
        return f;
    }
};

struct Rk4 : Independents {
    int steps;
    double h;
    const double *p0, *u0;

    void bind(const point *p)
    {
        steps = point_integer(p, "steps");
        h = point_real(p, "h");
        p0 = add(p, "p", 4);
        u0 = add(p, "u0", 2);
    }
    double primal() const { return rk4(steps, h, p0, u0); }

    template <class T> T value(const T *in) const
    {
        const T *p = in;
        T x = in[4], y = in[5];
        for (int t = 0; t < steps; t++) {
            T kx1 = x * (p[0] - p[1] * y);
            T ky1 = y * (p[2] * x - p[3]);
            T xs = x + 0.5 * h * kx1;
            T ys = y + 0.5 * h * ky1;
            T kx2 = xs * (p[0] - p[1] * ys);
            T ky2 = ys * (p[2] * xs - p[3]);
            xs = x + 0.5 * h * kx2;
            ys = y + 0.5 * h * ky2;
            T kx3 = xs * (p[0] - p[1] * ys);
            T ky3 = ys * (p[2] * xs - p[3]);
            xs = x + h * kx3;
            ys = y + h * ky3;
            T kx4 = xs * (p[0] - p[1] * ys);
            T ky4 = ys * (p[2] * xs - p[3]);
            x += h / 6.0 * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4);
            y += h / 6.0 * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4);
        }
        return x * x + y * y;
    }
};

struct Burgers : Independents {
    int n, steps;
    const double *c0, *u0;

    void bind(const point *p)
    {
        n = point_integer(p, "n");
        steps = point_integer(p, "steps");
        c0 = add(p, "c", 1);
        u0 = add(p, "u0", n);
    }
    double primal() const { return burgers(n, steps, *c0, u0); }

    template <class T> T value(const T *in) const
    {
        const T &c = in[0];
        std::vector<T> u(in + 1, in + 1 + n), v(n);
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++) {
                if (u[i] > 0.0)
                    v[i] = u[i] - c * u[i] * (u[i] - u[i - 1]);
                else
                    v[i] = u[i] - c * u[i] * (u[i + 1] - u[i]);
            }
            for (int i = 1; i < n - 1; i++)
                u[i] = v[i];
        }
        T energy = 0.0;
        for (int i = 0; i < n; i++)
            energy += 0.5 * u[i] * u[i];
        return energy;
    }
};

struct Newton : Independents {
    int n;
    const double *a0, *b0;

    void bind(const point *p)
    {
        n = point_integer(p, "n");
        a0 = add(p, "a", n);
        b0 = add(p, "b", 1);
    }
    double primal() const { return newton(n, a0, *b0); }

    template <class T> T value(const T *in) const
    {
        using std::fabs;
        const T *a = in, &b = in[n];
        T total = 0.0;
        for (int i = 0; i < n; i++) {
            T x = b / (a[i] + 1.0);
            T r = x * x * x + a[i] * x - b;
            while (r > 1e-12 || r < -1e-12) {
                x -= r / (3.0 * x * x + a[i]);
                r = x * x * x + a[i] * x - b;
            }
            total += x;
        }
        return total;
    }
};

struct Mixture : Independents {
    int n, d, m;
    const double *alpha0, *mu0, *q0, *l0, *x;

    void bind(const point *p)
    {
        n = point_integer(p, "n");
        d = point_integer(p, "d");
        m = point_integer(p, "m");
        alpha0 = add(p, "alpha", m);
        mu0 = add(p, "mu", m * d);
        q0 = add(p, "q", m * d);
        l0 = add(p, "l", m * d * d);
        x = point_array(p, "x");
    }
    double primal() const { return mixture(n, d, m, alpha0, mu0, q0, l0, x); }

    template <class T> T value(const T *in) const
    {
        using std::exp, std::log;
        const T *alpha = in, *mu = alpha + m, *q = mu + m * d, *l = q + m * d;
        std::vector<T> e(m * d), trace(m), s(m), c(d);
        for (int k = 0; k < m; k++) {
            trace[k] = 0.0;
            for (int j = 0; j < d; j++) {
                e[k * d + j] = exp(q[k * d + j]);
                trace[k] += q[k * d + j];
            }
        }
        T f = 0.0, top, z;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < m; k++) {
                T norm = 0.0;
                for (int j = 0; j < d; j++) {
                    c[j] = x[i * d + j] - mu[k * d + j];
                    T y = e[k * d + j] * c[j];
                    for (int r = 0; r < j; r++)
                        y += l[(k * d + j) * d + r] * c[r];
                    norm += y * y;
                }
                s[k] = alpha[k] + trace[k] - 0.5 * norm;
            }
            top = s[0];
            for (int k = 1; k < m; k++)
                if (s[k] > top)
                    top = s[k];
            z = 0.0;
            for (int k = 0; k < m; k++)
                z += exp(s[k] - top);
            f = f + top + log(z);
        }
        top = alpha[0];
        for (int k = 1; k < m; k++)
            if (alpha[k] > top)
                top = alpha[k];
        z = 0.0;
        for (int k = 0; k < m; k++)
            z += exp(alpha[k] - top);
        return f - n * (top + log(z));
    }
};
