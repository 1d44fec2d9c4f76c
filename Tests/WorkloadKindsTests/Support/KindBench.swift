import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite
import TestSupport

@testable import Runner
@testable import WorkloadKinds

/// Runs cases of a kind in a folder of its own, by the same steps as the runner.
final class KindBench<Kind: WorkloadKind> {
  /// A case with its open trial.
  struct Opened {
    let workload: Kind
    let trial: Trial
    let session: Kind.Session
    let recorder: Recorder
  }

  let original: StoreFile
  private let place: TemporaryFolder
  private let recipe: RecipeReference?
  private var starts: [String: StoreFile] = [:]
  private var copies = 0

  /// The stores' folder, which is removed when the bench is released.
  var folder: String { place.path }

  /// Makes the workload's own store, and calls `fill` to insert objects.
  init(
    model: Model,
    keepsHistory: Bool = false,
    _ fill: (ObjectContext) throws -> Void = { _ in }
  ) throws {
    place = try TemporaryFolder()
    original = StoreFile(path: place.file("own.sqlite"))
    recipe = nil
    let store = try PersistentStore.create(
      at: original.path,
      model: model,
      options: PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        seed: 9,
        keepsHistory: keepsHistory
      )
    )
    let context = try ObjectContext(store: store)
    try fill(context)
    try context.save()
    context.reset()
  }

  /// Generates the workload's own store from a recipe.
  init(recipe: RecipeReference) throws {
    place = try TemporaryFolder()
    original = StoreFile(path: place.file("own.sqlite"))
    self.recipe = recipe
    try place.write(GeneratedStores.files(of: recipe, named: original.name))
  }

  /// Checks whether the kind's defaults, with `values` set, fit the workload's own store.
  func fit(_ values: [String: ParameterValue]) throws -> CaseFit {
    let defaults = Dictionary(Kind.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    let values = ParameterValues(defaults.merging(values) { $1 })
    var fit = CaseFit(values, models: ModelFiles(folder: folder))
    let counts = try ObjectCounts.read(original.plainConnection())
    let offer = StoreOffer(
      model: try original.ownModel(),
      counts: counts,
      isMade: true,
      file: original
    )
    Kind.description.fit?(&fit, offer)
    return fit
  }

  /// The kind's defaults with `values` set, completed by the kind's own choices.
  func parameters(_ values: [String: ParameterValue]) throws -> ParameterValues {
    try fit(values).values
  }

  func workload(_ values: [String: ParameterValue]) throws -> Kind {
    Kind(parameters: try parameters(values))
  }

  private func copy(_ store: StoreFile) throws -> StoreFile {
    copies += 1
    let target = StoreFile(path: "\(folder)/\(copies)/\(store.name)")
    try FileManager.default.createDirectory(
      atPath: target.folder,
      withIntermediateDirectories: true
    )
    for (from, to) in zip(store.paths, target.paths)
    where FileManager.default.fileExists(atPath: from) {
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
    return target
  }

  private func trial(on store: StoreFile, start: StoreFile) -> Trial {
    Trial(
      store: store,
      start: start,
      original: original,
      recipe: recipe,
      folder: store.folder,
      workloadsFolder: folder,
      seed: 77
    )
  }

  /// The starting store of a case, made once for all cases that name it.
  func start(of workload: Kind) throws -> StoreFile {
    guard let name = workload.traits.startingStore else { return original }
    if let start = starts[name] { return start }
    let start = try copy(original)
    try workload.makeStartingStore(trial(on: start, start: original))
    starts[name] = start
    return start
  }

  /// Makes a trial on a fresh copy of the case's starting store.
  func makeTrial(of workload: Kind) throws -> Trial {
    let start = try start(of: workload)
    return trial(on: try copy(start), start: start)
  }

  /// A trial on a copy of the store of another trial, which may be open.
  func copied(_ trial: Trial) throws -> Trial {
    self.trial(on: try copy(trial.store), start: trial.start)
  }

  /// Prepares a case, after `change` has changed the store.
  func open(
    _ values: [String: ParameterValue],
    change: (Trial) throws -> Void = { _ in }
  ) throws -> Opened {
    let workload = try workload(values)
    let trial = try makeTrial(of: workload)
    try change(trial)
    let session = try workload.prepare(trial)
    let recorder = Recorder(now: { 0 })
    _ = recorder.begin()
    return Opened(workload: workload, trial: trial, session: session, recorder: recorder)
  }

  /// Runs a case and verifies it.
  func verify(_ values: [String: ParameterValue]) throws -> Verification {
    let opened = try open(values)
    return try opened.finish()
  }

  /// Runs a case, and verifies copies of the resulting store, each with one mutation.
  func mutations(
    after values: [String: ParameterValue],
    of mutations: [StoreMutation] = StoreMutation.beyondVersions
  ) throws -> MutationTally {
    let opened = try open(values)
    try opened.workload.run(opened.session, opened.recorder)
    let layout = try PersistentStore.open(opened.trial.store, mode: .readOnly).layout
    _ = try opened.workload.verify(opened.session, copied(opened.trial))
    return try MutationTally(of: mutations) { mutation in
      let trial = try copied(opened.trial)
      guard try mutation.apply(to: trial.store, layout: layout, seed: 3) else { return nil }
      return {
        defer { try? FileManager.default.removeItem(atPath: trial.folder) }
        _ = try opened.workload.verify(opened.session, trial)
      }
    }
  }

  /// Runs a case as the runner does, with all of its measurements.
  func perform(
    _ values: [String: ParameterValue],
    cache: CacheState = .warm
  ) throws -> TrialResponse {
    let workload = try workload(values)
    return try InProcessExecutor(kinds: [Kind.self]).execute(
      TrialRequest(
        kind: Kind.name,
        parameters: try parameters(values),
        trial: makeTrial(of: workload),
        cache: cache
      ),
      within: TrialLimits()
    )
  }
}

extension KindBench.Opened {
  /// Runs and verifies the case; a failure that the case expects is no error.
  func finish() throws -> Verification {
    do {
      try workload.run(session, recorder)
    } catch {
      guard let expected = workload.traits.expectedFailure, "\(error)".contains(expected) else {
        throw error
      }
    }
    return try workload.verify(session, trial)
  }

  /// The recorded values, by the metric's name.
  var figures: [String: Double] {
    Dictionary(recorder.measurements().map { ($0.metric.name, $0.value) }) { $1 }
  }
}

/// The stores of recipes, each generated once.
private enum GeneratedStores {
  private static let made = Memo<RecipeReference, [String: Data]>()

  /// The files of a recipe's store, by their names.
  static func files(of recipe: RecipeReference, named name: String) throws -> [String: Data] {
    try made.value(of: recipe) {
      let folder = try TemporaryFolder()
      try StoreGenerator(recipe.read()).generate(at: folder.file(name))
      return try folder.contents()
    }
  }
}

extension ChangeEngine {
  /// The engines that are part of the tests' build.
  static var built: [ChangeEngine] { allCases.filter { $0.absence == nil } }
}

extension Model {
  /// A model of tasks with plain attributes only.
  static let plainTasks = Model(entities: [
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "place", type: .integer32),
      ]
    )
  ])
}
