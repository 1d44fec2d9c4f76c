import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests the cases of the files in `Workloads/scenario` on small stores.
@Suite struct `The example scenarios` {
  private static let folder = Repository.path("Workloads/scenario")
  private static let names = [
    "photos", "originals", "list", "notebook", "growth", "ycsb/a", "ycsb/b", "ycsb/c", "ycsb/d",
    "ycsb/e",
    "ycsb/f",
  ]

  private func cases(of name: String) throws -> (bench: KindBench<ScenarioWorkload>, [Case]) {
    let path = "\(Self.folder)/\(name).yaml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.split(separator: "\n").count <= 25)
    // A blob's size may be reduced if it remains on the same side of the limit for external files.
    let small = text.replacing("3 MB", with: "200 KB").replacing("1 MB", with: "150 KB")
      .replacing("recipe: recipes/", with: "recipe: \(Self.folder)/recipes/")
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = try folder.write(small, to: name + ".yaml")
    let plan = try Plan(paths: [file], kinds: [ScenarioWorkload.self])
    let recipe = name.hasPrefix("ycsb") ? "records" : "notes"
    let bench = try KindBench<ScenarioWorkload>(
      recipe: RecipeReference(
        path: "\(Self.folder)/recipes/\(recipe).yaml",
        objects: recipe == "records"
          ? ["Record": 120] : ["Notebook": 3, "Note": 60, "Photo": 40, "Scan": 40]
      )
    )
    return (bench, try #require(plan.workloads.first).cases)
  }

  @Test(arguments: names)
  func `are verified on a small store`(name: String) throws {
    let (bench, cases) = try cases(of: name)
    #expect(!cases.isEmpty)
    for planned in cases {
      var values = planned.allParameters.values
      if planned.allParameters.integer("operations") > 0 { values["operations"] = .integer(60) }
      _ = try bench.verify(values)
    }
  }

  /// The shares of the actions must be those of YCSB, within four standard deviations.
  @Test(
    arguments: zip(
      ["a", "b", "c", "d", "e", "f"],
      [
        ["read": 0.5, "update": 0.5], ["read": 0.95, "update": 0.05], ["read": 1],
        ["read": 0.95, "insert": 0.05], ["scan": 0.95, "insert": 0.05],
        ["read": 0.5, "readModifyWrite": 0.5],
      ]
    )
  )
  func `draw YCSB's operations in its proportions`(letter: String, shares: [String: Double]) throws
  {
    let (bench, cases) = try cases(of: "ycsb/" + letter)
    let count = 200.0
    var values = try #require(cases.first).allParameters.values
    values["operations"] = .integer(Int(count))
    let opened = try bench.open(values)
    _ = try opened.finish()
    let figures = opened.figures
    #expect(shares.keys.reduce(0) { $0 + (figures["step.\($1).turns"] ?? 0) } == count)
    for (part, share) in shares {
      let deviation = (count * share * (1 - share)).squareRoot()
      let turns = figures["step.\(part).turns"] ?? 0
      #expect(abs(turns - count * share) <= 4 * deviation + 0.5, "\(part): \(turns)")
    }
    let connection = try opened.trial.store.plainConnection()
    let records = try connection.integer("SELECT count(*) FROM ZRECORD") ?? 0
    #expect(records == 120 + Int64(figures["step.insert.turns"] ?? 0))
  }
}
