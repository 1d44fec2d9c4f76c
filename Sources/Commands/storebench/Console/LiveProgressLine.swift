import Basics
import Generators
import Measurement
import Runner

/// One line on the terminal that says how far a live comparison is.
final class LiveProgressLine {
  private let line: ProgressLine
  private var caseCount = 0
  private var budget = 0.0

  /// Draws on a console with a clock in seconds.
  init(_ console: Console, now: @escaping () -> Double) {
    line = ProgressLine(console, now: now)
  }

  /// Takes what a comparison tells.
  func take(_ event: LiveEvent) {
    switch event {
    case .started(let cases, let budget): (caseCount, self.budget) = (cases, budget)
    case .preparing(let id): line.take("preparing \(id)")
    case .blockFinished(let id, let blocks, let decided, let seconds):
      let left = Figures.seconds(max(budget - seconds, 0), .rough)
      line.take("[\(decided)/\(caseCount) decided, at most \(left) left] \(id) \(blocks)")
    case .caseFinished: break
    }
  }

  /// Takes how far a store has been generated.
  func take(_ progress: GenerationProgress) {
    line.take(progress)
  }

  /// Takes what else takes long, in a few words.
  func take(_ words: String) {
    line.take(words)
  }

  /// Removes the line.
  func clear() {
    line.clear()
  }
}
