import Runner
import Testing

@testable import WorkloadKinds

/// Tests the number of objects that are in memory at once during a migration.
@Suite struct `A migration that streams` {
  private static let models = MigrationFixture.models + "/tasks/"
  private static let toV2: ParameterValue = .text(models + "v2.yaml")

  private static let streaming: [[String: ParameterValue]] = [
    ["strategy": .text("sideBySide"), "to": toV2],
    ["strategy": .text("exportImport"), "to": toV2],
    ["strategy": .text("gradual"), "to": toV2],
    [
      "strategy": .text("additive"), "to": .text(models + "synced.yaml"),
      "entity": .text("Task"), "attribute": .text("searchTitle"), "beside": .text("title"),
    ],
    [
      "strategy": .text("customStage"), "to": toV2, "entity": .text("Task"),
      "attribute": .text("title"), "transformation": .text("uppercased"),
    ],
  ]

  private static func held(_ values: [String: ParameterValue], tasks: Int) throws -> Double {
    let bench: KindBench<MigrationWorkload> = try KindBench(
      recipe: RecipeReference(
        path: MigrationFixture.models + "/../recipes/tasks.yaml",
        objects: ["Task": tasks]
      )
    )
    let opened = try bench.open(["batchSize": .integer(50)].merging(values) { $1 })
    try opened.workload.run(opened.session, opened.recorder)
    return try #require(opened.figures["objects.held"])
  }

  // The numbers of tasks in stores of about 2,000 and 8,000 objects.
  private static let sizes = (small: 620, large: 2_480)

  @Test(arguments: streaming.indices)
  func `holds no more objects of a store four times as large`(index: Int) throws {
    let small = try Self.held(Self.streaming[index], tasks: Self.sizes.small)
    let large = try Self.held(Self.streaming[index], tasks: Self.sizes.large)
    #expect(small >= 1)
    #expect(large <= small * 1.2)
  }

  @Test func `is not one that saves once`() throws {
    let values = Self.streaming[0].merging(["batchSize": .integer(0)]) { $1 }
    let small = try Self.held(values, tasks: Self.sizes.small)
    let large = try Self.held(values, tasks: Self.sizes.large)
    #expect(large > small * 3.5)
  }
}
