// SPDX-License-Identifier: Apache-2.0
#include "ambidex/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "ambidex/device_fields.h"
#include "caught.h"

namespace ambidex {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

// A device that exists nowhere: what a user writes, and nothing else is needed.
constexpr std::string_view kAcme = R"(id: acme-x100
name: Acme X100 80GB
vendor: nvidia
isa: sm_90
spec:
  memory_bytes: 85899345920
  memory_bytes_per_second: 3.2e12
  l2_bytes: 52428800
  num_compute_units: 128
  clock_hz: 1.7e9
  flop_per_second: {bf16: 9.0e14, f32: 6.0e13}
measured:
  copy_bytes_per_second: 2.9e12
  launch_seconds: 3.1e-6
calibration:
  triton:
    constants: {epilogue_clk: 12.5, anything_else: 3}
    sigma: {memory: 0.08}
    source: made up
    transferred: true
sources: {spec: "data sheet, rev 4, p. 2", spec.l2_bytes: "derived: 50 MiB", measured: "a notebook"}
)";

std::string acme_with(const std::string& from, const std::string& to) {
  std::string text(kAcme);
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

Caught refusal(const std::string& yaml) {
  return caught([&] { parse_device(yaml, "mine.yaml"); });
}

void expect_refused(const std::string& yaml, const std::string& message) {
  const Caught error = refusal(yaml);
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_EQ(error.message, message);
}

/// Names of the fields of a block that hold a value.
struct KnownFields {
  std::vector<std::string>& names;
  void operator()(Field field, const auto& value) {
    bool known = false;
    if constexpr (requires { value.has_value(); }) {
      known = value.has_value();
    } else {
      known = !value.empty();
    }
    if (known) names.emplace_back(field.key);
  }
};

TEST(Devices, a_device_is_one_text) {
  const Device device = parse_device(kAcme, "mine.yaml");
  EXPECT_EQ(device.id, "acme-x100");
  EXPECT_EQ(device.vendor, Vendor::nvidia);
  EXPECT_EQ(device.spec.memory.memory_bytes, 85899345920);
  EXPECT_EQ(device.spec.compute.flop_per_second.at(DType::bf16), 9e14);
  EXPECT_EQ(device.measured.launch_seconds, 3.1e-6);
  EXPECT_EQ(device.calibration.at("triton").constants.at("anything_else"), 3);
  EXPECT_EQ(device.calibration.at("triton").sigma.at("memory"), 0.08);
  EXPECT_TRUE(device.calibration.at("triton").transferred);
  EXPECT_EQ(device.sources.at("spec.l2_bytes"), "derived: 50 MiB");
  EXPECT_FALSE(device.spec.waves.wave_width.has_value());
}

TEST(Devices, a_user_s_file_is_read_by_its_path) {
  const std::string path = testing::TempDir() + "/acme.yaml";
  std::ofstream(path) << kAcme;
  EXPECT_EQ(load_device(path), parse_device(kAcme, path));
  std::filesystem::remove(path);
}

TEST(Devices, every_built_in_file_loads_and_is_named_after_its_id) {
  for (const std::string& id : device_ids()) EXPECT_EQ(load_device(id).id, id);
  for (const std::string& id : system_ids()) EXPECT_EQ(load_system(id).id, id);
  for (const char* id : {"a100", "h100", "h200", "b200", "gb200", "b300", "mi300x", "mi308x",
                         "mi325x", "mi350x", "mi355x", "mtia2i", "mtia300", "cpu"}) {
    EXPECT_THAT(device_ids(), Contains(id));
  }
}

TEST(Devices, every_known_number_has_a_source) {
  for (const std::string& id : device_ids()) {
    const Device device = load_device(id);
    std::vector<std::string> spec;
    std::vector<std::string> measured;
    visit_fields(KnownFields{spec}, device.spec);
    visit_fields(KnownFields{measured}, device.measured);
    EXPECT_FALSE(spec.empty()) << id;
    const auto expect_source = [&](const std::string& block, const std::string& field) {
      const bool has_source =
          device.sources.contains(block) || device.sources.contains(block + "." + field);
      EXPECT_TRUE(has_source) << id << ": " << block << "." << field;
    };
    for (const std::string& field : spec) expect_source("spec", field);
    for (const std::string& field : measured) expect_source("measured", field);
    for (const auto& [name, calibration] : device.calibration) {
      EXPECT_FALSE(calibration.source.empty()) << id << ": " << name;
    }
  }
}

TEST(Devices, derived_numbers_say_so) {
  for (const std::string& id : device_ids()) {
    const Device device = load_device(id);
    if (device.vendor != Vendor::nvidia && device.vendor != Vendor::amd) continue;
    if (!device.spec.compute.peak_rate_clock_hz || id == "mi308x") continue;
    EXPECT_THAT(device.sources.at("spec.peak_rate_clock_hz"), StartsWith("derived: ")) << id;
  }
}

TEST(Devices, every_system_is_of_a_known_device_and_every_gpu_has_one) {
  std::vector<std::string> covered;
  for (const std::string& id : system_ids()) {
    const System system = load_system(id);
    EXPECT_THAT(device_ids(), Contains(system.device)) << id;
    EXPECT_TRUE(system.sources.contains("scale_up")) << id;
    EXPECT_EQ(system.sources.contains("scale_out"), system.scale_out.has_value()) << id;
    covered.push_back(system.device);
  }
  for (const std::string& id : device_ids()) {
    const Vendor vendor = load_device(id).vendor;
    if (vendor != Vendor::nvidia && vendor != Vendor::amd) continue;
    EXPECT_THAT(covered, Contains(id));
  }
}

// Oracle: flop per clock of one unit, from the architecture manuals.
TEST(Devices, peak_rate_is_units_times_flop_per_clock_times_clock) {
  const std::pair<const char*, double> kBf16PerClock[] = {
      {"a100", 2048},   {"h100", 4096},   {"h200", 4096},   {"b200", 8192},
      {"gb200", 8192},  {"b300", 8192},   {"mi300x", 2048}, {"mi308x", 2048},
      {"mi325x", 2048}, {"mi350x", 4096}, {"mi355x", 4096},
  };
  for (const auto& [id, flop_per_clock] : kBf16PerClock) {
    const Compute compute = load_device(id).spec.compute;
    const double peak = static_cast<double>(*compute.num_compute_units) * flop_per_clock *
                        *compute.peak_rate_clock_hz;
    EXPECT_NEAR(compute.flop_per_second.at(DType::bf16) / peak, 1, 0.01) << id;
  }
}

TEST(Devices, matrix_instructions_add_up_to_the_peak_rate) {
  for (const std::string& id : device_ids()) {
    const Spec spec = load_device(id).spec;
    for (const MatrixInstruction& row : spec.compute.matrix_instructions) {
      const double flop = 2.0 * static_cast<double>(row.m * row.n * row.k);
      const double num_simds =
          static_cast<double>(*spec.compute.num_compute_units * *spec.waves.num_simds_per_unit);
      const double peak = flop / row.cycles * num_simds * *spec.compute.peak_rate_clock_hz;
      EXPECT_NEAR(spec.compute.flop_per_second.at(row.dtype) / peak, 1, 0.01)
          << id << " " << name_of(row.dtype);
    }
  }
}

TEST(Devices, the_sustained_clock_is_apart_from_the_peak_clock) {
  const Device device = load_device("mi300x");
  EXPECT_EQ(device.measured.sustained_clock_hz.at(DType::bf16), 1.207e9);
  EXPECT_EQ(device.spec.compute.peak_rate_clock_hz, 2.1e9);
}

TEST(Devices, a_dtype_without_hardware_is_absent) {
  EXPECT_FALSE(load_device("mi350x").spec.compute.flop_per_second.contains(DType::tf32));
  EXPECT_FALSE(load_device("mi300x").spec.compute.flop_per_second.contains(DType::fp8_e4m3));
  EXPECT_FALSE(load_device("a100").spec.compute.flop_per_second.contains(DType::fp8_e4m3));
}

TEST(Devices, require_names_the_device_and_the_field) {
  const Device device = load_device("mtia300");
  const Caught number = caught([&] {
    require(device.spec.shared_memory.shared_memory_bytes_per_group,
            "spec.shared_memory_bytes_per_group", device);
  });
  EXPECT_EQ(number.kind, ErrorKind::unsupported);
  EXPECT_EQ(number.message,
            "device mtia300 has no spec.shared_memory_bytes_per_group: the value is not known; add "
            "it to a copy of the file and pass --device ./mine.yaml");
  const Device mi350x = load_device("mi350x");
  const auto& rates = mi350x.spec.compute.flop_per_second;
  EXPECT_EQ(require(rates, DType::bf16, "spec.flop_per_second", mi350x), rates.at(DType::bf16));
  const Caught rate = caught([&] { require(rates, DType::tf32, "spec.flop_per_second", mi350x); });
  EXPECT_EQ(rate.kind, ErrorKind::unsupported);
  EXPECT_THAT(rate.message, StartsWith("device mi350x has no spec.flop_per_second.tf32: the value "
                                       "is not known (known: f32, f16, bf16, "));
}

TEST(Devices, an_unknown_name_gets_its_neighbours) {
  const Caught device = caught([] { load_device("h20"); });
  EXPECT_EQ(device.kind, ErrorKind::not_found);
  EXPECT_THAT(device.message, StartsWith("no device \"h20\"; nearest: h200"));
  EXPECT_THAT(caught([] { load_system("8xh20"); }).message,
              StartsWith("no system \"8xh20\"; nearest: 8xh200"));
  const Caught file = caught([] { load_device("./no/such.yaml"); });
  EXPECT_EQ(file.kind, ErrorKind::not_found);
  EXPECT_EQ(file.message, "no file \"./no/such.yaml\"");
  const Caught folder = caught([] { load_device("/"); });
  EXPECT_EQ(folder.kind, ErrorKind::bad_input);
  EXPECT_EQ(folder.message, "/: not a file that can be read");
}

TEST(DeviceHash, changes_with_every_number_and_not_with_words) {
  const Device device = load_device("mi300x");
  const std::string hash = device_hash(device);
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash, device_hash(load_device("mi300x")));
  Device words = device;
  words.name = "another";
  words.sources.clear();
  EXPECT_EQ(device_hash(words), hash);

  std::vector<Device> changed(7, device);
  changed[0].spec.cache.l2_bytes = 1;
  changed[1].spec.cache.l2_bytes.reset();
  changed[2].spec.compute.flop_per_second[DType::bf16] *= 1 + 1e-15;
  changed[3].measured.sustained_clock_hz.erase(DType::f16);
  changed[4].spec.compute.matrix_instructions.back().cycles = 17;
  changed[5].calibration["triton"].constants["x"] = 1;
  changed[6].isa = "gfx950";
  for (const Device& each : changed) EXPECT_NE(device_hash(each), hash);
}

