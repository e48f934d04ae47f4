// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/interaction.h"
#include "kernels/linear.h"
#include "kernels_support.h"

namespace ambidex {
namespace {

struct Shape {
  int64_t batch;
  int64_t num_vectors;
  int64_t dim;
  int64_t gap = 0;  // floats between samples
};

constexpr Shape kShapes[] = {{40, 27, 16},    {7, 27, 128}, {5, 27, 64, 3}, {3, 1, 16},
                             {4, 2, 1, 1},    {9, 5, 7, 2}, {6, 17, 24},    {2, 34, 33, 5},
                             {300, 3, 16, 1}, {3, 50, 20}};

/// Vectors, and gradients of what becomes of them.
struct Sample {
  Shape shape;
  Floats z, dout, dlogit;
  explicit Sample(const Shape& s)
      : shape(s),
        z(random_floats(s.batch * z_stride(), 1)),
        dout(random_floats(s.batch * out_stride(), 2)),
        dlogit(random_floats(s.batch, 3)) {}
  int64_t z_stride() const { return shape.num_vectors * shape.dim + shape.gap; }
  int64_t out_dim() const { return shape.dim + shape.num_vectors * (shape.num_vectors - 1) / 2; }
  int64_t out_stride() const { return out_dim() + shape.gap; }
};

/// Results of an op and of its twin start from the same numbers, so that what an op must not write
/// is compared as well.
Floats dot(Workers* workers, const Sample& a) {
  const Shape& s = a.shape;
  Floats out(static_cast<size_t>(s.batch * a.out_stride()), 7.0f);
  if (workers != nullptr) {
    dot_forward(*workers, a.z.data(), a.z_stride(), out.data(), a.out_stride(), s.batch,
                s.num_vectors, s.dim);
  } else {
    twin::dot_forward(a.z.data(), a.z_stride(), out.data(), a.out_stride(), s.batch, s.num_vectors,
                      s.dim);
  }
  return out;
}

Floats dot_gradient(Workers* workers, const Sample& a) {
  const Shape& s = a.shape;
  Floats dz(a.z.size(), 7.0f);
  if (workers != nullptr) {
    dot_backward(*workers, a.z.data(), a.z_stride(), a.dout.data(), a.out_stride(), dz.data(),
                 a.z_stride(), s.batch, s.num_vectors, s.dim);
  } else {
    twin::dot_backward(a.z.data(), a.z_stride(), a.dout.data(), a.out_stride(), dz.data(),
                       a.z_stride(), s.batch, s.num_vectors, s.dim);
  }
  return dz;
}

Floats fm(Workers* workers, const Sample& a) {
  const Shape& s = a.shape;
  Floats logit(static_cast<size_t>(s.batch), 0.5f);
  if (workers != nullptr) {
    fm_forward(*workers, a.z.data(), a.z_stride(), logit.data(), s.batch, s.num_vectors, s.dim);
  } else {
    twin::fm_forward(a.z.data(), a.z_stride(), logit.data(), s.batch, s.num_vectors, s.dim);
  }
  return logit;
}

Floats fm_gradient(Workers* workers, const Sample& a, float before) {
  const Shape& s = a.shape;
  Floats dz(a.z.size(), before);
  if (workers != nullptr) {
    fm_backward(*workers, a.z.data(), a.z_stride(), a.dlogit.data(), dz.data(), a.z_stride(),
                s.batch, s.num_vectors, s.dim);
  } else {
    twin::fm_backward(a.z.data(), a.z_stride(), a.dlogit.data(), dz.data(), a.z_stride(), s.batch,
                      s.num_vectors, s.dim);
  }
  return dz;
}

TEST(Interaction, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(testing::Message() << shape.num_vectors << " vectors of " << shape.dim);
      const Sample sample(shape);
      expect_near(dot(&workers, sample), dot(nullptr, sample), 2e-6);
      expect_near(dot_gradient(&workers, sample), dot_gradient(nullptr, sample), 4e-6);
      expect_near(fm(&workers, sample), fm(nullptr, sample), 2e-5);
      expect_near(fm_gradient(&workers, sample, 7), fm_gradient(nullptr, sample, 7), 4e-6);
    }
  });
}

TEST(Interaction, gives_the_same_bits_with_any_number_of_threads) {
  for (const Shape& shape : kShapes) {
    const Sample sample(shape);
    expect_same_bits([&](Workers& workers) { return dot(&workers, sample); });
    expect_same_bits([&](Workers& workers) { return dot_gradient(&workers, sample); });
    expect_same_bits([&](Workers& workers) { return fm(&workers, sample); });
    expect_same_bits([&](Workers& workers) { return fm_gradient(&workers, sample, 7); });
  }
}

