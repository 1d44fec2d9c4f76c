import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import StoreBench
import Synchronization
import TestSupport

@testable import WorkloadKinds

/// Small cases of a workload kind, as workload files on stores that suit every kind.
struct ConformanceBench {
  let kind: any WorkloadKind.Type
  private let folder: TemporaryFolder

  private init(_ kind: any WorkloadKind.Type) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    try folder.write(Self.repeatedFetch, to: "workloads/more.log")
    for (name, text) in kind.description.exampleFiles {
      try folder.write(text, to: "workloads/" + name)
    }
    for (name, text) in ConformanceStore.models + ConformanceStore.maps {
      try folder.write(text, to: "workloads/models/" + name)
    }
    // The test program cannot serve as a worker, so a kind that starts processes uses `storebench`.
    OtherProcess.executable.withLock { $0 = Self.program }
  }

  /// The `storebench` program, built into the same folder as the tests.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("storebench").path

  /// Passes the bench of a kind to `body`; its files exist until `body` returns.
  static func with<Found>(
    _ kind: any WorkloadKind.Type,
    _ body: (ConformanceBench) throws -> Found
  ) throws -> Found {
    let bench = try ConformanceBench(kind)
    return try withExtendedLifetime(bench.folder) { try body(bench) }
  }

  /// Checks the kind's example as `check-kind` does.
  static func check<Found>(
    _ kind: any WorkloadKind.Type,
    _ body: (KindCheck) throws -> Found
  ) throws -> Found {
    try with(kind) { try body($0.check($0.workload(kind.description.example))) }
  }

  /// Writes a workload file with a case of the kind.
  func workload(
    _ parameters: String,
    on store: ConformanceStore = .withHistory,
    settings: String? = nil
  ) throws -> String {
    let path = folder.file(store.name)
    if !FileManager.default.fileExists(atPath: path) { try store.put(in: folder) }
    return try folder.write(
      """
      kind: \(kind.name)
      store: { path: \(path) }
      parameters: { \(parameters) }
      trials: { iterations: 1 }
      \(settings.map { "settings: { \($0) }" } ?? "")
      """,
      to: "workloads/conformance.yaml"
    )
  }

  /// A log in which a list is fetched nine times.
  private static let repeatedFetch = String(
    repeating: """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZFOLDER t0
      CoreData: annotation: sql connection fetch time: 0.0004s
      CoreData: annotation: total fetch execution time: 0.0005s for 7 rows.

      """,
    count: 9
  )

  func check(_ workload: String) throws -> KindCheck {
    try KindCheck(workload: workload, kinds: [kind], workFolder: folder.file("work"))
  }

  func run(_ plan: Plan, in executor: any TrialExecutor) throws -> ResultDocument {
    try plan.result(in: folder, by: executor)
  }
}

/// A small store of notes in folders, with every kind of value that a workload needs.
enum ConformanceStore: Sendable {
  case withHistory
  case withoutHistory

  var name: String { self == .withHistory ? "own.sqlite" : "plain.sqlite" }

  /// The model of both variants of the store.
  private static let model = """
    entities:
      Folder:
        attributes: { name: string }
        relationships:
          notes: { to: Note, many: true, inverse: folder, delete: cascade }
          started: { to: Note, many: true, inverse: origin }
      Note:
        attributes:
          id: uuid
          body: string
          changedAt: date
          count: integer32
          scan: { type: binary, external: true }
          thumb: binary
        relationships:
          folder: { to: Folder, inverse: notes }
          origin: { to: Folder, inverse: started }
        indexes: { byCount: [count] }
      Card:
        attributes:
          id: uuid
          key: uuid
          title: string
          subtitle: string
          changedAt: date
          madeAt: date
    """

