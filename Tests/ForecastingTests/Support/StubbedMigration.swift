import Basics
import Foundation
import Generators
import PersistentStore
import Synchronization
import TestSupport

@testable import Forecasting
@testable import Runner

/// A migration stub whose times follow a cost model; it migrates nothing.
final class StubbedMigration: TrialExecutor, StoreProvider {
  struct Kind: WorkloadKind {
    static let description = KindDescription(
      name: "migration",
      summary: "nothing",
      isForecast: true
    )
    struct Parameters: ParameterSet {
      @Parameter(.path, "the model") var to = ""
      @Parameter(.paths, "the versions on the way") var via: [String] = []
    }
    let parameters: Parameters

    func prepare(_ trial: Trial) throws {}
    func run(_ session: Void, _ recorder: Recorder) throws {}
    func verify(_ session: Void, _ trial: Trial) throws -> Verification {
      Verification(digest: "")
    }
  }

  let folder: TemporaryFolder
  /// The number of objects in the store of each requested run.
  let runs = Mutex<[Int]>([])
  /// The number of objects from which runs fail.
  let failing: Int?
  /// Whether every migration is refused, as its case expects.
  let isRefused: Bool
  private let current = Mutex(0)

  init(failing: Int? = nil, isRefused: Bool = false) throws {
    folder = try TemporaryFolder()
    self.failing = failing
    self.isRefused = isRefused
    try folder.write("a store's bytes", to: "own/store.sqlite")
    try folder.write(
      "identifier: \"1\"\nentities:\n  Task: { attributes: { title: string } }\n",
      to: "w/models/v1.yaml"
    )
    try folder.write(
      "format: 1\nmodel: models/v1.yaml\nseed: 5\nentities:\n  Task: { count: 300 }",
      to: "w/recipes/tasks.yaml"
    )
  }

  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore {
    guard case .recipe(_, let reference) = file.store else {
      throw Refusal.noRecipe(store: file.path)
    }
    let objects = try reference.read().entities.map { ($0.name, $0.count) }
    current.withLock { $0 = objects.reduce(0) { $0 + $1.1 } }
    return PreparedStore(
      store: StoreFile(path: folder.file("own/store.sqlite")),
      description: StoreDescription(
        source: "tasks",
        seed: 5,
        objects: Dictionary(objects) { $1 },
        bytes: 500 * Int64(objects.reduce(0) { $0 + $1.1 }),
        digest: "d"
      ),
      recipe: reference
    )
  }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    let objects = current.withLock { $0 }
    runs.withLock { $0.append(objects) }
    if let failing, objects >= failing { return TrialResponse(outcome: .failed("it broke")) }
    if isRefused {
      return TrialResponse(outcome: .failedAsExpected("no mapping", Verification(digest: "")))
    }
    let seconds = 0.01 + 1e-5 * Double(objects)
    return TrialResponse(
      outcome: .passed(Verification(digest: "d\(objects)")),
      iterations: [
        [
          TakenMeasurement(.wallClock, seconds), TakenMeasurement(.peakMemory, 3e7),
          TakenMeasurement(.phase("migrate"), seconds * 0.9),
          TakenMeasurement(.phase("export"), seconds * 0.5),
          TakenMeasurement(.counter("sqlite.cacheMisses"), Double(objects) / 10),
        ]
      ],
      clockResolution: 1e-9
    )
  }

  func plan() throws -> Plan {
    let file = try folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n",
      to: "w/migration/copy.yaml"
    )
    return try Plan(paths: [file], kinds: [Kind.self])
  }

  func measure(
    _ design: LadderDesign,
    again: Bool = false,
    isStopped: @escaping @Sendable () -> Bool = { false },
    events: @escaping (LadderProgress) -> Void = { _ in }
  ) throws -> [LadderRun.Outcome] {
    func perform(_ run: LadderRun) throws -> [LadderRun.Outcome] {
      if again { try run.forget() }
      return try run.perform()
    }
    return try withRun(design, isStopped, events, work: perform)
  }

  func kept(_ design: LadderDesign) throws -> [LadderRun.Outcome] {
    try withRun(design) { try $0.kept() }
  }

  private func withRun(
    _ design: LadderDesign,
    _ isStopped: @escaping @Sendable () -> Bool = { false },
    _ events: @escaping (LadderProgress) -> Void = { _ in },
    work: (LadderRun) throws -> [LadderRun.Outcome]
  ) throws -> [LadderRun.Outcome] {
    let scratch = try ScratchFolder(in: folder.file("scratch"))
    defer { scratch.remove() }
    var run = LadderRun(
      cases: try LadderCase.all(of: try plan(), like: nil),
      design: design,
      environment: .example,
      stores: self,
      executor: self,
      scratch: scratch,
      cacheFolder: folder.file("cache"),
      keepFolder: folder.file("kept"),
      isStopped: isStopped,
      events: events
    )
    run.yardstick = Yardstick(rows: 20)
    return try work(run)
  }
}
