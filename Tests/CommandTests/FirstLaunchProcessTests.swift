import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests first launches in separate processes that are killed or have a nearly full disk.
struct FirstLaunchProcessTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    // The new model has no title, so the migration rebuilds the table.
    try program.folder.write(
      """
      identifier: "2"
      entities:
        Task:
          attributes:
            isDone: { type: boolean, optional: false, default: false }
            notes: string
      """,
      to: "Workloads/models/v2.yaml"
    )
  }

  private func write(_ parameters: String) throws {
    try program.folder.write(
      """
      kind: firstLaunch
      store: { recipe: recipes/tasks.yaml }
      parameters: { to: models/v2.yaml, \(parameters) }
      trials: { trials: 1 }
      """,
      to: "Workloads/launch.yaml"
    )
  }

  private func results() throws -> [CaseResult] {
    let ending = try program.run([
      "run", "Workloads/launch.yaml", "--allow-debug", "--output", "out",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    return try ResultDocument(readingFrom: program.folder.path + "/out")
      .workloads.flatMap(\.cases)
  }

  @Test func `keeps the store whole on a disk that gets full at any phase`() throws {
    try write(
      "strategy: [deferred, onCopy, sideBySide], backup: backupAPI, meanwhile: oldStore, "
        + "free: [0.02, 1.4]"
    )
    let cases = try results()
    #expect(cases.count == 6)
    for result in cases {
      let full = result.sample(of: "launch.full")?.values.first ?? 0
      #expect(result.sample(of: "launch.count")?.values.first == 1 + full)
    }
    // Free space of 2 % of the store's size is too little for any strategy.
    let least = cases.filter { $0.id.contains("free=0.02") }
    #expect(least.allSatisfy { $0.sample(of: "launch.full")?.values == [1] })
  }

  @Test func `refuses before it begins where the free disk is less than its estimate`() throws {
    try write("strategy: inPlace, free: [0.5, 100], spaceCheck: true")
    let cases = try results()
    for result in cases {
      let refused: [Double]? = result.id.contains("free=100") ? nil : [1]
      #expect(result.sample(of: "launch.refused")?.values == refused)
      #expect(result.sample(of: "launch.full") == nil)
    }
    #expect(cases.count == 2)
  }

  @Test func `loses nothing, wherever it is killed`() throws {
    try write("strategy: [deferred, onCopy], backup: copy, check: counts, meanwhile: oldStore")
    let ending = try program.run([
      "crash-test", "Workloads/launch.yaml", "--kills", "6", "--seed", "3",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("0 objects lost, 0 doubled, 0 failed"))
  }
}
