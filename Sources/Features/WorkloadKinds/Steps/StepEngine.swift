import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// An app that does the steps of a scenario on its open store.
protocol StepEngine: AnyObject {
  /// The connection whose counters are read; `nil` where the engine has one of its own.
  var connection: Connection? { get }
  /// What the context has done so far; zeros for plain statements.
  var statistics: ObjectContext.Statistics { get }
  var fileCounters: FileBytes.Counters { get }
  /// Objects in memory, and their bytes; rows are not kept.
  var liveObjects: Int { get }
  var memoryBytes: Int { get }

  /// Fetches by a step's condition, and reads; returns how many objects were found.
  func fetch(_ step: StepForm, _ read: (inout TakenValues) throws -> Void) throws -> Int
  func count(_ step: StepForm) throws -> Int
  /// Reads objects by their keys.
  func read(_ step: StepForm, _ keys: [Int64], _ read: (inout TakenValues) throws -> Void) throws
  /// The keys of the objects that meet a step's condition.
  func find(_ step: StepForm) throws -> [Int64]
  func insert(_ step: StepForm, _ objects: [StepOperation.NewObject]) throws
  func update(_ step: StepForm, _ keys: [Int64], _ values: [[Value]]) throws
  func delete(_ step: StepForm, _ keys: [Int64]) throws
  func save() throws
  func reset()
}

/// A step with its names looked up in the store's model.
struct StepForm {
  let step: Step
  let entity: Entity
  /// The step as a fetch; what it reads.
  let fetch: FetchParameters
  let subject: FetchSubject
  let values: StepValues

  /// `nil` for a step that has no entity.
  init?(_ step: Step, in model: Model, seed: UInt64) throws {
    guard let entity = model.entity(named: step.entity) else { return nil }
    (self.step, self.entity) = (step, entity)
    (fetch, subject) = try step.fetch(in: model)
    values = StepValues(step, entity, in: model, seed: seed)
  }
}

extension Step {
  /// The step as a fetch of its own, with its names looked up.
  func fetch(in model: Model) throws -> (FetchParameters, FetchSubject) {
    var values: [String: ParameterValue] = [
      "entity": .text(self.entity), "sort": .list(sort), "limit": .integer(limit),
      "prefetch": .list(prefetch), "readsBlobs": .boolean(readsBlobs),
      "predicate": .text(condition),
    ]
    if batch > 0 {
      values["strategy"] = .text(FetchParameters.Strategy.batched.rawValue)
      values["batchSize"] = .integer(batch)
    }
    if !followed.isEmpty {
      values["touchedShare"] = .real(1)
      values["relationship"] = .text(followed)
    }
    let parameters = FetchParameters(ParameterValues(values))
    var subject = try FetchSubject(parameters, model: model)
    if verb == .search {
      subject = subject.searching(.contains(searched, text))
    }
    return (parameters, subject)
  }
}
