#!/usr/bin/env bash
# GNU parallel on some hosts, one shard at a time on each: docs/cluster/parallel.sh plan.json 16 results --sshlogin node1,node2
#
# The hosts see this folder under the same path. Without --sshlogin all shards run here, one after another: two at a time would
# disturb each other's times. Ends with the status of merging: 75 where cases are missing, after one more attempt at them.
set -uo pipefail
plan=$1 shards=$2 results=$3
shift 3
mkdir -p "$results"
work=${STOREBENCH_WORK:-/tmp/storebench-parallel}
run="storebench run --plan $plan --work-folder $work-{%} ${STOREBENCH_OPTIONS:-}"
parallel --jobs 1 --joblog "$results/joblog" "$@" "$run --shard {}/$shards --output $results/shard-{}" ::: $(seq "$shards")
merge() { storebench merge "$results"/*/result.json.gz --output "$results-merged" --force; }
merge
status=$?
[ $status -eq 75 ] || exit $status
parallel --jobs 1 --joblog "$results/joblog-missing" "$@" \
  "$run --case {} --attempt 2 --output $results/case-{#}" :::: "$results-merged/missing.txt"
merge
