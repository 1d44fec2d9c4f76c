import Basics
import Reporting
import Runner

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
    return heading + body + ActionTable.lines(of: workload) + notes
  }

  private var heading: [String] {
    var facts = [workload.workload, workload.kind, condition, repetitions]
    facts = facts.map(TerminalText.plain).filter { !$0.isEmpty }
    var lines = TerminalText.lines(of: facts, separator: " · ", to: width)
    let name = TerminalText.plain(workload.workload)
    if let first = lines.first, first.hasPrefix(name) {
      lines[0] = palette.paint(name, .bold) + first.dropFirst(name.count)
    }
    lines += labelled("store", store)
    let own = workload.pragmas.filter { commonPragmas[$0.key] != $0.value }
    lines += labelled("pragmas", own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    // A name that was left to the kind says nothing; what the kind chose stands in its notes.
    let told = grid.parameters.shared.filter { !$0.value.isEmpty }
    lines += labelled("every case", told.map { "\($0.name)=\($0.value)" })
    return lines
  }

  /// `cold`, or that it was not for some cases.
  private var condition: String {
    let notCold = workload.cases.count(where: \.isNotCold)
    return notCold == 0
      ? workload.cache : "\(workload.cache), NOT COLD in \(Figures.counted(notCold, "case"))"
  }

  private var repetitions: String {
    let trials = Figures.counted(workload.trialCount, "trial")
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
    TerminalText.paragraph(text, to: width, mark: "  \(label) ")
  }

  private func labelled(_ label: String, _ parts: [String]) -> [String] {
    TerminalText.labelled(label, parts, to: width)
  }
}

private let shownEntities = 4

extension WorkloadSection {
  /// What must be known to read a workload's rows: for all of them, or by number for some.
  struct Footnotes {
    /// Facts that hold for every case.
    private(set) var shared: [String] = []
    /// Facts of some cases, numbered from 1.
    private(set) var numbered: [String] = []
    /// The numbers that each case refers to, such as `1,3`.
    private(set) var references: [String] = []

    init(of cases: [CaseResult]) {
      let facts = cases.map { result in
        result.behaviours.map(Footnotes.text) + result.notes
          + result.losses.map { "lossy as expected: \($0)" }
      }
      shared = Footnotes.unique(facts.first ?? []).filter { fact in
        facts.allSatisfy { $0.contains(fact) }
      }
      numbered = Footnotes.unique(facts.flatMap { $0 }).filter { !shared.contains($0) }
      let numbers = Dictionary(uniqueKeysWithValues: zip(numbered, 1...))
      references = facts.map { facts in
        Footnotes.unique(facts).compactMap { numbers[$0] }.sorted().map(String.init)
          .joined(separator: ",")
      }
    }

    private static func text(of behaviour: Behaviour) -> String {
      let choice = "\(behaviour.name)=\(behaviour.value)"
      return switch behaviour.evidence {
      case .log: "\(choice) (seen in a log of Apple's)"
      case .file: "\(choice) (seen in files of Apple's)"
      case .documented: "\(choice) (documented by Apple)"
      case .assumed: "\(choice) (assumed behavior: not used as evidence)"
      }
    }

    private static func unique(_ facts: [String]) -> [String] {
      var seen: Set<String> = []
      return facts.filter { seen.insert($0).inserted }
    }
  }
}
