import DataModel
import PersistentStore

/// The counts and distributions of a store's data, without user data except the words of
/// enumerations.
///
/// Entities and attributes have the names of the model. Every number is based on at least ``k``
/// objects; numbers based on fewer objects are omitted or merged with adjacent numbers. With a k of
/// 1, nothing is omitted, and the profile must stay on the store's machine.
package struct StoreProfile: Hashable, Sendable {
  /// The version of the profile file's format.
  package static let format = 1
  /// The k-anonymity threshold for profiles that leave the store's machine.
  package static let sharedK = 20

  package var k: Int
  package var model: Model
  package var flavour: Flavour
  package var frameworkVersion: Int
  package var versionIdentifiers: [String]
  /// The version hashes, copied from the store; they identify the model and contain no user data.
  package var versionHashes: [String: [UInt8]]
  /// The concrete entities, ordered by entity number.
  package var entities: [EntityProfile]
  /// The persistent history; `nil` if the store keeps no history.
  package var history: HistoryProfile?
  /// The extent to which pages are used; `nil` if all pages are full or cannot be examined.
  package var pageUse: PageUse?
  /// The statements of Core Data's triggers and R-tree indexes, which contain only names of
  /// entities and attributes.
  package var triggers: [String] = []
  /// Remarks about information that the profile lacks; not part of a profile file.
  package var remarks: [Remark] = []

  package func entity(named name: String) -> EntityProfile? {
    entities.first { $0.name == name }
  }
}

extension StoreProfile {
  /// Information about a store that its profile omits or changes.
  package struct Remark: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
      /// An entity with fewer than k objects, or a history with fewer than k transactions.
      case fewObjects
      /// Fewer than k objects without a value or target, which the profile counts as having a value
      /// or target.
      case fewNulls
      /// Fewer than k objects with a value or target, which the profile counts as having no value
      /// or target.
      case fewValues
      /// Values whose storage class does not match the attribute's type.
      case otherType
      /// Blobs whose external file is missing or whose reference is damaged.
      case missingFile
    }

    package var kind: Kind
    /// The subject of the remark: `Entity` or `Entity.property`.
    package var subject: String
    package var objects: Int
  }
}

/// The distributions of one concrete entity's objects, excluding those of its sub-entities.
package struct EntityProfile: Hashable, Sendable {
  package var name: String
  /// The number of objects; `nil` if the entity has fewer than k objects, and 0 only if k is 1.
  package var objects: Int?
  /// The attributes, including inherited attributes, sorted by name.
  ///
  /// The list is empty if the entity has fewer than k objects.
  package var columns: [ColumnProfile] = []
  package var relationships: [RelationshipProfile] = []
}

/// The distributions of a relationship of one entity's objects.
package struct RelationshipProfile: Hashable, Sendable {
  package var name: String
  /// The number of objects without a target; 0 for a to-many relationship.
  package var nulls = 0
  /// The distribution of the number of targets; empty for a to-one relationship.
  package var fanOut: [Bin] = []
  /// The conditions that all targets of a to-one relationship meet.
  package var targets: [TargetCondition] = []
  /// The levels of the tree that a to-one relationship within an entity forms, by distance from a
  /// root.
  ///
  /// The list is empty if the relationship has cycles.
  package var levels: [TreeLevel] = []

  /// The mean number of targets per object, according to the bins of ``fanOut``.
  package var meanFanOut: Double {
    let objects = fanOut.reduce(0) { $0 + $1.count }
    guard objects > 0 else { return 0 }
    let sum = fanOut.reduce(0.0) { $0 + Double($1.count) * $1.middle }
    return sum / Double(objects)
  }
}

/// A condition that all targets of a to-one relationship meet, for example that all parents are
/// folders.
///
/// The attribute has one of the values in every target, and also has other values in other objects.
package struct TargetCondition: Hashable, Sendable {
  package var attribute: String
  package var values: [Value]
}

/// The objects of a tree at a given distance from its roots.
package struct TreeLevel: Hashable, Sendable {
  package var objects: Int
  /// The number of objects on the level that have children.
  package var parents: Int
}

/// The distributions of a store's persistent history.
package struct HistoryProfile: Hashable, Sendable {
  /// The numbers of changes of one entity's objects; a number below k is replaced by 0.
  package struct Changes: Hashable, Sendable {
    package var entity: String
    package var inserts: Int
    package var updates: Int
    package var deletes: Int
  }

  /// The number of transactions; `nil` if there are fewer than k.
  package var transactions: Int?
  /// The distribution of the number of changes per transaction.
  package var changesPerTransaction: [Bin] = []
  /// The number of transactions per month, in bins with edges in seconds since 2001-01-01.
  package var times: [Bin] = []
  /// The entities with at least k changes of one type.
  package var changes: [Changes] = []
}

