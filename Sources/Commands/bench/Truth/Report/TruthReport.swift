/// The table of all that the ledgers hold.
struct TruthReport {
  let lines: [String]

  init(_ ledgers: TruthLedgers) throws {
    lines =
      AlarmSection(try ledgers.suites.records()).lines
      + [""] + PowerSection(try ledgers.tries.records()).lines
      + [""] + CounterSection(try ledgers.counters.records()).lines
      + [""] + RuleSection(try ledgers.traces.records()).lines
  }
}
