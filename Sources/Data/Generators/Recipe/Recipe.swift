import DataModel
import PersistentStore

/// Everything that decides the content of a generated store, with every default filled in.
///
/// Two equal recipes give the same bytes.
package struct Recipe: Hashable, Sendable {
  /// The version of the recipe format; a change of generator that moves a byte raises it.
  package static let format = 1

  /// The file's name without folder and extension.
  package var name: String
  package var model: Model
  package var flavour: Flavour
  /// The framework version whose layout the store has.
  package var frameworkVersion = StoreMetadata.currentFrameworkVersion
  package var seed: UInt64
  /// The concrete entities that have objects or are described, in the order of their numbers.
  package var entities: [EntityRecipe]
  package var relationships: [RelationshipRecipe]
  /// `nil` where no history is kept.
  package var history: HistoryRecipe?
  /// The largest blob, in bytes, that external storage keeps in the row.
  package var externalStorageThreshold: Int
  /// `nil` where the store is left as it was made.
  package var age: AgeRecipe?
  /// What the store's version hashes are copied from; `nil` for a store that no app has made.
  package var origin: StoreOrigin?

  /// The recipe of an entity's objects.
  package func entity(named name: String) -> EntityRecipe? {
    entities.first { $0.name == name }
  }
}

/// How the objects of one concrete entity are made.
package struct EntityRecipe: Hashable, Sendable {
  package var name: String
  package var count: Int
  /// By attribute, inherited ones included; what is transient has none.
  package var attributes: [String: AttributeRecipe]
  package var duplicates: DuplicatesRecipe?
  /// In the order of properties and defects.
  package var defects: [DefectRecipe] = []
}

/// The persistent history of the objects' creation.
package struct HistoryRecipe: Hashable, Sendable {
  /// How many objects one save inserts.
  package var objectsPerSave: Int
  package var author: String?
  package var bundleIdentifier: String
  package var processName: String
  /// When the first and the last save were made, in seconds since 2001-01-01.
  package var from: Double
  package var to: Double
  /// Changes as a profile has them; `nil` for the creation of the objects alone.
  package var shape: HistoryShape?
}

/// How the objects of one relationship find each other.
package struct RelationshipRecipe: Hashable, Sendable {
  /// Whether partners are made at the same time or at any.
  package enum Placement: String, CaseIterable, Hashable, Sendable {
    /// Children follow each other in the order of their parents.
    case clustered
    /// Children come in any order.
    case scattered
  }

  /// The entity that declares the relationship.
  package var entity: String
  package var name: String
  package var popularity: Popularity
  /// The share of objects without a target, for to-ones.
  package var nullShare: Double
  /// The number of targets, for many-to-manys.
  package var count: DistributionRecipe
  package var placement: Placement
  /// `nil` where targets are chosen at any hour alike.
  package var hours: HoursRecipe?
}

/// Which targets are chosen in working hours and which outside of them.
package struct HoursRecipe: Hashable, Sendable {
  /// The date that says the hour, of the object that the relationship leads from.
  package var attribute: String
  /// The share of the targets that belong to working hours: the first ones.
  package var working: Double
}
