#!/usr/bin/env bash
# A job array of Slurm: each task runs one shard of a plan. Submit: sbatch --array=1-16 docs/cluster/slurm.sh plan.json results
#
# A node that fails has its task queued again (--requeue); Slurm counts the restarts, which become the attempt's number.
#SBATCH --job-name=storebench
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=storebench-%A_%a.log
#SBATCH --exclusive
set -euo pipefail
plan=$1 results=$2
shards=${SHARDS:-$SLURM_ARRAY_TASK_COUNT}
attempt=$((${ATTEMPT:-1} + ${SLURM_RESTART_COUNT:-0}))
mkdir -p "$results"
output="$results/shard-$SLURM_ARRAY_TASK_ID-attempt-$attempt"
# Stores are made on the node's own disk: the same seed, the same bytes.
exec storebench run --plan "$plan" --shard "$SLURM_ARRAY_TASK_ID/$shards" --attempt "$attempt" --output "$output" \
  --work-folder "${STOREBENCH_WORK:-${SLURM_TMPDIR:-/tmp}/storebench-$SLURM_JOB_ID}" ${STOREBENCH_OPTIONS:-}
