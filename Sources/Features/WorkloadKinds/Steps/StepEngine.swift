import Basics
import DataModel
import PersistentStore
import Runner

/// An app that does the steps of a scenario on its open store.
protocol StepEngine: MeasuredApp {
  var fileCounters: FileBytes.Counters { get }

  /// Fetches by a step's condition, and reads; returns how many objects were found.
  func fetch(_ step: StepForm, _ read: (inout TakenValues) throws -> Void) throws -> Int
  func count(_ step: StepForm) throws -> Int
  /// Reads objects by their keys.
  func read(_ step: StepForm, _ keys: [Int64], _ read: (inout TakenValues) throws -> Void) throws
  /// The keys of the objects that meet a step's condition.
  func find(_ step: StepForm) throws -> [Int64]
  func insert(_ step: StepForm, _ objects: [StepOperation.NewObject]) throws
  func update(_ step: StepForm, _ changes: [StepOperation.ObjectChange]) throws
  func delete(_ step: StepForm, _ keys: [Int64]) throws
  func save() throws
  func reset()
}

/// One thing that the work does, with the objects that it does it to.
struct StepOperation {
  enum Work {
    /// Fetches by the step's condition.
    case fetch
    case count
    /// Reads objects by their keys.
    case read([Int64])
    /// Finds the keys of the objects that meet the step's condition.
    case find
    case insert([NewObject])
    case update([ObjectChange])
    case delete([Int64], DeletionEffect)
    case save
    case reset
  }

  /// What a to-one leads to, or a to-many gets; no key empties a to-one.
  struct Link {
    let relationship: String
    let key: Int64?
    let entity: Int64
  }

  /// An object that is inserted, and what its relationships lead to.
  struct NewObject {
    let key: Int64
    let links: [Link]
  }

  /// What is new of an object: what it has already is left out.
  struct ObjectChange {
    let key: Int64
    var values: [PropertyValue] = []
    var links: [Link] = []
  }

  /// Operations of one turn belong together: their part is timed as a whole.
  let turn: Int
  let part: Int
  /// The step among those that are made of no others.
  let step: Int
  let work: Work
  /// The step that reads a list meanwhile, where a second context does the operation.
  var beside: Int?
}

/// What a deletion does to the store's objects, by the delete rules.
struct DeletionEffect: Hashable {
  /// Objects that are gone.
  var removed = 0
  /// Objects that stay and lost a reference.
  var leftBehind = 0

  static func += (effect: inout DeletionEffect, other: DeletionEffect) {
    effect.removed += other.removed
    effect.leftBehind += other.leftBehind
  }
}

/// A step with its names looked up in the store's model.
struct StepForm {
  /// Its place among the steps of the case.
  let number: Int
  let step: Step
  let entity: Entity
  /// The step as a fetch; what it reads.
  let fetch: FetchParameters
  let subject: FetchSubject
  let values: StepValues

  /// `nil` for a step that has no entity.
  init?(_ step: Step, _ number: Int, _ places: BlobPlaces, seed: UInt64) throws {
    guard let entity = places.model.entity(named: step.entity) else { return nil }
    (self.step, self.number, self.entity) = (step, number, entity)
    (fetch, subject) = try step.fetch(places)
    values = StepValues(step, entity, places, seed: seed)
  }
}

extension Step {
  /// The step as a fetch of its own, with its names looked up.
  func fetch(_ places: BlobPlaces) throws -> (FetchParameters, FetchSubject) {
    let blobs = try places.of(places.given.knownEntity(entity))
    // An app that reads all blobs of its list loads the objects that hold them together.
    let readsAll = (verb == .fetch || verb == .search) && readsBlobs && read == nil
    let holders = readsAll ? blobs.filter { $0.strategy == .separateEntity }.map(\.attribute) : []
    var values: [String: ParameterValue] = [
      "entity": .text(self.entity), "sort": .list(sort), "limit": .integer(limit),
      "prefetch": .list(prefetch + holders), "readsBlobs": .boolean(readsBlobs),
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
    var subject = try FetchSubject(parameters, model: places.model)
      .keeping(blobs, areRead: readsBlobs)
    if verb == .search {
      subject = subject.searching(.contains(searched, text))
    }
    return (parameters, subject)
  }
}
