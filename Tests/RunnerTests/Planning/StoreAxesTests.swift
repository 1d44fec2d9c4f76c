import Basics
import DataModel
import Foundation
import PersistentStore
import Reporting
import TestSupport
import Testing

@testable import Runner

/// Tests lists under `store:`; each value in a list makes a separate store.
@Suite struct `Lists of a store's values` {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try writeRecipe(to: folder)
  }

  private func plan(_ store: String, _ overrides: Overrides = Overrides()) throws -> Plan {
    let path = try folder.write("kind: tally\nstore: \(store)", to: "growth.yaml")
    return try Plan(paths: [path], kinds: [TallyWorkload.self], overrides: overrides)
  }

  private func problems(_ store: String) -> [String] {
    do {
      _ = try plan(store)
      return []
    } catch let error as InvalidInput {
      return error.problems.map {
        $0.description.replacing(folder.path + "/", with: "")
      }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `make a store of each, named as they are written`() throws {
    let plan = try plan("{ recipe: recipes/tasks.yaml, objects: { Task: [1k, 20_000, 1M] } }")
    #expect(
      plan.workloads.map(\.file.name) == [
        "growth@Task=1k", "growth@Task=20_000", "growth@Task=1M",
      ]
    )
    let counts = plan.workloads.map { workload -> Int? in
      guard case .recipe(_, let reference) = workload.file.store else { return nil }
      return reference.objects["Task"]
    }
    #expect(counts == [1_000, 20_000, 1_000_000])
    #expect(plan.workloads.flatMap(\.cases).map(\.id).first == "growth@Task=1k")
  }

  @Test func `are crossed, and a list of one tells nothing apart`() throws {
    let store =
      "{ recipe: recipes/tasks.yaml, objects: { Task: [10] }, seed: [1, 2], model: "
      + "[models/v1.yaml, models/v2.yaml], flavour: [coreData, swiftData] }"
    let names = try plan(store).workloads.map(\.file.name)
    #expect(names.count == 8 && Set(names).count == 8)
    #expect(names[0] == "growth@seed=1,model=v1.yaml,flavour=coreData")
    #expect(
      try plan("{ recipe: recipes/tasks.yaml, seed: [3] }").workloads[0].file.name == "growth"
    )
  }

  @Test func `have labels without commas, and whole paths where names are the same`() throws {
    let sizes = try plan("{ recipe: recipes/tasks.yaml, objects: { Task: ['1,000', 1e4] } }")
    #expect(sizes.workloads.map(\.file.name) == ["growth@Task=1000", "growth@Task=1e4"])
    let model = try String(contentsOfFile: folder.file("models/v1.yaml"), encoding: .utf8)
    try folder.write(model, to: "models/old/v1.yaml")
    let models = try plan(
      "{ recipe: recipes/tasks.yaml, model: [models/v1.yaml, models/old/v1.yaml] }"
    )
    #expect(
      models.workloads.map(\.file.name) == [
        "growth@model=models-v1.yaml", "growth@model=models-old-v1.yaml",
      ]
    )
  }

  @Test func `are no part of the name of a given store`() throws {
    let store = try makeTallyStore(in: folder, named: "own.sqlite")
    let plan = try plan(
      "{ recipe: recipes/tasks.yaml, objects: { Task: [10, 20] } }",
      Overrides(store: store.path)
    )
    #expect(plan.workloads.map(\.file.name) == ["growth"])
  }

  @Test func `are refused where they name nothing, one store twice or too many`() {
    func recipe(_ rest: String) -> String { "{ recipe: recipes/tasks.yaml, \(rest) }" }
    #expect(
      problems(recipe("objects: { Task: [] }")) == [
        "growth.yaml:2:55: error: 'Task' has no values: name one, or leave it out"
      ]
    )
    #expect(
      problems(recipe("objects: { Task: [1k, 1000] }")) == [
        "growth.yaml:2:60: error: item 2 of 'Task' is in the list already: each store once"
      ]
    )
    #expect(
      problems(recipe("objects: { Task: [1, many] }")) == [
        "growth.yaml:2:59: error: item 2 of 'Task' must be a whole number, not text 'many'"
      ]
    )
    let numbers = (1...101).map(String.init).joined(separator: ", ")
    #expect(
      problems(recipe("seed: [\(numbers)]")) == [
        "growth.yaml:2:8: error: these are 101 stores, and 100 are possible: shorten the lists"
      ]
    )
    #expect(problems(recipe("objects: { Tusk: [1, 2] }")).count == 1)
  }
}

