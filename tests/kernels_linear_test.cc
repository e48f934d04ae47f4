// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/linear.h"
#include "kernels_support.h"

namespace ambidex {
namespace {

struct Shape {
  int64_t batch;
  int64_t in;
  int64_t out;
  int64_t gap = 0;  // floats between rows
};

// The layers of dlrm_kaggle on few samples, sizes around tiles and vectors, single rows and
// columns.
constexpr Shape kShapes[] = {{1, 1, 1},        {3, 13, 512},     {65, 512, 256, 3}, {130, 256, 64},
                             {128, 64, 16, 1}, {17, 367, 512},   {67, 256, 1, 5},   {5, 1, 7},
                             {600, 16, 1},     {257, 31, 33, 2}, {2, 600, 530},     {33, 129, 15}};

/// One layer with its gradients; strided arrays have `gap` floats of 7 after each row.
struct Layer {
  Shape shape;
  Floats x, w, bias, dy;
  explicit Layer(const Shape& s)
      : shape(s),
        x(random_floats(s.batch * (s.in + s.gap), 1)),
        w(random_floats(s.out * s.in, 2)),
        bias(random_floats(s.out, 3)),
        dy(random_floats(s.batch * (s.out + s.gap), 4)) {}
  int64_t x_stride() const { return shape.in + shape.gap; }
  int64_t y_stride() const { return shape.out + shape.gap; }
};

Floats forward(Workers& workers, const Layer& layer, Activation activation, bool has_bias = true) {
  const Shape& s = layer.shape;
  Floats y(static_cast<size_t>(s.batch * layer.y_stride()), 7.0f);
  linear_forward(workers, layer.x.data(), layer.x_stride(), layer.w.data(),
                 has_bias ? layer.bias.data() : nullptr, y.data(), layer.y_stride(), s.batch, s.in,
                 s.out, activation);
  return y;
}

Floats twin_forward(const Layer& layer, Activation activation, bool has_bias = true) {
  const Shape& s = layer.shape;
  Floats y(static_cast<size_t>(s.batch * layer.y_stride()), 7.0f);
  twin::linear_forward(layer.x.data(), layer.x_stride(), layer.w.data(),
                       has_bias ? layer.bias.data() : nullptr, y.data(), layer.y_stride(), s.batch,
                       s.in, s.out, activation);
  return y;
}

Floats backward_input(Workers& workers, const Layer& layer, bool is_masked,
                      bool accumulate = false) {
  const Shape& s = layer.shape;
  Floats dx(layer.x.size(), 7.0f);
  linear_backward_input(workers, layer.dy.data(), layer.y_stride(), layer.w.data(), dx.data(),
                        layer.x_stride(), is_masked ? layer.x.data() : nullptr, layer.x_stride(),
                        s.batch, s.in, s.out, accumulate);
  return dx;
}

Floats twin_backward_input(const Layer& layer, bool is_masked, bool accumulate = false) {
  const Shape& s = layer.shape;
  Floats dx(layer.x.size(), 7.0f);
  twin::linear_backward_input(layer.dy.data(), layer.y_stride(), layer.w.data(), dx.data(),
                              layer.x_stride(), is_masked ? layer.x.data() : nullptr,
                              layer.x_stride(), s.batch, s.in, s.out, accumulate);
  return dx;
}

/// dw, then dbias.
Floats backward_weight(Workers& workers, const Layer& layer) {
  const Shape& s = layer.shape;
  Floats dw(static_cast<size_t>(s.out * s.in + s.out), 7.0f);
  linear_backward_weight(workers, layer.x.data(), layer.x_stride(), layer.dy.data(),
                         layer.y_stride(), dw.data(), dw.data() + s.out * s.in, s.batch, s.in,
                         s.out);
  return dw;
}

Floats twin_backward_weight(const Layer& layer) {
  const Shape& s = layer.shape;
  Floats dw(static_cast<size_t>(s.out * s.in + s.out), 7.0f);
  twin::linear_backward_weight(layer.x.data(), layer.x_stride(), layer.dy.data(), layer.y_stride(),
                               dw.data(), dw.data() + s.out * s.in, s.batch, s.in, s.out);
  return dw;
}

TEST(Linear, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(testing::Message() << shape.batch << " x " << shape.in << " x " << shape.out);
      const Layer layer(shape);
      for (const Activation activation : {Activation::none, Activation::relu}) {
        for (const bool has_bias : {false, true}) {
          expect_near(forward(workers, layer, activation, has_bias),
                      twin_forward(layer, activation, has_bias), 2e-5);
        }
      }
      for (const bool is_masked : {false, true}) {
        for (const bool accumulate : {false, true}) {
          expect_near(backward_input(workers, layer, is_masked, accumulate),
                      twin_backward_input(layer, is_masked, accumulate), 2e-5);
        }
      }
      expect_near(backward_weight(workers, layer), twin_backward_weight(layer), 2e-5);
    }
  });
}