TEST(DeviceHash, does_not_depend_on_the_order_of_keys) {
  const std::string turned = acme_with("{bf16: 9.0e14, f32: 6.0e13}", "{f32: 6.0e13, bf16: 9e14}");
  EXPECT_EQ(device_hash(parse_device(turned, "")), device_hash(parse_device(kAcme, "")));
}

TEST(BadDevice, numbers_say_what_was_expected_and_in_which_unit) {
  const std::string at = "mine.yaml:7: spec.memory_bytes_per_second: expected a number > 0, got ";
  const std::string unit = "; write it in bytes per second";
  for (const auto& [text, shown] :
       std::vector<std::pair<std::string, std::string>>{{"\"3.3TB\"", "\"3.3TB\""},
                                                        {"3.3TB", "\"3.3TB\""},
                                                        {"\"3.2e12\"", "\"3.2e12\""},
                                                        {"-1", "\"-1\""},
                                                        {"0", "\"0\""},
                                                        {".nan", "\".nan\""},
                                                        {"nan", "\"nan\""},
                                                        {"inf", "\"inf\""},
                                                        {"[1]", "a list"},
                                                        {"{a: 1}", "a map"},
                                                        {"", "nothing"}}) {
    expect_refused(acme_with("3.2e12", text), at + shown + unit);
  }
  expect_refused(acme_with("52428800", "1.5"),
                 "mine.yaml:8: spec.l2_bytes: expected a whole number, got \"1.5\"");
  expect_refused(
      acme_with("1.7e9", "1e30"),
      "mine.yaml:10: spec.clock_hz: expected a number from 1e-15 to 1e+24, got \"1e30\"");
  expect_refused(acme_with("{bf16: 9.0e14,", "{bf16: fast,"),
                 "mine.yaml:11: spec.flop_per_second.bf16: expected a number > 0, got \"fast\"; "
                 "write it in flop per second");
  expect_refused(acme_with("12.5", "much"),
                 "mine.yaml:17: calibration.triton.constants.epilogue_clk: expected a number, got "
                 "\"much\"");
  expect_refused(acme_with("12.5", "1e-300"),
                 "mine.yaml:17: calibration.triton.constants.epilogue_clk: expected a number 0 or "
                 "from 1e-18 to 1e18, got \"1e-300\"");
  EXPECT_THAT(
      refusal(acme_with("name: Acme X100 80GB", "name: \"Acme \\e[31m X100\"")).message,
      StartsWith("mine.yaml:2: name: expected text without control characters, got \"Acme \\x1b"));
  expect_refused(acme_with("l2_bytes: 52428800", "last_level_cache_bytes: -1"),
                 "mine.yaml:8: spec.last_level_cache_bytes: expected a number >= 0, got \"-1\"; "
                 "write it in bytes");
}

