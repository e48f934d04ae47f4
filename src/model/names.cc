// SPDX-License-Identifier: Apache-2.0
#include "model/names.h"

#include <vector>

namespace ambidex {
namespace {

using Names = std::vector<std::string>;

template <class Enum>
std::string_view name_in(Enum value) {
  return names_of(value)[static_cast<size_t>(value)];
}

}  // namespace

std::span<const std::string> names_of(OptimizerKind) {
  static const Names kNames = {"sgd", "adagrad", "rowwise_adagrad", "adam", "rowwise_adam"};
  return kNames;
}

std::span<const std::string> names_of(ScheduleKind) {
  static const Names kNames = {"constant", "polynomial", "cosine"};
  return kNames;
}

std::span<const std::string> names_of(DenseTransform) {
  static const Names kNames = {"log", "none", "standard", "log_shifted", "log_squared"};
  return kNames;
}

std::span<const std::string> names_of(IdEncoding) {
  static const Names kNames = {"automatic", "hex", "integer", "hash", "vocabulary"};
  return kNames;
}

std::span<const std::string> names_of(Pooling) {
  static const Names kNames = {"sum", "mean"};
  return kNames;
}

std::span<const std::string> names_of(InteractionKind) {
  static const Names kNames = {"concat", "dot", "cross", "fm"};
  return kNames;
}

std::span<const std::string> names_of(LossKind) {
  static const Names kNames = {"bce"};
  return kNames;
}

std::span<const std::string> names_of(SplitKind) {
  static const Names kNames = {"none", "random", "tail"};
  return kNames;
}

std::span<const std::string> names_of(SplitPart) {
  static const Names kNames = {"train", "valid", "test", "all"};
  return kNames;
}

std::span<const std::string> names_of(SequenceKind) {
  static const Names kNames = {"hstu", "onetrans"};
  return kNames;
}

std::string_view name_of(OptimizerKind kind) { return name_in(kind); }
std::string_view name_of(ScheduleKind kind) { return name_in(kind); }
std::string_view name_of(DenseTransform transform) { return name_in(transform); }
std::string_view name_of(IdEncoding encoding) { return name_in(encoding); }
std::string_view name_of(Pooling pooling) { return name_in(pooling); }
std::string_view name_of(InteractionKind kind) { return name_in(kind); }
std::string_view name_of(LossKind kind) { return name_in(kind); }
std::string_view name_of(SplitKind kind) { return name_in(kind); }
std::string_view name_of(SplitPart part) { return name_in(part); }
std::string_view name_of(SequenceKind kind) { return name_in(kind); }

}  // namespace ambidex
