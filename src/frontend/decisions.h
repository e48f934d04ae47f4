// SPDX-License-Identifier: Apache-2.0
// What a program has been seen to decide, both ways: a comparison that came out one way in every
// run guards code that no run has tried.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <nlohmann/json.hpp>

namespace ambidex {

/// Lets every comparison of the user's functions note how it comes out, in two bytes each of
/// kModuleDecisions: [2 * i] is set if it was false, [2 * i + 1] if it was true. Before the code is
/// optimised, so that what is known without a run counts as asked, too. Returns the comparisons in
/// order, [{file, line, column, asks}]; asks is "sgt 1000000", with a constant of the source, or
/// "sgt".
nlohmann::json note_decisions(llvm::Module& module);

/// Keeps the notes out of what the sanitizer sees, however the optimiser has merged them.
void hide_notes(llvm::PassBuilder& passes);

}  // namespace ambidex
