#include "models/memory/hbm/dram_config.h"

#include <charconv>

#include "base/bits.h"
#include "base/text.h"

namespace trn {
namespace {

bool parse_bits(const std::string& text, std::uint64_t most, std::uint64_t& bits) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bits);
  return problem == std::errc() && end == text.data() + text.size() && bits <= most;
}

std::uint64_t power_of_two(ConfigNode& node, const char* key, std::uint64_t most) {
  const std::uint64_t value = node.positive(key);
  if ((value & (value - 1)) != 0 || value > most)
    node.fail(key,
              "expected a power of two up to " + std::to_string(most) + ", found " + std::to_string(value));
  return value;
}

std::uint32_t field_bits(AddressField field, const DramConfig& dram) {
  switch (field) {
    case AddressField::kChannel:
      return bits_for(dram.channels);
    case AddressField::kBankGroup:
      return bits_for(dram.bank_groups);
    case AddressField::kBank:
      return bits_for(dram.banks_per_group);
    case AddressField::kColumn:
      return bits_for(dram.row_bytes / dram.burst_bytes);
    case AddressField::kRow:
      break;
  }
  return 0;
}

// "column:1" is one bit of the column; a name alone takes what is left of its bits. The row comes last.
std::vector<AddressBits> parse_map(ConfigNode& node, const DramConfig& dram) {
  const std::vector<std::string> names{"channel", "bank_group", "bank", "column", "row"};
  std::vector<std::uint32_t> left;
  for (std::size_t f = 0; f < names.size(); ++f)
    left.push_back(field_bits(static_cast<AddressField>(f), dram));
  std::vector<AddressBits> map;
  const std::vector<std::string> entries = node.texts("address_map");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& entry = entries[i];
    const std::size_t colon = entry.find(':');
    const std::string name = entry.substr(0, colon);
    std::size_t f = 0;
    while (f < names.size() && names[f] != name) ++f;
    if (f == names.size())
      node.fail("address_map", '"' + entry + "\": unknown field" + suggestion(name, names));
    const bool last = i + 1 == entries.size();
    if ((name == "row") != last)
      node.fail("address_map", "the row takes the highest bits and comes last, once");
    if (last) break;
    std::uint64_t bits = left[f];
    if (colon != std::string::npos && !parse_bits(entry.substr(colon + 1), left[f], bits))
      node.fail("address_map", '"' + entry + "\": expected up to " + std::to_string(left[f]) + " bits");
    left[f] -= static_cast<std::uint32_t>(bits);
    if (bits > 0) map.push_back({static_cast<AddressField>(f), static_cast<std::uint32_t>(bits)});
  }
  for (std::size_t f = 0; f < names.size(); ++f)
    if (left[f] > 0)
      node.fail("address_map", std::to_string(left[f]) + " bits of " + names[f] + " are not mapped");
  map.push_back({AddressField::kRow, 0});
  return map;
}

}  // namespace

Picoseconds DramConfig::time_of(std::uint64_t cycle) const {
  // A burst takes burst_bytes / (rate / channels), and `burst` cycles.
  const unsigned __int128 numerator =
      static_cast<unsigned __int128>(cycle) * burst_bytes * channels * 1'000'000;
  const unsigned __int128 denominator = static_cast<unsigned __int128>(rate.count()) * t.burst;
  return Picoseconds(static_cast<std::uint64_t>((numerator + denominator - 1) / denominator));
}

DramConfig interleaved(DramConfig stack, std::uint64_t stacks) {
  const std::uint32_t bits = bits_for(stacks);
  if (bits == 0) return stack;
  stack.channels *= stacks;
  stack.rate = MegabytesPerSecond(stack.rate.count() * stacks);
  for (AddressBits& field : stack.map)
    if (field.field == AddressField::kChannel) {
      field.bits += bits;
      return stack;
    }
  stack.map.insert(stack.map.begin(), {AddressField::kChannel, bits});
  return stack;
}

DramConfig parse_dram(ConfigNode node, MegabytesPerSecond rate) {
  DramConfig d;
  d.standard = node.text("standard");
  d.rate = rate;
  d.channels = power_of_two(node, "channels", 256);
  d.bank_groups = power_of_two(node, "bank_groups", 16);
  d.banks_per_group = power_of_two(node, "banks_per_group", 16);
  if (d.banks() > 64) node.fail("banks_per_group", "at most 64 banks a channel are modelled");
  d.row_bytes = power_of_two(node, "row_bytes", 65536);
  d.burst_bytes = power_of_two(node, "burst_bytes", 256);
  if (d.row_bytes < d.burst_bytes) node.fail("row_bytes", "smaller than burst_bytes");
  d.t.burst = node.positive("burst_cycles");
  d.t.ccd_l = node.positive("tccd_l_cycles");
  if (d.t.ccd_l < d.t.burst) node.fail("tccd_l_cycles", "smaller than burst_cycles");
  d.channel_rate = MegabytesPerSecond(node.positive("channel_mb_per_s"));
  const double cycles_per_ns =
      static_cast<double>(d.channel_rate.count() * d.t.burst) * 1e-3 / static_cast<double>(d.burst_bytes);
  const auto cycles = [&](const char* key) {
    const double ns = node.number(key);
    if (ns > 1e4) node.fail(key, "more than 10 us");
    const double exact = ns * cycles_per_ns;
    // A value that is a whole number of cycles but for rounding stays one.
    const auto whole = static_cast<std::uint64_t>(exact + 1e-6);
    return exact > static_cast<double>(whole) + 1e-6 ? whole + 1 : whole;
  };
  d.t.cl = cycles("tcl_ns");
  d.t.cwl = cycles("tcwl_ns");
  d.t.rcd = cycles("trcd_ns");
  d.t.rp = cycles("trp_ns");
  d.t.ras = cycles("tras_ns");
  d.t.rrd_s = cycles("trrd_s_ns");
  d.t.rrd_l = cycles("trrd_l_ns");
  d.t.faw = cycles("tfaw_ns");
  d.t.wr = cycles("twr_ns");
  d.t.rtp = cycles("trtp_ns");
  d.t.wtr_s = cycles("twtr_s_ns");
  d.t.wtr_l = cycles("twtr_l_ns");
  d.t.bus_turn = cycles("bus_turn_ns");
  d.t.rfc = cycles("trfc_ns");
  d.t.rfc_pb = cycles("trfc_pb_ns");
  d.t.refi = cycles("trefi_ns");
  const bool per_bank = node.flag("refresh_per_bank");
  if (d.t.refi > 0) d.refresh = per_bank ? RefreshMode::kPerBank : RefreshMode::kAllBank;
  const std::uint64_t taken = d.refresh == RefreshMode::kPerBank ? d.t.rfc_pb : d.t.rfc;
  if (d.refresh != RefreshMode::kNone && d.t.refi <= taken + d.t.ras + d.t.rp)
    node.fail("trefi_ns", "refreshes would take all of the time");
  d.map = parse_map(node, d);
  d.hash = node.flag("hash");
  d.queue_entries = node.positive("queue_entries");
  d.write_high = node.positive("write_high");
  d.write_low = node.integer("write_low");
  if (d.queue_entries > 4096) node.fail("queue_entries", "at most 4096");
  if (d.write_high > d.queue_entries)
    node.fail("write_high", "more than queue_entries: would never be reached");
  if (d.write_low >= d.write_high) node.fail("write_low", "must be below write_high");
  d.max_row_hits = node.positive("max_row_hits");
  d.controller_latency = cycles("controller_latency_ns");
  node.reject_unknown_keys();
  return d;
}

}  // namespace trn