TEST(BadDevice, names_are_checked_and_neighbours_offered) {
  EXPECT_THAT(refusal(acme_with("  l2_bytes:", "  l2_byte:")).message,
              StartsWith("mine.yaml:8: spec: no key \"l2_byte\"; nearest: l2_bytes"));
  EXPECT_THAT(refusal(acme_with("measured:", "mesured:")).message,
              StartsWith("mine.yaml:12: no key \"mesured\"; nearest: measured"));
  EXPECT_THAT(refusal(acme_with("{bf16:", "{bf61:")).message,
              StartsWith("mine.yaml:11: spec.flop_per_second: no dtype \"bf61\"; nearest: "));
  EXPECT_THAT(refusal(acme_with("vendor: nvidia", "vendor: nvidai")).message,
              StartsWith("mine.yaml:3: vendor: no vendor \"nvidai\"; nearest: nvidia"));
  EXPECT_THAT(refusal(acme_with("spec.l2_bytes:", "spec.l3_bytes:")).message,
              StartsWith("mine.yaml: sources: no block or field \"spec.l3_bytes\"; nearest: "));
  expect_refused(acme_with("{bf16: 9.0e14, f32: 6.0e13}", "{tf32: 1e14, xf32: 1e14}"),
                 "mine.yaml:11: spec.flop_per_second.xf32: the rate of tf32 is given twice");
  expect_refused(acme_with("isa: sm_90\n", ""), "mine.yaml:1: isa: missing; this key is required");
  expect_refused(acme_with("id: acme-x100", "id: Acme X100"),
                 "mine.yaml: id: expected at most 64 of a-z, 0-9, _ and - for a device, got "
                 "\"Acme X100\"");
  expect_refused(acme_with("name: Acme X100 80GB", "name: [Acme]"),
                 "mine.yaml:2: name: expected text, got a list");
  expect_refused(acme_with("transferred: true", "transferred: perhaps"),
                 "mine.yaml:20: calibration.triton.transferred: expected true or false, got "
                 "\"perhaps\"");
}

