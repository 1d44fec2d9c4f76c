import DataModel
import Foundation
import Measurement
import PersistentStore
import SQLite
import StoreMutations
import Synchronization
import TestSupport

@testable import Runner
@testable import WorkloadKinds

/// Runs a kind's small case as a user does, by a workload file on a store that suits every kind.
struct ConformanceBench {
  private let kind: any Workload.Type
  private let folder: TemporaryFolder
  private let plan: Plan

  init(_ kind: any Workload.Type, trials: Int = 2) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    try Self.makeStore(at: folder.file("own.sqlite"))
    for (name, text) in kind.conformanceFiles { try folder.write(text, to: "workloads/" + name) }
    let path = try folder.write(
      """
      kind: \(kind.kind)
      store: { path: \(folder.file("own.sqlite")) }
      parameters: { \(kind.conformance) }
      trials: { trials: \(trials), iterations: 1 }
      """,
      to: "workloads/conformance.yaml"
    )
    plan = try Plan(paths: [path], kinds: [kind])
    // A kind that starts this program again needs one that can be a worker.
    ReaderProcess.executable.withLock { path in
      path =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("storebench").path
    }
  }

  /// Notes in folders, with a value of every sort that some kind looks for.
  private static func makeStore(at path: String) throws {
    let model = Model(entities: [
      Entity(
        name: "Folder",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(
            name: "notes",
            destination: "Note",
            inverse: "folder",
            isToMany: true,
            deleteRule: .cascade
          )
        ]
      ),
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid), Attribute(name: "body", type: .string),
          Attribute(name: "changedAt", type: .date), Attribute(name: "count", type: .integer32),
          Attribute(name: "scan", type: .binary, allowsExternalStorage: true),
        ],
        relationships: [Relationship(name: "folder", destination: "Folder", inverse: "notes")]
      ),
    ])
    let store = try PersistentStore.create(
      at: path,
      model: model,
      options: PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        seed: 9,
        keepsHistory: true
      )
    )
    let context = try ObjectContext(store: store)
    var folder = try context.insert("Folder")
    for index in 0..<60 {
      if index % 10 == 0 {
        folder = try context.insert("Folder")
        try folder.setValue(.text("folder \(index)"), of: "name")
      }
      let note = try context.insert("Note")
      let id = (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
      try note.setValue(.blob(id), of: "id")
      try note.setValue(.text("note \(index)"), of: "body")
      try note.setValue(.real(5e8 + Double(index) + 0.5), of: "changedAt")
      try note.setValue(.integer(Int64(index)), of: "count")
      try note.setValue(.blob(id + id), of: "scan")
      try note.setTarget(folder, of: "folder")
    }
    try context.save()
    try store.connection.checkpoint()
  }

  /// Whether no case changes its store.
  var onlyReads: Bool {
    plan.workloads.flatMap(\.cases).allSatisfy {
      kind.init(parameters: $0.allParameters).onlyReads
    }
  }

  func run(
    _ executor: (any TrialExecutor)? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false },
    events: @escaping (RunEvent) -> Void = { _ in }
  ) throws -> ResultDocument {
    let scratch = try ScratchFolder(in: folder.file("scratch"))
    defer { scratch.remove() }
    return try Run(
      plan: plan,
      environment: .example,
      stores: StoreLibrary(cacheFolder: folder.file("cache")),
      executor: executor ?? InProcessExecutor(kinds: [kind]),
      scratch: scratch,
      isProfiled: false,
      isStopped: isStopped,
      events: events
    ).perform()
  }

  func cases(of document: ResultDocument) -> [CaseResult] {
    document.workloads.flatMap(\.cases)
  }

  /// What must be the same in every run: content and exact counters, by case.
  func endings(of document: ResultDocument) -> [String: [String]] {
    Dictionary(
      cases(of: document).map { result in
        let exact = result.samples.filter(\.metric.isExact)
        return (
          result.id,
          ["\(result.outcome)", result.digest ?? "none"]
            + exact.map { "\($0.metric.name) \($0.trials)" }
        )
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The user's own store, which no run may touch.
  func fingerprint() throws -> String {
    try StoreFingerprint.digest(of: folder.file("own.sqlite"))
  }
}

/// Carries out a case with one thing made wrong: before the work of a kind that only reads, else
/// between the work and its verification.
final class MutatingExecutor: TrialExecutor {
  private let kind: any Workload.Type
  private let mutation: StoreMutation
  private let verdict = Mutex<Bool?>(nil)

  init(kind: any Workload.Type, mutation: StoreMutation) {
    self.kind = kind
    self.mutation = mutation
  }

  /// Whether the kind has found it; `nil` where it could not occur.
  var isCaught: Bool? { verdict.withLock { $0 } }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    guard request.task == .measure else {
      return try InProcessExecutor(kinds: [kind]).execute(request, within: limits)
    }
    return try perform(kind, request)
  }

  private func perform<Kind: Workload>(
    _ kind: Kind.Type,
    _ request: TrialRequest
  ) throws -> TrialResponse {
    let workload = kind.init(parameters: request.parameters)
    let trial = request.trial
    var isApplied = false
    do {
      if workload.onlyReads { isApplied = try apply(to: trial.store) }
      let session = try workload.prepare(trial)
      let recorder = Recorder(now: { 0 })
      _ = recorder.begin()
      try workload.run(session, recorder)
      if !workload.onlyReads { isApplied = try apply(to: trial.store) }
      let found = try workload.verify(session, trial, failure: nil)
      if isApplied { verdict.withLock { $0 = false } }
      return TrialResponse(outcome: .passed(found))
    } catch {
      if isApplied { verdict.withLock { $0 = true } }
      return TrialResponse(outcome: .failed("\(error)"))
    }
  }

  private func apply(to store: StoreFile) throws -> Bool {
    let layout = try PersistentStore.open(store, mode: .readOnly).layout
    return try mutation.apply(to: store, layout: layout, seed: 3)
  }
}

/// A flag that a run is told to stop by.
final class StopFlag: Sendable {
  private let flag = Mutex(false)

  var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}
