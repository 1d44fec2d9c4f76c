import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

struct CoexistenceProcessTests {
  private func result(_ parameters: String) throws -> CaseResult {
    let program = try StorebenchProcess()
    try program.folder.write(
      """
      identifier: "1"
      entities:
        Note:
          attributes:
            id: { type: uuid, optional: false }
            body: { type: string, preserveOnDeletion: true }
            changedAt: date
      """,
      to: "Workloads/models/notes.yaml"
    )
    try program.folder.write(
      "format: 1\nmodel: models/notes.yaml\nflavour: swiftData\nseed: 5\nentities:\n"
        + "  Note: { count: 100 }",
      to: "Workloads/recipes/notes.yaml"
    )
    try program.folder.write(
      """
      kind: coexistence
      store: { recipe: recipes/notes.yaml }
      parameters: { \(parameters), rounds: 2, interval: 2, poll: 1 }
      trials: { trials: 1 }
      """,
      to: "Workloads/widget.yaml"
    )
    let ending = try program.run([
      "run", "Workloads/widget.yaml", "--allow-debug", "--output", "out",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    let document = try ResultDocument(readingFrom: program.folder.path + "/out")
    return try #require(document.workloads.first?.cases.first)
  }

  @Test func `a widget shows what the app and a share extension have saved`() throws {
    let result = try result("added: 6, shared: 3, objects: 3")
    #expect(result.outcome == .passed)
    #expect(result.sample(of: "reader.missed")?.values == [0])
    for name in [
      "busy.app", "busy.widget", "busy.extension", "conflict.appSaves", "conflict.extensionSaves",
    ] {
      #expect(result.sample(of: name)?.values.count == 1, "\(name)")
    }
  }

  @Test(arguments: ["history", "attribute", "sideFile"])
  func `one process sees what the other saves`(detection: String) throws {
    let result = try result("detection: \(detection)")
    for name in ["lag.p50", "lag.max", "phase.save", "detection.bytes"] {
      #expect(result.sample(of: name)?.values.count == 1, "\(name)")
    }
    // Counters vary with the order in which processes get the lock.
    #expect(result.samples.contains { $0.metric.name == "vfs.writes" })
    #expect(!result.samples.contains { $0.metric.name.hasPrefix("vfs.") && $0.metric.isExact })
    if detection == "history" {
      #expect(result.sample(of: "reader.tombstones")?.values == [2])
    }
  }
}
