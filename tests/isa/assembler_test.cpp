#include "isa/assembler/assembler.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/text.h"
#include "isa/compress.h"
#include "isa/reference.h"
#include "tests/support/random_program.h"

namespace trn {
namespace {

constexpr const char* kHeader =
    ".target trn2\n.tensor h space=hbm dtype=bf16 shape=[256,512]\n.tensor a space=sbuf dtype=bf16 "
    "shape=[128,512]\n"
    ".tensor p space=psum dtype=fp32 shape=[128,512]\n.queue q engine=SP dge=hw\n.sem s[2], t\n";

Program body(const std::string& engine, const std::string& lines) {
  return assemble(kHeader + (".engine " + engine + "\n") + lines + ".end\n", "f");
}

std::string error(const std::string& engine, const std::string& lines) {
  try {
    body(engine, lines);
  } catch (const ProgramError& e) {
    return e.what();
  }
  return "accepted";
}

// Lines 1-6 are the header and 7 is .engine: the first line of a body is line 8.
TEST(Assembler, ErrorsNamePlaceFindingAndRemedy) {
  EXPECT_EQ(error("PE", "  MMM p, a\n"), "f:8:3: unknown mnemonic \"MMM\" (did you mean \"MM\"?)");
  EXPECT_EQ(error("PE", "ACT p, a\n"), "f:8:1: ACT does not run on PE");
  EXPECT_EQ(error("DVE", "COPY a[0:129 | 0 | (1,4)], a\n"),
            "f:8:6: rows 0 to 128 of a are out of range; it has 128");
  EXPECT_EQ(error("DVE", "COPY a[0:128 | 510 | (1,4)], a\n"),
            "f:8:6: the pattern on a reaches element 513; it has 512 a partition");
  EXPECT_EQ(error("DVE", "COPY a, b\n"), "f:8:9: unknown tensor; declare it with .tensor, found 'b'");
  EXPECT_EQ(error("DVE", "COPY a\n"), "f:8:7: COPY needs 1 source operand(s), found the end of the line");
  EXPECT_EQ(error("DVE", "COPY a, a ? s[2]>=1\n"),
            "f:8:13: index 2 is out of range, there are 2; at, found 's'");
  EXPECT_EQ(error("DVE", ".for i in 0..3\nCOPY a, a\n"), "f:10:1: no matching .engine, found '.end'");
  EXPECT_EQ(error("DVE", ".let x=1/0\n"), "f:8:11: division by zero, found the end of the line");
  EXPECT_EQ(error("DVE", ".let x=9223372036854775807+1\n"),
            "f:8:29: 64-bit overflow in this expression, found the end of the line");
  EXPECT_EQ(error("SP", "DMA scatterr a, h, q=q\n"),
            "f:8:5: unknown form of DMA; known: copy, transpose, accumulate, gather, scatter, send, "
            "duplicate, found "
            "'scatterr'");
}

TEST(Assembler, AnOutOfRangeOperandIsFoundInsideALoop) {
  EXPECT_EQ(
      error("DVE", ".for i in 0..4\nCOPY a[0:128 | 128*i | (1,128)], a[0:128 | 129*i | (1,128)]\n.endfor\n"),
      "f:9:34: the pattern on a reaches element 514; it has 512 a partition");
}

// Affine bodies stay loops; wait values and offsets advance.
TEST(Assembler, KeepsAffineLoops) {
  const Program p = body(
      "DVE",
      ".for i in 0..4\n.for j in 2..5\nCOPY a[0:128 | 100*i+j | (1,4)], a ? t>=3*i+j\n.endfor\n.endfor\n");
  const NodeList& stream = p.cores[0].streams[index_of(Engine::kVector)];
  ASSERT_EQ(stream.size(), 1u);
  EXPECT_EQ(stream[0].repeat, 4u);
  ASSERT_EQ(stream[0].body.size(), 1u);
  EXPECT_EQ(stream[0].body[0].repeat, 3u);
  const NodeList flat = expand(stream);
  ASSERT_EQ(flat.size(), 12u);
  EXPECT_EQ(flat[7].instruction.dst.offset, 100 * 2 + 3);  // i = 2, j = 3
  EXPECT_EQ(flat[7].instruction.wait.value, 3 * 2 + 3);
}

// t % 2 is not affine: the loop is unrolled, 8 iterations with alternating slots.
TEST(Assembler, UnrollsWhatIsNotAffine) {
  const Program p = body("DVE",
                         ".for t0 in 0..8\n.let s0=t0%2\nCOPY a[0:128 | 256*s0 | (1,256)], a[0:128 | 0 | "
                         "(1,256)] ? s[s0]>=t0/2\n.endfor\n");
  const NodeList& stream = p.cores[0].streams[index_of(Engine::kVector)];
  EXPECT_LT(stream.size(), 8u);  // found again as a loop of two copies
  const NodeList flat = expand(stream);
  ASSERT_EQ(flat.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(flat[i].instruction.dst.offset, static_cast<std::int64_t>(256 * (i % 2)));
    EXPECT_EQ(flat[i].instruction.wait.value, static_cast<std::int64_t>(i / 2));
  }
}

TEST(Assembler, TextRoundTripsOnTheSample) {
  const Program p = assemble(read_text_file("traces/samples/mm_db.tasm"), "mm_db.tasm");
  EXPECT_EQ(assemble(disassemble(p), "again"), p);
}

// A file includes one beside it; an error in that names it.
TEST(Assembler, FilesIncludeFiles) {
  const SourceLoader loader = [](const std::string& path, const std::string& from) {
    EXPECT_EQ(from, "main.tasm");
    return Source{path == "good" ? ".sem s\n" : "  what\n", "dir/" + path};
  };
  const std::string text = ".target trn2\n.include \"good\"\n.engine SP\nPOST s+=1\n.end\n";
  EXPECT_EQ(assemble(text, "main.tasm", loader).semaphores, std::vector<std::string>{"s"});
  const auto error = [&](const std::string& body, const SourceLoader& with) {
    try {
      assemble(body, "main.tasm", with);
    } catch (const ProgramError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error(".include \"bad\"\n", loader).rfind("dir/bad:1:3: ", 0), 0u);
  EXPECT_NE(error(".include \"good\"\n", {}).find("includes none"), std::string::npos);
  EXPECT_NE(error(".include good\n", loader).find("expected a file name in quotation marks"),
            std::string::npos);
}

TEST(Assembler, AnAssertionThatDoesNotHoldIsAnError) {
  EXPECT_NO_THROW(assemble(".target trn2\n.const A=4\n.assert A%2==0\n", "f"));
  EXPECT_THROW(assemble(".target trn2\n.const A=3\n.assert A%2==0\n", "f"), ProgramError);
}

TEST(Assembler, TextRoundTripsOnRandomPrograms) {
  for (std::uint64_t seed = 1; seed < 300; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    options.cores = 1 + seed % 2;
    options.control = seed % 3 == 0;
    const Program p = random_program(options);
    ASSERT_EQ(assemble(disassemble(p), "again"), p) << "seed " << seed << '\n' << disassemble(p);
  }
}

// Property: folding loses nothing.
TEST(Compress, ExpandsToTheSameStream) {
  for (std::uint64_t seed = 1; seed < 300; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    options.iterations = 20;
    const Program p = random_program(options);
    for (const NodeList& stream : p.cores[0].streams) {
      const NodeList flat = expand(stream);
      NodeList folded = flat;
      compress(folded);
      ASSERT_EQ(expand(folded), flat) << "seed " << seed;
    }
  }
}

// 1000 iterations of (a, b, b, b): the inner run and the outer loop are both found.
TEST(Compress, FindsNestedLoops) {
  NodeList flat;
  for (std::int64_t i = 0; i < 1000; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      Node node;
      node.instruction.opcode = j == 0 ? Opcode::kNop : Opcode::kPost;
      node.instruction.wait = {0, kNoRegister, 10 * i + j};
      flat.push_back(node);
    }
  NodeList folded = flat;
  compress(folded);
  ASSERT_EQ(folded.size(), 1u);
  EXPECT_EQ(folded[0].repeat, 1000u);
  EXPECT_EQ(folded[0].body.size(), 2u);
  EXPECT_EQ(expand(folded), flat);
}

// Any text is a program or a ProgramError: the sample with random characters replaced, inserted and removed.
TEST(Assembler, DamagedTextIsRefusedOrAssembled) {
  const std::string sample = read_text_file("traces/samples/mm_db.tasm");
  const std::string alphabet = "[](),:|=?!@+-*/%<>~.;0123456789abcdef_ \nDMALWTN\x01\xff";
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text = sample;
    for (std::uint64_t k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      const std::string letter(1, alphabet[random() % alphabet.size()]);
      text.replace(at, random() % 2, random() % 3 == 0 ? "" : letter);
    }
    try {
      assemble(text, "f");
    } catch (const ProgramError&) {
    }
  }
}

// A macro's lines with its arguments, and with macros of its own.
TEST(Assembler, MacrosExpand) {
  const std::string head =
      ".target trn2\n.kernel k\n.tensor a space=sbuf dtype=bf16 shape=[128,64]\n.sem s\n.macro piece(at, "
      "n)\na[0:128 | "
      "at | (1,n)]\n.endm\n";
  const std::string macros =
      ".macro one(at)\nCOPY a[0:128 | at | (1,8)], a[0:128 | at+8 | (1,8)] ! s+=1\n.endm\n.macro two(x)\none "
      "x\none "
      "(x)+16\n.endm\n";
  const std::string plain =
      "COPY a[0:128 | 0 | (1,8)], a[0:128 | 8 | (1,8)] ! s+=1\nCOPY a[0:128 | 16 | (1,8)], a[0:128 | 24 | "
      "(1,8)] ! "
      "s+=1\n";
  EXPECT_EQ(assemble(head + macros + ".engine DVE\ntwo 0\n.end\n", "f"),
            assemble(head + ".engine DVE\n" + plain + ".end\n", "f"));
}

TEST(Assembler, MacroErrorsSayWhere) {
  const auto refused = [](const std::string& text) {
    try {
      assemble(text, "f");
    } catch (const ProgramError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(".macro m(a)\n.target trn2\n"), "f:1:1: this macro has no .endm, found '.macro'");
  EXPECT_EQ(refused(".macro m(a)\n.endm\nm 1, 2\n"), "f:3:1: m takes 1 arguments, found 2; at, found 'm'");
  EXPECT_EQ(refused(".macro m(a)\nm a\nm a\n.endm\nm 1\n"),
            "f:2:1: macros nested deeper than 16; before, found 'm'");
  EXPECT_EQ(refused(".endm\n"), "f:1:1: no matching .macro, found '.endm'");
}

TEST(IsaReference, IsTheCommittedPage) { EXPECT_EQ(read_text_file("docs/isa.md"), isa_reference()); }

}  // namespace
}  // namespace trn
