import Basics
import Foundation
import Generators
import Measurement
import Reporter
import Runner

/// One line on the terminal that says how far a run is and how long it may still take.
final class ProgressLine {
  private let console: Console
  private let now: () -> Double
  private let started: Double
  private var caseCount = 0
  /// Seconds that a live comparison may take.
  private var budget = 0.0
  private var finished = 0
  private var current = ""
  private var trial = ""
  private var shownAt = -Double.infinity
  private var isShown = false

  /// Draws on a console with a clock in seconds.
  init(_ console: Console, now: @escaping () -> Double = MonotonicClock.seconds) {
    self.console = console
    self.now = now
    started = now()
  }

  /// Does some work with a line, which is removed at its end.
  static func during<Result>(
    _ console: Console,
    _ work: (ProgressLine) throws -> Result
  ) rethrows -> Result {
    let line = ProgressLine(console)
    defer { line.clear() }
    return try work(line)
  }

  /// Takes what a run tells.
  func take(_ event: RunEvent) {
    switch event {
    case .started(let cases): caseCount = cases
    case .preparingStore(let workload): show("preparing the store of \(workload)", atOnce: true)
    case .storeReady: break
    case .caseStarted(let id, _):
      (current, trial) = (id, "")
      draw(atOnce: true)
    case .trialFinished(_, let count, let total):
      trial = " \(count)/\(total)"
      draw(atOnce: false)
    case .caseFinished: finished += 1
    case .workloadFinished: clear()
    }
  }

  /// Takes what a live comparison tells.
  func take(_ event: LiveEvent) {
    switch event {
    case .started(let cases, let budget): (caseCount, self.budget) = (cases, budget)
    case .preparing(let id): take("preparing \(id)")
    case .blockFinished(let id, let blocks, let decided, let seconds):
      let left = Figures.seconds(max(budget - seconds, 0), .rough)
      take("[\(decided)/\(caseCount) decided, at most \(left) left] \(id) \(blocks)")
    case .caseFinished: break
    }
  }

  /// Takes how far a store has been generated.
  func take(_ progress: GenerationProgress) {
    let share = progress.total > 0 ? progress.done * 100 / progress.total : 100
    show("generating \(progress.table): \(share) %", atOnce: false)
  }

  /// Takes how many parts of some work are done.
  func take(_ done: Int, of total: Int, _ words: String) {
    (finished, caseCount) = (done, total)
    show("[\(done)/\(total)] \(TerminalText.plain(words))\(remaining)", atOnce: false)
  }

  /// Takes what is being read, in a few words.
  func take(_ words: String) {
    // Names in it come from files of other people.
    show(TerminalText.plain(words), atOnce: false)
  }

  /// Removes the line.
  func clear() {
    guard isShown else { return }
    console.writeError("\r\u{1B}[K")
    isShown = false
  }

  private func draw(atOnce: Bool) {
    show("[\(finished + 1)/\(caseCount)] \(current)\(trial)\(remaining)", atOnce: atOnce)
  }

  /// From the cases done so far, once there are some.
  private var remaining: String {
    guard finished > 0, finished < caseCount else { return "" }
    let seconds = (now() - started) / Double(finished) * Double(caseCount - finished)
    return ", about \(Figures.seconds(seconds, .rough)) left"
  }

  private func show(_ text: String, atOnce: Bool) {
    let time = now()
    // Drawing costs time that trials beside it would notice.
    guard console.showsProgress, atOnce || time - shownAt >= 0.2 else { return }
    shownAt = time
    isShown = true
    console.writeError("\r\u{1B}[K" + text.prefix(max(console.width - 1, 20)))
  }
}
