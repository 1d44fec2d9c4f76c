import Basics
import Compare
import Reporting
import Runner

/// The result as a person reads it in a terminal: the findings, the run, a table for each workload,
/// winner maps.
package struct ResultTable: ReportFormat {
  package static let name = "table"

  /// Whether escape sequences may colour the text.
  package var isColoured: Bool
  /// Columns of the terminal, at least 60.
  package var width: Int

  package init(isColoured: Bool = false, width: Int = 80) {
    self.isColoured = isColoured
    self.width = max(width, 60)
  }

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    for line in lines(of: document) { try sink(line + "\n") }
  }

  private func lines(of document: ResultDocument) -> [String] {
    let palette = Palette(isColoured: isColoured)
    let headline = Headline(document, width: width, palette: palette)
    let previous = [nil] + document.workloads.map(Optional.some)
    let sections = zip(document.workloads, previous).map {
      WorkloadSection(
        $0,
        after: $1,
        commonPragmas: headline.commonPragmas,
        width: width,
        palette: palette
      )
    }
    let closing = Closing(document, sections: sections, width: width, palette: palette)
    let tables = sections.flatMap { [""] + $0.lines() }
    let answers = FindingLines(document, width: width, palette: palette).lines()
    let leads = document.workloads.flatMap { workload in
      let answer = workload.findings.first { [.recommendation, .crossover].contains($0.topic) }
      return workload.leads.flatMap { map in
        LeadTable(map, of: workload.workload, width: width).lines(palette)
          + TerminalText.wrapped(answer?.text ?? "", to: width)
      }
    }
    return (answers.isEmpty ? [] : answers + [""]) + headline.lines() + tables + leads + [""]
      + closing.lines()
  }
}

/// The run in three or four lines: when, on what, with which settings.
struct Headline {
  /// The pragmas that every workload of the run set alike.
  let commonPragmas: [String: String]

  private let environment: Environment
  private let width: Int
  private let palette: Palette

  init(_ document: ResultDocument, width: Int, palette: Palette) {
    environment = document.environment
    self.width = width
    self.palette = palette
    var common = document.workloads.first?.pragmas ?? [:]
    for workload in document.workloads {
      common = common.filter { workload.pragmas[$0.key] == $0.value }
    }
    commonPragmas = common
  }

  func lines() -> [String] {
    let run = facts([
      "StoreBench", Headline.time(environment.startedAt), commit, "\(environment.build) build",
    ])
    let machine = facts([
      environment.machine, "\(environment.cores) cores (\(environment.architecture))",
      "\(Figures.bytes(environment.memoryBytes)) memory",
      environment.operatingSystem, environment.kernel,
    ])
    let software = facts([
      "SQLite \(environment.sqliteVersion)", "Swift \(environment.swiftVersion)",
      "stores on \(environment.fileSystem)",
    ])
    let title = run.map { palette.paint($0, .bold) }
    let caution = Headline.caution(environment, width: width, palette: palette)
    return title + caution + machine + software + facts(pragmas)
  }

  private var commit: String {
    environment.commit.isEmpty ? "" : "commit \(environment.commit)"
  }

  private var pragmas: [String] {
    shownPragmas.compactMap { name in commonPragmas[name].map { "\(name) \($0)" } }
  }

  private func facts(_ facts: [String]) -> [String] {
    TerminalText.lines(of: facts, separator: " · ", to: width)
  }

  /// `2026-04-01T09:12:44Z` as `2026-04-01 09:12:44 UTC`; other texts as they are.
  static func time(_ text: String) -> String {
    guard text.count == 20, text.hasSuffix("Z"), text.contains("T") else { return text }
    return text.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC"
  }
}

extension Headline {
  /// When, which build and on what, with facts of the report's own, for one that compares.
  static func brief(_ environment: Environment, and others: [String], width: Int) -> [String] {
    let facts = [
      time(environment.startedAt), "\(environment.build) build", environment.machine,
      "\(environment.cores) cores", "SQLite \(environment.sqliteVersion)",
    ]
    return TerminalText.lines(of: facts + others, separator: " · ", to: width)
  }

  /// A warning where the times are of a debug build.
  static func caution(_ environment: Environment, width: Int, palette: Palette) -> [String] {
    guard environment.build == "debug" else { return [] }
    let text = "debug build: its times are not representative of a release build"
    return palette.wrapped(text, to: width, ink: .red)
  }
}

// Those that a reader judges a figure by; the document has all of them.
private let shownPragmas = ["journal_mode", "synchronous", "page_size", "cache_size"]

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
    let head = Figures.counted(total, "case")
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
    "This measures the storage work under Core Data and SwiftData, not Apple's own code. Only the "
      + "time inside SQLite and in files carries over to an app."
  }
}
