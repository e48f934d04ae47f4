// SPDX-License-Identifier: Apache-2.0
// Expected readings are written from the PTX ISA's grammar, by hand.
#include "frontend/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ambidex/port.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PtxInstruction only(const PtxCode& code) {
  EXPECT_THAT(code.problems, IsEmpty());
  EXPECT_EQ(code.instructions.size(), 1u);
  return code.instructions.empty() ? PtxInstruction{} : code.instructions[0];
}

TEST(Ptx, an_instruction_has_modifiers_placeholders_and_special_registers) {
  const PtxInstruction mov = only(parse_ptx("mov.u32 %0, %%laneid;"));
  EXPECT_EQ(mov.mnemonic, "mov");
  EXPECT_THAT(mov.modifiers, ElementsAre("u32"));
  ASSERT_EQ(mov.operands.size(), 2u);
  EXPECT_EQ(mov.operands[0].kind, PtxOperandKind::placeholder);
  EXPECT_EQ(mov.operands[0].index, 0);
  EXPECT_EQ(mov.operands[1].kind, PtxOperandKind::special);
  EXPECT_EQ(mov.operands[1].text, "laneid");
  EXPECT_EQ(only(parse_ptx("mov.u32 %0, %%tid.x;")).operands[1].text, "tid.x");
}

TEST(Ptx, plain_ptx_has_registers_where_a_template_has_placeholders) {
  const PtxInstruction mov = only(parse_ptx("mov.u32 %r1, %tid.x;", false));
  EXPECT_EQ(mov.operands[0].kind, PtxOperandKind::name);
  EXPECT_EQ(mov.operands[0].text, "%r1");
  EXPECT_EQ(mov.operands[1].kind, PtxOperandKind::special);
}

TEST(Ptx, addresses_have_a_base_and_an_offset) {
  const PtxInstruction load = only(parse_ptx("ld.global.nc.v2.f32 {%0, %1}, [%2 + 0x10 - 4];"));
  EXPECT_EQ(full_mnemonic(load), "ld.global.nc.v2.f32");
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].kind, PtxOperandKind::list);
  EXPECT_EQ(load.operands[0].parts[1].index, 1);
  EXPECT_EQ(load.operands[1].kind, PtxOperandKind::address);
  EXPECT_EQ(load.operands[1].offset, 12);
  EXPECT_EQ(load.operands[1].parts[0].index, 2);
  EXPECT_EQ(only(parse_ptx("st.shared.u32 [%rd1+-8], %0;", false)).operands[0].offset, -8);
}

TEST(Ptx, an_address_may_hold_coordinates) {
  const PtxInstruction copy =
      only(parse_ptx("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4}], [%2];"));
  EXPECT_TRUE(has_modifier(copy, "mbarrier::complete_tx::bytes"));
  ASSERT_EQ(copy.operands.size(), 3u);
  ASSERT_EQ(copy.operands[1].parts.size(), 2u);
  EXPECT_EQ(copy.operands[1].parts[1].parts[1].index, 4);
}

TEST(Ptx, guards_labels_scopes_and_comments) {
  const PtxCode code = parse_ptx(
      "{\n .reg .pred p, q;\n .reg .b32 r<4>; // four\n"
      "again: /* x; y */ setp.ne.b32 p|q, %1, 0;\n"
      "@!p mov.u32 %0, 1;\n @%%p0 bra again;\n}\n done:");
  EXPECT_THAT(code.problems, IsEmpty());
  ASSERT_EQ(code.instructions.size(), 3u);
  EXPECT_THAT(code.instructions[0].labels, ElementsAre("again"));
  EXPECT_EQ(code.instructions[0].operands[0].kind, PtxOperandKind::pair);
  EXPECT_EQ(code.instructions[0].operands[0].parts[1].text, "q");
  EXPECT_EQ(code.instructions[1].guard, "p");
  EXPECT_TRUE(code.instructions[1].guard_negated);
  EXPECT_EQ(code.instructions[2].guard, "%p0");
  EXPECT_EQ(code.instructions[2].operands[0].text, "again");
  EXPECT_THAT(code.end_labels, ElementsAre("done"));
  ASSERT_EQ(code.registers.size(), 3u);
  EXPECT_EQ(code.registers[1].name, "q");
  EXPECT_EQ(code.registers[1].type, "pred");
  EXPECT_EQ(code.registers[2].name, "r");
  EXPECT_EQ(code.registers[2].count, 4);
}

