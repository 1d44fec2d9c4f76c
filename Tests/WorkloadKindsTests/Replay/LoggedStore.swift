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

/// A store with the log, and SQLite's counters, of work done on it.
final class LoggedStore {
  static let model = [
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
      model: Model(entities: Self.model),
      options: options
    )
    let context = try ObjectContext(store: made)
    try Self.fill(context, notes: notes)
    try context.save()
    try made.connection.checkpoint()
    // Logging also reads the store, so the counters and the log come from separate runs.
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

extension TemporaryFolder {
  /// Makes a folder inside this folder; returns its path.
  func subfolder(_ name: String) throws -> String {
    let path = file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
