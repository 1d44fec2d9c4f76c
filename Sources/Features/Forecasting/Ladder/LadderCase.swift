import Basics
import Foundation
import Generators
import Runner
import SQLite
import Synchronization

/// A migration for which a ladder (runs on stores of increasing size) is measured.
package struct LadderCase: Sendable {
  /// The workload to which the case belongs.
  package let workload: PlannedWorkload
  package let planned: Case
  package let store: ScaledStore
  /// Whether the ladder also measures cases of other workloads.
  private let isAmongOthers: Bool

  package init(
    workload: PlannedWorkload,
    planned: Case,
    store: ScaledStore,
    isAmongOthers: Bool = false
  ) {
    self.workload = workload
    self.planned = planned
    self.store = store
    self.isAmongOthers = isAmongOthers
  }

  /// The case's own parameters.
  ///
  /// If there are several workloads, the workload's name precedes the parameters. If the case has
  /// no parameters, the workload's name replaces them.
  package var name: String {
    let shown = planned.shownParameters.canonical
    guard isAmongOthers, !shown.isEmpty else { return shown.isEmpty ? workload.file.name : shown }
    return workload.file.name + "," + shown
  }

  var batchSize: Int? { planned.traits.batchSize }

  /// The limits of the case's trial on any store.
  var limits: TrialLimits { workload.file.limits(of: planned, trial: 0) }

  /// All cases of a plan that are not expected to fail, each with its store in any size.
  ///
  /// - Throws: ``Refusal`` if a workload cannot be forecast or its store has no recipe, and any
  ///   error from reading a recipe.
  package static func all(of plan: Plan, like profile: RecipeReference?) throws -> [LadderCase] {
    for file in plan.workloads.map(\.file) where !file.kind.description.isForecast {
      throw Refusal.badInput(
        "'\(file.path)' is of the kind '\(file.kind.name)': a forecast needs "
          + "workload files of the kind 'migration'"
          + (file.kind.name == "replay" ? "; for replays, 'analyze --replay --sizes 1,10'" : "")
      )
    }
    if profile == nil { try checkStores(of: plan) }
    let failing = plan.workloads.filter { workload in
      workload.cases.allSatisfy { $0.traits.expectedFailure != nil }
    }
    if let first = failing.first, failing.count == plan.workloads.count {
      throw Refusal.badInput(
        "'\(first.file.path)': every case is expected to fail, so there is no time to predict"
      )
    }
    return try plan.workloads.flatMap { workload in
      let file = workload.file
      let store: ScaledStore
      switch (profile, file.store) {
      case (let profile?, _): store = try ScaledStore(name: "like", profile)
      case (nil, .recipe(let name, let reference)):
        store = try ScaledStore(name: name, reference)
      case (nil, .file(let path, _)):
        throw Refusal.noRecipe(store: path)
      }
      return workload.cases.filter { $0.traits.expectedFailure == nil }.map {
        LadderCase(
          workload: workload,
          planned: $0,
          store: store,
          isAmongOthers: plan.workloads.count > 1
        )
      }
    }
  }

  /// Checks that all stores have the same recipe, so that sizes are comparable across cases.
  private static func checkStores(of plan: Plan) throws {
    var first: (file: String, recipe: String)?
    for workload in plan.workloads {
      guard case .recipe(_, let reference) = workload.file.store else { continue }
      if let first, first.recipe != reference.path {
        throw Refusal.badInput(
          "'\(first.file)' and '\(workload.file.path)' use different recipes, but "
            + "only strategies for the same store can be compared: pass a store with "
            + "'--like', or make a forecast for each file"
        )
      }
      first = first ?? (workload.file.path, reference.path)
    }
  }

  /// Returns the case on a store of the turn's size, to be measured once; a turn is one run of the
  /// ladder.
  ///
  /// - Throws: Any error from reading the recipe.
  func resized(to turn: LadderDesign.Turn) throws -> PlannedWorkload {
    var parameters: [String: ParameterValue] = [:]
    // Reduce the batch in proportion to the cache, so that it dirties the same share of this store
    // as the usual batch of a larger store. Batches that merge duplicates keep their size, because
    // the keys that they read again would not decrease in proportion.
    if turn.cacheDivisor > 1, let batchSize, planned.allParameters.text("duplicates") != "merged" {
      parameters["batchSize"] = .integer(max(batchSize / turn.cacheDivisor, 1))
    }
    return workload.resized(
      planned,
      store: try store.source(objects: turn.objects),
      cacheDivisor: turn.cacheDivisor,
      parameters: parameters
    )
  }

  func key(on environment: Environment, cacheFolder: String) throws -> String {
    let file = workload.file
    var parts = [
      planned.id, planned.allParameters.canonical, "\(file.trials)",
      file.settings.pragmas.map { "\($0.name)=\($0.value)" }.joined(separator: ","),
      environment.machine, environment.architecture, environment.kernel, environment.sqliteVersion,
      environment.fileSystem, environment.build, environment.commit,
    ]
    if case .recipe(_, let reference) = try store.source(objects: 10_000) {
      parts.append(StoreCache(folder: cacheFolder).key(of: try reference.read()))
    }
    for axis in file.kind.axes {
      for path in axis.paths(in: planned.allParameters[axis.name] ?? axis.defaultValue) {
        let full = path.hasPrefix("/") ? path : file.folder + "/" + path
        parts.append("\(axis.name) \(Self.digest(ofFilesAt: full))")
      }
    }
    return Self.digest(Data(parts.joined(separator: "\n").utf8))
  }

  private static func digest(ofFilesAt path: String) -> String {
    let below = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    let files = below.isEmpty ? [path] : below.sorted().map { path + "/" + $0 }
    let digests = files.prefix(10_000).map { file in
      digest(FileManager.default.contents(atPath: file) ?? Data())
    }
    return digests.joined(separator: ",")
  }

  private static func digest(_ data: Data) -> String {
    SHA256.hash(data: data).prefix(12).hexadecimal
  }
}

