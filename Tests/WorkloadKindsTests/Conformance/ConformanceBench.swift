import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import StoreBench
import Synchronization
import TestSupport

@testable import WorkloadKinds

/// Checks a kind's small case as `check-kind` does, by a workload file on a store that suits every
/// kind.
struct ConformanceBench {
  private let check: KindCheck
  private let folder: TemporaryFolder

  private init(_ kind: any WorkloadKind.Type) throws {
    folder = try TemporaryFolder()
    try Self.makeStore(at: folder.file("own.sqlite"))
    for (name, text) in kind.description.exampleFiles {
      try folder.write(text, to: "workloads/" + name)
    }
    let path = try folder.write(
      """
      kind: \(kind.name)
      store: { path: \(folder.file("own.sqlite")) }
      parameters: { \(kind.description.example) }
      trials: { iterations: 1 }
      """,
      to: "workloads/conformance.yaml"
    )
    check = try KindCheck(workload: path, kinds: [kind], workFolder: folder.file("work"))
    // A kind that starts this program again needs one that can be a worker.
    OtherProcess.executable.withLock { path in
      path =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("storebench").path
    }
  }

  /// Checks a kind; the files of the check are there while the body runs.
  static func check<Found>(
    _ kind: any WorkloadKind.Type,
    _ body: (KindCheck) throws -> Found
  ) throws -> Found {
    let bench = try ConformanceBench(kind)
    return try withExtendedLifetime(bench.folder) { try body(bench.check) }
  }

  /// Notes in folders, with a value of every sort that some kind looks for.
  private static func makeStore(at path: String) throws {
    let model = Model(entities: [
      .folder(),
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid), Attribute(name: "body", type: .string),
          Attribute(name: "changedAt", type: .date), Attribute(name: "count", type: .integer32),
          Attribute(name: "scan", type: .binary, allowsExternalStorage: true),
        ],
        relationships: [Relationship(name: "folder", destination: "Folder", inverse: "notes")]
      ),
    ])
    let store = try PersistentStore.create(
      at: path,
      model: model,
      options: PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        seed: 9,
        keepsHistory: true
      )
    )
    let context = try ObjectContext(store: store)
    var folder = try context.insert("Folder")
    for index in 0..<60 {
      if index % 10 == 0 {
        folder = try context.insert("Folder")
        try folder.setValue(.text("folder \(index)"), of: "name")
      }
      let note = try context.insert("Note")
      let id = (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
      try note.setValue(.blob(id), of: "id")
      try note.setValue(.text("note \(index)"), of: "body")
      try note.setValue(.real(5e8 + Double(index) + 0.5), of: "changedAt")
      try note.setValue(.integer(Int64(index)), of: "count")
      try note.setValue(.blob(id + id), of: "scan")
      try note.setTarget(folder, of: "folder")
    }
    try context.save()
    try store.connection.checkpoint()
  }
}
