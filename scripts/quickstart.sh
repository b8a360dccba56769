#!/usr/bin/env bash
# Installs, builds, and predicts the training of Qwen3-32B on 16 Trn2 chips and on 16 Trn3 chips.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh
cmake --preset release >/dev/null
cmake --build --preset release --target trnsim
for lowering in fused compiled; do
  for machine in trn2:instance trn3:server; do
    build/release/trnsim train --model Qwen3-32B.json --machine "$machine" --layout tp=4,fsdp=16 --seq 4096 \
      --micro-batch 1 --global-batch 16 --recompute selective --lowering "$lowering" --brief
  done
done
