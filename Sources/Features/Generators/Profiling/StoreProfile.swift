import DataModel
import PersistentStore

/// The shape of a store: counts and bins, no texts and no blobs of the user's.
///
/// Entities and attributes are named as the model names them. No number rests on fewer than ``k``
/// objects: what does is left out or counted with its neighbours. With a k of 1 nothing is left out;
/// such a profile is for the machine that the store is on.
package struct StoreProfile: Hashable, Sendable {
  /// The version of the file's format.
  package static let format = 1
  /// The k-anonymity threshold of a profile that is shared.
  package static let sharedK = 20

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
  /// `nil` where the store's pages are full, or cannot be looked at.
  package var pageUse: PageUse?
  /// The statements of the triggers of derived attributes, which name entities and attributes alone.
  package var triggers: [String] = []
  /// What the profile does not show of the store; not part of a profile file.
  package var remarks: [Remark] = []

  package func entity(named name: String) -> EntityProfile? {
    entities.first { $0.name == name }
  }
}

extension StoreProfile {
  /// Facts of a store that its profile does not have, or not as the store has them.
  package struct Remark: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
      /// An entity with fewer than k objects, a history with fewer than k transactions.
      case fewObjects
      /// Fewer than k objects without a value or a target, counted as if they had one.
      case fewNulls
      /// Fewer than k objects with a value or a target, counted as if they had none.
      case fewValues
      /// Values whose storage class the attribute's type does not have.
      case otherType
      /// Blobs whose external file is missing or whose reference is damaged.
      case missingFile
    }

    package var kind: Kind
    /// `Entity` or `Entity.property`.
    package var subject: String
    package var objects: Int
  }
}

/// The shape of one concrete entity's objects, those of its sub-entities not among them.
package struct EntityProfile: Hashable, Sendable {
  package var name: String
  /// `nil` for fewer than k; 0 is a number only where k is 1.
  package var objects: Int?
  /// Inherited attributes included, in name order; none for fewer than k objects.
  package var columns: [ColumnProfile] = []
  package var relationships: [RelationshipProfile] = []
}

/// Where the objects of one entity lead along one relationship.
package struct RelationshipProfile: Hashable, Sendable {
  package var name: String
  /// Of a to-one, the objects that lead nowhere; of a to-many 0.
  package var nulls = 0
  /// Of a to-many, the objects by the number of those they lead to; of a to-one none.
  package var fanOut: [Bin] = []
  /// Of a to-one, what all objects have in common that it leads to.
  package var targets: [TargetCondition] = []
  /// Of a to-one among objects of one kind without circles, those at each distance from a root.
  package var levels: [TreeLevel] = []

  /// The mean number of objects that one leads to, as the bins have it.
  package var meanFanOut: Double {
    let objects = fanOut.reduce(0) { $0 + $1.count }
    guard objects > 0 else { return 0 }
    let sum = fanOut.reduce(0.0) { $0 + Double($1.count) * $1.middle }
    return sum / Double(objects)
  }
}

/// An attribute that has one of a few values in every object that a to-one leads to, and others in
/// other objects: parents are folders.
package struct TargetCondition: Hashable, Sendable {
  package var attribute: String
  package var values: [Value]
}

/// The objects of a tree at one distance from its roots.
package struct TreeLevel: Hashable, Sendable {
  package var objects: Int
  /// Those among them that have children.
  package var parents: Int
}

/// The shape of a store's persistent history.
package struct HistoryProfile: Hashable, Sendable {
  /// Changes of one entity's objects; 0 also stands for fewer than k.
  package struct Changes: Hashable, Sendable {
    package var entity: String
    package var inserts: Int
    package var updates: Int
    package var deletes: Int
  }

  /// `nil` for fewer than k.
  package var transactions: Int?
  /// Transactions by the number of their changes.
  package var changesPerTransaction: [Bin] = []
  /// Transactions by month, in seconds since 2001-01-01.
  package var times: [Bin] = []
  /// The entities with at least k changes of one type.
  package var changes: [Changes] = []
}

/// The shape of one attribute's values among the objects of one entity.
package struct ColumnProfile: Hashable, Sendable {
  /// What the bins count.
  package enum Measure: String, CaseIterable, Hashable, Sendable {
    case numbers
    /// Seconds since 2001-01-01, in bins of whole months.
    case dates
    /// Bytes of a text in UTF-8.
    case lengths
    /// Bytes of a blob, external ones by their files.
    case sizes
    /// The values have no size to speak of: UUIDs.
    case none
  }

  /// What the numbers or dates are multiples of.
  package enum Grain: String, CaseIterable, Hashable, Sendable {
    case fractional
    /// Whole numbers, whole seconds.
    case whole
    case day
  }

  package var name: String
  package var measure: Measure
  /// Objects without a value; 0 also stands for fewer than k.
  package var nulls: Int = 0
  /// In rising order of their first numbers; with the nulls they add up to the entity's objects.
  package var bins: [Bin] = []
  package var grain: Grain = .whole
  /// How many objects have the same value; `nil` where no two are known to.
  package var sharing: Sharing?
  /// The words of an enumeration, as they are, with how many objects have each; none of free texts.
  package var texts: [KeptText] = []
  /// What the texts, or the blobs, are to the app that reads them.
  package var form: TextForm?
  /// Of a date, those of the same object that it never precedes.
  package var follow: DateFollow?
  /// What decides whether an object has a value.
  package var presence: Presence?

  /// A profile for an attribute of which nothing is known.
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

/// A text that is kept as it is.
package struct KeptText: Hashable, Sendable {
  package var text: String
  package var count: Int
}

/// How many objects have the same value as others, without saying which value.
package struct Sharing: Hashable, Sendable {
  /// Objects of the commonest values, the commonest first, each at least k.
  package var ranks: [Int]
  /// Objects whose value so many have: `from..<to` objects each.
  package var clusters: [Bin]
  /// The number, date or size of each of the commonest values; empty where it is not known.
  package var rankNumbers: [Double] = []

  package var objects: Int { ranks.reduce(0, +) + clusters.reduce(0) { $0 + $1.count } }
}

extension AttributeType {
  /// What a profile counts of the type's values.
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

/// A range of numbers, `from..<to`, and how many objects have one of it.
///
/// Where both ends are equal the bin stands for that one number.
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
  /// A bin of one number.
  package init(at number: Double, count: Int) {
    self.init(from: number, to: number, count: count)
  }
}