  /// Models to which the store can be migrated, each with one change.
  static let models = [
    ("wider.yaml", model.replacing("      thumb:", with: "      rank: integer32\n      thumb:")),
    (
      "widest.yaml",
      model.replacing(
        "      thumb:",
        with: "      rank: integer32\n      mark: string\n      thumb:"
      )
    ),
    ("narrower.yaml", model.replacing("      thumb: binary\n", with: "")),
    (
      "unique.yaml",
      model.replacing(
        "  Folder:\n    attributes:",
        with: "  Folder:\n    unique: [[name]]\n    attributes:"
      )
    ),
    (
      "uniqueNotes.yaml",
      model.replacing("indexes: { byCount: [count] }", with: "unique: [[count]]")
    ),
    (
      "required.yaml",
      model.replacing(
        "body: string",
        with: "body: { type: string, optional: false, default: none }"
      )
    ),
    (
      "beside.yaml", model.replacing("      title:", with: "      plainTitle: string\n      title:")
    ),
  ]

  /// Map files and mapping models for migrations of the store.
  static let maps = [
    ("map.yaml", "entities:\n  Note: { from: Note, attributes: { body: { value: empty } } }\n"),
    (
      "code.xcmappingmodel/xcmapping.xml",
      """
      <database><object type="XDDEVMAPPINGMODEL" id="z1">
      <relationship name="entitymappings" idrefs="z2"/></object>
      <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename">Note</attribute>
      <attribute name="destinationname">Note</attribute>
      <attribute name="migrationpolicyclassname">App.NotePolicy</attribute></object>
      </database>
      """
    ),
  ]

  private static let made = Memo<ConformanceStore, [String: Data]>()

  /// Writes the store's files, which are made once, into a folder.
  func put(in folder: TemporaryFolder) throws {
    let files = try Self.made.value(of: self) {
      let origin = try TemporaryFolder()
      try make(at: origin.file(name))
      return try origin.contents()
    }
    try folder.write(files)
  }

  private func make(at path: String) throws {
    let store = try PersistentStore.create(
      at: path,
      model: ModelFile.parse(Self.model, file: "model.yaml").model,
      options: PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        seed: 9,
        keepsHistory: self == .withHistory
      )
    )
    let context = try ObjectContext(store: store)
    var folder = try context.insert("Folder")
    for index in 0..<60 {
      if index % 10 == 0 {
        folder = try context.insert("Folder")
        try folder.setValue(.text("folder \(index % 40)"), of: "name")
      }
      let note = try context.insert("Note")
      let id = Self.identifier(index)
      try note.setValue(id, of: "id")
      try note.setValue(index == 7 ? .null : .text(Self.text(index)), of: "body")
      try note.setValue(.real(5e8 + Double(index) + 0.5), of: "changedAt")
      try note.setValue(.integer(Int64(index % 50)), of: "count")
      // One blob is large enough for an external file.
      let bytes = [UInt8](repeating: UInt8(index), count: index == 0 ? 150_000 : 32)
      try note.setValue(.blob(bytes), of: "scan")
      try note.setValue(.blob(bytes.suffix(12)), of: "thumb")
      try note.setTarget(folder, of: "folder")
      if index < 10 { try note.setTarget(folder, of: "origin") }
    }
    for index in 0..<20 {
      let card = try context.insert("Card")
      try card.setValue(Self.identifier(index), of: "id")
      try card.setValue(Self.identifier(index + 100), of: "key")
      try card.setValue(.text("card \(index)"), of: "title")
      try card.setValue(.text(index < 5 ? "few" : "many"), of: "subtitle")
      try card.setValue(.real(5e8 + Double(index)), of: "changedAt")
      try card.setValue(.real(4e8 - Double(index)), of: "madeAt")
    }
    try context.save()
    try store.connection.checkpoint()
  }

  private static func identifier(_ index: Int) -> Value {
    .blob((0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) })
  }

  /// A text; by locale, these texts have another order than by bytes.
  private static func text(_ index: Int) -> String {
    "\(["note", "Note", "Éclair", "zebra"][index % 4]) \(index)"
  }
}
