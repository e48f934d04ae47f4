// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear.h"

#include <dnnl.h>

#include <algorithm>

#include "ambidex/base.h"
#include "kernels/isa.h"

namespace ambidex {
namespace {

/// How a result [rows, columns] is cut: a function of the shape, never of the threads.
struct Tiles {
  int64_t rows = 0;  // of a tile
  int64_t columns = 0;
  int64_t num_down = 0;
  int64_t num_across = 0;
};

struct Tile {
  int64_t row = 0;
  int64_t column = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

Tiles cut(int64_t rows, int64_t columns, int64_t tile_rows, int64_t tile_columns) {
  return {tile_rows, tile_columns, ceil_div(rows, tile_rows), ceil_div(columns, tile_columns)};
}

int64_t round_up(int64_t value, int64_t unit) { return ceil_div(value, unit) * unit; }

// Each call of the library packs its operands, so that small tiles are slow: few tiles, but enough
// to keep some threads busy.
constexpr int64_t kFewTiles = 4;
constexpr int64_t kTileUnit = 16;  // a vector, and a cache line

/// Outputs of a layer, or gradients of its inputs: slices of the batch, and of results that would
/// not stay in a cache until their bias or mask is applied.
Tiles tiles_of_batch(int64_t batch, int64_t columns) {
  const int64_t rows = round_up(ceil_div(batch, kFewTiles), kTileUnit);
  const int64_t across = ceil_div(columns, 1024);
  const int64_t width = across == 1 ? columns : round_up(ceil_div(columns, across), kTileUnit);
  return cut(batch, columns, std::clamp<int64_t>(rows, 64, 256), width);
}

/// Gradients of weights: slices of the longer side, and of a very long other side.
Tiles tiles_of_weights(int64_t out, int64_t in) {
  const auto slice = [](int64_t size, int64_t parts) {
    return std::max<int64_t>(64, round_up(ceil_div(size, parts), kTileUnit));
  };
  const auto most = [](int64_t size) { return ceil_div(size, 1024); };
  const int64_t down = out >= in ? std::max(kFewTiles, most(out)) : most(out);
  const int64_t across = out >= in ? most(in) : std::max(kFewTiles, most(in));
  return cut(out, in, slice(out, down), slice(in, across));
}

Tile tile_at(const Tiles& tiles, int64_t index, int64_t rows, int64_t columns) {
  const int64_t row = index / tiles.num_across * tiles.rows;
  const int64_t column = index % tiles.num_across * tiles.columns;
  return {row, column, std::min(tiles.rows, rows - row), std::min(tiles.columns, columns - column)};
}

void multiply(char transpose_a, char transpose_b, const Tile& tile, int64_t k, const float* a,
              int64_t a_stride, const float* b, int64_t b_stride, float* c, int64_t c_stride,
              bool accumulate = false) {
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a, transpose_b, tile.rows, tile.columns, k, 1.0f, a, a_stride, b,
                 b_stride, accumulate ? 1.0f : 0.0f, c, c_stride);
  check(status == dnnl_success, "oneDNN multiplies f32 matrices of any size");
}

/// c = a b for a column a and a row b, for which the library packs in vain.
void multiply_column(const Tile& tile, const float* a, int64_t a_stride, const float* __restrict b,
                     float* c, int64_t c_stride, bool accumulate) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t r = 0; r < tile.rows; ++r) {
      const float factor = a[r * a_stride];
      float* __restrict row = c + r * c_stride;
      if (accumulate) {
        for (int64_t i = 0; i < tile.columns; ++i) row[i] += factor * b[i];
      } else {
        for (int64_t i = 0; i < tile.columns; ++i) row[i] = factor * b[i];
      }
    }
  });
}

void add_bias(const Tile& tile, const float* __restrict bias, float* y, int64_t y_stride,
              Activation activation) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t r = 0; r < tile.rows; ++r) {
      float* __restrict row = y + r * y_stride;
      if (bias != nullptr) {
        for (int64_t c = 0; c < tile.columns; ++c) row[c] += bias[c];
      }
      if (activation == Activation::relu) {
        // What is not a number stays so, for the loss to tell.
        for (int64_t c = 0; c < tile.columns; ++c) row[c] = row[c] < 0 ? 0.0f : row[c];
      }
    }
  });
}

/// u += bias, next = x0 * u + x
void combine(const Tile& tile, const float* __restrict bias, const float* x0, const float* x,
             float* u, float* next, int64_t stride) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t r = 0; r < tile.rows; ++r) {
      const float* __restrict a = x0 + r * stride;
      const float* __restrict c = x + r * stride;
      float* __restrict b = u + r * stride;
      float* __restrict to = next + r * stride;
      for (int64_t i = 0; i < tile.columns; ++i) {
        const float with_bias = b[i] + bias[i];
        b[i] = with_bias;
        to[i] = a[i] * with_bias + c[i];
      }
    }
  });
}

