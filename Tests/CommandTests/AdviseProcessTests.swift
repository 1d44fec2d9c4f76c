import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests `inspect --advise` on a store whose indexes differ from those of its model.
struct AdviseProcessTests {
  /// Makes a store that lacks one of the model's indexes and has two others.
  ///
  /// One of the two is in no model; the other repeats the first column of a further index.
  private static func prepare() throws -> StorebenchProcess {
    let process = try StorebenchProcess()
    func model(_ indexes: String) -> String {
      "identifier: '1'\nentities:\n  Task:\n    attributes:\n"
        + "      title: string\n      rank: { type: integer32, optional: false }\n"
        + "      kind: integer16\n    indexes: { \(indexes) }\n"
    }
    try process.folder.write(model("byKind: [kind], byKindTitle: [kind, title]"), to: "m/v1.yaml")
    try process.folder.write(
      model("byRank: [rank], byKind: [kind], byKindTitle: [kind, title]"),
      to: "m/v2.yaml"
    )
    try process.folder.write(
      "format: 1\nmodel: m/v1.yaml\nseed: 5\nentities:\n  Task: { count: 1500 }\n",
      to: "recipe.yaml"
    )
    try process.folder.write(
      "kind: fetch\nstore: { recipe: recipe.yaml }\n"
        + "parameters: { strategy: eager, entity: Task, sort: [[rank]], limit: 20 }\n"
        + "trials: { trials: 1 }\n",
      to: "first.yaml"
    )
    let ending = try process.run(["generate", "recipe.yaml", "--output", "app.sqlite"])
    #expect(ending.status == 0, "\(ending.errors)")
    try Connection(path: process.folder.file("app.sqlite"), mode: .readWrite)
      .execute("CREATE INDEX MY_TITLE ON ZTASK (ZTITLE)")
    return process
  }

  private struct Document: Decodable {
    struct Advice: Decodable {
      struct Fetch: Decodable {
        let before: Double
        let after: Double
        let pagesBefore: Double
        let pagesAfter: Double
        let stepsBefore: Double
        let stepsAfter: Double
      }

      let index: String
      let change: String
      let bytes: Int64
      let saveBefore: Double
      let saveAfter: Double
      let savedObjects: Int
      let fetches: [Fetch]
    }

    let advice: [Advice]
  }

  @Test func `prices each index of the three groups, its gain beside its bytes and its save`()
    throws
  {
    let process = try Self.prepare()
    let store = try process.folder.bytes(of: "app.sqlite")
    let arguments = [
      "inspect", "app.sqlite", "m/v2.yaml", "--advise", "first.yaml", "--allow-debug",
    ]
    let json = try process.run(arguments + ["--format", "json"])
    #expect(json.status == 0, "\(json.errors)")
    let advice = try JSONDecoder().decode(Document.self, from: Data(json.output.utf8)).advice
    #expect(advice.map(\.change) == ["create", "drop", "drop"])
    #expect(advice.map(\.index) == ["Z_Task_byRank", "MY_TITLE", "Z_Task_byKind"])
    // The missing index avoids sorting all tasks; the two superfluous indexes serve no fetch.
    let ranked = try #require(advice[0].fetches.first)
    #expect(ranked.stepsAfter * 4 < ranked.stepsBefore)
    #expect(ranked.pagesAfter < ranked.pagesBefore)
    for other in advice.dropFirst() {
      #expect(other.fetches.map(\.stepsAfter) == other.fetches.map(\.stepsBefore))
    }
    #expect(advice[0].bytes > 0)
    #expect(advice.dropFirst().allSatisfy { $0.bytes < 0 })
    for one in advice {
      #expect(one.savedObjects == 1000)
      #expect(one.saveBefore > 0)
      #expect(one.saveAfter > 0)
    }
    #expect(try process.folder.bytes(of: "app.sqlite") == store)
  }

  @Test func `prints the three groups, and one block for each index`() throws {
    let process = try Self.prepare()
    let ending = try process.run([
      "inspect", "app.sqlite", "m/v2.yaml", "--advise", "first.yaml", "--allow-debug",
    ])
    #expect(ending.status == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n").map(String.init)
    for heading in [
      "  In the model, missing in the store (1): ", "  In the store, not in the model (1)",
      "  Its columns are the first columns of another index (1)",
    ] {
      #expect(lines.contains { $0.hasPrefix(heading) }, "\(ending.output)")
    }
    let first = try #require(lines.firstIndex(of: "Create Z_Task_byRank on ZTASK"))
    #expect(lines[first + 1].hasPrefix("  Adds "))
    let block = lines[(first + 2)...].prefix { $0.hasPrefix("  ") }.joined(separator: "\n")
    #expect(block.contains("\n  save of 1000"), "\(block)")
    #expect(block.contains("\n  fetch "), "\(block)")
    for unit in ["Pages", "Steps"] { #expect(block.contains(unit), "\(block)") }
    let drop = try #require(lines.firstIndex(of: "Drop MY_TITLE on ZTASK"))
    let save = lines[(drop + 1)...].prefix { $0.hasPrefix("  ") }.joined(separator: "\n")
    #expect(save.contains("\n  save of 1000 objects"), "\(save)")
    for unit in ["Pages", "Steps"] { #expect(!save.contains(unit), "\(save)") }
    #expect(lines.contains { $0.contains("#Index<Task>([\\.rank") }, "\(ending.output)")
    #expect(ending.output.contains("Add Fetch Index"))
    #expect(ending.output.contains("Stores that users have already get it only by a migration"))
    #expect(lines.contains("Drop Z_Task_byKind on ZTASK"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }
}
