// SPDX-License-Identifier: Apache-2.0
// What a model is told: the hazard, the gate's word, the kernel's signature and launches, and the
// source without comments, which is data and gives no orders.
#pragma once

#include <string>
#include <vector>

#include "port/repair_judge.h"
#include "port/repair_protocol.h"

namespace ambidex::repair {

/// The rules of the exchange, the same for every task of a kind, and what is asked first.
struct Question {
  std::string system, task;
};

/// For a kernel that is wrong or refused; `trouble` is how the port as it is fails.
Question repair_question(const Bench& bench, const std::string& trouble);

/// Parts of a task: how edits are written, signatures and launches with the roles of pointers,
/// pages of the first few hazards, sources without comments.
std::string edits_text();
std::string contract_text(const Task& task);
std::string hazards_text(const std::vector<std::string>& ids);
std::string sources_text(const Bench& bench);

/// What a model hears of a reply that was not accepted.
std::string rejection_text(const std::string& gate, const std::string& shown);

/// A turn that is over.
struct Exchange {
  std::string reply, rejection;
};

/// The question with the last few exchanges.
ModelRequest request_of(const Question& question, const std::vector<Exchange>& exchanges,
                        int64_t max_reply_tokens);

/// Bytes of all its texts: at least as many as it has tokens.
int64_t num_bytes(const ModelRequest& request);

}  // namespace ambidex::repair
