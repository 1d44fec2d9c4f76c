import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Runner

struct PlanDocumentTests {
  private let bench: Bench
  private let machine = PlanDocument.Requirement(
    sqliteSourceID: Environment.example.sqliteSourceID,
    sqliteVersion: "3.40.1",
    build: "release",
    diskBytes: 0
  )

  init() throws { bench = try Bench() }

  private func run(
    _ text: String,
    _ document: PlanDocument,
    keeping tasks: [PlanDocument.Task]? = nil,
    attempt: Int = 1,
    executor: (any TrialExecutor)? = nil,
    save: @escaping (ResultDocument) throws -> Void = { _ in }
  ) throws -> ResultDocument {
    let scratch = try ScratchFolder(in: bench.folder.path + "/scratch")
    defer { scratch.remove() }
    let part = try PlannedRun(attempt: attempt, part: "all", environment: .example)
    return try Run(
      plan: try bench.plan(text).keeping(tasks ?? document.tasks),
      environment: .example,
      stores: GivenStore(store: bench.store),
      executor: executor ?? bench.executor,
      scratch: scratch,
      assignment: PlannedRun.Assignment(document: document, run: part),
      save: save
    ).perform()
  }

  private func plan(_ text: String) throws -> PlanDocument {
    let plan = try bench.plan(text)
    if case .file(let path, _)? = plan.workloads.first?.file.store,
      !FileManager.default.fileExists(atPath: path)
    {
      try FileManager.default.copyItem(atPath: bench.store.path, toPath: path)
    }
    return try PlanDocument(
      of: plan,
      command: PlanDocument.Command(files: ["w/tally.yaml"]),
      machine: machine
    )
  }

  @Test func `is the same each time, and another one where a file changes`() throws {
    let text = "parameters: { strategy: [scan, raise] }"
    let first = try plan(text)
    #expect(try plan(text) == first)
    #expect(try plan(text).hash == first.hash)
    let other = try plan("parameters: { strategy: [scan, probe] }")
    #expect(other.hash != first.hash)
    #expect(first.change(to: other) == "case 'tally/strategy=raise' is gone")
    let trials = try plan(text + "\ntrials: { trials: 7 }")
    #expect(first.change(to: trials) == "a setting of 'tally' has changed")
    #expect(first.caseIDs == ["tally/strategy=scan", "tally/strategy=raise"])
    #expect(first.workloads.first?.store.digest.count == 64)
  }

  @Test func `a result has rows for all cases before anything else, and more as it goes`() throws {
    let text = "parameters: { strategy: [scan, raise] }\ntrials: { trials: 2 }"
    let document = try plan(text)
    var saved: [[PlannedCase.State]] = []
    var missing: [[String]] = []
    let result = try run(text, document) {
      saved.append($0.plan?.cases.map(\.state) ?? [])
      missing.append($0.missing)
    }
    // A report of an interrupted part lists the cases that did not run.
    #expect(missing.first == document.caseIDs)
    #expect(missing.contains(["tally/strategy=raise"]) && missing.last == [])
    #expect(saved.first == [.planned, .planned])
    #expect(saved.contains { $0.contains(.running) })
    #expect(saved.last == [.done, .done])
    #expect(result.plan?.missing == [])
    #expect(result.plan?.document == document)
    #expect(try ResultMerge.merge([("r", result)]) == result)
  }

  @Test func `parts give the exact counters of the whole`() throws {
    let text = "parameters: { strategy: [scan, probe, raise, raiseInBatches], batchSize: [5, 50] }"
    let document = try plan(text)
    let whole = try run(text, document)
    let parts = try document.split(into: 3).map { try run(text, document, keeping: $0) }
    let merged = try ResultMerge.merge(parts.map { ("part", $0) })
    let (ours, theirs) = (merged.workloads[0].cases, whole.workloads[0].cases)
    #expect(ours.map(\.id) == theirs.map(\.id))
    #expect(ours.map(\.exactSamples) == theirs.map(\.exactSamples))
  }

  @Test func `a failed case is finished, and its row shows it`() throws {
    let text = "parameters: { strategy: [scan, raise, forget] }"
    let document = try plan(text)
    let result = try run(text, document)
    #expect(result.plan?.cases.map(\.state) == [.done, .failed, .failed])
  }
}
