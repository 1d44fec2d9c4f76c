import DataModel
import Foundation
import Runner
import Testing

@testable import WorkloadKinds

/// Tests work on dirty and aged stores: earlier defects must not count as the work's, and the
/// content of a -wal file is part of the store.
struct UnusualStoreTests {
  private static let recipes = ["tasks-dirty", "tasks-aged"]

  private func bench<Kind: WorkloadKind>(_ recipe: String) throws -> KindBench<Kind> {
    let folder = URL(fileURLWithPath: MigrationFixture.models).deletingLastPathComponent().path
    return try KindBench(
      recipe: RecipeReference(path: "\(folder)/recipes/\(recipe).yaml", objects: ["Task": 200])
    )
  }

  @Test(arguments: recipes, ["inPlace", "rebuild"])
  func `a lightweight migration carries over what is wrong`(recipe: String, shape: String) throws {
    let bench: KindBench<MigrationWorkload> = try bench(recipe)
    let values: [String: ParameterValue] = [
      "strategy": .text("lightweight"), "shape": .text(shape),
    ]
    _ = try bench.verify(values.merging(MigrationFixture.toV2) { $1 })
  }

  @Test func `a migration object by object meets a required value that is missing`() throws {
    let values: [String: ParameterValue] = ["strategy": .text("sideBySide")]
    let aged: KindBench<MigrationWorkload> = try bench("tasks-aged")
    _ = try aged.verify(values.merging(MigrationFixture.toV2) { $1 })
    let dirty: KindBench<MigrationWorkload> = try bench("tasks-dirty")
    let response = try dirty.perform(values.merging(MigrationFixture.toV2) { $1 })
    guard case .failed(let reason) = response.outcome else {
      Issue.record("\(response.outcome)")
      return
    }
    #expect("\(reason)".contains("is required and has no value"))
  }

  @Test(arguments: recipes, ["eager", "batched"])
  func `a list is scrolled to its end`(recipe: String, strategy: String) throws {
    let bench: KindBench<FetchWorkload> = try bench(recipe)
    _ = try bench.verify([
      "entity": .text("Task"), "strategy": .text(strategy), "accessPattern": .text("scrollAll"),
    ])
  }

  @Test(arguments: recipes, ["objectByObject", "batchDelete"])
  func `projects are deleted with all that is theirs`(recipe: String, strategy: String) throws {
    let bench: KindBench<CascadeDeleteWorkload> = try bench(recipe)
    _ = try bench.verify([
      "shape": .text("own"), "entity": .text("Project"), "share": .real(0.3),
      "strategy": .text(strategy),
    ])
  }
}
