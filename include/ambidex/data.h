// SPDX-License-Identifier: Apache-2.0
// Samples from files: a stream of batches in constant memory, read ahead by a thread of its own.
//
//   using namespace ambidex;
//   ModelSpec model = load_model("dlrm_kaggle");
//   DataReader reader(model, {.path = "train.txt", .part = SplitPart::train, .batch = 2048});
//   Batch batch;
//   while (reader.next(batch)) { ... }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/model.h"

namespace ambidex {

/// What a step consumes. Features are in the order of model.tables and their features.
struct Batch {
  int64_t size = 0;
  std::vector<int64_t> numbers;  // [size], places in the data set, unreadable samples counted
  std::vector<float> labels;     // [size], 0 or 1; NaN for none, if DataOptions allow it
  std::vector<float> dense;      // [size, dense features], after the transform
  /// Feature by feature: of feature f with `lookups` L_f, the block [size, L_f] begins at
  /// size * (L_0 + ... + L_{f-1}). -1 is padding, at the end of a sample's ids; other ids are in
  /// [0, rows).
  std::vector<int32_t> ids;
};

/// Facts that need a pass over the training data; saved with a checkpoint so that other data is
/// read in the same way. Keys are names of tables for vocabularies, else of dense features.
struct DataStatistics {
  std::map<std::string, std::vector<std::string>> vocabularies;  // token of row 1, 2, ...
  std::map<std::string, double> means;                           // DenseTransform::standard
  std::map<std::string, double> deviations;
  std::map<std::string, double> minimums;  // DenseTransform::log_shifted
  bool operator==(const DataStatistics&) const = default;
};

struct DataOptions {
  std::string path;    // file, folder, prefix of .inter/.user/.item, or "synthetic:..."
  std::string format;  // empty: model.data.format, else found out
  SplitPart part = SplitPart::all;
  int64_t batch = 2048;
  bool shuffle = false;       // within model.data.shuffle_window, by `seed` and epoch
  bool drop_partial = false;  // leave out a last batch that is not full
  int64_t rank = 0;           // reads every num_ranks-th window-sized run of samples
  int64_t num_ranks = 1;
  int64_t skip_bad = 0;  // so many unreadable samples of a pass are counted instead of thrown
  int64_t seed = 1;
  bool labelled = true;  // false: samples may lack labels, and data the column or file of them
};

/// Where a reader is between two batches. Another reader of the same options continues from it with
/// the same bits.
struct DataPosition {
  int64_t epoch = 0;          // passes over the data that are complete
  int64_t window_record = 0;  // samples of the source before the current window
  int64_t window_byte = 0;    // the same as a place in the (decompressed) source
  int64_t window_file = 0;    // index of the file in a folder
  int64_t window_line = 0;    // lines of that file before it
  int64_t in_window = 0;      // samples of the window already handed out
  int64_t num_skipped = 0;    // unreadable samples of this epoch before the current window
  bool operator==(const DataPosition&) const = default;
};

/// Endless over epochs if the caller calls `start_epoch`; one pass otherwise.
class DataReader {
 public:
  /// Opens the files, finds out the format, reads ahead. `statistics` empty: found in a pass over
  /// the training part, where a feature needs them.
  ///   throws Error(not_found), Error(bad_input) with file and line, Error(unsupported)
  DataReader(const ModelSpec& model, const DataOptions& options,
             const DataStatistics& statistics = {});
  ~DataReader();
  DataReader(DataReader&&) noexcept;
  DataReader& operator=(DataReader&&) noexcept;

  /// Fills `batch` and returns true, or false at the end of the epoch.
  ///   throws what the read-ahead thread met, once the batches before it are used up
  bool next(Batch& batch);

  /// Begins the next pass; call it after `next` returned false.
  void start_epoch();

  /// After the last batch that `next` gave.
  DataPosition position() const;

  /// Continues from `position`, as given by a reader of the same model and options.
  void restore(const DataPosition& position);

  const DataStatistics& statistics() const;
  const std::string& format() const;  // the one in use
  /// Unreadable samples of this epoch that skip_bad let pass, up to the last batch given.
  int64_t num_skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a planted model can reach at best on its own data.
struct BayesOptimum {
  double auc = 0;
  double log_loss = 0;
  double label_rate = 0;
};

/// Of "synthetic:..." data, from a sample of its true logits; see docs/data-synthetic.md for
/// the words.
///   throws Error(bad_input) on other paths
BayesOptimum bayes_optimum(const ModelSpec& model, const std::string& path);

/// Different ids of a field that are counted one by one.
inline constexpr int64_t kMaxDistinct = 65536;

/// One field of a data set, as `ambidex data inspect` shows it.
struct FieldSummary {
  std::string name;
  std::string kind;        // "label", "dense", "id", "ids", "unused"
  int64_t num_values = 0;  // not blank; of "ids", those of all samples
  int64_t num_blank = 0;   // samples
  double minimum = 0;      // dense and label
  double maximum = 0;
  double mean = 0;
  int64_t num_distinct = 0;  // ids; exact up to kMaxDistinct, then an estimate
  bool is_estimate = false;
  double top_share_ratio = 0;  // of the most frequent id among all
  double zipf_exponent = 0;    // fitted to the ranks of the ids; 0 if there are fewer than 10
  std::string maps_to;         // "dense I1, log", "table C3, hex modulo 1000"; "" if unused
};

struct DataSummary {
  std::string format;
  std::vector<std::string> files;
  int64_t num_samples = 0;  // read
  bool is_whole = true;     // false: max_samples ended it
  double label_rate = 0;
  int64_t num_bad = 0;  // unreadable, with the first message
  std::string first_bad;
  std::vector<FieldSummary> fields;
};

/// Reads up to max_samples without a model: fields are mapped as the format suggests.
///   throws Error(bad_input) on formats without names for their fields, which need a model
DataSummary inspect_data(const std::string& path, const std::string& format,
                         int64_t max_samples = 1'000'000);

/// The same as `model` maps it.
///   throws Error(bad_input) if it asks for fields that are not there
DataSummary inspect_data(const ModelSpec& model, const std::string& path, const std::string& format,
                         int64_t max_samples = 1'000'000);

}  // namespace ambidex