TEST(Linear, gives_the_same_bits_with_any_number_of_threads) {
  for (const Shape& shape : kShapes) {
    const Layer layer(shape);
    expect_same_bits([&](Workers& workers) { return forward(workers, layer, Activation::relu); });
    expect_same_bits([&](Workers& workers) { return backward_input(workers, layer, true); });
    expect_same_bits([&](Workers& workers) { return backward_weight(workers, layer); });
  }
}

TEST(Linear, leaves_dbias_alone_if_there_is_none) {
  Workers workers(1);
  const Layer layer({4, 3, 2});
  Floats dw(6);
  linear_backward_weight(workers, layer.x.data(), 3, layer.dy.data(), 2, dw.data(), nullptr, 4, 3,
                         2);
  const Floats both = twin_backward_weight(layer);
  expect_near(dw, Floats(both.begin(), both.begin() + 6), 1e-6);
}

// Without ReLU the loss is linear in each argument, so that differences over a large step are
// exact but for rounding.
TEST(Linear, gradients_agree_with_finite_differences) {
  Workers workers(1);
  Layer layer({5, 4, 3});
  const auto check_gradients = [&](const std::function<double()>& loss, const Floats& dx,
                                   const Floats& dw) {
    expect_gradient(layer.x, dx, loss, 0.5, 1e-5);
    expect_gradient(layer.w, Floats(dw.begin(), dw.begin() + 12), loss, 0.5, 1e-5);
    expect_gradient(layer.bias, Floats(dw.begin() + 12, dw.end()), loss, 0.5, 1e-5);
  };
  check_gradients([&] { return weigh(forward(workers, layer, Activation::none), layer.dy); },
                  backward_input(workers, layer, false), backward_weight(workers, layer));
  check_gradients([&] { return weigh(twin_forward(layer, Activation::none), layer.dy); },
                  twin_backward_input(layer, false), twin_backward_weight(layer));
}

// Two layers: relu(x a^T) b^T. The mask of the second's backward_input is the first's output.
TEST(Linear, gradient_through_relu_agrees_with_finite_differences) {
  Workers workers(1);
  Layer first({6, 5, 7});
  const Floats b = random_floats(7 * 2, 9);
  const Floats weights = random_floats(6 * 2, 10);
  const auto loss = [&] {
    const Floats hidden = forward(workers, first, Activation::relu);
    Floats y(12);
    linear_forward(workers, hidden.data(), 7, b.data(), nullptr, y.data(), 2, 6, 7, 2,
                   Activation::none);
    return weigh(y, weights);
  };
  const Floats hidden = forward(workers, first, Activation::relu);
  linear_backward_input(workers, weights.data(), 2, b.data(), first.dy.data(), 7, hidden.data(), 7,
                        6, 7, 2);
  const Floats dw = backward_weight(workers, first);
  expect_gradient(first.x, backward_input(workers, first, false), loss, 1e-3, 2e-3);
  expect_gradient(first.w, Floats(dw.begin(), dw.begin() + 35), loss, 1e-3, 2e-3);
}

}  // namespace
}  // namespace ambidex
