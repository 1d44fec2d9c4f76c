import Basics
import Compare
import Runner

/// A live comparison as JSON: every block with its coin, so that the verdicts can be made again.
package struct LiveJSON {
  package init() {}

  /// Sorted keys, one line; the same result gives the same bytes.
  package func text(of result: LiveResult) throws -> String {
    try Document(result).jsonText(isPretty: false)
  }
}

extension RunFolder {
  package static let liveName = "live.json.gz"

  /// Writes a live comparison and its page, each atomically.
  ///
  /// Throws `ReporterError.cannotWrite`. The folder must exist.
  package func write(_ result: LiveResult) throws {
    let text = try LiveJSON().text(of: result)
    try RunFolder.write(to: "\(path)/\(RunFolder.liveName)") { try $0(text) }
    try writeReport(LivePage(of: result).html)
  }
}

extension LiveJSON {
  private struct Document: Encodable {
    var version = LiveResult.currentVersion
    var base: String
    var head: String
    var seed: UInt64
    var budget: Double
    var seconds: Double
    var isInterrupted: Bool
    var margin: Double
    var floor: Double
    var suiteLevel: Double
    var equivalenceLevel: Double
    var environment: Environment?
    var cases: [LiveJSON.CaseDocument]
    var onlyInBase: [String]
    var onlyInHead: [String]

    init(_ result: LiveResult) {
      base = result.base
      head = result.head
      seed = result.seed
      budget = result.budget
      seconds = result.seconds
      isInterrupted = result.isInterrupted
      margin = result.policy.margin
      floor = result.policy.floor
      suiteLevel = result.policy.suiteLevel
      equivalenceLevel = result.policy.equivalenceLevel
      environment = result.environment
      cases = zip(result.cases, result.decidingIntervals).map(LiveJSON.CaseDocument.init)
      onlyInBase = result.onlyInBase
      onlyInHead = result.onlyInHead
    }
  }

  private struct CaseDocument: Encodable {
    var id: String
    var baseID: String
    /// `changed`, `changedBelowFloor`, `unchanged`, `cannotTell` or `failed`.
    var verdict: String
    /// Head over base less 1.
    var change: Double?
    /// Ends of the 95 % interval; left out where it has none.
    var lower: Double?
    var upper: Double?
    /// Ends of the interval that the verdict rests on: on one side of zero where it is changed,
    /// within the margin where it is unchanged.
    var decidingLower: Double?
    var decidingUpper: Double?
    var wouldHaveSeen: Double?
    var missingBlocks: Int?
    var missingSeconds: Double?
    var failure: String?
    var slicing: LiveCaseResult.Slicing
    var iterationsPerSlice: Int?
    var blocks: [LiveCaseResult.Block]

    init(_ result: LiveCaseResult, deciding: ChangeInterval?) {
      id = result.id
      baseID = result.baseID
      slicing = result.slicing
      iterationsPerSlice = result.iterationsPerSlice
      blocks = result.blocks
      decidingLower = deciding.flatMap { $0.lower.isFinite ? $0.lower : nil }
      decidingUpper = deciding.flatMap { $0.upper.isFinite ? $0.upper : nil }
      switch result.finding {
      case .failed(let cause): (verdict, failure) = ("failed", cause)
      case .verdict(.changed(let estimate, let interval, let isBelowFloor)):
        verdict = isBelowFloor ? "changedBelowFloor" : "changed"
        change = estimate
        take(interval)
      case .verdict(.unchanged(let bound, let interval)):
        verdict = "unchanged"
        wouldHaveSeen = bound
        take(interval)
      case .verdict(.cannotTell(let shortfall)):
        verdict = "cannotTell"
        missingBlocks = shortfall.blocks
        missingSeconds = shortfall.seconds
      }
    }

    // JSON has no infinity.
    private mutating func take(_ interval: ChangeInterval) {
      lower = interval.lower.isFinite ? interval.lower : nil
      upper = interval.upper.isFinite ? interval.upper : nil
    }
  }
}