TEST(Dot, lists_pairs_row_by_row) {
  Workers workers(1);
  Sample sample({1, 3, 2});
  sample.z = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(dot(&workers, sample), testing::ElementsAre(1, 2, 11, 17, 39));
}

TEST(Fm, sums_the_products_of_all_pairs) {
  Workers workers(1);
  Sample sample({1, 3, 2});
  sample.z = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(fm(&workers, sample), testing::ElementsAre(0.5f + 11 + 17 + 39));
}

// Quadratic in z: central differences are exact but for rounding.
TEST(Interaction, gradients_agree_with_finite_differences) {
  Workers two(2);
  for (Workers* workers : {&two, static_cast<Workers*>(nullptr)}) {
    Sample sample({3, 6, 5});
    expect_gradient(
        sample.z, dot_gradient(workers, sample),
        [&] { return weigh(dot(workers, sample), sample.dout); }, 0.25, 2e-5);
    expect_gradient(
        sample.z, fm_gradient(workers, sample, 0),
        [&] { return weigh(fm(workers, sample), sample.dlogit); }, 0.25, 2e-5);
  }
}

/// A cross layer: u = vx w^T + bias, next = x0 * u + x; the gradient `dx0` starts at `before`.
struct Cross {
  int64_t batch;
  int64_t rank = 3;
  int64_t dim;
  Floats vx, w, bias, x0, x, dnext;
  Cross(int64_t num_samples, int64_t width)
      : batch(num_samples),
        dim(width),
        vx(random_floats(batch * rank, 5)),
        w(random_floats(dim * rank, 6)),
        bias(random_floats(dim, 2)),
        x0(random_floats(batch * dim, 1)),
        x(random_floats(batch * dim, 3)),
        dnext(random_floats(batch * dim, 4)) {}

  /// u, then next.
  Floats forward(Workers* workers) const {
    Floats to(2 * x.size(), 7.0f);
    float* next = to.data() + x.size();
    if (workers != nullptr) {
      cross_forward(*workers, vx.data(), w.data(), bias.data(), x0.data(), x.data(), to.data(),
                    next, batch, rank, dim);
    } else {
      twin::cross_forward(vx.data(), w.data(), bias.data(), x0.data(), x.data(), to.data(), next,
                          batch, rank, dim);
    }
    return to;
  }

  /// du, then dx0.
  Floats gradient(Workers* workers, float before, CrossPlace place) const {
    const Floats u = forward(workers);
    Floats to(2 * x.size(), before);
    float* dx0 = to.data() + x.size();
    if (workers != nullptr) {
      cross_backward(*workers, x0.data(), u.data(), dnext.data(), to.data(), dx0, batch, dim,
                     place);
    } else {
      twin::cross_backward(x0.data(), u.data(), dnext.data(), to.data(), dx0, batch, dim, place);
    }
    return to;
  }
};

constexpr CrossPlace kPlaces[] = {{}, {true, false}, {false, true}, {true, true}};

TEST(Cross, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const auto& [batch, dim] : {std::pair{1, 1}, {7, 13}, {40, 1100}}) {
      const Cross cross(batch, dim);
      expect_near(cross.forward(&workers), cross.forward(nullptr), 1e-5);
      for (const CrossPlace place : kPlaces) {
        expect_near(cross.gradient(&workers, 3, place), cross.gradient(nullptr, 3, place), 1e-5);
      }
    }
  });
  const Cross cross(300, 1100);
  expect_same_bits([&](Workers& any) { return cross.forward(&any); });
  expect_same_bits([&](Workers& any) { return cross.gradient(&any, 3, {}); });
}

// Of the first layer x is x0: what flows to x flows there, too.
TEST(Cross, gradients_agree_with_finite_differences) {
  Workers two(2);
  for (Workers* workers : {&two, static_cast<Workers*>(nullptr)}) {
    Cross cross(4, 5);
    const auto half = [](const Floats& both) { return Floats(both.begin() + 20, both.end()); };
    const auto loss = [&] { return weigh(half(cross.forward(workers)), cross.dnext); };
    const Floats apart = cross.gradient(workers, 0, {});
    expect_gradient(cross.x0, half(apart), loss, 0.25, 1e-5);
    const Floats du(apart.begin(), apart.begin() + 20);
    Floats dbias(5, 0.0f);
    for (size_t i = 0; i < du.size(); ++i) dbias[i % 5] += du[i];
    expect_gradient(cross.bias, dbias, loss, 0.25, 1e-5);
    const auto same_loss = [&] {
      cross.x = cross.x0;
      return loss();
    };
    expect_gradient(cross.x0, half(cross.gradient(workers, 7, {true, true})), same_loss, 0.25,
                    1e-5);
  }
}

}  // namespace
}  // namespace ambidex
