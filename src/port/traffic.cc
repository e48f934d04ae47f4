// SPDX-License-Identifier: Apache-2.0
#include "port/traffic.h"

#include <string>

namespace ambidex {
namespace {

using nlohmann::json;

// One list of fields serves both directions: v(name, reference).
template <class V, MaybeConst<SimtPieces> T>
void visit(V&& v, T& x) {
  v("sectors", x.sectors), v("half_lines", x.half_lines), v("lines", x.lines);
}

template <class V, MaybeConst<SimtGlobalTraffic> T>
void visit(V&& v, T& x) {
  v("accesses", x.accesses), v("lanes", x.lanes), v("bytes", x.bytes);
  v("moved", x.moved), v("of_blocks", x.of_blocks), v("distinct", x.distinct);
  v("distinct_bytes", x.distinct_bytes);
}

template <class V, MaybeConst<SimtSharedTraffic> T>
void visit(V&& v, T& x) {
  v("accesses", x.accesses), v("lanes", x.lanes), v("bytes", x.bytes);
  v("passes", x.passes), v("passes_without_conflicts", x.passes_without_conflicts);
  v("wide_passes", x.wide_passes);
  v("wide_passes_without_conflicts", x.wide_passes_without_conflicts);
  v("worst_passes", x.worst_passes);
}

template <class V, MaybeConst<SimtAtomicTraffic> T>
void visit(V&& v, T& x) {
  v("updates", x.updates), v("compare_exchanges", x.compare_exchanges);
  v("in_shared", x.in_shared), v("wave_words", x.wave_words), v("hottest_word", x.hottest_word);
}

template <class V, MaybeConst<SimtArithmetic> T>
void visit(V&& v, T& x) {
  v("lanes", x.lanes), v("waves", x.waves), v("flop", x.flop), v("matrix_flop", x.matrix_flop);
}

template <class V, MaybeConst<SimtTraffic> T>
void visit(V&& v, T& x) {
  v("loads", x.loads), v("stores", x.stores), v("shared", x.shared), v("atomics", x.atomics);
  v("arithmetic", x.arithmetic), v("constant_bytes", x.constant_bytes);
  v("local_bytes", x.local_bytes), v("load_rounds", x.load_rounds);
}

struct Writer {
  json& to;
  template <class T>
  void operator()(const char* name, const T& value) const {
    if constexpr (requires { visit(*this, value); }) {
      to[name] = json::object();
      visit(Writer{to[name]}, value);
    } else {
      to[name] = value;
    }
  }
  void operator()(const char* name, const SimtInstructions& counts) const {
    for (int i = 0; i < kNumSimtInstructions; ++i) {
      to[name][std::string(name_of(static_cast<SimtInstruction>(i)))] =
          counts[static_cast<size_t>(i)];
    }
  }
  void operator()(const char* name, const std::map<DType, int64_t>& flop) const {
    to[name] = json::object();
    for (const auto& [dtype, count] : flop) to[name][std::string(name_of(dtype))] = count;
  }
};

struct Reader {
  const json& from;
  template <class T>
  void operator()(const char* name, T& value) const {
    if constexpr (requires { visit(*this, value); }) {
      visit(Reader{from.at(name)}, value);
    } else {
      value = from.at(name).template get<T>();
    }
  }
  void operator()(const char* name, SimtInstructions& counts) const {
    for (int i = 0; i < kNumSimtInstructions; ++i) {
      counts[static_cast<size_t>(i)] =
          from.at(name).at(std::string(name_of(static_cast<SimtInstruction>(i))));
    }
  }
  void operator()(const char* name, std::map<DType, int64_t>& flop) const {
    for (const auto& [dtype, count] : from.at(name).items()) {
      flop[dtype_from_name(dtype)] = count.get<int64_t>();
    }
  }
};

}  // namespace

json to_json(const SimtTraffic& traffic) {
  json text = json::object();
  visit(Writer{text}, traffic);
  text["sites"] = json::array();
  for (const SimtSite& site : traffic.sites) {
    text["sites"].push_back({{"program_counter", site.program_counter},
                             {"space", name_of(site.space)},
                             {"accesses", site.accesses},
                             {"lanes", site.lanes},
                             {"bytes", site.bytes},
                             {"units", site.units},
                             {"best_units", site.best_units}});
  }
  return text;
}

SimtTraffic traffic_of(const json& text) {
  SimtTraffic traffic;
  visit(Reader{text}, traffic);
  return traffic;
}

}  // namespace ambidex
