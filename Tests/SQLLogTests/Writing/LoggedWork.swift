import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport

@testable import SQLLog

/// A store whose work is logged by StoreBench's writer.
final class LoggedWork {
  let store: PersistentStore
  let context: ObjectContext
  private let folder = try? TemporaryFolder()
  private let writer: SQLDebugWriter
  private let path: String

  /// Makes and fills a store without a log, and then logs `work`.
  init(
    _ entities: [Entity],
    level: Int,
    keepsHistory: Bool = false,
    fill: (ObjectContext) throws -> Void = { _ in },
    work: (ObjectContext) throws -> Void
  ) throws {
    path = (folder?.path ?? "") + "/app.log"
    let options = PersistentStore.Options(
      settings: ConnectionSettings(synchronous: .off),
      seed: 3,
      keepsHistory: keepsHistory
    )
    store = try PersistentStore.create(
      at: (folder?.path ?? "") + "/app.sqlite",
      model: Model(entities: entities),
      options: options
    )
    let filling = try ObjectContext(store: store)
    try fill(filling)
    if filling.hasChanges { try filling.save() }
    writer = try SQLDebugWriter(.init(path: path, level: level))
    store.connection.observe(writer)
    context = try ObjectContext(store: store)
    writer.begin(store.file)
    try work(context)
    try writer.end()
  }

  var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  /// The lines of the log without the line of the connection.
  var lines: [String] {
    get throws {
      try text.split(separator: "\n").map(String.init).filter { !$0.contains("Connecting") }
    }
  }
}

extension Sequence<String> {
  /// The lines without details that differ between apps: times, numbers of rows, addresses, keys,
  /// lists of columns, and the number of spaces between words.
  var masked: [String] {
    map { line in
      line.replacing(#/<x-coredata:\/\/[^\/]*\//#, with: "<x-coredata://…/")
        .replacing(#/0x[0-9a-f]+/#, with: "0x…")
        .replacing(#/[0-9]+\.[0-9]{4}s/#, with: "0.0000s")
        .replacing(#/SELECT 0, t0.Z_PK, .*? FROM/#, with: "SELECT 0, t0.Z_PK, … FROM")
        .replacing(#/(Got|returned|for|count of) [0-9]+/#) { "\($0.output.1) 1" }
        .replacing(#/p[0-9]+>/#, with: "p1>")
        .replacing(#/ +/#, with: " ")
    }
  }
}
