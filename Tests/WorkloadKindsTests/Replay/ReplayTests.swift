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

/// Tests replays of logs that StoreBench wrote, compared with the logged work.
@Suite struct ReplayTests {
  /// Reads a list with faults, a batched list and a prefetched list, and saves.
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
    let logged = try LoggedStore(notes: 100, level: level, Self.work)
    let (session, counters) = try logged.session()
    #expect(session.replay.divergence.share == 0)
    #expect(session.replay.divergence.guessed == 0)
    #expect(session.replay.omissions.isEmpty && session.replay.refusals.isEmpty)
    #expect(session.outcome == session.rehearsed)
    #expect(!session.replay.isMapped)
    #expect(counters == logged.counters)
  }

  @Test func `draws what level 1 does not show, and counts it`() throws {
    let logged = try LoggedStore(notes: 100, level: 1, Self.work)
    let (session, _) = try logged.session()
    #expect(session.replay.divergence.errors == 0)
    #expect(session.replay.divergence.missedWrites == 0)
    #expect(session.replay.divergence.guessed > 0)
    #expect(!session.script.hasValues)
  }

  @Test func `repeats a loop for the rows of a larger store`() throws {
    let small = try LoggedStore(notes: 60, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note", includesPropertyValues: false))
      for index in 0..<list.count { _ = try list.object(at: index).value(of: "body") }
    }
    let large = try LoggedStore(notes: 600, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note", includesPropertyValues: false))
      for index in 0..<list.count { _ = try list.object(at: index).value(of: "body") }
    }
    let (session, counters) = try small.session(values: .mapped, scale: 10, on: large.store)
    #expect(session.replay.divergence.isEvidence)
    #expect(counters == large.counters)
  }

  // The log reads the notes of each folder: a replay must follow its own notes, not the logged
  // number.
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
    let log = try LoggedStore(notes: logged, level: 2, work)
    let other = try LoggedStore(notes: replayed, level: 2, work)
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
    let small = try LoggedStore(notes: 70, level: 2, work)
    // No note of the other store has the logged values.
    let other = try LoggedStore(notes: 10, level: 2) { _ in }
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
    let logged = try LoggedStore(notes: 100, level: 2) { _ in }
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
    let logged = try LoggedStore(notes: 10, level: 2) { _ in }
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

  @Test func `takes a log with nothing to replay for bad input`() throws {
    let folder = try TemporaryFolder()
    let text = "CoreData: sql: CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY )\n"
    let log = try folder.write(text, to: "app.log")
    let error = #expect(throws: Refusal.self) {
      try SavingsMeasurement(logs: [log], findings: [], folder: folder.path)
    }
    #expect(error?.status == .badInput)
  }
}
