import DataModel
import PersistentStore
import SQLite

/// How an app makes sure of a migration before it trusts the result: against the old store, or
/// against the backup of one that was migrated in its file.
struct AppCheck {
  let session: MigrationSession
  let reference: StoreFile

  private var parameters: MigrationParameters { session.parameters }

  /// - Throws: ``MigrationCaseError/checkFailed(_:)``.
  func run() throws {
    let old = try StoreContent(store: reference, layout: session.source)
    let new = try StoreContent(store: session.result, layout: session.destination)
    guard session.mapping.map == nil else {
      return try MappedCheck(session: session, reference: reference, old: old, new: new).run()
    }
    switch parameters.check {
    case .none: return
    case .counts: try checkCounts(old, new)
    case .spotChecks: try SpotChecks(session: session, old: old, new: new).run()
    case .full:
      var expected = try MigrationExpectation(session: session).make(from: old).expected
      try MigrationExpectation(session: session).rekey(&expected, to: new)
      var comparison = ContentComparison(expected: expected, actual: new)
      comparison.order = parameters.comparedOrder
      comparison.ignoredProperties =
        ExpectedStage(parameters, session.mapping)?.recoded(in: session.destination.model) ?? [:]
      if let finding = try comparison.findings(limit: 1).sentences.first {
        throw MigrationCaseError.checkFailed(finding)
      }
    }
  }

  private func checkCounts(_ old: StoreContent, _ new: StoreContent) throws {
    for mapping in session.mapping.entities {
      guard let source = mapping.source else { continue }
      let (before, after) = (try old.count(of: source), try new.count(of: mapping.destination))
      if parameters.mayLoseObjects ? after > before : after != before {
        throw MigrationCaseError.checkFailed(
          "\(after) objects of \(mapping.destination), but there were \(before) before"
        )
      }
    }
  }
}

extension StoreContent {
  /// The number of an entity's objects, those of its sub-entities left aside.
  func count(of entity: String) throws -> Int64 {
    let number = layout.numbers[entity] ?? 0
    let table = try table(of: entity).name.quotedName
    return try connection.integer("SELECT count(*) FROM \(table) WHERE Z_ENT = \(number)") ?? 0
  }
}

extension MigrationParameters {
  /// Whether objects may be fewer after the migration, as asked for.
  var mayLoseObjects: Bool {
    duplicates == .merged || duplicates == .upserted || (leavesNewStore && onNil == .skip)
  }

  /// Whether objects keep their primary keys.
  var keepsKeys: Bool {
    !leavesNewStore || (engine == .bareSQL && strategy == .sideBySide && !isMapped)
  }

  /// Copies are placed anew, in the same order; so are the objects of merged ones, in an order that
  /// each engine chooses.
  var comparedOrder: ContentComparison.Order {
    if duplicates == .merged || duplicates == .upserted { return .nothing }
    return leavesNewStore ? .places : .keys
  }
}

extension AppCheck {
  /// Looks at twenty objects of each entity, spread over all of them.
  ///
  /// An object is found again by its key, or in a new store by what is unique or a UUID; entities
  /// without either are skipped, as an app's spot checks would.
  struct SpotChecks {
    static let count: Int64 = 20

    let session: MigrationSession
    let old: StoreContent
    let new: StoreContent

    func run() throws {
      for mapping in session.mapping.entities where mapping.source != nil {
        guard session.parameters.keepsKeys || identity(mapping) != nil else { continue }
        try check(mapping)
      }
    }

    private func check(_ mapping: EntityMapping) throws {
      guard let source = mapping.source, let number = old.layout.numbers[source] else { return }
      let (before, after) = (
        try old.table(of: source), try new.table(of: mapping.destination)
      )
      let keys = try old.connection.prepare(
        "SELECT Z_PK FROM (SELECT Z_PK, row_number() OVER (ORDER BY Z_PK) AS place, count(*) OVER () "
          + "AS total FROM \(before.name.quotedName) WHERE Z_ENT = \(number)) "
          + "WHERE place % max(1, total / \(Self.count)) = 0 LIMIT \(Self.count)"
      )
      while try keys.step() {
        let key = keys.integer(at: 0)
        guard let object = try old.object(key: key, in: before) else { continue }
        guard let found = try counterparts(of: key, mapping) else { continue }
        let copies = try found.compactMap { try new.object(key: $0, in: after) }
        if copies.isEmpty, !session.parameters.mayLoseObjects {
          throw MigrationCaseError.checkFailed("\(object.reference) is missing")
        }
        // Of objects that nothing tells apart, such as sync makes them, any may be the copy.
        let differences = copies.map { difference(between: object, and: $0, mapping) }
        if !differences.contains(nil), let first = differences.first, let first {
          throw MigrationCaseError.checkFailed(first)
        }
      }
    }

    /// The first value of a copy that is another; `nil` where none is.
    private func difference(
      between object: ContentObject,
      and copy: ContentObject,
      _ mapping: EntityMapping
    ) -> String? {
      // Merged objects have the values of another; missing ones may have been filled.
      guard session.parameters.duplicates != .merged, session.parameters.duplicates != .upserted
      else { return nil }
      for attribute in mapping.attributes {
        guard let former = attribute.source, let value = object[former.name], value != .null,
          let other = copy[attribute.destination.name], value != other,
          attribute.destination.name != session.stage?.destinationAttribute
        else { continue }
        return
          "\(object.reference) has '\(attribute.destination.name)' = \(other) instead of \(value)"
      }
      return nil
    }

    /// The keys in the new store that an object of the old one may have; `nil` where it lacks what would
    /// tell.
    private func counterparts(of key: Int64, _ mapping: EntityMapping) throws -> [Int64]? {
      if session.parameters.keepsKeys { return [key] }
      guard let attribute = identity(mapping), let former = attribute.source,
        let source = mapping.source,
        let column = old.layout.column(of: former.name, in: source)?.name,
        let copy = new.layout.column(of: attribute.destination.name, in: mapping.destination)?.name
      else { return nil }
      let read = try old.connection.cached(
        "SELECT \(column.quotedName) FROM \(try old.table(of: source).name.quotedName) WHERE Z_PK = ?"
      )
      read.bind(key, at: 1)
      defer { read.reset() }
      guard try read.step(), !read.isNull(at: 0) else { return nil }
      let find = try new.connection.cached(
        "SELECT Z_PK FROM \(try new.table(of: mapping.destination).name.quotedName) "
          + "WHERE \(copy.quotedName) = ? ORDER BY Z_PK"
      )
      find.bind(
        attribute.destination.type == .uuid ? .blob(read.blob(at: 0)) : .text(read.text(at: 0)),
        at: 1
      )
      defer { find.reset() }
      var found: [Int64] = []
      while try find.step() { found.append(find.integer(at: 0)) }
      return found
    }

    /// What tells objects apart: a text or UUID that alone is unique, or else a UUID.
    private func identity(_ mapping: EntityMapping) -> AttributeMapping? {
      let model = session.destination.model
      let unique =
        model.entity(named: mapping.destination).map(model.lineage)?
        .flatMap(\.uniquenessConstraints).filter { $0.count == 1 }.map { $0[0] } ?? []
      let fitting = mapping.attributes.filter {
        $0.source != nil && [.uuid, .string].contains($0.destination.type)
      }
      return fitting.first { unique.contains($0.destination.name) }
        ?? fitting.first { $0.destination.type == .uuid }
    }
  }
}
