// SPDX-License-Identifier: Apache-2.0
// Archives are written here byte by byte; one is numpy's own.
#include <zlib.h>

#include "binary_files.h"
#include "data/zip.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// numpy.savez_compressed of "0": int32 [[1, 2], [3, 4], [5, -1]] and "1": int32 [[7], [8], [9]].
constexpr std::string_view kNumpyArchive =
    "504b03042d0000000800000021006f1762c2ffffffffffffffff05001400302e6e70790100100098"
    "0000000000000057000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2"
    "aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a0a469a3a0ab5"
    "0a64032e46060606262066066216206605e2ff400000504b03042d00000008000000210053bd86a1"
    "ffffffffffffffff05001400312e6e7079010010008c000000000000004f000000000000009bec17"
    "ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a1277"
    "4bcc294e058a17672416a402f91ac63a0a869a3a0ab50a64032e760606060e20e6046200504b0102"
    "2d032d0000000800000021006f1762c2570000009800000005000000000000000000000080010000"
    "0000302e6e7079504b01022d032d00000008000000210053bd86a14f0000008c0000000500000000"
    "0000000000000080018e000000312e6e7079504b0506000000000200020066000000140100000000";

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipOptions {
  bool is_deflated = false;
  bool is_zip64 = false;
  int method = -1;  // instead of the true one
  int flags = 0;
  uint32_t crc_change = 0;
  std::string comment;
};

struct Named {
  std::string name;
  std::string bytes;
};

std::string zip_of(const std::vector<Named>& members, const ZipOptions& options = {}) {
  std::string archive, directory;
  const int method = options.method >= 0 ? options.method : options.is_deflated ? 8 : 0;
  for (const auto& [name, bytes] : members) {
    const std::string stored = options.is_deflated ? deflated(bytes) : bytes;
    const uint64_t offset = archive.size();
    const uint32_t crc = static_cast<uint32_t>(crc32_z(
                             0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())) ^
                         options.crc_change;
    const std::string facts = number(static_cast<uint64_t>(options.flags), 2) +
                              number(static_cast<uint64_t>(method), 2) + number(0, 4) +
                              number(crc, 4);
    const uint64_t all_ones = 0xffffffff;
    const std::string sizes = number(options.is_zip64 ? all_ones : stored.size(), 4) +
                              number(options.is_zip64 ? all_ones : bytes.size(), 4);
    const std::string extra = options.is_zip64
                                  ? number(1, 2) + number(24, 2) + number(bytes.size(), 8) +
                                        number(stored.size(), 8) + number(offset, 8)
                                  : number(0x5455, 2) + number(1, 2) + "x";
    archive += "PK\3\4" + number(45, 2) + facts + sizes + number(name.size(), 2) + number(5, 2) +
               name + number(0x5455, 2) + number(1, 2) + "x" + stored;
    directory += "PK\1\2" + number(45, 2) + number(45, 2) + facts + sizes + number(name.size(), 2) +
                 number(extra.size(), 2) + number(0, 2) + number(0, 8) +
                 number(options.is_zip64 ? all_ones : offset, 4) + name + extra;
  }
  const uint64_t at = archive.size();
  archive += directory;
  const uint64_t end64 = archive.size();
  if (options.is_zip64) {
    archive += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
               number(members.size(), 8) + number(members.size(), 8) + number(directory.size(), 8) +
               number(at, 8);
    archive += "PK\6\7" + number(0, 4) + number(end64, 8) + number(1, 4);
  }
  return archive + "PK\5\6" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
         number(options.is_zip64 ? 0xffffffff : directory.size(), 4) +
         number(options.is_zip64 ? 0xffffffff : at, 4) + number(options.comment.size(), 2) +
         options.comment;
}

/// Two features of 2 and 1 lookups.
std::string multi_hot_day(const Scratch& scratch, const std::string& archive) {
  scratch.write("m_labels.npy", npy<int32_t>("<i4", "3, 1", {1, 0, 1}));
  scratch.write("m_sparse_multi_hot.npz", archive);
  return scratch.write("m_dense.npy", npy<float>("<f4", "3, 1", {0, 1, 2}));
}

