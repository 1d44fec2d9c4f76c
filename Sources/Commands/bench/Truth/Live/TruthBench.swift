import Foundation
import Measurement
import Runner

/// Puts the comparison to the test, unit by unit, and keeps every outcome.
///
/// What is done next is decided by what the ledgers hold, so a run goes on where the last one ended.
struct TruthBench {
  /// What is tried.
  enum Part: String, CaseIterable {
    case suites
    case slowdowns
    case traces
    case counters

    fileprivate func unit(_ setting: TruthSetting) throws -> any TruthUnit {
      switch self {
      case .suites: try EqualSuites(setting)
      case .slowdowns: try PlantedRows(setting)
      case .traces: try EqualTraces(setting)
      case .counters: try PlantedCosts(setting)
      }
    }
  }

  let setting: TruthSetting
  var parts = Part.allCases

  /// Runs whole units until so many seconds are over.
  func run(seconds: Double, progress: (String) -> Void) throws {
    let start = Self.now()
    let units = try parts.map { try $0.unit(setting) }
    while Self.now() - start < seconds {
      let spent = try units.map { try $0.spent() / $0.share }
      guard let next = spent.indices.min(by: { spent[$0] < spent[$1] }) else { return }
      progress(try units[next].perform())
    }
  }

  private static func now() -> Double { ProcessInfo.processInfo.systemUptime }
}

/// Something that is tried again and again.
protocol TruthUnit {
  /// Its share of the time.
  var share: Double { get }
  /// Seconds that its ledger accounts for.
  func spent() throws -> Double
  /// Does it once more, records it, and says in a line what came of it.
  func perform() throws -> String
}
