// SPDX-License-Identifier: Apache-2.0
#include "port/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 4> kClasses{"exact", "elementwise", "reorder",
                                                   "approximate"};

// What the budget of a whole buffer is made of.
struct Budget {
  double relative = 0;  // of the scale
  double floor = 0;     // the scale is at least that
  double absolute = 0;
  double own = 0;  // of the distance of the original's other runs
};

// What is stored is rounded from a type with more bits, in which all else is done.
bool is_rounded_once(const Output& output) {
  return output.computed != Element::bytes &&
         element_bytes(output.computed) > element_bytes(output.element);
}

double reference(const Output& output, int64_t i) {
  if (!output.oracle.empty()) return output.oracle[static_cast<size_t>(i)];
  return decode(
      output.element,
      &output
           .original[static_cast<size_t>(i) * static_cast<size_t>(element_bytes(output.element))]);
}

double root_mean_square(const Output& output, int64_t num_elements) {
  double sum = 0;
  int64_t num_finite = 0;
  for (int64_t i = 0; i < num_elements; ++i) {
    const double value = reference(output, i);
    if (!std::isfinite(value) || std::fabs(value) > 1e150) continue;
    sum += value * value;
    ++num_finite;
  }
  return num_finite == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(num_finite));
}

// The error that the original itself makes against the oracle.
double original_error(const Output& output, int64_t num_elements) {
  double worst = 0;
  if (output.oracle.empty()) return worst;
  const auto stride = static_cast<size_t>(element_bytes(output.element));
  for (int64_t i = 0; i < num_elements; ++i) {
    const double error = decode(output.element, &output.original[static_cast<size_t>(i) * stride]) -
                         reference(output, i);
    if (std::isfinite(error)) worst = std::max(worst, std::fabs(error));
  }
  return worst;
}

Budget budget_of(const Output& output, int64_t num_elements) {
  const double epsilon =
      element_epsilon(is_rounded_once(output) ? output.computed : output.element);
  const double terms = std::log2(static_cast<double>(std::max<int64_t>(output.num_terms, 2)));
  Budget budget{.absolute = 4 * original_error(output, num_elements)};
  switch (output.error_class) {
    case ErrorClass::exact:
      return {};
    case ErrorClass::elementwise:
      budget.relative = 4 * epsilon;
      break;
    case ErrorClass::reorder:
      budget.relative = 4 * terms * epsilon;
      break;
    case ErrorClass::approximate:
      budget.relative = 64 * epsilon;
      break;
  }
  if (is_rounded_once(output)) budget.relative += 2 * element_epsilon(output.element);
  budget.own = output.error_class == ErrorClass::approximate ? 16 : 4;
  const bool approximate = output.error_class == ErrorClass::approximate;
  const bool blind = output.error_class == ErrorClass::reorder && output.others.empty();
  if (approximate || blind) {
    budget.floor = root_mean_square(output, num_elements);
  }
  return budget;
}

// The largest distance of the original's other runs from the first at one element; infinite where
// they do not agree on whether it is a number.
double own_distance(const Output& output, int64_t i) {
  const auto at = static_cast<size_t>(i * element_bytes(output.element));
  const double first = decode(output.element, &output.original[at]);
  double distance = 0;
  for (const std::span<const std::byte> other : output.others) {
    const double value = decode(output.element, &other[at]);
    if (std::isfinite(value) && std::isfinite(first)) {
      distance = std::max(distance, std::fabs(value - first));
    } else if (!(value == first || (std::isnan(value) && std::isnan(first)))) {
      return HUGE_VAL;
    }
  }
  return distance;
}

double allowed_error(const Budget& budget, double wanted, double distance) {
  return budget.relative * std::max(std::fabs(wanted), budget.floor) + budget.absolute +
         budget.own * distance;
}

// Of errors relative to their values, in eps: up and down, and away from zero and towards it.
struct Lean {
  int64_t num = 0;
  double up = 0, away = 0;

  void add(double got, double wanted, double epsilon) {
    if (!std::isfinite(got) || !std::isfinite(wanted) || wanted == 0) return;
    const double error = (got - wanted) / (std::fabs(wanted) * epsilon);
    ++num;
    up += error;
    away += wanted < 0 ? -error : error;
  }
  // The mean of the two that is further from zero.
  double mean() const {
    const double sum = std::fabs(up) > std::fabs(away) ? up : away;
    return num == 0 ? 0.0 : sum / static_cast<double>(num);
  }
};

Lean lean_of(const Output& output, std::span<const std::byte> other) {
  const int64_t stride = element_bytes(output.element);
  const double epsilon = element_epsilon(output.element);
  Lean lean;
  for (int64_t i = 0; i * stride < static_cast<int64_t>(other.size()); ++i) {
    lean.add(decode(output.element, other.data() + i * stride), reference(output, i), epsilon);
  }
  return lean;
}