void mask_out(const Tile& tile, const float* mask, int64_t mask_stride, float* dx,
              int64_t dx_stride) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t r = 0; r < tile.rows; ++r) {
      const float* __restrict m = mask + r * mask_stride;
      float* __restrict row = dx + r * dx_stride;
      for (int64_t c = 0; c < tile.columns; ++c) row[c] = m[c] > 0 ? row[c] : 0.0f;
    }
  });
}

constexpr int64_t kBiasColumns = 256;  // of one task: 1 KiB of each row

void sum_columns(const float* dy, int64_t dy_stride, int64_t batch, int64_t columns, float* sums) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t c = 0; c < columns; ++c) sums[c] = 0;
    for (int64_t r = 0; r < batch; ++r) {
      const float* __restrict row = dy + r * dy_stride;
      float* __restrict sum = sums;
      for (int64_t c = 0; c < columns; ++c) sum[c] += row[c];
    }
  });
}

}  // namespace

void linear_forward(Workers& workers, const float* x, int64_t x_stride, const float* w,
                    const float* bias, float* y, int64_t y_stride, int64_t batch, int64_t in,
                    int64_t out, Activation activation) {
  const Tiles tiles = tiles_of_batch(batch, out);
  workers.run(tiles.num_down * tiles.num_across, [&](int64_t task) {
    const Tile tile = tile_at(tiles, task, batch, out);
    float* y_tile = y + tile.row * y_stride + tile.column;
    multiply('N', 'T', tile, in, x + tile.row * x_stride, x_stride, w + tile.column * in, in,
             y_tile, y_stride);
    add_bias(tile, bias == nullptr ? nullptr : bias + tile.column, y_tile, y_stride, activation);
  });
}

void cross_forward(Workers& workers, const float* vx, const float* w, const float* bias,
                   const float* x0, const float* x, float* u, float* next, int64_t batch,
                   int64_t rank, int64_t dim) {
  const Tiles tiles = tiles_of_batch(batch, dim);
  workers.run(tiles.num_down * tiles.num_across, [&](int64_t task) {
    const Tile tile = tile_at(tiles, task, batch, dim);
    const int64_t begin = tile.row * dim + tile.column;
    multiply('N', 'T', tile, rank, vx + tile.row * rank, rank, w + tile.column * rank, rank,
             u + begin, dim, false);
    combine(tile, bias + tile.column, x0 + begin, x + begin, u + begin, next + begin, dim);
  });
}

void linear_backward_input(Workers& workers, const float* dy, int64_t dy_stride, const float* w,
                           float* dx, int64_t dx_stride, const float* x_mask, int64_t mask_stride,
                           int64_t batch, int64_t in, int64_t out, bool accumulate) {
  const Tiles tiles = tiles_of_batch(batch, in);
  workers.run(tiles.num_down * tiles.num_across, [&](int64_t task) {
    const Tile tile = tile_at(tiles, task, batch, in);
    float* dx_tile = dx + tile.row * dx_stride + tile.column;
    const float* dy_tile = dy + tile.row * dy_stride;
    if (out == 1) {
      multiply_column(tile, dy_tile, dy_stride, w + tile.column, dx_tile, dx_stride, accumulate);
    } else {
      multiply('N', 'N', tile, out, dy_tile, dy_stride, w + tile.column, in, dx_tile, dx_stride,
               accumulate);
    }
    if (x_mask == nullptr) return;
    mask_out(tile, x_mask + tile.row * mask_stride + tile.column, mask_stride, dx_tile, dx_stride);
  });
}

void linear_backward_weight(Workers& workers, const float* x, int64_t x_stride, const float* dy,
                            int64_t dy_stride, float* dw, float* dbias, int64_t batch, int64_t in,
                            int64_t out) {
  const Tiles tiles = tiles_of_weights(out, in);
  const int64_t num_tiles = tiles.num_down * tiles.num_across;
  const int64_t num_sums = dbias == nullptr ? 0 : ceil_div(out, kBiasColumns);
  workers.run(num_tiles + num_sums, [&](int64_t task) {
    if (task >= num_tiles) {
      const int64_t column = (task - num_tiles) * kBiasColumns;
      return sum_columns(dy + column, dy_stride, batch, std::min(kBiasColumns, out - column),
                         dbias + column);
    }
    const Tile tile = tile_at(tiles, task, out, in);
    multiply('T', 'N', tile, batch, dy + tile.row, dy_stride, x + tile.column, x_stride,
             dw + tile.row * in + tile.column, in);
  });
}

}  // namespace ambidex
