import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import SQLLog
@testable import WorkloadKinds

/// Replays of logs that StoreBench wrote itself, against the work that was logged.
@Suite struct ReplayTests {
  private static let model = [
    .folder(),
    Entity(
      name: "Note",
      attributes: [
        Attribute(name: "body", type: .string), Attribute(name: "count", type: .integer32),
      ],
      relationships: [Relationship(name: "folder", destination: "Folder", inverse: "notes")]
    ),
  ]

  private static func fill(_ context: ObjectContext, notes: Int) throws {
    var folder = try context.insert("Folder")
    for index in 0..<notes {
      if index > 0, index % 10 == 0 { folder = try context.insert("Folder") }
      let note = try context.insert("Note")
      try note.setValue(.text("note \(index)"), of: "body")
      try note.setValue(.integer(Int64(index % 7)), of: "count")
      try note.setTarget(folder, of: "folder")
    }
  }

  /// Work on a store, its log, and what SQLite counted of it.
  private final class Logged {
    let folder: TemporaryFolder
    let log: String
    let store: StoreFile
    let counters: Counters

    init(notes: Int, level: Int, _ work: (ObjectContext) throws -> Void) throws {
      folder = try TemporaryFolder()
      log = folder.file("app.log")
      store = StoreFile(path: folder.file("app.sqlite"))
      let options = PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        keepsHistory: false
      )
      let made = try PersistentStore.create(
        at: store.path,
        model: Model(entities: ReplayTests.model),
        options: options
      )
      let context = try ObjectContext(store: made)
      try ReplayTests.fill(context, notes: notes)
      try context.save()
      try made.connection.checkpoint()
      // The log is of a second run: writing it reads the store as well.
      counters = try Self.counters(
        of: work,
        on: StoreCopier.copy(store, into: folder.subfolder("1"))
      )
      let copy = try StoreCopier.copy(store, into: folder.subfolder("2"))
      let writer = try SQLDebugWriter(.init(path: log, level: level))
      _ = try Self.counters(of: work, on: copy) { connection in
        connection.observe(writer)
        writer.begin(copy)
      }
      try writer.end()
    }

    private static func counters(
      of work: (ObjectContext) throws -> Void,
      on store: StoreFile,
      _ begin: (Connection) -> Void = { _ in }
    ) throws -> Counters {
      let opened = try PersistentStore.open(
        store,
        options: .init(settings: ConnectionSettings(synchronous: .off))
      )
      let context = try ObjectContext(store: opened)
      begin(opened.connection)
      let before = opened.connection.counters
      try work(context)
      return opened.connection.counters - before
    }

    /// Objects that the log shows read one at a time.
    var faults: Int {
      (try? ReplayScript(logs: [log])).map { script in
        script.steps.count { script.statements[$0.statement].shape.kind == .fault }
      } ?? 0
    }

