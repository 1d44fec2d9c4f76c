import Basics
import Compare
import Runner

/// Measures a program against itself, in equal numbers of lock-step and contiguous blocks.
///
/// The times show how other decision rules would judge equal sides on this machine.
struct EqualTraces: TruthUnit {
  static let blocks = 20

  let share = 0.05

  private let setting: TruthSetting
  private let cases: [LiveCase]
  private let runner: TraceRunner

  init(_ setting: TruthSetting) throws {
    self.setting = setting
    cases = try setting.equalCases(TruthSetting.micro)
    runner = TraceRunner(provider: setting.provider, scratch: try setting.scratch())
  }

  func spent() throws -> Double {
    try setting.ledgers.traces.seconds()
  }

  func perform() throws -> String {
    let layouts = TraceRunner.Layout.allCases
    let number = try setting.ledgers.traces.records().count
    let layout = layouts[number % layouts.count]
    let round = number / layouts.count
    let hasOtherLoad = !round.isMultiple(of: 2)
    // The background load alternates, so the order of the cases must not correlate with it.
    let pair = cases[(round / 2 * 7 + round % 2) % cases.count]
    let conditions = setting.conditions(seed: number, hasOtherLoad: hasOtherLoad)
    let start = MonotonicClock.seconds()
    let blocks = try setting.perform(withOtherLoad: hasOtherLoad) {
      try runner.blocks(
        Self.blocks,
        of: pair,
        layout: layout,
        slicing: .micro,
        seed: conditions.seed
      )
    }
    let record = TraceRecord(
      conditions: conditions,
      id: TraceRecord.field(pair.id),
      layout: layout,
      seconds: MonotonicClock.seconds() - start,
      isHeadFirst: blocks.map(\.isHeadFirst),
      base: blocks.map { $0.pairs.map(\.base).median },
      head: blocks.map { $0.pairs.map(\.head).median }
    )
    try setting.ledgers.traces.append(record)
    return "trace \(number + 1), \(layout.rawValue)\(conditions.note): \(Self.blocks) blocks in "
      + "\(Figures.plain(record.seconds, decimals: 1)) s"
  }
}