/// The store of a workload in any size: a recipe whose object counts are scaled.
package struct ScaledStore: Sendable {
  private let name: String
  private let reference: RecipeReference
  /// The requested number of objects by entity, at the recipe's own size.
  private let asked: [String: Int]
  private let found = Found()

  /// A cache of the stores by number of objects, because a ladder uses each store many times.
  private final class Found: Sendable {
    let sources = Mutex<[Int: StoreSource]>([:])
  }

  /// Reads the recipe of a store.
  ///
  /// - Throws: ``Refusal`` if the recipe has no objects, and any error from reading it.
  package init(name: String, _ reference: RecipeReference) throws {
    self.name = name
    self.reference = reference
    let recipe = try reference.read()
    guard let largest = recipe.entities.max(by: { $0.count < $1.count }), largest.count > 0 else {
      throw Refusal.badInput(
        "'\(reference.path)' has no objects, so no larger store can be made from it"
      )
    }
    asked =
      reference.objects.filter { $0.value > 0 }.isEmpty
      ? [largest.name: largest.count] : reference.objects
  }

  /// Returns the store with approximately the given total number of objects.
  ///
  /// - Throws: Any error from reading the recipe.
  package func source(objects: Int) throws -> StoreSource {
    if let known = found.sources.withLock({ $0[objects] }) { return known }
    var factor = 1.0
    for _ in 0..<4 {
      let count = try Self.total(of: scaled(by: factor).read())
      factor = max(factor * Double(objects) / Double(max(count, 1)), 1e-9)
    }
    let source = StoreSource.recipe(name: name, scaled(by: factor))
    found.sources.withLock { $0[objects] = source }
    return source
  }

  /// Returns the number of objects of each entity in a store of the given size.
  ///
  /// - Throws: Any error from reading the recipe.
  package func counts(objects: Int) throws -> [String: Int] {
    guard case .recipe(_, let reference) = try source(objects: objects) else { return [:] }
    let entities = try reference.read().entities.map { ($0.name, $0.count) }
    return Dictionary(entities) { $0 + $1 }
  }

  private func scaled(by factor: Double) -> RecipeReference {
    var scaled = reference
    scaled.objects = asked.mapValues { count in
      Int(min((Double(count) * factor).rounded(), 1e9))
    }
    return scaled
  }

  private static func total(of recipe: Recipe) -> Int {
    recipe.entities.reduce(0) { $0 + $1.count }
  }
}

extension Refusal {
  /// The error for a workload with an existing store: such a store has only one size, but a ladder
  /// needs several sizes.
  package static func noRecipe(store: String) -> Refusal {
    badInput(
      "'\(store)' is a store and has only one size: pass it with '--like' to generate similar "
        + "stores of other sizes"
    )
  }
}
