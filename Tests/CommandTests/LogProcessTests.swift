import Foundation
import TestSupport
import Testing

/// Tests that the program writes, analyzes, replays, runs and checks a log.
@Suite struct LogProcessTests {
  private let process: StorebenchProcess

  init() throws {
    process = try StorebenchProcess()
    try process.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "list")
  }

  private func run(_ arguments: String...) throws -> StorebenchProcess.Ending {
    try process.run(arguments)
  }

  @Test func `a log goes from run to analysis, replay, workload and gate`() throws {
    let logged = try run(
      "run",
      "Workloads/list.yaml",
      "--allow-debug",
      "--output",
      "first",
      "--log",
      "app.log"
    )
    #expect(logged.status == 0, "\(logged.errors)")
    let store = try run("generate", "Workloads/recipes/tasks.yaml", "--output", "tasks.sqlite")
    #expect(store.status == 0, "\(store.errors)")

    let replayed = try run(
      "analyze",
      "app.log",
      "--store",
      "tasks.sqlite",
      "--replay",
      "--format",
      "json"
    )
    #expect(replayed.status == 0, "\(replayed.errors)")
    let analysis = try #require(
      try JSONSerialization.jsonObject(with: Data(replayed.output.utf8)) as? [String: Any]
    )
    let findings = try #require(analysis["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == ["batch-size-without-effect"])
    let replay = try #require(analysis["replay"] as? [String: Any])
    let size = try #require((replay["sizes"] as? [[String: Any]])?.first)
    let divergence = try #require(size["divergence"] as? [String: Any])
    #expect(divergence["differingRows"] as? Int == 0)
    let counters = try #require(size["counters"] as? [String: Any])
    // The expected 16 statements are one fetch of keys and 15 batches of 20 objects.
    #expect(counters["statements"] as? Int == 16)

    let written = try run(
      "analyze",
      "app.log",
      "--store",
      "tasks.sqlite",
      "--workload",
      "replay.yaml"
    )
    #expect(written.status == 0, "\(written.errors)")
    let again = try run("run", "replay.yaml", "--allow-debug", "--output", "second")
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("replay"), "\(again.output)")

    let pages = try #require(counters["pagesRead"] as? Int)
    for (limit, status) in [(pages, Int32(0)), (pages - 1, 1)] {
      try process.folder.write(
        "actions:\n  - { name: list, from: 'storebench: case', statements: 16, pages: \(limit) }\n",
        to: "actions.yaml"
      )
      let checked = try run(
        "analyze",
        "app.log",
        "--store",
        "tasks.sqlite",
        "--actions",
        "actions.yaml"
      )
      #expect(checked.status == status, "\(checked.output)\(checked.errors)")
    }
  }
}
