import Basics
import Measurement

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
    let text = "debug build: these times say nothing of a release"
    return palette.wrapped(text, to: width, ink: .red)
  }
}

// Those that a reader judges a figure by; the document has all of them.
private let shownPragmas = ["journal_mode", "synchronous", "page_size", "cache_size"]
