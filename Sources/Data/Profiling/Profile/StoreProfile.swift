import DataModel
import PersistentStore

/// The shape of a store: counts and bins, never a value of the user's.
///
/// Entities and attributes are named as the model names them. No number rests on fewer than ``k``
/// objects: what does is left out or counted with its neighbours.
package struct StoreProfile: Hashable, Sendable {
  /// The version of the file's format.
  package static let format = 1
  /// The fewest objects a number may rest on.
  package static let smallestK = 20

  package var k: Int
  package var model: Model
  package var flavour: Flavour
  package var frameworkVersion: Int
  package var versionIdentifiers: [String]
  /// Copied from the store; they say which model it has, and nothing of its data.
  package var versionHashes: [String: [UInt8]]
  /// The concrete entities in the order of their numbers.
  package var entities: [EntityProfile]
  /// `nil` where the store keeps no history.
  package var history: HistoryProfile?

  package init(
    k: Int,
    model: Model,
    flavour: Flavour,
    frameworkVersion: Int,
    versionIdentifiers: [String],
    versionHashes: [String: [UInt8]],
    entities: [EntityProfile],
    history: HistoryProfile?
  ) {
    self.k = k
    self.model = model
    self.flavour = flavour
    self.frameworkVersion = frameworkVersion
    self.versionIdentifiers = versionIdentifiers
    self.versionHashes = versionHashes
    self.entities = entities
    self.history = history
  }

  package func entity(named name: String) -> EntityProfile? {
    entities.first { $0.name == name }
  }
}

/// The shape of one concrete entity's objects, those of its sub-entities not among them.
package struct EntityProfile: Hashable, Sendable {
  package var name: String
  /// `nil` for fewer than k.
  package var objects: Int?
  /// Inherited attributes included, in name order; none for fewer than k objects.
  package var columns: [ColumnProfile]
  package var relationships: [RelationshipProfile]

  package init(
    name: String,
    objects: Int?,
    columns: [ColumnProfile] = [],
    relationships: [RelationshipProfile] = []
  ) {
    self.name = name
    self.objects = objects
    self.columns = columns
    self.relationships = relationships
  }
}

/// Where the objects of one entity lead along one relationship.
package struct RelationshipProfile: Hashable, Sendable {
  package var name: String
  /// Of a to-one, the objects that lead nowhere; of a to-many 0.
  package var nulls: Int
  /// Of a to-many, the objects by the number of those they lead to; of a to-one none.
  package var fanOut: [Bin]

  package init(name: String, nulls: Int = 0, fanOut: [Bin] = []) {
    self.name = name
    self.nulls = nulls
    self.fanOut = fanOut
  }

  /// The mean number of objects that one leads to, as the bins have it.
  package var meanFanOut: Double {
    let objects = fanOut.reduce(0) { $0 + $1.count }
    guard objects > 0 else { return 0 }
    let sum = fanOut.reduce(0.0) {
      $0 + Double($1.count) * ($1.isPoint ? $1.from : ($1.from + $1.to - 1) / 2)
    }
    return sum / Double(objects)
  }
}

/// The shape of a store's persistent history.
package struct HistoryProfile: Hashable, Sendable {
  /// Changes of one entity's objects; 0 also stands for fewer than k.
  package struct Changes: Hashable, Sendable {
    package var entity: String
    package var inserts: Int
    package var updates: Int
    package var deletes: Int

    package init(entity: String, inserts: Int, updates: Int, deletes: Int) {
      self.entity = entity
      self.inserts = inserts
      self.updates = updates
      self.deletes = deletes
    }
  }

  /// `nil` for fewer than k.
  package var transactions: Int?
  /// Transactions by the number of their changes.
  package var changesPerTransaction: [Bin]
  /// Transactions by month, in seconds since 2001-01-01.
  package var times: [Bin]
  /// The entities with at least k changes of one type.
  package var changes: [Changes]

  package init(
    transactions: Int?,
    changesPerTransaction: [Bin] = [],
    times: [Bin] = [],
    changes: [Changes] = []
  ) {
    self.transactions = transactions
    self.changesPerTransaction = changesPerTransaction
    self.times = times
    self.changes = changes
  }
}