@Suite struct `The growth of costs over stores` {
  private func workload(_ size: Int, _ label: String, _ times: [Double]) -> WorkloadResult {
    let name = "growth@Task=\(label)"
    var workload = Fixture.workload(
      name,
      Fixture.result(
        name + "/batchSize=20",
        outcome: .passed,
        Sample(metric: .wallClock, trials: times.map { [$0] }),
        Fixture.sample(Fixture.vmSteps, Double(7 * size), Double(7 * size)),
        Fixture.sample(.counter("sqlite.cacheMisses"), 12, 12)
      )
    )
    workload.store.objects = ["Task": size, "Tag": 5]
    return workload
  }

  @Test func `has the power of counters exactly and of times with an interval`() throws {
    let workloads = [
      workload(1_000, "1k", [0.010, 0.011]), workload(10_000, "10k", [0.10, 0.11]),
      workload(100_000, "100k", [1.0, 1.1]),
    ]
    let report = Fixture.document(workloads[0], workloads[1], workloads[2]).report
    let parts = report.markdown.split(separator: "growth: growth of its costs")
    #expect(parts.count == 2 && report.html.contains("Time over the objects of Task"))
    let lines = parts[1].split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("Cost by Task") && $0.contains("100k") })
    let rows = lines.filter { $0.contains("n^") || $0.contains("constant") }
    #expect(rows.count == 3)
    #expect(rows[0].contains("Time") && rows[1].contains("SQLite steps"), "\(rows)")
    #expect(rows[0].contains("n^1.00 (0.9") && rows[0].contains("to 1.0"), "\(rows[0])")
    #expect(rows[1].contains("700,000") && rows[1].contains("n^1.00"), "\(rows[1])")
    #expect(rows[2].contains("constant"), "\(rows[2])")
  }

  @Test func `has the steps of each part, which fit a terminal`() {
    let workloads = [(1_000, "1k"), (10_000, "10k")].map { size, label -> WorkloadResult in
      var measured = workload(size, label, [0.010, 0.011])
      measured.cases[0].samples += [
        Fixture.sample(.phase("list"), 0.004, 0.005),
        Fixture.sample(.counter("step.list.vmSteps"), Double(5 * size), Double(5 * size)),
      ]
      return measured
    }
    let lines = Fixture.document(workloads[0], workloads[1]).brief.text()
      .split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("Time of list") })
    let steps = lines.first { $0.contains("SQLite steps of list") } ?? ""
    #expect(steps.contains("50,000") && steps.contains("n^1.00"), "\(lines)")
    #expect(lines.allSatisfy { TerminalText.width($0) <= 80 }, "\(lines)")
  }

  @Test func `has a power of the medians that it shows, where one trial was slow`() throws {
    let sizes = [1_000.0, 10_000]
    let times = [[0.010, 0.011, 0.1], [0.0129, 0.013, 0.0131]]
    let power = try #require(GrowthPower(sizes: sizes, values: times))
    #expect(abs(power.exponent - 0.07255048) < 1e-6, "\(power.exponent)")
    let squares = times.map { trials -> Double in
      let logarithms = trials.map { log($0) }
      let mean = logarithms.reduce(0, +) / 3
      return logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    let deviation = ((squares[0] + squares[1]) / 4 * 2 / 3).squareRoot() / log(10)
    let expected = (Double.pi / 2).squareRoot() * 2.7764451051977987 * deviation
    #expect(abs((power.reach ?? 0) - expected) < 1e-6, "\(power.reach ?? 0) \(expected)")
    let section = Fixture.document(
      workload(1_000, "1k", times[0]),
      workload(10_000, "10k", times[1])
    ).report.markdown
    #expect(section.contains("n^0.07 ("), "\(section)")
  }

  @Test func `has no power of stores that differ in something else than one entity's objects`() {
    var other = workload(1_000, "1k", [0.01])
    other.workload = "growth@seed=1"
    var another = workload(1_000, "1k", [0.02])
    another.workload = "growth@seed=2"
    let growth = StoreGrowth.groups(of: [other, another])
    #expect(growth.first?.tables[0].columns.map(\.title).contains("Grows") == false)
    #expect(StoreGrowth.groups(of: [other]).isEmpty)
  }

  @Test func `fits a power by least squares, as computed by hand`() throws {
    let power = try #require(
      GrowthPower(sizes: [10, 100, 10_000], values: [[10], [1_000], [10_000]])
    )
    #expect(abs(power.exponent - 13.0 / 14) < 1e-12)
    #expect(power.reach == nil)
    #expect(GrowthPower(sizes: [10, 100], values: [[1], [0]]) == nil)
    #expect(GrowthPower(sizes: [10, 10], values: [[1], [2]]) == nil)
    let timed = try #require(GrowthPower(sizes: [1, 10], values: [[1, 1.1], [10, 11]]))
    let deviation = 0.5 * 0.0953101798043249 * 2.0.squareRoot()
    let expected = 4.302652729911275 * deviation / 2.302585092994046
    #expect(abs((timed.reach ?? 0) - expected) < 1e-9, "\(timed.reach ?? 0) \(expected)")
  }
}