/// The distributions of an attribute's values in the objects of one entity.
package struct ColumnProfile: Hashable, Sendable {
  /// The quantity by which a column's values are counted in bins (ranges of numbers).
  package enum Measure: String, CaseIterable, Hashable, Sendable {
    case numbers
    /// Seconds since 2001-01-01, in bins of whole months.
    case dates
    /// The size of a string in bytes of UTF-8.
    case lengths
    /// The size of a blob in bytes, or of its file if it is stored externally.
    case sizes
    /// No quantity: UUIDs all have the same size.
    case none
  }

  /// The granularity of a column's numbers or dates.
  package enum Grain: String, CaseIterable, Hashable, Sendable {
    case fractional
    /// Whole numbers or whole seconds.
    case whole
    case day
  }

  package var name: String
  package var measure: Measure
  /// The number of objects without a value; a number below k is replaced by 0.
  package var nulls: Int = 0
  /// The bins of the values, in ascending order.
  ///
  /// Together with the nulls, they add up to the entity's number of objects.
  package var bins: [Bin] = []
  package var grain: Grain = .whole
  /// The numbers of objects that share values; `nil` if no shared values are known.
  package var sharing: Sharing?
  /// The words of an enumeration, each with its number of objects; empty for free text.
  package var texts: [KeptText] = []
  /// The form of the strings or blobs, as the app expects it.
  package var form: TextForm?
  /// The rule that the date never precedes other dates of the same object.
  package var follow: DateFollow?
  /// The condition under which an object has a value.
  package var presence: Presence?

  /// A profile for an attribute about which nothing is known.
  package static func unknown(_ attribute: Attribute) -> ColumnProfile {
    var profile = ColumnProfile(name: attribute.name, measure: attribute.type.measure)
    switch (profile.measure, attribute.type) {
    case (_, .boolean): profile.bins = [Bin(at: 0, count: 1), Bin(at: 1, count: 1)]
    case (.numbers, _): profile.bins = [Bin(from: 0, to: 100, count: 1)]
    case (.dates, _):
      let (first, last) = (CalendarMonth(index: 24 * 12), CalendarMonth(index: 25 * 12))
      profile.bins = [Bin(from: first.seconds, to: last.seconds, count: 1)]
    case (.lengths, _): profile.bins = [Bin(from: 8, to: 17, count: 1)]
    case (.sizes, _): profile.bins = [Bin(from: 16, to: 65, count: 1)]
    case (.none, _): break
    }
    return profile
  }
}

/// A string that a profile contains verbatim.
package struct KeptText: Hashable, Sendable {
  package var text: String
  package var count: Int
}

/// The numbers of objects that share a value.
package struct Sharing: Hashable, Sendable {
  /// The number of objects for each of the most common values, at least k each, in descending
  /// order.
  package var ranks: [Int]
  /// The numbers of objects by cluster size.
  ///
  /// Each bin counts the objects whose value is shared by `from..<to` objects.
  package var clusters: [Bin]
  /// The number, date or size of each of the most common values; empty if they are not known.
  package var rankNumbers: [Double] = []

  package var objects: Int { ranks.reduce(0, +) + clusters.reduce(0) { $0 + $1.count } }
}

extension AttributeType {
  /// The quantity that a profile counts for values of the type.
  package var measure: ColumnProfile.Measure {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal: .numbers
    case .date: .dates
    case .string, .uri: .lengths
    case .uuid: .none
    case .undefined, .binary, .transformable, .objectID, .composite: .sizes
    }
  }
}

/// A range of numbers, `from..<to`, and the number of objects in it.
///
/// If both ends are equal, the bin contains only that number.
package struct Bin: Hashable, Sendable {
  package var from: Double
  package var to: Double
  package var count: Int

  package var isPoint: Bool { from == to }

  /// The mean of the bin's whole numbers.
  package var middle: Double { isPoint ? from : (from + to - 1) / 2 }

  package func contains(_ number: Double) -> Bool {
    number == from || from < number && number < to
  }
}

extension Bin {
  /// Creates a bin with a single number.
  package init(at number: Double, count: Int) {
    self.init(from: number, to: number, count: count)
  }
}
