import Basics
import DataModel
import Foundation
import Inspector
import PersistentStore
import Reporting
import Runner
import SQLLog
import SQLite

/// Measures the costs and benefits of missing and superfluous indexes on copies of a store, and
/// proposes new indexes for the statements from workloads or an app's log.
struct AdviseJob {
  private static let savedObjects = 1000
  /// The number of timed saves with the index, alternating with as many saves without the index.
  private static let saves = 7

  let store: String
  let given: ModelFamily?
  /// The model that declares the wanted indexes; `nil` for the store's own model.
  let wanted: Model?
  let workloads: [String]
  let logs: [String]
  let format: OutputFormat
  let folder: WorkFolderOption

  func perform(on console: Console) throws -> CommandStatus {
    guard console.program.kinds.contains(where: { $0.name == "fetch" }) else {
      throw Refusal.noKind("fetch", command: "inspect --advise")
    }
    Signals.listen()
    return try Workspace.use(folder, on: console) { space in
      let facts = try StoreFacts(store: StoreFile(path: store), model: given)
      let drift = try StoreFacts.reading(facts.store) { connection in
        try IndexDrift(model: wanted ?? facts.model, connection: connection, path: store)
      }
      let base = try copy("base", facts.model, space)
      let changes =
        drift.missing.map { ($0, IndexAdvice.Change.create) }
        + (drift.superfluous + drift.redundant.filter { !drift.superfluous.contains($0) })
        .filter { !$0.name.hasSuffix("_INDEX") }.map { ($0, IndexAdvice.Change.drop) }
      // Log the workloads' statements to find out which new indexes could be useful.
      let own = workloads.isEmpty ? nil : try space.scratch.emptyFolder("log") + "/workload.log"
      let before = workloads.isEmpty ? [:] : try fetches(on: base, space, log: own)
      let advice = try (workloads.isEmpty ? [] : changes).enumerated().map { place, change in
        space.line.take("index \(place + 1) of \(changes.count): \(change.0.name)")
        return try measure(change.0, change.1, base, before, facts.model, space)
      }
      let proposals = try self.proposals(
        logs.isEmpty ? own.map { [$0] } ?? [] : logs,
        base,
        facts.model,
        space
      )
      space.line.clear()
      let view = IndexAdviceView(
        store: store,
        drift: drift,
        advice: advice,
        model: wanted ?? facts.model
      )
      switch format {
      case .text:
        var report = view.report
        if let (proposals, vocabulary) = proposals {
          if proposals.chosen != nil || advice.isEmpty {
            report.title = Report.Text(proposals.headline)
          }
          report.sections.insert(proposals.section(vocabulary), at: 0)
        }
        console.show(report)
      case .json: console.write(try AdviceJSON(view: view, proposals: proposals?.0).jsonText())
      }
      return .done
    }
  }

  private struct AdviceJSON: Encodable {
    let view: IndexAdviceView
    let proposals: IndexProposals?

    func encode(to encoder: any Encoder) throws {
      try view.encode(to: encoder)
      let more: JSONObject = ["proposals": proposals]
      try more.encode(to: encoder)
    }
  }

  private func proposals(
    _ logs: [String],
    _ base: StoreFile,
    _ model: Model,
    _ space: Workspace
  ) throws -> (IndexProposals, Vocabulary)? {
    guard let measure = space.console.program.indexes, !logs.isEmpty else { return nil }
    var schema = LogSchema(model: model)
    try schema.read(try StoreReader(base).connection)
    let paths = logs.flatMap { StatementLog.logs(at: $0) }
    let analysis = try LogAnalysis(of: paths, schema: schema)
    try analysis.check(schema, path: store)
    let proposals = try measure(
      paths,
      analysis.indexCandidates,
      base,
      space.scratch.emptyFolder("indexes"),
      { Signals.isStopped() },
      { space.line.take($0) }
    )
    return (proposals, analysis.vocabulary)
  }

  private func copy(_ name: String, _ model: Model, _ space: Workspace) throws -> StoreFile {
    let copy = try MadeStore(path: store).copy(into: try space.scratch.emptyFolder(name))
    if given != nil { try ModelCache.write(model, to: copy) }
    return copy
  }

