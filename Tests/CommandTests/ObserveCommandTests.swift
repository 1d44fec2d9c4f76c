import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLLog
import SQLite
import TestSupport
import Testing
import WorkloadKinds

@testable import StoreBenchCommand

struct ObserveCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func observe(_ workload: String, _ arguments: [String] = []) -> RecordingConsole {
    let console = RecordingConsole()
    let status = Storebench.run(
      ["observe", Repository.path("Workloads/\(workload)"), "--output", folder.file("stores")]
        + arguments,
      on: console.console
    )
    #expect(status == .done, "\(console.errors)")
    return console
  }

  private func plan() throws -> ObservationPlan {
    try JSONDecoder().decode(
      ObservationPlan.self,
      from: Data(contentsOf: URL(fileURLWithPath: folder.file("stores/observation.json")))
    )
  }

  /// The declarations of Apple's frameworks as modules, which are compiled once for all tests.
  private static let frameworks = Result { try WrittenSwift() }

  /// Type-checks files in the test's folder.
  private func check(_ files: String...) throws -> OutsideProgram.Ending {
    let frameworks = try #require(try Self.frameworks.get())
    return try frameworks.compiler.run(
      ["-typecheck", "-swift-version", "6", "-I", frameworks.path] + files.map(folder.file)
    )
  }

  @Test func `the printed tests of behaviors fit the frameworks' declarations`() throws {
    let console = RecordingConsole()
    let arguments = ["observe", "--print-source", "--behaviors"]
    #expect(Storebench.run(arguments, on: console.console) == .done)
    #expect(console.output.contains("/// This file has not been run yet."))
    #expect(console.output.contains("storebench analyze --behaviors behaviors.log"))
    try folder.write(console.output, to: "Behaviors.swift")
    let checked = try check("Behaviors.swift")
    #expect(checked.status == 0, "\(checked.errors)")
    // The generated program must test each behavior, except those that no log shows.
    for probe in BehaviourProbe.all {
      let begins = console.output.contains("kit.begin(\"\(probe.name)\")")
      if case .nothing = probe.sign { #expect(!begins) } else { #expect(begins, "\(probe.name)") }
    }
  }

  @Test func `the tests of behaviors are for all that cases assume and could assume otherwise`()
    throws
  {
    let workloads = Repository.path("Workloads")
    let plan = try Plan(paths: [workloads], kinds: WorkloadCatalog.kinds)
    var declared: [String: Set<String>] = [:]
    for own in plan.workloads.flatMap(\.cases).flatMap(\.traits.behaviours)
    where own.evidence == .assumed && own.alternatives?.isEmpty == false {
      declared[own.name, default: []].formUnion([own.value] + (own.alternatives ?? []))
    }
    declared["toManyFault"] = Set(StoreBehaviours.ToManyFault.allCases.map(\.rawValue))
    let tested = Dictionary(BehaviourProbe.all.map { ($0.name, Set($0.values)) }) { $1 }
    #expect(tested == declared)
  }

  @Test func `the log of the tests gives values with the evidence log`() throws {
    let lines = [
      "storebench behavior: system Version 14.5 (Build 23F79)",
      "storebench behavior: toManyFault begins",
      "CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZFOLDER = ?",
      "storebench behavior: toManyFault ends",
    ]
    try folder.write(lines.joined(separator: "\n") + "\n", to: "app.log")
    let console = RecordingConsole()
    let arguments = ["analyze", "--behaviors", folder.file("app.log")]
    #expect(Storebench.run(arguments, on: console.console) == .done, "\(console.errors)")
    #expect(console.output.contains("Version 14.5 (Build 23F79)"))
    let row = console.output.split(separator: "\n").first { $0.contains("toManyFault") }
    #expect(row?.contains("keys") == true && row?.contains("log") == true, "\(console.output)")
    #expect(Storebench.run(arguments + ["--compare"], on: RecordingConsole().console).code == 64)
    #expect(Storebench.run(["observe", "--behaviors"], on: RecordingConsole().console).code == 64)
  }

  @Test func `the printed source fits the frameworks' declarations, as its head shows its use`()
    throws
  {
    let console = RecordingConsole()
    #expect(Storebench.run(["observe", "--print-source"], on: console.console) == .done)
    try folder.write(console.output, to: "StoreObservation.swift")
    let lines = console.output.split(separator: "\n")
      .filter { $0.hasPrefix("///     ") }.map { $0.dropFirst(8) }
    #expect(lines.filter { $0.hasPrefix("func test") }.count == 2)
    let use = lines.joined(separator: "\n")
      .replacing("XCTUnwrap(Bundle(for: Self.self).resourceURL)", with: "Optional(URL.here)!")
    try folder.write(
      """
      import CoreData
      import Foundation
      import SwiftData
      extension URL { static var here: URL { URL(fileURLWithPath: "/") } }
      final class Item: PersistentModel {
        var createdAt = Date()
        static func == (left: Item, right: Item) -> Bool { left === right }
        func hash(into hasher: inout Hasher) {}
      }
      enum SchemaV2: VersionedSchema {
        static var models: [any PersistentModel.Type] { [Item.self] }
        static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
      }
      enum AppMigrationPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [SchemaV2.self] }
        static var stages: [MigrationStage] { [] }
      }
      \(use)
      """,
      to: "Use.swift"
    )
    let checked = try check("StoreObservation.swift", "Use.swift")
    #expect(checked.status == 0, "\(checked.errors)")
    // The type check must fail for a method that no framework has.
    let wrong = console.output.replacing("context.reset()", with: "context.resetAll()")
    #expect(wrong != console.output)
    try folder.write(wrong, to: "Wrong.swift")
    #expect(try check("Wrong.swift", "Use.swift").status != 0)
  }

  @Test func `the head says where the source has run`() {
    let source = ObserveCommand.source
    #expect(source.contains("/// Where it has run: nowhere yet."))
    #expect(source.contains("storebench forecast --observed FILE"))
  }

  @Test func `makes the stores of a migration, with what an app's container can do`() throws {
    let console = observe("migration/lightweight.yaml", ["--objects", "300", "--objects", "150"])
    let plan = try plan()
    #expect(plan.steps == [ObservationPlan.Step(name: "migration/lightweight", work: "migration")])
    #expect(plan.runs == 3)
    #expect(plan.stores.map(\.file) == ["tasks-150.sqlite", "tasks-300.sqlite"])
    for store in plan.stores {
      let file = StoreFile(path: folder.file("stores/\(store.file)"))
      let opened = try PersistentStore.open(file)
      let count = try opened.model.entities.filter { $0.superentity == nil }.reduce(0) {
        let table = opened.layout.table(of: $1.name)?.name ?? ""
        return try $0 + Int(opened.connection.integer("SELECT count(*) FROM \(table)") ?? 0)
      }
      #expect(count == store.objects)
    }
    #expect(console.errors.contains("left out: stores of a later version"))
    #expect(console.errors.contains("'--version-info App.momd/VersionInfo.plist'"))
  }

  @Test func `says of a fetch what the workload file says`() throws {
    try folder.write(
      """
      kind: fetch
      store: { recipe: \(Repository.path("Workloads/recipes/tasks.yaml")) }
      parameters:
        entity: Task
        engine: [objectGraph, bareSQL]
        strategy: [eager, batched, count]
        accessPattern: [scrollAll, firstScreen]
        batchSize: 50
        batchRetention: [current, all]
        sort: [[-createdAt]]
        limit: 100

      """,
      to: "list.yaml"
    )
    let console = RecordingConsole()
    let arguments = ["observe", folder.file("list.yaml"), "--output", folder.file("stores")]
    #expect(
      Storebench.run(arguments + ["--objects", "200"], on: console.console) == .done,
      "\(console.errors)"
    )
    let steps = try plan().steps
    #expect(steps.map(\.isEager) == [true, false])
    #expect(steps.map(\.batchSize) == [0, 50])
    #expect(steps.allSatisfy { $0.entity == "Task" && $0.limit == 100 })
    #expect(steps.allSatisfy { $0.readsValues == true })
    #expect(console.errors.contains("left out: counts, and lists that are read in part"))
    #expect(console.errors.contains("left out: cases that differ only in what the framework"))
    #expect(steps.allSatisfy { $0.sort == ["-createdAt"] && $0.work == "fetch" })
    // The command must not replace an existing file.
    #expect(Storebench.run(arguments, on: console.console).code == 73)
  }

  @Test func `refuses what no container can do`() {
    let console = RecordingConsole()
    let file = Repository.path("Workloads/migration/exportImport.yaml")
    let status = Storebench.run(
      ["observe", file, "--output", folder.file("stores")],
      on: console.console
    )
    #expect(status.code == 65)
    #expect(console.errors.contains("has no case that an app's container can run"))
  }

  @Test func `a report sums up what an app observed`() throws {
    try folder.write(
      """
      # storebench observation
      duration_seconds,objects,device,work,case,store,run
      0.5,1000,"Phone","migration","m","a.sqlite",1
      0.7,1000,"Phone","migration","m","a.sqlite",2
      0.6,1000,"Phone","migration","m","a.sqlite",3
      2.5,4000,"Phone","migration","m","b.sqlite",1
      # end

      """,
      to: "phone.csv"
    )
    let console = RecordingConsole()
    #expect(
      Storebench.run(["report", folder.file("phone.csv")], on: console.console) == .done,
      "\(console.errors)"
    )
    #expect(
      console.output == """
        Observed by an app on its devices: 4 runs

        Times by device, case and size
          Device  Case  Objects  Runs  Median (ms)  Fastest (ms)  Slowest (ms)
          Phone   m       1,000     3          600           500           700
          Phone   m       4,000     1        2,500         2,500         2,500

        """
    )
  }
}
