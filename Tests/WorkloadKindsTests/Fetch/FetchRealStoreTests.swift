import DataModel
import Foundation
import PersistentStore
import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

/// Tests fetches from copies of stores that Apple's frameworks wrote, in the folder that the
/// environment variable `STOREBENCH_REAL_STORES` names.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] != nil,
    "STOREBENCH_REAL_STORES is not set"
  )
)
struct FetchRealStoreTests {
  private static let stores = [
    "screentime/RMAdminStore-Local.sqlite", "notes/NoteStore.sqlite",
    "bookmarks/Bookmarks_V5.sqlite", "cart/CartKitSwiftData_v1.sqlite",
    "cart/CartStorage_v1.sqlite", "syncmetadata/SyncMetadata_V3.sqlite",
  ]

  /// Each entity and relationship of a store is fetched by one strategy, in turn; in `make fuzz`,
  /// by every strategy.
  @Test(arguments: stores)
  func `fuzz: reads every entity by every engine and follows every relationship`(
    name: String
  ) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let trial = try makeTrial(of: name, in: folder.path)
    let model = try PersistentStore.open(trial.start).model
    let strategies = ["eager", "batched", "faults"]
    var followed = 0
    for (place, entity) in model.entities.enumerated() {
      for (number, engine) in ["objectGraph", "bareSQL"].enumerated() {
        for strategy in FuzzSeeds.part(of: strategies, every: 3, from: place + number) {
          try check(["engine": .text(engine), "strategy": .text(strategy)], entity, trial)
        }
      }
      for relationship in model.relationships(of: entity) where !relationship.isTransient {
        for strategy in FuzzSeeds.part(of: strategies, every: 3, from: followed) {
          let prefetch = strategy == "faults" ? [] : [relationship.name]
          try check(
            [
              "strategy": .text(strategy), "prefetch": .list(prefetch),
              "touchedShare": .real(1), "relationship": .text(relationship.name),
            ],
            entity,
            trial
          )
        }
        followed += 1
      }
    }
  }

  private func makeTrial(of name: String, in folder: String) throws -> Trial {
    let source = (ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] ?? "") + "/" + name
    let copies = try ["start", "store"].map { place in
      let copy = StoreFile(path: "\(folder)/\(place)/\(StoreFile(path: source).name)")
      try FileManager.default.createDirectory(
        atPath: copy.folder,
        withIntermediateDirectories: true
      )
      for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: source + ending) {
        try FileManager.default.copyItem(atPath: source + ending, toPath: copy.path + ending)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644],
          ofItemAtPath: copy.path + ending
        )
      }
      return copy
    }
    return Trial(
      store: copies[1],
      start: copies[0],
      original: copies[0],
      folder: folder,
      workloadsFolder: folder
    )
  }

  private func check(
    _ values: [String: ParameterValue],
    _ entity: Entity,
    _ trial: Trial
  ) throws {
    var parameters = Dictionary(FetchWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    parameters["entity"] = .text(entity.name)
    parameters.merge(values) { $1 }
    let response = try InProcessExecutor(kinds: [FetchWorkload.self]).execute(
      TrialRequest(kind: "fetch", parameters: ParameterValues(parameters), trial: trial),
      within: TrialLimits()
    )
    if case .failed(let cause) = response.outcome {
      Issue.record("\(entity.name) \(values): \(cause)")
    }
  }
}