TEST(Npz, an_archive_of_numpy_itself_is_read) {
  const Scratch scratch;
  const std::string path = multi_hot_day(scratch, from_hex(kNumpyArchive));
  const Records records = read_all(open_npy({path}, layout_with(1, {2, 1})), 2);
  // 2^32 - 1 modulo 1000 for the -1
  EXPECT_THAT(records.ids, ElementsAre(1, 2, 7, 3, 4, 8, 5, 295, 9));
}

TEST(Npz, stored_deflated_and_zip64_members_give_the_same_records) {
  const Scratch scratch;
  const std::vector<Named> members{{"1.npy", npy<int32_t>("<i4", "3, 1", {7, 8, 9})},
                                   {"0.npy", npy<int32_t>("<i4", "3, 2", {1, 2, 3, 4, 5, 6})}};
  for (const ZipOptions& options :
       {ZipOptions{}, ZipOptions{.is_deflated = true}, ZipOptions{.is_zip64 = true},
        ZipOptions{.is_deflated = true, .is_zip64 = true},
        ZipOptions{.comment = "PK\5\6 is no end here"}}) {
    const std::string path = multi_hot_day(scratch, zip_of(members, options));
    const Records records = read_all(open_npy({path}, layout_with(1, {2, 1})));
    EXPECT_THAT(records.ids, ElementsAre(1, 2, 7, 3, 4, 8, 5, 6, 9));
  }
}

