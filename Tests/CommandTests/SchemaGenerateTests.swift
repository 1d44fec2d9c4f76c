import Basics
import Forecasting
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

struct SchemaGenerateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) -> (code: Int32, output: String, errors: String) {
    let console = RecordingConsole()
    let status = Storebench.run(arguments, on: console.console)
    return (status.code, console.output, console.errors)
  }

  private func generate(_ arguments: String...) -> (code: Int32, output: String, errors: String) {
    run(["schema", "generate"] + arguments + ["-o", folder.file("out")])
  }

  private func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.file("out"))
      .filter { $0.contains(".") }.sorted()
  }

  @Test func `writes a class for each entity, and never over a file`() throws {
    let model = Repository.path("Workloads/models/planner/v1.yaml")
    let ending = generate(model)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(
      try names() == [
        "CDAuthor.swift", "CDContact.swift", "CDEditor.swift", "CDLogEntry.swift",
        "CDProject.swift", "CDTag.swift", "CDTask.swift", "NOTES.md",
      ]
    )
    #expect(ending.output.split(separator: "\n").count == 8)
    let again = generate(model)
    #expect(again.code == 73)
    #expect(again.errors.contains("there is a file at"))
  }

  @Test func `writes versions and a plan`() throws {
    let ending = generate(Repository.path("Workloads/models/tasks"), "--versions")
    #expect(ending.code == 0, "\(ending.errors)")
    let names = try names()
    #expect(names.contains("AppMigrationPlan.swift"))
    #expect(names.contains("Models.swift"))
    #expect(names.count { $0.hasPrefix("SchemaV") } > 5)
    #expect(ending.errors.contains("NOTES.md lists them all"))
  }

  @Test func `writes a migrator by a map, with its test`() throws {
    let ending = generate(
      Repository.path("Workloads/models/planner/v1.yaml"),
      Repository.path("Workloads/models/planner/v2.yaml"),
      "--rename-from",
      Repository.path("Workloads/maps/planner.yaml"),
      "--coexistence"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let names = try names()
    for name in [
      "Convert.swift", "CoreData/CDTask.swift", "Migrator/Journal.swift",
      "Migrator/StoreMigrator.swift", "MigratorTests/StoreMigratorTests.swift", "Task.swift",
    ] {
      #expect(names.contains(name), "\(name)")
    }
  }

  @Test func `a forecast reads the line that the migrator's test prints`() throws {
    let ending = generate(
      Repository.path("Workloads/models/planner/v1.yaml"),
      "--rename-from",
      Repository.path("Workloads/maps/renamed.yaml")
    )
    #expect(ending.code == 0, "\(ending.errors)")
    let bytes = try folder.bytes(of: "out/MigratorTests/StoreMigratorTests.swift")
    let source = String(decoding: bytes, as: UTF8.self)
    let start = try #require(source.range(of: "print(\"duration_seconds"))
    let line = source[start.lowerBound...].prefix { $0 != "\n" }
    let columns = try #require(line.split(separator: "\"").dropFirst().first)
    // The values are in the order in which the generated source prints them.
    let text = "\(columns)\n12.5,6428,\"iPhone15,2\",migration,copy,sideBySide,1000000,50000000\n"
    #expect(ObservedRun.isTable(text))
    let shape = EntityShape(smaller: ["A": 1], larger: ["A": 2])
    let found = try ObservedMigration.read(csv: text, path: "a.csv", shape: shape)
    #expect(found.map(\.seconds) == [12.5])
    #expect(found.map(\.strategy) == ["sideBySide"])
    #expect(found.map(\.device) == ["iPhone15,2"])
    #expect(found.map(\.size) == [.objects(6428)])
    #expect(
      source.contains(
        "\\(seconds),\\(report.oldObjects),\\\"\\(Self.device)\\\",migration,copy,sideBySide,"
      )
    )
  }

  @Test func `refuses a map of other models, and a second model without a map`() {
    let model = Repository.path("Workloads/models/tasks/v1.yaml")
    let map = Repository.path("Workloads/maps/planner.yaml")
    let wrong = generate(model, "--rename-from", map)
    #expect(wrong.code == 65)
    #expect(wrong.errors.contains("the map does not match the models"))
    #expect(generate(model, model).code == 64)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
  }

  @Test func `a store is ready, or not, in 15 lines`() throws {
    let recipe = Repository.path("Workloads/recipes/planner.yaml")
    let store = folder.file("Old.sqlite")
    #expect(run(["generate", recipe, "--output", store]).code == 0)
    let alone = run(["ready", store])
    #expect(alone.code == 0, "\(alone.output)")
    #expect(alone.output.contains("SwiftData on iOS 18"))
    #expect(alone.output.split(separator: "\n").count <= 15)
    let new = Repository.path("Workloads/models/planner/renamed.yaml")
    let pair = run(["ready", store, "--sources", new, "--target", "ios26"])
    #expect(pair.code == 2)
    #expect(pair.output.contains("Way: rename first"), "\(pair.output)")
    #expect(pair.output.contains("--draft-map"))
    let json = run(["ready", store, "--format", "json"])
    #expect(json.output.contains("\"format\" : \"storebench.ready\""))
    #expect(run(["ready", folder.file("none.sqlite")]).code == 66)
  }
}
