#include "models/memory/hbm/hbm_device.h"

#include "base/config/config_folder.h"

namespace trn {

DramConfig load_hbm_device(const std::string& name, const std::vector<std::string>& overrides) {
  ConfigDocument document = load_named(config_folder() + "/hbm", "HBM device", name);
  for (const std::string& assignment : overrides) document.set(assignment);
  ConfigNode root = document.root();
  root.text("name");
  const MegabytesPerSecond rate(root.positive("stack_mb_per_s"));
  DramConfig dram = parse_dram(root.child("dram"), rate);
  root.reject_unknown_keys();
  return dram;
}

}  // namespace trn
