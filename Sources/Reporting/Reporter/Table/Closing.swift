import Measurement

/// The last lines: how many cases ended how, what the columns mean, what was not measured.
struct Closing {
  private let document: ResultDocument
  private let sections: [WorkloadSection]
  private let width: Int
  private let palette: Palette

  init(
    _ document: ResultDocument,
    sections: [WorkloadSection],
    width: Int,
    palette: Palette
  ) {
    self.document = document
    self.sections = sections
    self.width = width
    self.palette = palette
  }

  func lines() -> [String] {
    let hasFailed = document.workloads.flatMap(\.cases).contains { !$0.hasMeasured }
    return palette.wrapped(outcomes, to: width, ink: hasFailed ? .red : .green)
      + (legend + [scope]).flatMap { palette.wrapped($0, to: width, ink: .faint) }
  }

  private var outcomes: String {
    var (passed, lossy, expected, failed) = (0, 0, 0, 0)
    for result in document.workloads.flatMap(\.cases) {
      switch result.outcome {
      case .passed where !result.losses.isEmpty: lossy += 1
      case .passed: passed += 1
      case .failedAsExpected: expected += 1
      case .failed: failed += 1
      }
    }
    let total = passed + lossy + expected + failed
    let counts = [
      (passed, "passed"), (lossy, "lossy as expected"), (expected, "failed as expected"),
      (failed, "FAILED"),
    ]
    let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let head = total == 1 ? "1 case" : "\(total) cases"
    return text.isEmpty ? head : "\(head): \(text)"
  }

  private var legend: [String] {
    var titles: Set<String> = []
    let meanings = sections.flatMap(\.columns).filter {
      // Phases say themselves what they are.
      $0.meaning != FigureColumn.phaseMeaning && titles.insert($0.title).inserted
    }
    guard !meanings.isEmpty else { return [] }
    let text = meanings.map { "\($0.title): \($0.meaning)" }.joined(separator: "; ")
    return [text + "; \(FigureColumn.absent): not measured or below the clock's resolution"]
  }

  private var scope: String {
    "Measured is the storage work under Core Data and SwiftData, not Apple's own code: only the"
      + " part inside SQLite and the files carries over to an app."
  }
}
