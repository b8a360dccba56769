// Neuron Explorer's table DmaPacketAggregated: one row a transfer (a DMA instruction).
#pragma once

#include "sim/tables/table.h"
#include "sim/timeline/run_events.h"

namespace trn {

const TableSpec& dma_table();
void dma_row(const TransferEvent& transfer, TableRow& row);

// instruction, data (static descriptors), software_dynamic or hardware_dynamic.
std::string queue_type(DescriptorMode mode);

}  // namespace trn
