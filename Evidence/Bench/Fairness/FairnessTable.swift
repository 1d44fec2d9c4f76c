import Basics
import Foundation
import Generators
import PersistentStore
import Runner
import SQLite
import WorkloadKinds

/// Shows what each engine does within the measured time of the same fetch, for docs/fairness.md.
///
/// The table lists the statements that SQLite itself reports.
struct FairnessTable {
  struct Section {
    let engine: String
    let strategy: String
    let statements: [StatementTally.Entry]
    /// The number of times the clock was stopped to digest the engine's output.
    let pauses: Int

    /// The columns of tasks that the statements select, sorted by name.
    var columns: [String] {
      let list = statements.map(\.sql).filter {
        $0.contains("FROM ZTASK") || $0.contains("\"ZTASK\"")
      }
      let names = list.flatMap(Self.columns)
      return Set(names).sorted()
    }

    private static func columns(of sql: String) -> [String] {
      guard let from = sql.range(of: " FROM ") else { return [] }
      let selection = sql[..<from.lowerBound].filter { $0 != "\"" }
      let words = selection.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      return words.map(String.init).filter { $0.hasPrefix("Z") }
    }
  }

  static let engines = ["objectGraph", "bareSQL", "grdb"]
  static let tasks = 100
  static let batchSize = 20

  let sections: [Section]

  /// Traces every engine on its own store.
  ///
  /// Tests pass a `handicap`, extra work within an engine's measured time, to check that the table
  /// shows it.
  init(handicap: (_ engine: String, FetchWorkload.Session) throws -> Void = { _, _ in }) throws {
    let folder = try BenchFolder()
    let path = try folder.file("fairness.sqlite")
    try StoreGenerator(try .tasks(Self.tasks)).generate(at: path)
    let trial = Trial(on: StoreFile(path: path), in: folder)
    sections = try ["eager", "batched", "count"].flatMap { strategy in
      try Self.engines.map { try Self.section($0, strategy, trial, handicap) }
    }
  }

  private static func section(
    _ engine: String,
    _ strategy: String,
    _ trial: Trial,
    _ handicap: (String, FetchWorkload.Session) throws -> Void
  ) throws -> Section {
    let defaults = FetchWorkload.axes.map { ($0.name, $0.defaultValue) }
    let chosen: [(String, ParameterValue)] = [
      ("entity", .text("Task")), ("engine", .text(engine)), ("strategy", .text(strategy)),
      ("batchSize", .integer(batchSize)), ("accessPattern", .text("scrollAll")),
    ]
    let workload = FetchWorkload(
      parameters: ParameterValues(Dictionary(defaults + chosen) { $1 })
    )
    let session = try workload.prepare(trial)
    let tally = StatementTally()
    try session.trace(tally)
    let recorder = Recorder(now: MonotonicClock.now)
    _ = recorder.begin()
    try workload.run(session, recorder)
    try handicap(engine, session)
    let section = Section(
      engine: engine,
      strategy: strategy,
      statements: tally.entries,
      pauses: recorder.excluded.count
    )
    withExtendedLifetime(tally) {}
    return section
  }

  var columns: [(engine: String, names: [String])] {
    sections.filter { $0.strategy == "eager" }.map { ($0.engine, $0.columns) }
  }

  var text: String {
    var lines: [String] = []
    for section in sections {
      lines.append("\(section.strategy), \(section.engine): clock stopped \(section.pauses) times")
      for statement in section.statements {
        lines.append(
          "  compiled \(statement.compiled), run \(statement.runs), \(statement.rows) rows:"
            + " \(statement.sql)"
        )
      }
    }
    lines.append("columns of tasks, when all attributes are read")
    for (engine, names) in columns { lines.append("  \(engine): \(names.joined(separator: " "))") }
    return lines.joined(separator: "\n") + "\n"
  }
}
