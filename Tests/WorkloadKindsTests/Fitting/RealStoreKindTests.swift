import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests every kind on copies of stores of Apple's frameworks, with workload files that name no
/// entity; the environment variable `STOREBENCH_REAL_STORES` names the stores' folder.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] != nil,
    "STOREBENCH_REAL_STORES is not set"
  )
)
struct RealStoreKindTests {
  /// Stores, and the kinds that run on each: every kind runs on at least four, of both frameworks.
  private static let stores = [
    ("bookmarks/Bookmarks_V4", ["blobStorage", "migration"]),
    ("bookmarks/Bookmarks_V5", ["cascadeDelete", "fetch"]),
    ("cart/CartKitSwiftData_v1", ["blobStorage", "cascadeDelete", "fetch", "migration"]),
    ("cart/CartStorage_v1", ["blobStorage", "cascadeDelete"]),
    ("syncmetadata/SyncMetadata_V3", ["fetch", "migration"]),
    ("notes/NoteStore", ["blobStorage", "cascadeDelete", "fetch", "migration"]),
    ("screentime/RMAdminStore-Local", ["blobStorage", "cascadeDelete"]),
  ]

  private static let files = [
    "fetch": "{ strategy: batched, touchedShare: 0.5 }",
    "cascadeDelete": """
    { shape: own, share: 0.3, strategy: [objectByObject, batchDelete, sqlForeignKey],
      batchShape: [byLevel, orphanCleanup] }
    """,
    "blobStorage": """
    { strategy: [separateEntity, externalStorage], operation: insert, size: 200 KB, objects: 4 }
    """,
    "migration": """
    { strategy: [lightweight, customStage, sideBySide, additive] }
    """,
  ]

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("", to: "recipes/.keep")
  }

  private func copy(_ name: String) throws -> String {
    let source =
      (ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] ?? "") + "/\(name).sqlite"
    let target = folder.file("mine/store.sqlite")
    for ending in ["", "-wal"] {
      guard let bytes = FileManager.default.contents(atPath: source + ending) else { continue }
      try folder.write(bytes, to: "mine/store.sqlite" + ending)
    }
    return target
  }

  @Test(arguments: stores)
  func `what a store offers is done and verified, and the store stays as it is`(
    name: String,
    kinds: [String]
  ) throws {
    let store = try copy(name)
    let paths = try kinds.map { kind in
      let parameters = try #require(Self.files[kind])
      return try folder.write(
        "kind: \(kind)\nstore: { recipe: none.yaml }\nparameters: \(parameters)\n"
          + "trials: { trials: 1 }\n",
        to: kind + ".yaml"
      )
    }
    let before = try folder.contents().filter { $0.key.hasPrefix("mine/") }
    let plan = try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(store: store)
    )
    let executor = InProcessExecutor(kinds: WorkloadCatalog.kinds)
    let document = try plan.result(in: folder, by: executor)
    for failed in document.failedCases { Issue.record("\(failed.id): \(failed.outcome)") }
    let done = document.workloads.map { "\($0.kind) \($0.cases.count)" }
    let left = plan.remarks.filter { $0.contains("not possible") }
    #expect(done.count == kinds.count || !left.isEmpty)
    #expect(try folder.contents().filter { $0.key.hasPrefix("mine/") } == before)
  }
}
