// SPDX-License-Identifier: Apache-2.0
// Text with a header: the same bytes as a CSV file, as interactions, and as a file of users that is
// joined to interactions.
#include <filesystem>
#include <fstream>

#include "ambidex/data.h"
#include "data/text_table.h"
#include "fuzz/data_files.h"
#include "fuzz/fuzz.h"

namespace ambidex {
namespace {

void read_rows(const TextTable& table) {
  TextRow row;
  while (table.next(row)) {
    check(!row.complaint.empty() || row.cells.size() == table.fields.size(),
          "a row has a cell for each field");
  }
}

/// Whatever one reader refuses, the next one still gets its turn.
template <class Read>
void try_to(Read read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.kind == ErrorKind::internal) throw;
  }
}

/// A folder whose users.inter is whole, and whose users.user is to be written.
const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "ambidex-XXXXXX").string();
    std::filesystem::path path = mkdtemp(pattern.data());
    std::ofstream(path / "users.inter") << "user_id:token\tx:float\nu1\t1\nu2\t2\n";
    return path;
  }();
  return made;
}

void write(const char* name, std::string_view text) {
  std::ofstream(folder() / name, std::ios::binary) << text;
}

}  // namespace
}  // namespace ambidex

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  const MemoryFile file(text);
  try_to([&] { read_rows(csv_table({file.path})); });
  try_to([&] { inspect_data(file.path, "csv"); });
  write("alone.inter", text);
  try_to([&] { read_rows(recbole_table((folder() / "alone").string())); });
  write("users.user", text);
  try_to([&] { read_rows(recbole_table((folder() / "users").string())); });
}