TEST(Ptx, immediates_have_bits) {
  const auto bits = [](const std::string& word) {
    return only(parse_ptx("mov.b64 %0, " + word + ";")).operands[1].bits;
  };
  EXPECT_EQ(bits("0x1F"), 31u);
  EXPECT_EQ(bits("0b101"), 5u);
  EXPECT_EQ(bits("017"), 15u);
  EXPECT_EQ(bits("42U"), 42u);
  EXPECT_EQ(bits("-1"), ~uint64_t{0});
  EXPECT_EQ(bits("0f3F800000"), 0x3f800000u);
  EXPECT_EQ(bits("0d3FF0000000000000"), 0x3ff0000000000000u);
  EXPECT_EQ(bits("1.5"), std::nullopt);
  EXPECT_EQ(bits("1e-3"), std::nullopt);
}

TEST(Ptx, calls_and_matrix_products_are_read) {
  EXPECT_EQ(only(parse_ptx("call (r), f, (%0, %1);")).operands[2].parts.size(), 2u);
  const PtxInstruction mma =
      only(parse_ptx("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};\n"));
  EXPECT_EQ(mma.modifiers.size(), 9u);
  ASSERT_EQ(mma.operands.size(), 4u);
  EXPECT_EQ(mma.operands[3].parts[3].index, 13);
}

TEST(Ptx, what_cannot_be_read_is_noted_and_the_rest_is_read) {
  const PtxCode code = parse_ptx("mov.u32 %0, ; ?? ; ld.u32 %1, [%2; add.u32 %0, =, %2;");
  EXPECT_THAT(code.problems, testing::Contains(testing::Field(
                                 &PtxProblem::message, "an operand is missing after a comma")));
  EXPECT_THAT(code.problems, testing::Contains(testing::Field(&PtxProblem::message,
                                                              "no statement begins with ?")));
  EXPECT_THAT(code.problems, testing::Contains(testing::Field(&PtxProblem::message,
                                                              "expected ] after an address")));
  EXPECT_THAT(code.problems,
              testing::Contains(testing::Field(&PtxProblem::message, "no operand begins with =")));
  ASSERT_EQ(code.instructions.size(), 3u);
  EXPECT_EQ(code.instructions[2].mnemonic, "add");
  EXPECT_EQ(code.instructions[2].operands.size(), 3u);
}

TEST(Ptx, deep_nesting_and_huge_counts_end) {
  parse_ptx("mov.u32 " + std::string(100000, '{'));
  parse_ptx(std::string(100000, '['));
  const PtxCode code = parse_ptx(".reg .b32 r<99999999999999999999>; .reg .b32 s<4000000000>;");
  EXPECT_THAT(code.problems, testing::SizeIs(1));
  EXPECT_EQ(code.registers[1].count, 65536);
}

TEST(PtxAsm, pieces_are_joined_and_constraints_split) {
  const AsmStatement it = parse_asm(R"(asm volatile (
      "{\n\t"            // open
      " mov.u32 %0, %2;" " }"
      : "=r"(out[f(1, 2)]), [two] "+f" (y)
      : "l"(__cvta_generic_to_global(p)), "n"(')')
      : "memory", "cc"); after();)");
  EXPECT_TRUE(it.is_volatile);
  EXPECT_TRUE(it.complete);
  EXPECT_EQ(it.text, "{\n\t mov.u32 %0, %2; }");
  ASSERT_EQ(it.outputs.size(), 2u);
  EXPECT_EQ(it.outputs[0].constraint, "=r");
  EXPECT_EQ(it.outputs[0].expression, "out[f(1, 2)]");
  EXPECT_EQ(it.outputs[1].name, "two");
  ASSERT_EQ(it.inputs.size(), 2u);
  EXPECT_EQ(it.inputs[0].expression, "__cvta_generic_to_global(p)");
  EXPECT_EQ(it.inputs[1].expression, "')'");
  EXPECT_THAT(it.clobbers, ElementsAre("memory", "cc"));
}

TEST(PtxAsm, raw_strings_and_joined_lines_of_macros) {
  EXPECT_EQ(parse_asm("asm(R\"ptx(bar.sync 0;)ptx\");").text, "bar.sync 0;");
  EXPECT_EQ(parse_asm("asm(\"bar.\" \\\n \"sync 0;\" \\\n ::)").text, "bar.sync 0;");
  EXPECT_EQ(parse_asm(R"(__asm__ __volatile__("a\x41\101\"b;" ::: "memory"))").text, "aAA\"b;");
}

