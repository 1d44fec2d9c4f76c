import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// An app that performs the steps of a scenario on its open store.
protocol StepEngine: MeasuredApp {
  var fileCounters: FileBytes.Counters { get }

  /// Fetches objects by a step's condition and reads them; returns the number of objects found.
  func fetch(_ step: StepForm, _ read: (inout TakenValues) throws -> Void) throws -> Int
  func count(_ step: StepForm) throws -> Int
  /// Reads the objects with the given keys.
  func read(_ step: StepForm, _ keys: [Int64], _ read: (inout TakenValues) throws -> Void) throws
  /// The keys of the objects that meet a step's condition.
  func find(_ step: StepForm) throws -> [Int64]
  func insert(_ step: StepForm, _ objects: [StepOperation.NewObject]) throws
  /// Finds the objects of the records by the step's identifying attribute, updates them, and
  /// inserts the missing objects.
  func upsert(_ step: StepForm, _ records: StepOperation.Records) throws
  func update(_ step: StepForm, _ changes: [StepOperation.ObjectChange]) throws
  func delete(_ step: StepForm, _ keys: [Int64]) throws
  func save() throws
  func reset()
}

/// An operation of the work, with the objects that it uses.
struct StepOperation {
  enum Work {
    /// Fetches objects by the step's condition.
    case fetch
    case count
    /// Reads the objects with the given keys.
    case read([Int64])
    /// Finds the keys of the objects that meet the step's condition.
    case find
    case insert([NewObject])
    case upsert(Records)
    case update([ObjectChange])
    case delete([Int64], DeletionEffect)
    case save
    case reset
  }

  /// The new target of a to-one relationship, or an addition to a to-many relationship.
  ///
  /// If the key is `nil`, the to-one relationship is set to nil.
  struct Link {
    let relationship: String
    let key: Int64?
    let entity: Int64
    /// Whether the target is not saved yet.
    var isNew = false

    /// The values of the relationship's columns: the target's key and entity number, or NULL for
    /// both.
    var values: [Value] { key.map { [.integer($0), .integer(entity)] } ?? [.null, .null] }
  }

  /// Objects to remove from a to-many relationship, by their keys.
  struct Loss {
    let relationship: Relationship
    let keys: [Int64]
  }

  /// An object to insert, with the targets of its relationships.
  struct NewObject {
    let key: Int64
    let links: [Link]
  }

  /// The changes of an object, excluding values and targets that it already has.
  struct ObjectChange {
    let key: Int64
    var values: [PropertyValue] = []
    /// The removals from to-many relationships, which are applied before the links.
    var losses: [Loss] = []
    var links: [Link] = []
    /// The version of the object's new blobs, and of its new texts of a given size; `nil` if they
    /// do not change.
    var blobs: Int?
    /// The attributes whose text already equals the text of the version `blobs`.
    var unchanged: Set<String> = []
  }

  /// The records of an upsert: the new objects, and the changes of objects in the store, each with
  /// the value that identifies it.
  struct Records {
    let attribute: String
    var new: [(identity: Value, object: NewObject)] = []
    var present: [(identity: Value, change: ObjectChange)] = []

    var identities: [Value] { new.map(\.identity) + present.map(\.identity) }
  }

  /// The number of the turn.
  ///
  /// All operations of a turn are timed together.
  let turn: Int
  let part: Int
  /// The index of the step among the simple steps (steps without inner steps).
  let step: Int
  let work: Work
  /// The index of the step that reads a list during the operation; `nil` unless a second context
  /// performs the operation.
  var beside: Int?
}

/// The effect of a deletion on the store's objects, by the delete rules.
struct DeletionEffect: Hashable {
  /// The number of deleted objects.
  var removed = 0
  /// The number of remaining objects that lost a reference.
  var leftBehind = 0

  static func += (effect: inout DeletionEffect, other: DeletionEffect) {
    effect.removed += other.removed
    effect.leftBehind += other.leftBehind
  }
}

/// A step with its names looked up in the store's model.
struct StepForm {
  /// The index of the step among the simple steps of the case.
  let number: Int
  let step: Step
  let entity: Entity
  /// The parameters of the fetch that the step performs.
  let fetch: FetchParameters
  let subject: FetchSubject
  let values: StepValues

  /// Looks up the step's names; returns `nil` if the step has no entity.
  init?(_ step: Step, _ number: Int, _ places: BlobPlaces, seed: UInt64) throws {
    guard let entity = places.model.entity(named: step.entity) else { return nil }
    (self.step, self.number, self.entity) = (step, number, entity)
    (fetch, subject) = try step.fetch(places)
    values = StepValues(step, entity, places, seed: seed)
  }
}

extension Step {
  /// The keys of the objects that meet the step's condition, found with plain SQL.
  func matchingKeys(
    _ places: BlobPlaces,
    in layout: StoreLayout,
    on connection: Connection
  ) throws -> [Int64] {
    let (fetch, subject) = try fetch(places)
    return try StatementFetch.Statements(fetch, subject, layout: layout).keys(on: connection)
  }

  /// The step as the parameters and the subject of a fetch, with its names looked up.
  func fetch(_ places: BlobPlaces) throws -> (FetchParameters, FetchSubject) {
    let blobs = try places.of(places.given.knownEntity(entity))
    // Prefetch the separate objects that contain the blobs, as an app that reads all blobs of its
    // list would.
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
