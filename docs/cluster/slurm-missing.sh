#!/usr/bin/env bash
# A job array of Slurm for the tasks that merging found missing:
#   sbatch --array=$(cat merged/missing.array) docs/cluster/slurm-missing.sh plan.json results 2
#SBATCH --job-name=storebench-missing
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=storebench-missing-%A_%a.log
#SBATCH --exclusive
set -euo pipefail
plan=$1 results=$2
attempt=$(($3 + ${SLURM_RESTART_COUNT:-0}))
mkdir -p "$results"
output="$results/task-$SLURM_ARRAY_TASK_ID-attempt-$attempt"
exec storebench run --plan "$plan" --case "$SLURM_ARRAY_TASK_ID" --attempt "$attempt" --output "$output" \
  --work-folder "${STOREBENCH_WORK:-${SLURM_TMPDIR:-/tmp}/storebench-$SLURM_JOB_ID}" ${STOREBENCH_OPTIONS:-}
