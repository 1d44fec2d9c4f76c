import Basics
import Measurement

/// The part of the table that one workload file fills: heading, a row a case, footnotes.
struct WorkloadSection {
  private let workload: WorkloadResult
  private let width: Int
  private let palette: Palette
  private let commonPragmas: [String: String]
  private let hasStoreOfPrevious: Bool
  private let footnotes: Footnotes
  private let grid: CaseGrid

  /// A section after another one, below a headline that already shows some pragmas.
  init(
    _ workload: WorkloadResult,
    after previous: WorkloadResult?,
    commonPragmas: [String: String],
    width: Int,
    palette: Palette
  ) {
    self.workload = workload
    self.width = width
    self.palette = palette
    self.commonPragmas = commonPragmas
    hasStoreOfPrevious = previous?.store == workload.store
    footnotes = Footnotes(of: workload.cases)
    grid = CaseGrid(
      workload,
      references: footnotes.references,
      width: width,
      palette: palette
    )
  }

  /// What the columns of this section mean, in their order.
  var columns: [(title: String, meaning: String)] {
    grid.figures.filter { !$0.meaning.isEmpty }.map { ($0.title, $0.meaning) }
  }

  func lines() -> [String] {
    let body = workload.cases.isEmpty ? ["  no case was run"] : grid.lines()
    return heading + body + notes
  }

  private var heading: [String] {
    var facts = [workload.workload, workload.kind, workload.cache, repetitions]
    facts = facts.map(TerminalText.plain).filter { !$0.isEmpty }
    var lines = TerminalText.lines(of: facts, separator: " · ", to: width)
    let name = TerminalText.plain(workload.workload)
    if let first = lines.first, first.hasPrefix(name) {
      lines[0] = palette.paint(name, .bold) + first.dropFirst(name.count)
    }
    lines += labelled("store", store, separator: ", ")
    let own = workload.pragmas.filter { commonPragmas[$0.key] != $0.value }
    lines += labelled("pragmas", own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    // A name that was left to the kind says nothing; what the kind chose stands in its notes.
    let told = grid.parameters.shared.filter { !$0.value.isEmpty }
    lines += labelled("every case", told.map { "\($0.name)=\($0.value)" })
    return lines
  }

  private var repetitions: String {
    let trials = workload.trialCount == 1 ? "1 trial" : "\(workload.trialCount) trials"
    return workload.iterationCount > 1
      ? "\(trials) of \(workload.iterationCount) iterations" : trials
  }

  private var store: [String] {
    if hasStoreOfPrevious { return ["as above"] }
    let store = workload.store
    let seed = store.seed.map { "seed \($0)" }
    let objects = store.objects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let counts = objects.prefix(shownEntities).map {
      "\($0.value.grouped) \($0.key)"
    }
    let rest = objects.count - shownEntities
    return [store.source, seed, Figures.bytes(store.bytes)]
      .compactMap { $0 } + counts + (rest > 0 ? ["\(rest) more entities"] : [])
  }

  private var notes: [String] {
    let shared = footnotes.shared.flatMap { fact in note("•", fact) }
    let numbered = footnotes.numbered.enumerated().flatMap { index, fact in
      note("\(index + 1)", fact)
    }
    return shared + numbered
  }

  private func note(_ label: String, _ text: String) -> [String] {
    let indent = String(repeating: " ", count: label.count + 3)
    return TerminalText.wrapped(text, to: width - indent.count).enumerated().map {
      ($0 == 0 ? "  \(label) " : indent) + $1
    }
  }

  private func labelled(_ label: String, _ parts: [String], separator: String = ", ") -> [String] {
    TerminalText.labelled(label, parts, separator: separator, to: width)
  }
}

private let shownEntities = 4
