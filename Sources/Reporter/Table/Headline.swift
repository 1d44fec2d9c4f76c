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
    let warning = "debug build: these times say nothing of a release"
    let machine = facts([
      environment.machine, "\(environment.cores) cores (\(environment.architecture))",
      "\(Quantity.text(Double(environment.memoryBytes), unit: .bytes)) memory",
      environment.operatingSystem, environment.kernel,
    ])
    let software = facts([
      "SQLite \(environment.sqliteVersion)", "Swift \(environment.swiftVersion)",
      "stores on \(environment.fileSystem)",
    ])
    let title = run.map { palette.paint($0, .bold) }
    let caution = environment.build == "debug" ? [palette.paint(warning, .red)] : []
    return title + caution + machine + software + facts(pragmas)
  }

  private var commit: String {
    environment.commit.isEmpty ? "" : "commit \(environment.commit)"
  }

  private var pragmas: [String] {
    shownPragmas.compactMap { name in commonPragmas[name].map { "\(name) \($0)" } }
  }

  private func facts(_ facts: [String]) -> [String] {
    TerminalText.lines(of: facts.filter { !$0.isEmpty }, separator: " · ", to: width)
  }

  /// `2026-04-01T09:12:44Z` as `2026-04-01 09:12:44 UTC`; other texts as they are.
  static func time(_ text: String) -> String {
    guard text.count == 20, text.hasSuffix("Z"), text.contains("T") else { return text }
    return text.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC"
  }
}

// Those that a reader judges a figure by; the document has all of them.
private let shownPragmas = ["journal_mode", "synchronous", "page_size", "cache_size"]
