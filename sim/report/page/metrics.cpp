#include "sim/report/page/metrics.h"

namespace trn {

MetricStyle metric_named(const std::string& key) {
  static const std::vector<MetricStyle> kMetrics{
      {"tokens_per_s", "throughput", "tokens/s", 1, 0, true},
      {"tokens_per_s_per_chip", "per chip", "tokens/s", 1, 1, true},
      {"step_us", "step", "ms", 1e-3, 2, false},
      {"time_us", "time", "\u00b5s", 1, 2, false},
      {"chip_time_us", "time of all chips", "chip \u00b5s", 1, 2, false},
      {"mfu", "MFU", "%", 100, 2, true},
      {"hfu", "HFU", "%", 100, 2, true},
      {"exposed_comm", "exposed communication", "%", 100, 2, false},
      {"exposed_tp", "exposed, tensor parallel", "%", 100, 2, false},
      {"exposed_fsdp", "exposed, sharded data parallel", "%", 100, 2, false},
      {"dma_stall", "DMA and HBM stall", "%", 100, 2, false},
      {"hbm_utilisation", "HBM bandwidth used", "%", 100, 2, true},
      {"hbm_bytes", "HBM of a rank", "GB", 1e-9, 2, false},
      {"hbm_gib", "HBM of a rank", "GiB", 1, 2, false},
      {"chips", "chips", "", 1, 0, false},
      {"busbw_gb_per_s", "busbw", "GB/s", 1, 2, true},
      {"algbw_gb_per_s", "algbw", "GB/s", 1, 2, true},
      {"bound_us", "bound", "\u00b5s", 1, 2, false},
      {"over_bound", "time / bound", "", 1, 3, false},
      {"tflops", "useful work", "TFLOP/s", 1, 2, true},
      {"hbm_gb_per_s", "HBM bandwidth", "GB/s", 1, 1, true},
      {"tensor_active", "Tensor engine busy", "%", 100, 2, true},
  };
  for (const MetricStyle& metric : kMetrics)
    if (metric.key == key) return metric;
  return {key, key, "", 1, 3, true};
}

MetricStyle in_milliseconds(MetricStyle metric) {
  const std::size_t micro = metric.unit.find("\u00b5");
  if (micro == std::string::npos) return metric;
  metric.unit.replace(micro, std::string("\u00b5").size(), "m");
  metric.scale *= 1e-3;
  return metric;
}

Cell metric_cell(const MetricStyle& metric, double value) {
  return number_cell(value * metric.scale, metric.decimals);
}

}  // namespace trn
