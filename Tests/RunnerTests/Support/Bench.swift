import Foundation
import PersistentStore
import Synchronization
import TestSupport

@testable import Runner

/// Runs workload files of the tally kind in this process, on a store made for the test.
struct Bench {
  let folder: TemporaryFolder
  let store: StoreFile
  var executor: any TrialExecutor = InProcessExecutor(
    kinds: [TallyWorkload.self],
    probes: ManualClock().probes
  )

  init() throws {
    folder = try TemporaryFolder()
    store = try makeTallyStore(in: folder, named: "original/items.sqlite")
  }

  func plan(_ text: String, filter: String? = nil) throws -> Plan {
    let path = try folder.write("kind: tally\nstore: { path: a }\n" + text, to: "w/tally.yaml")
    return try Plan(paths: [path], kinds: [TallyWorkload.self], filter: filter)
  }

  func run(
    _ text: String,
    filter: String? = nil,
    log: SQLDebugWriter.Options? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false },
    save: @escaping (ResultDocument) throws -> Void = { _ in },
    events: @escaping (RunEvent) -> Void = { _ in }
  ) throws -> ResultDocument {
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    defer { scratch.remove() }
    return try Run(
      plan: try plan(text, filter: filter),
      environment: .example,
      stores: GivenStore(store: store),
      executor: executor,
      scratch: scratch,
      log: log,
      isStopped: isStopped,
      save: save,
      events: events
    ).perform()
  }

  func cases(_ text: String) throws -> [CaseResult] {
    try run(text).workloads.flatMap(\.cases)
  }
}

/// Provides the same store for every request.
struct GivenStore: StoreProvider {
  let store: StoreFile

  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore {
    PreparedStore(
      store: store,
      description: StoreDescription(
        source: "items.sqlite",
        seed: nil,
        objects: ["Item": 100],
        bytes: store.bytes,
        digest: "d"
      )
    )
  }
}