void note_first_difference(const Output& output, Judgement& judgement) {
  const auto stride = static_cast<size_t>(element_bytes(output.element));
  const auto [port, original] =
      std::mismatch(output.port.begin(), output.port.end(), output.original.begin());
  const size_t first = static_cast<size_t>(port - output.port.begin()) / stride;
  judgement.first_wrong = static_cast<int64_t>(first);
  judgement.got = decode(output.element, &output.port[first * stride]);
  judgement.wanted = reference(output, judgement.first_wrong);
}

// Rounding to the nearest errs both ways alike; a scale, a constant or another rounding does not.
void look_for_lean(const Output& output, Judgement& judgement) {
  constexpr int64_t kFewest = 64;
  constexpr double kMost = 0.2;
  const Lean lean = lean_of(output, output.port);
  if (lean.num < kFewest) return;
  judgement.mean_error = lean.mean();
  double most = kMost;
  if (std::fabs(judgement.mean_error) <= most) return;
  for (const auto other : output.others) {
    most = std::max(most, kMost + 2 * std::fabs(lean_of(output, other).mean()));
  }
  judgement.leans = std::fabs(judgement.mean_error) > most;
}

// Error over what is allowed; infinite for a wrong NaN or infinity.
double error_ratio(double got, double wanted, double allowed) {
  if (std::isnan(got) || std::isnan(wanted)) {
    return std::isnan(got) && std::isnan(wanted) ? 0.0 : HUGE_VAL;
  }
  if (got == wanted) return 0.0;
  if (std::isinf(got) || std::isinf(wanted)) return HUGE_VAL;
  const double error = std::fabs(got - wanted);
  return allowed > 0 ? error / allowed : HUGE_VAL;
}

void add_error(Judgement& judgement, const ElementError& error) {
  if (!std::isfinite(error.error) || !(error.allowed > 0)) return;  // of two NaN, or of two zeros
  if (!judgement.worst || judgement.worst->ratio() < error.ratio()) judgement.worst = error;
}

}  // namespace

std::string_view name_of(ErrorClass error_class) {
  return kClasses[static_cast<size_t>(error_class)];
}

ErrorClass error_class_from_name(std::string_view name) {
  for (size_t i = 0; i < kClasses.size(); ++i) {
    if (kClasses[i] == name) return static_cast<ErrorClass>(i);
  }
  const std::vector<std::string> known(kClasses.begin(), kClasses.end());
  throw Error(ErrorKind::bad_input, unknown_name("error class", name, known));
}

Judgement judge(const Output& output) {
  const int64_t stride = element_bytes(output.element);
  check(output.port.size() == output.original.size(), "outputs of one size are compared");
  Judgement judgement{.num_elements = static_cast<int64_t>(output.port.size()) / stride};
  check(
      output.oracle.empty() || static_cast<int64_t>(output.oracle.size()) == judgement.num_elements,
      "the oracle has as many elements as the output");
  for (const auto other : output.others) {
    check(other.size() == output.original.size(), "runs of one launch have outputs of one size");
  }
  const bool exact = output.error_class == ErrorClass::exact || !is_float(output.element);
  const Budget budget = exact ? Budget{} : budget_of(output, judgement.num_elements);
  for (int64_t i = 0; i < judgement.num_elements; ++i) {
    const std::byte* const port = output.port.data() + i * stride;
    const std::byte* const original = output.original.data() + i * stride;
    const bool same_bits = std::memcmp(port, original, static_cast<size_t>(stride)) == 0;
    judgement.num_different_bits += !same_bits;
    if (same_bits) continue;
    const double got = decode(output.element, port);
    const double wanted = exact ? decode(output.element, original) : reference(output, i);
    const double distance = exact ? 0.0 : own_distance(output, i);
    if (std::isinf(distance)) {
      ++judgement.num_undetermined;
      continue;
    }
    const double allowed = allowed_error(budget, wanted, distance);
    const bool both_nan = std::isnan(got) && std::isnan(wanted);
    const double ratio = exact && !both_nan ? HUGE_VAL : error_ratio(got, wanted, allowed);
    judgement.worst_ratio = std::max(judgement.worst_ratio, ratio);
    if (ratio <= 1.0) {
      add_error(judgement,
                {.expected = wanted, .error = std::fabs(got - wanted), .allowed = allowed});
      continue;
    }
    if (judgement.num_wrong++ == 0) {
      judgement.first_wrong = i;
      judgement.got = got;
      judgement.wanted = wanted;
      judgement.allowed = allowed;
    }
  }
  if (!exact && judgement.num_wrong == 0 && is_rounded_once(output)) {
    look_for_lean(output, judgement);
    if (judgement.leans) note_first_difference(output, judgement);
  }
  return judgement;
}

}  // namespace ambidex
