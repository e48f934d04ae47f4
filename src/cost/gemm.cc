// SPDX-License-Identifier: Apache-2.0
// The public face of the templates' models.
#include <algorithm>
#include <variant>

#include "ambidex/cost.h"
#include "cost/interval.h"
#include "cost/library.h"
#include "cost/tensile.h"
#include "cost/triton.h"

namespace ambidex {

struct GemmModelData {
  Device device;
  KernelTemplate kernel_template;
  std::variant<TritonModel, TensileModel, LibraryModel> model;
};

/// One candidate without fields stands for the library.
struct PreparedConfigsData {
  std::variant<TritonPrepared, TensilePrepared, size_t> lanes;
};

namespace {

/// e to the power of x from 0 to some units: a library's would round differently elsewhere.
double exponential(double x) {
  double term = 1;
  double sum = 1;
  for (int i = 1; i <= 40; ++i) {
    term *= x / i;
    sum += term;
  }
  return sum;
}

}  // namespace

void set_binding_term(Estimate& estimate) {
  const auto& terms = estimate.term_seconds;
  estimate.binds = static_cast<Term>(std::max_element(terms.begin(), terms.end()) - terms.begin());
}

void set_interval(Estimate& estimate, double sigma) {
  estimate.sigma = sigma;
  const double factor = exponential(kIntervalSigmas * sigma);
  estimate.low_seconds = estimate.seconds / factor;
  estimate.high_seconds = estimate.seconds * factor;
}

GemmModel make_gemm_model(const Device& device, KernelTemplate kernel_template) {
  switch (kernel_template) {
    case KernelTemplate::triton:
      return std::make_shared<GemmModelData>(
          GemmModelData{device, kernel_template, make_triton_model(device)});
    case KernelTemplate::tensile:
      return std::make_shared<GemmModelData>(
          GemmModelData{device, kernel_template, make_tensile_model(device)});
    case KernelTemplate::library:
      return std::make_shared<GemmModelData>(
          GemmModelData{device, kernel_template, make_library_model(device)});
  }
  check(false, "every template has a model");
  return nullptr;
}

std::string why_illegal(const GemmModel& model, const GemmOp& op, const GemmConfig& config) {
  switch (model->kernel_template) {
    case KernelTemplate::triton:
      return triton_why_illegal(std::get<TritonModel>(model->model), op, config);
    case KernelTemplate::tensile:
      return tensile_why_illegal(std::get<TensileModel>(model->model), op, config);
    case KernelTemplate::library:
      return "";
  }
  return "";
}

Estimate gemm_estimate(const GemmModel& model, const GemmOp& op, const GemmConfig& config,
                       int64_t num_units) {
  switch (model->kernel_template) {
    case KernelTemplate::triton:
      return triton_estimate(std::get<TritonModel>(model->model), op, config, num_units);
    case KernelTemplate::tensile:
      return tensile_estimate(std::get<TensileModel>(model->model), op, config, num_units);
    case KernelTemplate::library:
      return library_estimate(std::get<LibraryModel>(model->model), op, num_units);
  }
  return {};
}

uint64_t prepare_key(const GemmOp& op) {
  // Loads are as wide as the power of two that divides a side; Triton asks for 16 alone.
  const auto power = [](int64_t size) {
    return static_cast<uint64_t>(power_of_two_divisor(size, 16));
  };
  uint64_t key = static_cast<uint64_t>(op.dtype);
  const auto append = [&](uint64_t value, int bits) { key = (key << bits) | value; };
  append(static_cast<uint64_t>(op.out_dtype), 5);
  append(static_cast<uint64_t>(op.layout), 2);
  append(op.epilogue.bias, 1), append(op.epilogue.relu, 1);
  append(op.epilogue.residual, 1), append(op.epilogue.bias_gradient, 1);
  append(power(op.m), 5), append(power(op.n), 5), append(power(op.k), 5);
  return key;
}

PreparedConfigs prepare(const GemmModel& model, const GemmOp& op,
                        std::span<const GemmConfig> configs) {
  auto prepared = std::make_shared<PreparedConfigsData>();
  switch (model->kernel_template) {
    case KernelTemplate::triton:
      prepared->lanes = triton_prepare(std::get<TritonModel>(model->model), op, configs);
      break;
    case KernelTemplate::tensile:
      prepared->lanes = tensile_prepare(std::get<TensileModel>(model->model), op, configs);
      break;
    case KernelTemplate::library:
      prepared->lanes = configs.size();
      break;
  }
  return prepared;
}

void gemm_seconds(const GemmModel& model, const PreparedConfigs& prepared, const GemmOp& op,
                  int64_t num_units, std::span<double> seconds) {
  switch (model->kernel_template) {
    case KernelTemplate::triton:
      triton_seconds(std::get<TritonModel>(model->model), std::get<TritonPrepared>(prepared->lanes),
                     op, num_units, seconds);
      break;
    case KernelTemplate::tensile:
      tensile_seconds(std::get<TensileModel>(model->model),
                      std::get<TensilePrepared>(prepared->lanes), op, num_units, seconds);
      break;
    case KernelTemplate::library: {
      check(seconds.size() == std::get<size_t>(prepared->lanes), "one time for each candidate");
      const double time = library_seconds(std::get<LibraryModel>(model->model), op, num_units);
      std::fill(seconds.begin(), seconds.end(), time);
    }
  }
  // Absurd numbers of a hand-made device can end as NaN, which must not win a comparison.
  for (double& time : seconds) time = time > 0 ? time : std::numeric_limits<double>::infinity();
}

const Device& device_of(const GemmModel& model) { return model->device; }
KernelTemplate template_of(const GemmModel& model) { return model->kernel_template; }

}  // namespace ambidex
