import DataModel
import Foundation
import GRDB
import Generators
import PersistentStore
import Runner
import SQLite
import WorkloadKinds

/// Copies of one store of tasks into the next version of its model, each way in turns.
struct CopyRace {
  /// The ways end in different stores, so that no time of theirs means anything.
  struct Difference: Error, CustomStringConvertible {
    let name: String

    var description: String { "'\(name)' left other objects than the first one did" }
  }

  private struct Contestant {
    let name: String
    /// Copies once; returns the seconds and the new store.
    let copy: () throws -> (seconds: Double, store: StoreFile)
  }

  private static let batchSize = 1_000
  private static let model = "models/tasks/v2.yaml"

  let tasks: Int
  let rounds: Int
  /// The objects of all entities.
  let objects: Int
  private let folder: BenchFolder
  private let old: StoreFile
  private let layout: StoreLayout

  init(_ folder: BenchFolder, tasks: Int, rounds: Int) throws {
    self.folder = folder
    self.tasks = tasks
    self.rounds = rounds
    old = StoreFile(path: try folder.file("old.sqlite"))
    objects = try StoreGenerator(
      try BenchRecipe.read(tasks: tasks),
      writer: BulkStoreWriter(threads: 2)
    ).generate(at: old.path).objectCount
    layout = StoreLayout(
      model: try ModelFile.read(path: "Workloads/" + Self.model).model,
      keepsHistory: false
    )
  }

  /// The results in the order of the contestants, every store of the last round held against the
  /// first contestant's.
  ///
  /// - Throws: ``Difference``.
  func results() throws -> [Contest.Result] {
    let contestants = contestants
    var seconds = Array(repeating: [Double](), count: contestants.count)
    var digests = Array(repeating: "", count: contestants.count)
    for round in 0..<rounds {
      for turn in contestants.indices {
        // Whoever goes first changes from round to round.
        let index = (turn + round) % contestants.count
        let (time, store) = try contestants[index].copy()
        seconds[index].append(time)
        if round == rounds - 1 { digests[index] = try digest(store) }
        try store.remove()
      }
    }
    for index in contestants.indices where digests[index] != digests[0] {
      throw Difference(name: contestants[index].name)
    }
    return zip(contestants, seconds).map { contestant, own in
      Contest.Result(contestant.name, objects: objects, seconds: own, first: seconds[0])
    }
  }

  private func digest(_ store: StoreFile) throws -> String {
    try StoreInspection(store: store, layout: layout).digest(DigestOptions(identity: .content))
  }

  private var contestants: [Contestant] {
    [
      Contestant(name: "plain loop over GRDB", copy: copyPlainly),
      Contestant(name: "object context, in batches") { try copy("objectGraph") },
      Contestant(name: "rows by GRDB, any model") { try copy("grdb") },
      Contestant(name: "SQL, table by table") { try copy("bareSQL") },
    ]
  }

  private func copyPlainly() throws -> (seconds: Double, store: StoreFile) {
    let path = try folder.file("new.sqlite")
    let seconds = try Stopwatch.seconds {
      _ = try PersistentStore.create(at: path, model: layout.model)
      _ = try PlainCopy(
        old: queue(old.path, isReadOnly: true),
        new: queue(path, isReadOnly: false),
        batchSize: Self.batchSize
      ).run()
    }
    return (seconds, StoreFile(path: path))
  }

  /// A queue with the settings that the other contestants' connections have.
  private func queue(_ path: String, isReadOnly: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.prepareDatabase { database in
      for (name, value) in ConnectionSettings().pragmas
      where !isReadOnly || !ConnectionSettings.fileProperties.contains(name) {
        try database.execute(sql: "PRAGMA \(name)=\(value)")
      }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private func copy(_ engine: String) throws -> (seconds: Double, store: StoreFile) {
    var values = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    values["strategy"] = .text("sideBySide")
    values["engine"] = .text(engine)
    values["to"] = .text(Self.model)
    values["batchSize"] = .integer(Self.batchSize)
    let workload = MigrationWorkload(parameters: ParameterValues(values))
    let trial = Trial(
      store: old,
      start: old,
      original: old,
      folder: folder.path,
      workloadsFolder: "Workloads"
    )
    let session = try workload.prepare(trial)
    let recorder = Recorder(now: { 0 })
    let seconds = try Stopwatch.seconds { try workload.run(session, recorder) }
    return (seconds, recorder.remainingStore ?? old)
  }
}