TEST(PtxAsm, a_macro_between_pieces_is_a_hole) {
  const AsmStatement it =
      parse_asm(R"(asm("ld.global" HINT(4) ".f32 %0, [%1];" : "=f"(x) : "l"(p)))");
  EXPECT_EQ(it.text, "ld.global\x1aHINT(4)\x1a.f32 %0, [%1];");
  const PtxCode code = parse_ptx(it.text);
  ASSERT_EQ(code.instructions.size(), 1u);
  EXPECT_THAT(full_mnemonic(code.instructions[0]), HasSubstr("HINT(4)"));
  EXPECT_EQ(code.instructions[0].operands.size(), 2u);
}

TEST(PtxAsm, an_open_statement_ends_with_the_text) {
  EXPECT_FALSE(parse_asm("asm volatile(\"mov").complete);
  EXPECT_FALSE(parse_asm("asm").complete);
  EXPECT_FALSE(parse_asm("asm(\"x;\" : \"=r\"(a").complete);
}

TEST(PtxAsm, constraints_become_letters_of_the_host_and_nothing_moves) {
  EXPECT_EQ(with_host_constraints(
                R"(f("f"); asm("x" : "=f"(a), "+d" (b) : "f"(c), "r"(d), "h"("f"(1)));)"),
            R"(f("f"); asm("x" : "=x"(a), "+x" (b) : "x"(c), "r"(d), "r"("x"(1)));)");
  EXPECT_EQ(with_host_constraints(R"(__asm__ volatile("f" ::"f"(x)); my_asm("f"(1));)"),
            R"(__asm__ volatile("f" ::"x"(x)); my_asm("f"(1));)");
}

std::string_view pattern_of(std::string_view text) {
  const PtxRule* const rule = ptx_rule(only(parse_ptx(text)));
  return rule ? rule->pattern : "none";
}

TEST(PtxTable, the_row_with_most_words_counts) {
  EXPECT_EQ(pattern_of("mov.u32 %0, 1;"), "mov");
  EXPECT_EQ(pattern_of("mov.u32 %0, %%laneid;"), "mov %laneid");
  EXPECT_EQ(pattern_of("mov.u32 %0, %%tid.x;"), "mov %tid");
  EXPECT_EQ(pattern_of("mov.u32 %0, WARP_SZ;"), "mov %WARP_SZ");
  EXPECT_EQ(pattern_of("cp.async.ca.shared.global [%0], [%1], 16;"), "cp async");
  EXPECT_EQ(pattern_of("cp.async.wait_group 0;"), "cp async wait_group");
  EXPECT_EQ(pattern_of("red.global.add.f32 [%0], %1;"), "red f32");
  EXPECT_EQ(pattern_of("fma.rz.f32 %0, %1, %2, %3;"), "fma rz");
  EXPECT_EQ(pattern_of("barrier.cluster.arrive;"), "barrier cluster");
  EXPECT_EQ(pattern_of("bar.sync 0;"), "bar 0");
  EXPECT_EQ(pattern_of("bar.sync 1, 64;"), "bar");
  EXPECT_EQ(pattern_of("frobnicate.u32 %0;"), "none");
}

TEST(PtxTable, rows_are_distinct_and_cite_the_catalogue) {
  std::set<std::string_view> patterns;
  std::set<std::string_view> mnemonics;
  for (const PtxRule& rule : ptx_rules()) {
    EXPECT_TRUE(patterns.insert(rule.pattern).second) << rule.pattern;
    mnemonics.insert(rule.pattern.substr(0, rule.pattern.find(' ')));
    EXPECT_EQ(hazard(rule.hazard).id, rule.hazard);
    EXPECT_FALSE(rule.statement.empty()) << rule.pattern;
  }
  EXPECT_GE(mnemonics.size(), 60u);
  EXPECT_EQ(name_of(PtxTreatment::library), "library");
}

PtxRewrite rewrite_of(std::string_view source) {
  const AsmStatement statement = parse_asm(source);
  EXPECT_TRUE(statement.complete) << source;
  return rewritten(statement, parse_ptx(statement.text));
}
std::string text_of(std::string_view source) { return rewrite_of(source).text; }

TEST(PtxRewrite, signed_sums_wrap_and_shifts_take_any_amount) {
  EXPECT_EQ(text_of(R"(asm("add.s32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c)))"),
            "$0$ = (int)((unsigned)($1$) + (unsigned)($2$))");
  EXPECT_EQ(text_of(R"(asm("shl.b32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c)))"),
            "$0$ = ambidex_port::shl((unsigned)($1$), (unsigned)($2$))");
}

