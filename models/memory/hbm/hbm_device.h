// HBM devices that no machine of ours has: configs/hbm/*.json.
#pragma once

#include "models/memory/hbm/dram_config.h"

namespace trn {

// A device of configs/hbm by name, or a file; `overrides` as for machines ("dram.channels=2x").
DramConfig load_hbm_device(const std::string& name, const std::vector<std::string>& overrides);

}  // namespace trn
