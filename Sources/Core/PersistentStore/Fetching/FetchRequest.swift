import DataModel

/// What to fetch, and how (`NSFetchRequest`).
package struct FetchRequest: Hashable, Sendable {
  /// One key of the order of a fetch's results.
  package struct SortDescriptor: Hashable, Sendable {
    package var property: String
    package var isAscending: Bool
    /// The order of texts; other values have one order alone.
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
  /// The most objects; 0 is all of them.
  package var fetchLimit: Int
  package var fetchOffset: Int
  /// Objects loaded at once as they are accessed; 0 loads all with the fetch.
  package var fetchBatchSize: Int
  /// Relationships whose objects are loaded with the fetch, in as many statements.
  package var relationshipsForPrefetching: [String]
  /// Whether the rows are read with the fetch; otherwise the results are faults.
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
package indirect enum Predicate: Hashable, Sendable {
  package enum Operator: String, CaseIterable, Hashable, Sendable {
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// An attribute, or a to-one as the key of its target, against a value.
  case comparison(String, Operator, Value)
  case isNull(String)
  /// A string attribute that starts so, as a range that an index serves.
  case beginsWith(String, String)
  /// A string attribute that contains a text, whatever the case and the diacritics (`CONTAINS[cd]`).
  case contains(String, String)
  /// A to-many that has the object of a key (`SUBQUERY(tags, $tag, $tag == …).@count > 0`).
  case has(String, Int64)
  /// The number of objects in a to-many against a number.
  case count(String, Operator, Int)
  /// An attribute whose value is one of these.
  case isIn(String, [Value])
  /// Objects with these keys.
  case keys([Int64])
  case not(Predicate)
  case and([Predicate])
  case or([Predicate])
}
