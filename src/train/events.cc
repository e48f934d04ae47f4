// SPDX-License-Identifier: Apache-2.0
// A record of a TFRecord file is its length (8 bytes), the masked CRC of these, the bytes, their
// masked CRC (4 bytes each, all little-endian). The bytes are a protocol buffer:
//   Event    1 wall_time double, 2 step int64, 3 file_version string, 5 summary
//   Summary  1 repeated Value;   Value  1 tag string, 2 simple_value float
#include "train/events.h"

#include <array>
#include <bit>

namespace ambidex {
namespace {

constexpr std::array<uint32_t, 256> crc_table() {
  constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

/// So that the CRC of data that holds CRCs stays a good one.
uint32_t masked(uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8u; }

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

template <class Bits>
void append_fixed(std::string& out, Bits bits) {
  for (size_t i = 0; i < sizeof bits; ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_key(std::string& out, uint32_t field, WireType type) {
  append_varint(out, field << 3 | type);
}

void append_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  append_key(out, field, kBytes);
  append_varint(out, bytes.size());
  out += bytes;
}

void append_double(std::string& out, uint32_t field, double value) {
  append_key(out, field, kFixed64);
  append_fixed(out, std::bit_cast<uint64_t>(value));
}

std::string value_of(const Scalar& scalar) {
  std::string out;
  append_bytes(out, 1, scalar.tag);
  append_key(out, 2, kFixed32);
  append_fixed(out, std::bit_cast<uint32_t>(static_cast<float>(scalar.value)));
  return out;
}

std::string record_of(std::string_view event) {
  std::string out;
  append_fixed(out, uint64_t{event.size()});
  append_fixed(out, masked(crc32c(out)));
  out += event;
  append_fixed(out, masked(crc32c(event)));
  return out;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = crc_table();
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

EventWriter::EventWriter(const std::string& path, double wall_seconds) : file_(path) {
  std::string event;
  append_double(event, 1, wall_seconds);
  append_bytes(event, 3, "brain.Event:2");
  file_.write(record_of(event));
}

void EventWriter::add(int64_t step, double wall_seconds, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar& scalar : scalars) append_bytes(summary, 1, value_of(scalar));
  std::string event;
  append_double(event, 1, wall_seconds);
  append_key(event, 2, kVarint);
  append_varint(event, static_cast<uint64_t>(step));
  append_bytes(event, 5, summary);
  file_.write(record_of(event));
}

}  // namespace ambidex
