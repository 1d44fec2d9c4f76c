import ArgumentParser
import DataModel
import Foundation
import GRDB
import Generators
import PersistentStore
import Runner
import SQLite
import WorkloadKinds

struct MigrateBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Measure objects copied to a new store per second, next to a plain loop over GRDB.",
    discussion: """
      Each method copies the same store into a store of the next model version; the methods take \
      turns. The digests of the copied objects must be equal.

      EXAMPLE: bench migrate 100000 --rounds 5
      """
  )

  @Argument(help: "Number of tasks in each store; the other objects are in proportion.")
  var tasks = [100_000, 1_000_000]

  @Option(help: "Number of copies by each method.")
  var rounds = 3

  @Option(
    help: """
      Folder for the stores. Its disk needs free space for three times the largest store.
      """
  )
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard rounds > 0, tasks.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("tasks and rounds must be above 0")
    }
  }

  func run() throws {
    print(
      """
      Tasks of the recipe tasks.yaml, with their related objects, copied into a new store
      of the next version of their model, 1,000 objects a save. Medians of \(rounds)
      alternating copies; all methods end with the same digest of the objects.
      """
    )
    for tasks in tasks { try CopyRace(BenchFolder(in: folder), tasks: tasks).print(rounds: rounds) }
    print("\nRatios are to the first line of their section.")
  }

  /// Races several methods of copying a store of tasks into the next version of its model.
  private final class CopyRace {
    /// Two methods produced different stores, so their times cannot be compared.
    struct Difference: Error, CustomStringConvertible {
      let name: String

      var description: String { "'\(name)' ended with different objects than the first method" }
    }

    private static let batchSize = 1_000
    private static let model = "models/tasks/v2.yaml"

    private let tasks: Int
    private let objects: Int
    private let folder: BenchFolder
    private let old: StoreFile
    private let layout: StoreLayout
    private var new: StoreFile

    init(_ folder: BenchFolder, tasks: Int) throws {
      self.folder = folder
      self.tasks = tasks
      old = StoreFile(path: try folder.file("old.sqlite"))
      new = old
      objects = try StoreGenerator(try .tasks(tasks), writer: BulkStoreWriter(threads: 2))
        .generate(at: old.path).objectCount
      layout = StoreLayout(
        model: try ModelFile.read(path: "Workloads/" + Self.model).model,
        keepsHistory: false
      )
    }

    func print(rounds: Int) throws {
      let race = Race(
        title: "\(tasks) tasks, \(objects) objects",
        rounds: rounds,
        warmUps: 0,
        contestants: [
          .init("plain loop over GRDB, same statements") { try self.copyByStatements() },
          .init("object context, in batches") { try self.copy("objectGraph") },
          .init("plain loop over GRDB, fewest", measure: copyPlainly),
          .init("SQL, table by table") { try self.copy("bareSQL") },
        ]
      )
      var digests: [Int: String] = [:]
      let results = try race.results { contestant, round in
        if round == rounds - 1 {
          digests[contestant] = try StoreInspection(store: new, layout: layout)
            .digest(.content)
        }
        try new.remove()
      }
      for (contestant, digest) in digests where digest != digests[0] {
        throw Difference(name: race.contestants[contestant].name)
      }
      race.print(results)
    }

    private func copyPlainly() throws -> (seconds: Double, objects: Int) {
      new = StoreFile(path: try folder.file("new.sqlite"))
      let seconds = try Stopwatch.seconds {
        _ = try PersistentStore.create(at: new.path, model: layout.model)
        _ = try PlainCopy(
          old: queue(old.path, isReadOnly: true),
          new: queue(new.path, isReadOnly: false),
          batchSize: Self.batchSize
        ).run()
      }
      return (seconds, objects)
    }

    private func copyByStatements() throws -> (seconds: Double, objects: Int) {
      new = StoreFile(path: try folder.file("new.sqlite"))
      let seconds = try Stopwatch.seconds {
        _ = try PersistentStore.create(at: new.path, model: layout.model)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
          // Use the settings of the other contestants' key maps: a page cache of 2 MB, and no
          // journal.
          for pragma in ["journal_mode=off", "synchronous=off", "cache_size=500"] {
            try database.execute(sql: "PRAGMA " + pragma)
          }
        }
        try StatementCopy(
          old: queue(old.path, isReadOnly: true),
          new: queue(new.path, isReadOnly: false),
          identifiers: DatabaseQueue(path: "", configuration: configuration),
          batchSize: Self.batchSize
        ).run()
      }
      return (seconds, objects)
    }

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

    private func copy(_ engine: String) throws -> (seconds: Double, objects: Int) {
      let seconds: Double
      (seconds, new) = try MigrationWorkload.run(
        [
          "strategy": .text("sideBySide"), "engine": .text(engine), "to": .text(Self.model),
          "batchSize": .integer(Self.batchSize),
        ],
        on: old,
        in: folder
      )
      return (seconds, objects)
    }
  }
}

extension MigrationWorkload {
  /// Migrates a store without verification; returns the time and the resulting store.
  static func run(
    _ chosen: [String: ParameterValue],
    on store: StoreFile,
    in folder: BenchFolder
  ) throws -> (seconds: Double, remaining: StoreFile) {
    let defaults = Dictionary(axes.map { ($0.name, $0.defaultValue) }) { $1 }
    let workload = MigrationWorkload(
      parameters: ParameterValues(defaults.merging(chosen) { $1 })
    )
    let session = try workload.prepare(Trial(on: store, in: folder))
    let recorder = Recorder(now: { 0 })
    let seconds = try Stopwatch.seconds { try workload.run(session, recorder) }
    return (seconds, recorder.remainingStore ?? store)
  }
}
