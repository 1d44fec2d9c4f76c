import Basics
import Forecasting

/// How far a ladder is.
package struct LadderProgress: Hashable, Sendable {
  /// Runs done and all runs, those that were kept before left out.
  package private(set) var done = 0
  package private(set) var total: Int
  /// What is being measured.
  package private(set) var current = ""
  private var workDone = 0.0
  private var workLeft: Double

  /// What a run costs beside its objects: a process, a copy, a verification.
  private static let objectsOfARun = 5000.0

  init(turns: [LadderDesign.Turn], cases: Int) {
    total = turns.count * cases
    workLeft = turns.reduce(0) { $0 + Self.work($1) } * Double(cases)
  }

  mutating func skip(_ turn: LadderDesign.Turn) {
    total -= 1
    workLeft -= Self.work(turn)
  }

  mutating func start(_ turn: LadderDesign.Turn, of name: String) {
    current = "\(turn.objects.grouped) objects, \(name)"
  }

  mutating func finish(_ turn: LadderDesign.Turn) {
    done += 1
    workDone += Self.work(turn)
    workLeft -= Self.work(turn)
  }

  /// Seconds that it may still take, from those it has taken; `nil` before the first run is done.
  package func remaining(after elapsed: Double) -> Double? {
    workDone > 0 ? elapsed / workDone * max(workLeft, 0) : nil
  }

  private static func work(_ turn: LadderDesign.Turn) -> Double {
    Double(turn.objects) + objectsOfARun
  }
}