TEST(BadDevice, yaml_is_held_to_maps_lists_and_scalars) {
  EXPECT_THAT(refusal("id: [1, 2\nname: x").message, StartsWith("mine.yaml:2: malformed YAML: "));
  expect_refused("", "mine.yaml: the file is empty");
  expect_refused("- 1\n", "mine.yaml:1: expected a map of keys, got a list");
  expect_refused("id: a\nid: b\n", "mine.yaml:2: key \"id\" is repeated; first on line 1");
  expect_refused("id: &x a\nname: *x\n",
                 "mine.yaml:1: YAML anchors are not supported; remove the \"&\"");
  expect_refused("id: !!str a\n", "mine.yaml:1: YAML tags are not supported; remove the \"!\"");
  expect_refused("? [a]\n: b\n", "mine.yaml:1: a key must be plain text on one line");
  expect_refused("id: a\n---\nid: b\n", "mine.yaml:3: a second YAML document; one is expected");
  expect_refused("id: " + std::string(100, '[') + std::string(100, ']'),
                 "mine.yaml:1: nested deeper than 16 levels");
  EXPECT_EQ(refusal("a: " + std::string(10000, '[')).kind, ErrorKind::bad_input);
  EXPECT_EQ(refusal("a: " + std::string(10000, '{')).kind, ErrorKind::bad_input);
  expect_refused(std::string((1 << 20) + 1, ' '),
                 "mine.yaml: 1048577 bytes; at most 1048576 are read");
}

TEST(BadDevice, a_struct_filled_in_by_hand_is_held_to_the_same) {
  Device device = load_device("h200");
  device.spec.compute.clock_hz = -1;
  EXPECT_EQ(caught([&] { validate(device); }).message,
            "spec.clock_hz: expected a number > 0, got -1");
  device = load_device("h200");
  device.spec.memory.last_level_cache_bytes = 0;
  EXPECT_NO_THROW(validate(device));
  device.measured.matrix_flop_per_second[DType::bf16] = NAN;
  EXPECT_EQ(caught([&] { validate(device); }).message,
            "measured.matrix_flop_per_second: expected a number > 0, got nan");
}

TEST(BadDevice, facts_that_contradict_each_other_are_refused) {
  expect_refused(
      acme_with("  l2_bytes:", "  num_l2_domains: 3\n  l2_bytes:"),
      "mine.yaml: spec.num_compute_units is 128, not a multiple of spec.num_l2_domains, 3");
  expect_refused(acme_with("  l2_bytes:", "  wave_width: 48\n  l2_bytes:"),
                 "mine.yaml: spec.wave_width: expected a power of two up to 1024, got 48");
  expect_refused(acme_with("copy_bytes_per_second: 2.9e12", "copy_bytes_per_second: 2.9e15"),
                 "mine.yaml: measured.copy_bytes_per_second is 2.9e+15, more than "
                 "spec.memory_bytes_per_second, 3.2e+12; one of them is wrong");
  expect_refused(
      acme_with("  launch_seconds", "  sustained_clock_hz: {bf16: 1.8e9}\n  launch_seconds"),
      "mine.yaml: measured.sustained_clock_hz.bf16 is 1.8e+09, more than spec.clock_hz, "
      "1.7e+09; one of them is wrong");
}

}  // namespace
}  // namespace ambidex