TEST(PtxRewrite, inputs_that_are_read_after_an_output_is_written_are_copied_first) {
  EXPECT_EQ(
      text_of(R"(asm("mov.b32 %0, %2; mov.b32 %1, %3;" : "=r"(a), "=r"(b) : "r"(b), "r"(a)))"),
      "do { const auto ambidex_operand3 = $3$; $0$ = (unsigned)($2$); $1$ = "
      "(unsigned)(ambidex_operand3); } while (0)");
}

TEST(PtxRewrite, an_operand_that_is_named_twice_is_evaluated_once) {
  EXPECT_EQ(text_of(R"(asm("add.u32 %0, %1, %1;" : "=r"(a) : "r"(*p++)))"),
            "do { const auto ambidex_operand1 = $1$; $0$ = (unsigned)(ambidex_operand1) + "
            "(unsigned)(ambidex_operand1); } while (0)");
}

TEST(PtxRewrite, a_register_has_a_name_that_no_variable_has) {
  EXPECT_EQ(
      text_of(
          R"(asm("{ .reg .b32 %%p<2>; not.b32 %%p1, %1; mov.b32 %0, %%p1; }" : "=r"(a) : "r"(p)))"),
      "do { unsigned ptx_p0; unsigned ptx_p1; ptx_p1 = ~((unsigned)($1$)); $0$ = "
      "(unsigned)(ptx_p1); } while (0)");
}

TEST(PtxRewrite, a_float_register_seen_as_bits_keeps_them) {
  EXPECT_THAT(
      text_of(R"(asm("{ .reg .f32 t; mov.f32 t, %1; mov.b32 %0, t; }" : "=r"(a) : "f"(x)))"),
      HasSubstr("$0$ = (unsigned)__float_as_uint(ptx_t)"));
}

TEST(PtxRewrite, a_loop_that_may_wait_is_refused_and_one_that_counts_is_not) {
  EXPECT_THAT(
      rewrite_of(R"(asm("{ .reg .pred p; wait: ld.acquire.gpu.u32 %0, [%1]; setp.ne.u32 p, %0, 0;)"
                 R"( @!p bra wait; }" : "=r"(a) : "l"(q)))")
          .reason,
      HasSubstr("may wait for another thread"));
  EXPECT_THAT(text_of(R"(asm("{ .reg .pred p; more: add.u32 %0, %0, 1; setp.lt.u32 p, %0, 9; @p )"
                      R"(bra more; }" : "+r"(a)))"),
              HasSubstr("if (ptx_p) goto ptx_more"));
}

TEST(PtxRewrite, shared_memory_is_reached_by_its_address_and_an_address_of_32_bits_is_no_other) {
  EXPECT_EQ(text_of(R"(asm("st.shared.b32 [%0 + 8], %1;" :: "r"(s), "r"(b)))"),
            "*ambidex_port::shared_pointer<unsigned>((unsigned)($0$) + 8u) = (unsigned)($1$)");
  EXPECT_EQ(text_of(R"(asm("ld.global.b32 %0, [%1];" : "=r"(a) : "r"(s)))"), "");
}

TEST(PtxRewrite, atomics_have_the_order_and_scope_of_ptx) {
  EXPECT_EQ(text_of(R"(asm("atom.global.inc.u32 %0, [%1], %2;" : "=r"(a) : "l"(p), "r"(n)))"),
            "$0$ = atomicInc((unsigned*)((unsigned long long)($1$)), (unsigned)($2$))");
  EXPECT_EQ(text_of(R"(asm("red.release.sys.global.add.u32 [%0], %1;" :: "l"(p), "r"(n)))"),
            "ambidex_port::atom_add<__ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM>((unsigned*)"
            "((unsigned long long)($0$)), (unsigned)($1$))");
}

TEST(PtxRewrite, what_has_no_exact_meaning_is_refused) {
  for (const std::string_view text :
       {"bar.sync 1, 64;", "bar.arrive 1, 64;", "exit;", "mov.u32 %0, %%warpid;",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];", "brkpt;",
        "fma.rz.f16 %0, %0, %0, %0;", "atom.global.add.u16 %0, [%0], %0;",
        "isspacep.shared %0, %0;", "vavrg4.s32.s32.s32 %0, %0, %0, %0;", "setp.lo.s32 %0, %0, %0;",
        "fence.proxy.async;", "ld.param.u32 %0, [%0];"}) {
    const std::string source = "asm(\"" + std::string(text) + "\" : \"=r\"(a))";
    EXPECT_EQ(text_of(source), "") << text;
    EXPECT_NE(rewrite_of(source).reason, "") << text;
  }
}

}  // namespace
}  // namespace ambidex
