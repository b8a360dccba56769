// Rows of a program small enough to be reasoned with a pencil; targets that cannot be written.
#include "sim/tables/tables.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/run/simulation.h"
#include "sim/tables/interval_union.h"
#include "sim/timeline/run_recorder.h"

namespace trn {
namespace {

// A load of 128 rows of 1 KiB, for which Vector waits.
constexpr const char* kLoad =
    ".target trn2\n.kernel k\n.tensor h space=hbm dtype=bf16 shape=[128,512]\n"
    ".tensor a space=sbuf dtype=bf16 shape=[128,512]\n.queue q engine=SP dge=hw\n.sem s\n"
    ".engine SP\n.region in\nDMA copy a, h, q=q ! s+=16\n.end\n"
    ".engine DVE\n.region out\nWAIT s>=16\n.end\n";

MachineConfig trn2() { return parse_machine(load_machine_document("trn2"), "chip"); }

std::string fresh_folder(const std::string& name) {
  std::filesystem::remove_all(testing::TempDir() + name);
  return testing::TempDir() + name;
}

void record(const TableOptions& options) {
  Tables tables(options);
  RunRecorder recorder({&tables}, std::nullopt);
  run_program(assemble(kLoad, "f"), trn2(), nullptr, &recorder);
  tables.commit();
}

using Row = std::map<std::string, std::string>;
std::vector<Row> rows(const std::string& path) {
  const std::vector<std::string> lines = split(read_text_file(path), '\n');
  const std::vector<std::string> names = split(lines[0], ',');
  std::vector<Row> out;
  for (std::size_t l = 1; l + 1 < lines.size(); ++l) {
    std::vector<std::string> values;
    std::string at;
    bool quoted = false;
    for (const char c : lines[l]) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) values.push_back(std::exchange(at, ""));
      if (c != '"' && (c != ',' || quoted)) at += c;
    }
    values.push_back(at);
    EXPECT_EQ(values.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      (i == 0 ? out.emplace_back() : out.back())[names[i]] = values[i];
  }
  return out;
}

// Trigger 75 ns; first byte 1000 ns after it; 8 rows on each of 16 engines, 8 x (5.5 + 1024 / 23) = 400.174
// ns; 300 ns later, at 1700.174 ns, Vector's WAIT, which stood at 0, is over: at an edge of its 0.96 GHz,
// 1041.67 ps apart, number 1633 at 1701.041 ns.
TEST(Tables, OfALoadAndAWait) {
  const std::string folder = fresh_folder("load");
  record({TableFormat::kCsv, folder, {}});
  const std::vector<Row> instructions = rows(folder + "/tables/Instruction.csv");
  ASSERT_EQ(instructions.size(), 2u);
  Row dma = instructions[0], wait = instructions[1];
  EXPECT_EQ(dma["opcode"], "DMA");
  EXPECT_EQ(dma["engine"], "sync");
  EXPECT_EQ(dma["layer"], "in");
  EXPECT_EQ(dma["start_ts"], "0");
  EXPECT_EQ(dma["trnsim_read_ps"], "75000");
  EXPECT_EQ(dma["dma_trigger_start_ts"], "1000");
  EXPECT_EQ(dma["dma_trigger_end_ts"], "1400");
  EXPECT_EQ(dma["dma_wait_time_ns"], "925");  // 1000 - 75
  EXPECT_EQ(dma["hbm_read_bytes"], "131072");
  EXPECT_EQ(dma["sbuf_write_bytes"], "131072");
  EXPECT_EQ(dma["sbuf_read_bytes"], "0");
  EXPECT_EQ(dma["raw_flops"], "");  // not of the array
  EXPECT_EQ(wait["opcode"], "EVENT_SEMAPHORE");
  EXPECT_EQ(wait["engine"], "vector");
  EXPECT_EQ(wait["trnsim_start_ps"], "1701041");
  EXPECT_EQ(wait["evt_wait_time_ns"], "1701");
  EXPECT_EQ(wait["hbm_read_bytes"], "0");

  const std::vector<Row> transfers = rows(folder + "/tables/DmaPacketAggregated.csv");
  ASSERT_EQ(transfers.size(), 1u);
  Row transfer = transfers[0];
  EXPECT_EQ(transfer["id"], dma["trnsim_dma_id"]);
  EXPECT_EQ(transfer["duration_ns"], "400");
  EXPECT_EQ(transfer["variable"], "h");
  EXPECT_EQ(transfer["source"], "[DRAM]");
  EXPECT_EQ(transfer["dest"], "[SB]");
  EXPECT_EQ(transfer["queue_type"], "hardware_dynamic");
  EXPECT_EQ(transfer["write_shape"], "[128, 512]");
  EXPECT_EQ(transfer["write_num_sbuf_partitions"], "128");
  EXPECT_EQ(transfer["read_num_sbuf_partitions"], "0");
  EXPECT_EQ(transfer["trigger"], "0");
  EXPECT_EQ(transfer["completion"], "75");
  EXPECT_NEAR(std::stod(transfer["throughput"]), 131072 / 400.174e-9, 1e6);

  Row summary = rows(folder + "/tables/Summary.csv").at(0);
  EXPECT_EQ(summary["dma_transfer_count"], "1");
  EXPECT_EQ(summary["hbm_read_bytes"], "131072");
  EXPECT_EQ(summary["hbm_write_bytes"], "0");
  EXPECT_EQ(summary["vector_engine_instruction_count"], "1");
  EXPECT_EQ(summary["hardware_dynamic_dma_size_percent"], "100");
  EXPECT_EQ(summary["hfu_estimated_percent"], "0");
  // 131072 bytes of what 716 GB/s would bring in that time.
  EXPECT_NEAR(std::stod(summary["mbu_estimated_percent"]),
              100 * 131072 / (716e9 * std::stod(summary["total_time"])), 1e-9);
  Row metadata = rows(folder + "/tables/Metadata.csv").at(0);
  EXPECT_EQ(metadata["is_simulation"], "1");
  EXPECT_EQ(metadata["tensor_engine_clock_freq"], "2.4");
  EXPECT_TRUE(rows(folder + "/tables/CcOp.csv").empty());
}

// The trigger ends at 75 ns, the transfer lasts from 1000 to 1400 ns; the summary stays whole.
TEST(Tables, AWindowLeavesOutRowsAndNoSums) {
  const std::string folder = fresh_folder("window");
  record({TableFormat::kCsv, folder, {nanoseconds(100), nanoseconds(1200)}});
  EXPECT_TRUE(rows(folder + "/tables/Instruction.csv").empty());
  EXPECT_EQ(rows(folder + "/tables/DmaPacketAggregated.csv").size(), 1u);
  EXPECT_EQ(rows(folder + "/tables/Summary.csv").at(0)["sync_engine_instruction_count"], "1");
}

// The description in docs/tables.md names every column of every table.
TEST(Tables, AreDocumented) {
  const std::string docs = read_text_file("docs/tables.md");
  for (const TableSpec* table : table_specs()) {
    const std::size_t begin = docs.find("\n## " + std::string(table->name) + '\n');
    ASSERT_NE(begin, std::string::npos) << table->name;
    const std::string part = docs.substr(begin, docs.find("\n## ", begin + 1) - begin);
    for (const ColumnSpec& column : table->columns)
      EXPECT_NE(part.find("| `" + std::string(column.name) + "` |"), std::string::npos)
          << table->name << '.' << column.name;
  }
}

std::string failure(const TableOptions& options) {
  try {
    record(options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "written";
}

class FullDisk : public testing::TestWithParam<TableFormat> {};

// Past a limit of the file system writing fails as on a full disk: one line, and no file.
TEST_P(FullDisk, LeavesNothing) {
  const std::string folder = fresh_folder("full");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{8192, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string told = failure({GetParam(), folder, {}});
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_NE(told.find("cannot write this file"), std::string::npos) << told;
  EXPECT_EQ(told.find('\n'), std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
}
INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::Values(TableFormat::kSqlite, TableFormat::kCsv));

TEST(Tables, AFolderThatCannotBeIsTold) {
  const std::string file = testing::TempDir() + "in_the_way";
  write_file_atomically(file, "");
  EXPECT_EQ(failure({TableFormat::kSqlite, file, {}}).rfind(file + ": cannot make this folder", 0), 0u);
}

TEST(IntervalUnion, CountsOverlapsOnce) {
  IntervalUnion active;
  active.add(Picoseconds(0), Picoseconds(10));
  active.add(Picoseconds(20), Picoseconds(30));
  EXPECT_EQ(active.time(), Picoseconds(20));
  active.add(Picoseconds(5), Picoseconds(35));  // bridges both
  EXPECT_EQ(active.time(), Picoseconds(35));
}

}  // namespace
}  // namespace trn
