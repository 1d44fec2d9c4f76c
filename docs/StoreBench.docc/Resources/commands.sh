swift run -c release OwnKind check-kind Workloads/finishReading.yaml
swift run -c release OwnKind run Workloads
swift run -c release OwnKind compare-live Workloads --filter '*atOnce=false*' \
  --against set:atOnce=true --budget 60s