TEST(Npz, long_deflated_members_seek_forward_and_back) {
  const Scratch scratch;
  constexpr int kRecords = 50'000;
  std::vector<int32_t> ids, labels;
  std::vector<float> dense;
  for (int i = 0; i < kRecords; ++i) {
    ids.insert(ids.end(), {i % 977, (i * 7919) % 1000});  // incompressible enough for refills
    labels.push_back(i & 1);
    dense.push_back(static_cast<float>(i));
  }
  const std::string path = scratch.write("m_dense.npy", npy("<f4", "50000, 1", dense));
  scratch.write("m_labels.npy", npy("<i4", "50000", labels));
  scratch.write("m_sparse_multi_hot.npz",
                zip_of({{"0.npy", npy("<i4", "50000, 2", ids)}}, {.is_deflated = true}));
  const Source source = open_npy({path}, layout_with(1, {2}));
  const Records all = read_all(source, 7'001);
  EXPECT_THAT(all.ids, ElementsAreArray(ids));
  for (const int64_t record : {49'999, 3, 20'000}) {
    source.seek({.record = record});
    Records one;
    BadRecords none;
    source.read(one, 1, none);
    EXPECT_EQ(one.dense.at(0), static_cast<float>(record));
    EXPECT_EQ(one.ids.at(1), ids[static_cast<size_t>(2 * record + 1)]);
  }
}

TEST(Npz, damage_is_told_with_the_member) {
  const Scratch scratch;
  const std::vector<Named> members{{"0.npy", npy<int32_t>("<i4", "3, 1", {1, 2, 3})}};
  const auto read = [&](const std::string& archive) {
    const std::string path = multi_hot_day(scratch, archive);
    read_all(open_npy({path}, layout_with(1, {1})));
  };
  EXPECT_THAT(bad_input([&] { read(zip_of(members, {.crc_change = 1})); }),
              HasSubstr("m_sparse_multi_hot.npz: 0.npy: expected 82 bytes, got bytes of another "
                        "checksum; the file is cut off or damaged, copy it again"));
  std::string broken = zip_of(members, {.is_deflated = true});
  broken[40] = '\x07';  // a kind of block that there is not
  EXPECT_THAT(bad_input([&] { read(broken); }), HasSubstr("got damaged compressed bytes"));
  std::string early = zip_of(members, {.is_deflated = true});
  early.replace(early.find("PK\1\2") + 20, 4, number(20, 4));  // fewer stored bytes than there are
  EXPECT_THAT(bad_input([&] { read(early); }), HasSubstr("0.npy: expected 82 bytes, got an early"));
  const std::string whole = zip_of(members);
  EXPECT_THAT(
      bad_input([&] { read(whole.substr(0, whole.size() - 30)); }),
      HasSubstr("multi_hot.npz: expected a zip archive of .npy members, got no directory at "
                "its end; save it again with numpy.savez, or copy it again"));
  EXPECT_THAT(bad_input([&] { read(whole.substr(20)); }), HasSubstr("got a broken directory"));
  std::string moved = whole;
  moved.replace(moved.rfind("PK\5\6") + 16, 4, number(1'000'000, 4));
  EXPECT_THAT(bad_input([&] { read(moved); }), HasSubstr("got a directory beyond its end"));
  moved.replace(moved.rfind("PK\5\6") + 12, 4, number(1 << 30, 4));
  EXPECT_THAT(bad_input([&] { read(moved); }), HasSubstr("got a directory of impossible size"));
  std::string no_local = whole;
  no_local[1] = 'x';
  EXPECT_THAT(bad_input([&] { read(no_local); }), HasSubstr("got no member where it should be"));
  std::string huge = whole;
  huge.replace(huge.find("PK\1\2") + 24, 4, number(1'000'000'000, 4));
  EXPECT_THAT(bad_input([&] { read(huge); }), HasSubstr("got a member \"0.npy\" of impossible"));
  std::string no_64 = zip_of(members, {.is_zip64 = true});
  no_64[no_64.find("PK\6\6")] = 'x';
  EXPECT_THAT(bad_input([&] { read(no_64); }), HasSubstr("no zip64 directory where it should be"));
}

TEST(Npz, a_member_that_reaches_beyond_the_file_is_told) {
  const std::string archive = zip_of({{"0.npy", npy<int32_t>("<i4", "1, 1", {1})}});
  const ByteFile file = bytes_in_memory(archive, "x.npz");
  FilePart part = read_zip_directory(file).at(0).part;
  part.first_byte = file.size_bytes - 10;
  EXPECT_THAT(bad_input([&] { ByteStream(file, part, "x.npz: 0.npy"); }),
              HasSubstr("x.npz: 0.npy: expected 74 bytes, got only 10 in the file"));
}

TEST(Npz, encrypted_members_and_other_compressions_are_refused) {
  const std::vector<Named> members{{"0.npy", "x"}};
  const auto read = [&](const ZipOptions& options) {
    const std::string archive = zip_of(members, options);
    read_zip_directory(bytes_in_memory(archive, "x.npz"));
  };
  EXPECT_THAT(unsupported([&] { read({.flags = 1}); }),
              HasSubstr("x.npz: \"0.npy\": expected a stored or deflated member, got an encrypted "
                        "one; save it with numpy.savez or numpy.savez_compressed"));
  EXPECT_THAT(unsupported([&] { read({.method = 12}); }), HasSubstr("got compression 12"));
}

TEST(Npz, members_and_hotness_must_fit_the_model) {
  const Scratch scratch;
  const std::string path = multi_hot_day(scratch, from_hex(kNumpyArchive));
  EXPECT_THAT(bad_input([&] {
                open_npy({path}, layout_with(1, {3, 1}));
              }),
              HasSubstr("m_sparse_multi_hot.npz: 0.npy: expected 3 ids of a sample, the lookups of "
                        "\"f0\", got 2; set its lookups to 2"));
  EXPECT_THAT(
      bad_input([&] { open_npy({path}, layout_with(1, {2})); }),
      HasSubstr("m_sparse_multi_hot.npz: expected 1 id columns, one for each feature of the "
                "model, got 2; change the model's features, or name their fields C1, C2"));
  multi_hot_day(scratch, zip_of({{"a.npy", npy<int32_t>("<i4", "3, 2", {1, 2, 3, 4, 5, 6})}}));
  EXPECT_THAT(
      bad_input([&] { open_npy({path}, layout_with(1, {2})); }),
      HasSubstr("m_sparse_multi_hot.npz: expected a member 0.npy for \"f0\", got none; save "
                "the arrays as 0, 1, 2, ..."));
}

}  // namespace
}  // namespace ambidex