    func session(
      values: Rehearsal.Values = .auto,
      scale: Double = 1,
      on other: StoreFile? = nil,
      fix: String? = nil
    ) throws -> (session: ReplaySession, counters: Counters) {
      let settings = ConnectionSettings(synchronous: .off)
      let start = other ?? store
      var script = try ReplayScript(logs: [log])
      let schema = try ReplaySchema(of: start, settings: settings)
      if let fix {
        script = try #require(ReplayFix(fix)).applied(to: script, schema).script
      }
      let session = try ReplaySession(
        rehearsing: script,
        on: StoreCopier.copy(start, into: folder.subfolder(UUID().uuidString)),
        settings: settings,
        values: values,
        scale: scale
      )
      try session.open(StoreCopier.copy(start, into: folder.subfolder(UUID().uuidString)))
      let before = session.connections[0].connection.counters
      try session.run()
      return (session, session.connections[0].connection.counters - before)
    }
  }

  /// A list with faults, a batched list, a prefetch, and saves.
  private static func work(_ context: ObjectContext) throws {
    let faulted = try context.fetch(FetchRequest("Note", includesPropertyValues: false))
    for index in 0..<faulted.count {
      _ = try faulted.object(at: index).value(of: "body")
    }
    context.reset()
    let batched = try context.fetch(
      FetchRequest("Note", sortDescriptors: [.init("body")], fetchBatchSize: 20)
    )
    for index in 0..<batched.count { _ = try batched.object(at: index).value(of: "count") }
    context.reset()
    let prefetched = try context.fetch(
      FetchRequest(
        "Note",
        predicate: .comparison("count", .less, .integer(3)),
        relationshipsForPrefetching: ["folder"]
      )
    )
    try prefetched.object(at: 0).setValue(.text("changed"), of: "body")
    let added = try context.insert("Note")
    try added.setValue(.text("added"), of: "body")
    try context.save()
    try context.delete(added)
    try context.save()
  }

  @Test(arguments: [2, 3])
  func `replays its own log with no divergence and equal counters`(level: Int) throws {
    let logged = try Logged(notes: 100, level: level, Self.work)
    let (session, counters) = try logged.session()
    #expect(session.replay.divergence.share == 0)
    #expect(session.replay.divergence.guessed == 0)
    #expect(session.replay.omissions.isEmpty && session.replay.refusals.isEmpty)
    #expect(session.outcome == session.rehearsed)
    #expect(!session.replay.isMapped)
    #expect(counters == logged.counters)
  }

  @Test func `draws what level 1 does not show, and counts it`() throws {
    let logged = try Logged(notes: 100, level: 1, Self.work)
    let (session, _) = try logged.session()
    #expect(session.replay.divergence.errors == 0)
    #expect(session.replay.divergence.missedWrites == 0)
    #expect(session.replay.divergence.guessed > 0)
    #expect(!session.script.hasValues)
  }

  @Test func `repeats a loop for the rows of a larger store`() throws {
    let small = try Logged(notes: 60, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note", includesPropertyValues: false))
      for index in 0..<list.count { _ = try list.object(at: index).value(of: "body") }
    }
    let large = try Logged(notes: 600, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note", includesPropertyValues: false))
      for index in 0..<list.count { _ = try list.object(at: index).value(of: "body") }
    }
    let (session, counters) = try small.session(values: .mapped, scale: 10, on: large.store)
    #expect(session.replay.divergence.isEvidence)
    #expect(counters == large.counters)
  }

  // Each folder of a list, and each note of a folder: the inner loop follows the rows of its own
  // to-many, not those of the log's.
  @Test(arguments: [(60, 600), (600, 60)])
  func `repeats a loop within a loop`(logged: Int, replayed: Int) throws {
    let work = { (context: ObjectContext) in
      let list = try context.fetch(FetchRequest("Folder"))
      for index in 0..<list.count {
        for note in try list.object(at: index).targets(of: "notes") {
          _ = try note.value(of: "body")
        }
      }
    }
    let log = try Logged(notes: logged, level: 2, work)
    let other = try Logged(notes: replayed, level: 2, work)
    let (session, counters) = try log.session(
      values: .mapped,
      scale: Double(replayed) / Double(logged),
      on: other.store
    )
    #expect(session.replay.divergence.isEvidence)
    #expect(session.outcome.rows == replayed / 10 + 2 * replayed)
    #expect(counters == other.counters)
  }

  @Test func `maps values by the rows that the log reports`() throws {
    let work = { (context: ObjectContext) in
      _ = try context.fetch(
        FetchRequest("Note", predicate: .comparison("count", .equal, .integer(6)))
      )
      _ = try context.fetch(
        FetchRequest("Note", predicate: .comparison("body", .greater, .text("note 8")))
      )
    }
    let small = try Logged(notes: 70, level: 2, work)
    // In the other store no note has the count 6 or a body of that form.
    let other = try Logged(notes: 10, level: 2) { _ in }
    let connection = try Connection(path: other.store.path)
    for index in 0..<700 {
      try connection.execute(
        "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZBODY) "
          + "VALUES(\(1000 + index), 2, 1, \(20 + index % 7), 'x\(1000 + index)')"
      )
    }
    let (session, _) = try small.session(values: .mapped, scale: 10, on: other.store)
    let steps = session.replay.steps
    #expect(steps.count == 2 && session.replay.divergence.isEvidence)
    guard case .integer(let count) = steps[0].values[0], case .text(let bound) = steps[1].values[0]
    else {
      Issue.record("\(steps)")
      return
    }
    #expect((20..<27).contains(count))
    #expect(bound.hasPrefix("x"))
  }

  @Test func `searches texts and sorts by the framework's orders`() throws {
    let logged = try Logged(notes: 100, level: 2) { _ in }
    let select = "SELECT 0, t0.Z_PK, t0.ZBODY FROM ZNOTE t0"
    let order = "ORDER BY t0.ZBODY COLLATE NSCollate"
    let lines = [
      (select + " WHERE  NSCoreDataStringSearch( t0.ZBODY, ?, 417, 1) \(order)Finderlike", 20),
      (select + " WHERE  NSCoreDataStringSearch( t0.ZBODY, ?, 393, 1) \(order)LocaleSensitive", 20),
    ].map { sql, rows in
      """
      CoreData: sql: \(sql)
      CoreData: details: SQLite bind[0] = "NOTE 1"
      CoreData: annotation: total fetch execution time: 0.0007s for \(rows) rows.

      """
    }
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: logged.log))
    let (session, _) = try logged.session(values: .logged)
    #expect(session.replay.refusals.isEmpty)
    #expect(session.outcome.rows > 10)
  }

  @Test func `refuses statements that are not an app's`() throws {
    let logged = try Logged(notes: 10, level: 2) { _ in }
    try Data(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0
      CoreData: sql: SELECT randomblob(1000000000), t0.Z_PK FROM ZNOTE t0
      CoreData: sql: SELECT 0, t0.Z_PK, load_extension('x') FROM ZNOTE t0
      CoreData: sql: PRAGMA writable_schema=1
      CoreData: sql: DELETE FROM sqlite_master
      CoreData: sql: ATTACH '/etc/passwd' AS p
      CoreData: sql: SELECT 0, t0.ZSECRET FROM ZNOTE t0 WHERE t0.ZSECRET = 'abc def'

      """.utf8
    ).write(to: URL(fileURLWithPath: logged.log))
    let (session, _) = try logged.session()
    #expect(session.replay.steps.map(\.line) == [1])
    #expect(session.replay.divergence.errors == 4)
    #expect(session.replay.divergence.omitted == 2)
    #expect(!session.replay.divergence.isEvidence)
    #expect(!session.notes.joined().contains("abc"))
  }

  @Test func `saves faults by prefetching, and repeats by fetching once`() throws {
    let logged = try Logged(notes: 60, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note"))
      for index in 0..<list.count {
        _ = try list.object(at: index).target(of: "folder")?.value(of: "name")
      }
      for _ in 0..<8 {
        context.reset()
        _ = try context.fetch(FetchRequest("Folder"))
      }
    }
    let (plain, _) = try logged.session()
    let lines = { (kind: StatementShape.Kind) in
      plain.script.steps.first { plain.script.statements[$0.statement].shape.kind == kind }?.line
        ?? 0
    }
    let faults = plain.script.steps.count {
      plain.script.statements[$0.statement].shape.kind == .fault
    }
    #expect(faults == 6)
    let prefetched = try logged.session(fix: "faults-one-by-one@\(lines(.fault))").session
    #expect(prefetched.replay.steps.count == plain.replay.steps.count - faults + 1)
    #expect(prefetched.outcome.rows == plain.outcome.rows)
    let last = try #require(plain.script.steps.last?.line)
    let once = try logged.session(fix: "repeated-fetch@\(last)").session
    #expect(once.replay.steps.count == plain.replay.steps.count - 7)
    #expect {
      try logged.session(fix: "repeated-fetch@99999")
    } throws: {
      "\($0)".contains("no replayed statement starts at the line in 'repeated-fetch@99999'")
    }
  }

  @Test func `takes a log with nothing to replay for bad input`() throws {
    let folder = try TemporaryFolder()
    let text = "CoreData: sql: CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY )\n"
    let log = try folder.write(text, to: "app.log")
    let error = #expect(throws: Refusal.self) {
      try SavingsMeasurement(logs: [log], findings: [], folder: folder.path)
    }
    #expect(error?.status == .badInput)
  }

  @Test func `makes one save of many`() throws {
    let logged = try Logged(notes: 10, level: 2) { context in
      for index in 0..<12 {
        let note = try context.insert("Note")
        try note.setValue(.text("new \(index)"), of: "body")
        try context.save()
      }
    }
    let (plain, _) = try logged.session()
    let begin = try #require(
      plain.script.steps.first { plain.script.statements[$0.statement].shape.isWrite }
    )
    let merged = try logged.session(fix: "one-save-per-object@\(begin.line)").session
    func commits(_ session: ReplaySession) -> Int {
      session.replay.steps.count { session.replay.statements[$0.statement].shape.kind == .commit }
    }
    #expect(commits(plain) == 24 && commits(merged) == 2)
    #expect(merged.replay.divergence.share == 0)
  }

  @Test func `measures what an index saves, with its bytes`() throws {
    let logged = try Logged(notes: 2_000, level: 2) { context in
      for _ in 0..<3 {
        _ = try context.fetch(
          FetchRequest("Note", predicate: .comparison("body", .equal, .text("note 1999")))
        )
        context.reset()
      }
    }
    let schema = try ReplaySchema(of: logged.store, settings: ConnectionSettings())
    let analysis = try LogAnalysis(of: [logged.log])
    let entry = try #require(analysis.digest.statements.indices.first)
    let finding = SQLLog.Finding(
      rule: .unindexedPredicate,
      summary: "no index",
      lines: [analysis.digest.statements[entry].firstLine],
      calls: 3,
      time: nil,
      confidence: .high
    )
    #expect(schema.columns["ZNOTE"]?.contains("ZBODY") == true)
    let size = try SavingsMeasurement(
      logs: [logged.log],
      findings: [finding],
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("savings")
    ).measure(logged.store, named: "app.sqlite", scale: 1)
    let repair = try #require(size.repairs.first)
    #expect(repair.obstacle == "" && repair.caveat == "")
    #expect(repair.storeChanges.first?.hasPrefix("CREATE INDEX") == true)
    let counters = try #require(repair.counters)
    #expect(counters.vmSteps * 20 < size.counters.vmSteps)
    #expect(counters.pagesRead < size.counters.pagesRead)
    #expect(counters.storeBytes > size.counters.storeBytes)
    #expect(repair.saved != nil && size.divergence.share == 0)
  }

  @Test func `measures findings of one fetch request together, and all fixes at once`() throws {
    let logged = try Logged(notes: 1_200, level: 2) { context in
      let notes = try context.fetch(FetchRequest("Note", sortDescriptors: [.init("body")]))
      for index in 0..<300 {
        _ = try notes.object(at: index).target(of: "folder")?.value(of: "name")
      }
      context.reset()
      for number in 0..<12 {
        let wanted = Predicate.comparison("body", .equal, .text("note \(number * 90)"))
        _ = try context.count(FetchRequest("Note", predicate: wanted))
      }
    }
    let analysis = try LogAnalysis(of: [logged.log])
    let rules = Set(analysis.findings.map(\.rule))
    #expect(
      rules.isSuperset(of: [.faultsOneByOne, .fetchWithoutLimit, .fetchesOneByOne]),
      "\(analysis.findings.map(\.summary))"
    )
    let size = try SavingsMeasurement(
      logs: [logged.log],
      findings: analysis.findings,
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("together")
    ).measure(logged.store, named: "app.sqlite", scale: 1)
    #expect(size.divergence.share == 0)
    let list = try #require(size.repairs.first { $0.summaries.count > 1 })
    #expect(list.obstacle == "" && list.comparison.contains("with the relationship prefetched"))
    #expect(list.comparison.contains("with a batch size of 20 and one batch read"))
    // Keys, one batch and one prefetch in place of the list and its faults.
    let faults = logged.faults
    #expect(list.counters?.statements == size.counters.statements - faults + 2)
    let counts = try #require(size.repairs.first { $0.rule == "fetches-one-by-one" })
    #expect(counts.obstacle == "", "\(counts.obstacle)")
    #expect(counts.counters?.statements == size.counters.statements - 11)
    #expect((counts.counters?.vmSteps ?? 0) * 4 < size.counters.vmSteps * 3)
    if let together = size.together {
      #expect(together.counters?.statements == size.counters.statements - faults + 2 - 11)
      #expect(together.summaries.count >= 3)
    }
  }

  @Test func `proposes the smallest set of indexes within a tenth of the best`() throws {
    let logged = try Logged(notes: 3_000, level: 2) { context in
      for number in 0..<4 {
        let body = Predicate.comparison("body", .equal, .text("note \(number * 700)"))
        _ = try context.fetch(FetchRequest("Note", predicate: body))
        let both = Predicate.and([body, .comparison("count", .equal, .integer(3))])
        _ = try context.count(FetchRequest("Note", predicate: both))
        context.reset()
      }
    }
    var schema = LogSchema(model: Model(entities: Self.model))
    try schema.read(try logged.store.plainConnection())
    let candidates = try LogAnalysis(of: [logged.log], schema: schema).indexCandidates
    #expect(
      candidates.map { $0.columns.map(\.name) }.sorted { $0.joined() < $1.joined() } == [
        ["ZBODY"], ["ZBODY", "ZCOUNT"], ["ZCOUNT"],
      ]
    )
    let proposals = try SavingsMeasurement(
      logs: [logged.log],
      findings: [],
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("indexes")
    ).proposals(candidates, on: logged.store)
    let chosen = try #require(proposals.chosen)
    // The index on the text alone does for both; the longer one takes more bytes.
    #expect(chosen.indexes.map { $0.columns.map(\.name) } == [["ZBODY"]])
    #expect(chosen.counters.vmSteps * 20 < proposals.before.vmSteps)
    #expect(chosen.counters.storeBytes > proposals.before.storeBytes)
    #expect(proposals.single.count == 3)
    // No set has an index that another one starts with.
    #expect(
      proposals.combined.allSatisfy {
        $0.indexes.map { $0.columns.count }.max() == 1
          || $0
            .indexes.contains { $0.columns.map(\.name) == ["ZCOUNT"] }
      }
    )
    let text = proposals.section(Vocabulary(schema: schema, names: LogNames()))
    #expect("\(text)".contains("Note (body)"))
    // What is there is not proposed again.
    #expect(LogSchema(model: Model(entities: Self.model)).tables["ZNOTE"]?.indexes.isEmpty == false)
  }

  @Test func `proposes two indexes where one leaves out a tenth`() throws {
    var proposals = IndexProposals(before: Self.counters(1_000), saves: 0)
    let index = { (name: String) in
      IndexCandidate(table: "ZT", columns: [.init(name: name, isDescending: false)])
    }
    proposals.single = [
      .init([index("ZA")], Self.counters(600)), .init([index("ZB")], Self.counters(550)),
      .init([index("ZC")], Self.counters(995)),
    ]
    proposals.combined = [.init([index("ZA"), index("ZB")], Self.counters(150))]
    proposals.choose()
    #expect(proposals.chosen?.indexes.map { $0.columns[0].name } == ["ZA", "ZB"])
    proposals.combined = [.init([index("ZA"), index("ZB")], Self.counters(520))]
    proposals.choose()
    #expect(proposals.chosen?.indexes.map { $0.columns[0].name } == ["ZB"])
    proposals.single = [.init([index("ZC")], Self.counters(995))]
    (proposals.combined, proposals.chosen) = ([], nil)
    proposals.choose()
    #expect(proposals.chosen == nil)
  }

  private static func counters(_ steps: Int) -> ReplayReport.Counters {
    var counters = ReplayReport.Counters()
    counters.vmSteps = steps
    return counters
  }
}

extension TemporaryFolder {
  /// A new folder in it.
  fileprivate func subfolder(_ name: String) throws -> String {
    let path = file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
