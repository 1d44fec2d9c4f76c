import DataModel

/// A request for objects of an entity (`NSFetchRequest`).
package struct FetchRequest: Hashable, Sendable {
  /// One sort key of a fetch.
  package struct SortDescriptor: Hashable, Sendable {
    /// An attribute of the entity, or a key path through to-one relationships to an attribute.
    package var property: String
    package var isAscending: Bool
    /// The collation for strings; other values ignore it.
    package var collation: FrameworkFunctions.Collation

    package init(
      _ property: String,
      ascending: Bool = true,
      collation: FrameworkFunctions.Collation = .binary
    ) {
      self.property = property
      isAscending = ascending
      self.collation = collation
    }
  }

  package var entity: String
  package var predicate: Predicate?
  package var sortDescriptors: [SortDescriptor]
  /// The maximum number of objects; 0 means no limit.
  package var fetchLimit: Int
  package var fetchOffset: Int
  /// The number of objects that are loaded together when one of them is accessed; 0 loads all
  /// objects with the fetch.
  package var fetchBatchSize: Int
  /// The relationships whose targets are loaded with the fetch, with one statement per
  /// relationship.
  ///
  /// A key path such as `folder.owner` loads the targets of its first relationship, then those of
  /// the next one.
  package var relationshipsForPrefetching: [String]
  /// Whether the fetch reads the rows; otherwise the results are faults.
  package var includesPropertyValues: Bool

  package init(
    _ entity: String,
    predicate: Predicate? = nil,
    sortDescriptors: [SortDescriptor] = [],
    fetchLimit: Int = 0,
    fetchOffset: Int = 0,
    fetchBatchSize: Int = 0,
    relationshipsForPrefetching: [String] = [],
    includesPropertyValues: Bool = true
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
    self.relationshipsForPrefetching = relationshipsForPrefetching
    self.includesPropertyValues = includesPropertyValues
  }
}

/// A condition on the objects of a fetch (`NSPredicate`).
///
/// A property may be a key path through to-one relationships, such as `folder.name`.
package indirect enum Predicate: Hashable, Sendable {
  package enum Operator: String, CaseIterable, Hashable, Sendable {
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// Compares an attribute, or the key of a to-one relationship's target, with a value.
  case comparison(String, Operator, Value)
  case isNull(String)
  /// Matches objects whose string attribute has a given prefix; the SQL compares with a range, so
  /// that SQLite can use an index.
  case beginsWith(String, String)
  /// Matches objects whose string attribute satisfies a comparison that calls a function of Core
  /// Data.
  case text(String, TextMatch)
  /// Matches objects whose to-many relationship contains the object with the given key
  /// (`SUBQUERY(tags, $tag, $tag == …).@count > 0`).
  case has(String, Int64)
  /// Matches objects if at least one object in their to-many relationship meets a condition
  /// (`ANY tags.name == …`).
  case any(String, Predicate)
  /// Compares the number of objects in a to-many relationship with a number.
  case count(String, Operator, Int)
  /// Matches objects whose attribute has one of the given values.
  case isIn(String, [Value])
  /// Matches objects with the given keys.
  case keys([Int64])
  case not(Predicate)
  case and([Predicate])
  case or([Predicate])
}