  private func measure(
    _ index: IndexDrift.Index,
    _ change: IndexAdvice.Change,
    _ base: StoreFile,
    _ before: [String: CaseResult],
    _ model: Model,
    _ space: Workspace
  ) throws -> IndexAdvice {
    let changed = try copy("changed", model, space)
    let connection = try Connection(
      path: changed.path,
      mode: .readWrite,
      settings: ConnectionSettings()
    )
    let bytes = try Self.usedBytes(connection)
    try connection.execute(change == .create ? index.sql : "DROP INDEX \(index.name.quotedName)")
    let growth = try Self.usedBytes(connection) - bytes
    try connection.checkpoint()
    let after = try fetches(on: changed, space)
    let fetches = before.keys.sorted().compactMap { id -> IndexAdvice.Fetch? in
      guard let old = before[id], let new = after[id],
        let time = old.median(.wallClock), let newTime = new.median(.wallClock)
      else { return nil }
      return IndexAdvice.Fetch(
        id: id,
        time: (time, newTime),
        pages: (old.median(Metric.sqlite.cacheMisses), new.median(Metric.sqlite.cacheMisses)),
        steps: (old.median(Metric.sqlite.vmSteps), new.median(Metric.sqlite.vmSteps))
      )
    }
    return IndexAdvice(
      index: index,
      change: change,
      bytes: growth,
      fetches: fetches,
      save: try saves(of: index, base, connection)
    )
  }

  private static func usedBytes(_ connection: Connection) throws -> Int64 {
    func pragma(_ name: String) throws -> Int64 { try connection.integer("PRAGMA \(name)") ?? 0 }
    return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
  }

  // MARK: Fetches

  private func fetches(
    on store: StoreFile,
    _ space: Workspace,
    log: String? = nil
  ) throws -> [String: CaseResult] {
    // Create the file, because workers only append to an existing file.
    if let log { try AtomicFile.write("", to: log) }
    let plan = try Plan(
      paths: workloads,
      kinds: space.console.program.kinds.filter { $0.name == "fetch" },
      overrides: Overrides(store: store.path)
    )
    let run = Run(
      plan: plan,
      environment: space.environment(at: Date.now),
      stores: space.stores(),
      executor: try Executable.worker(),
      scratch: space.scratch,
      log: log.map { SQLDebugWriter.Options(path: $0, level: 2) },
      isStopped: { Signals.isStopped() },
      save: { _ in },
      events: { space.line.take($0) }
    )
    let cases = try run.perform().workloads.flatMap(\.cases)
    return Dictionary(keepingFirst: cases.filter { $0.outcome == .passed }.map { ($0.id, $0) })
  }

  // MARK: Saves

  /// The median times of a save that writes an index's columns, before and after the index is added
  /// or dropped.
  private func saves(
    of index: IndexDrift.Index,
    _ base: StoreFile,
    _ changed: Connection
  ) throws -> (before: Double, after: Double, objects: Int) {
    let unchanged = try Connection(
      path: base.path,
      mode: .readWrite,
      settings: ConnectionSettings()
    )
    let columns = try Self.columns(of: index, unchanged)
    let table = index.table.quotedName
    let keys = "SELECT rowid FROM \(table) ORDER BY rowid LIMIT \(Self.savedObjects)"
    let objects = Int(try unchanged.integer("SELECT count(*) FROM (\(keys))") ?? 0)
    // Write the same values again: SQLite still removes and inserts the index entries.
    let list = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
    let save = "UPDATE \(table) SET \(list) WHERE rowid IN (\(keys))"
    var (before, after): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.saves {
      before.append(try Self.time(save, on: unchanged))
      after.append(try Self.time(save, on: changed))
    }
    return (Self.median(before), Self.median(after), objects)
  }

  private static func columns(
    of index: IndexDrift.Index,
    _ connection: Connection
  ) throws -> [String] {
    let row = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
    row.bind(index.table, at: 1)
    var names: [String] = []
    while try row.step() {
      let name = row.text(at: 0)
      if name != "Z_PK", index.sql.hasWord(name) { names.append(name.quotedName) }
    }
    return names
  }

  private static func time(_ save: String, on connection: Connection) throws -> Double {
    let start = MonotonicClock.seconds()
    try connection.transaction("BEGIN EXCLUSIVE") { try connection.execute(save) }
    return MonotonicClock.seconds() - start
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}

extension CaseResult {
  fileprivate func median(_ metric: Metric) -> Double? {
    guard let values = samples.first(where: { $0.metric == metric })?.values.sorted(),
      !values.isEmpty
    else { return nil }
    return values[values.count / 2]
  }
}

extension String {
  fileprivate func hasWord(_ word: String) -> Bool {
    split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains(word[...])
  }
}
