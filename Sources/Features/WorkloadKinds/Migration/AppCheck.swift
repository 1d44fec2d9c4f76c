import Basics
import DataModel
import PersistentStore
import SQLite

/// The check by which an app verifies a migration before it relies on the result.
///
/// It compares the result with the old store or, after a migration in the store's own file, with
/// the backup.
struct AppCheck {
  let session: MigrationSession
  let reference: StoreFile

  private var parameters: MigrationParameters { session.parameters }

  func run() throws {
    let old = try StoreContent(store: reference, layout: session.source)
    let new = try StoreContent(store: session.result, layout: session.destination)
    switch parameters.check {
    case .none: return
    case .counts: try checkCounts(old, new)
    case .full:
      guard session.mapping.map != nil else { return try compare(old, new, session.mapping) }
      // If a map file describes the migration, migrate the old store again with SQL and compare all
      // objects.
      let made = try MappedReference(session: session, trial: session.trial, start: reference)
        .make()
      defer { try? made.remove() }
      let content = try StoreContent(store: made, layout: session.destination)
      try compare(content, new, session.sameMapping)
    }
  }

  private static func failure(_ difference: String) -> Refusal {
    Refusal(.caseFailed, "the migrated store fails the app's own check: \(difference)")
  }

  private func compare(
    _ old: StoreContent,
    _ new: StoreContent,
    _ mapping: MappingModel
  ) throws {
    let expectation = MigrationExpectation(session: session, mapping: mapping)
    var expected = try expectation.make(from: old).expected
    try expectation.rekey(&expected, to: new)
    var comparison = ContentComparison(expected: expected, actual: new)
    comparison.order = parameters.comparedOrder
    comparison.ignoredProperties =
      ExpectedStage(parameters, mapping)?.recoded(in: session.destination.model) ?? [:]
    if let finding = try comparison.findings(limit: 1).sentences.first {
      throw Self.failure(finding)
    }
  }

  private func checkCounts(_ old: StoreContent, _ new: StoreContent) throws {
    for (entity, before) in try counts(old).sorted(by: { $0.key < $1.key }) {
      let after = try new.count(of: entity)
      if parameters.mayLoseObjects ? after > before : after != before {
        throw Self.failure(
          "\(after) objects of \(entity), but there must be \(before)"
        )
      }
    }
  }

  private func counts(_ old: StoreContent) throws -> [String: Int64] {
    guard session.mapping.map == nil else {
      return try MappedCopy(
        session.mapping,
        from: session.source,
        to: session.destination,
        now: MissingValuePolicy.date,
        schema: "main"
      ).counts(on: old.connection)
    }
    return try Dictionary(
      keepingFirst: session.mapping.entities.compactMap { entity in
        try entity.source.map { (entity.destination, try old.count(of: $0)) }
      }
    )
  }
}

extension StoreContent {
  /// The number of an entity's own objects, excluding the objects of its sub-entities.
  fileprivate func count(of entity: String) throws -> Int64 {
    let number = layout.numbers[entity] ?? 0
    let table = try table(of: entity).name.quotedName
    return try connection.integer("SELECT count(*) FROM \(table) WHERE Z_ENT = \(number)") ?? 0
  }
}

extension MigrationParameters {
  fileprivate var mayLoseObjects: Bool {
    duplicates == .merged || duplicates == .upserted || (leavesNewStore && onNil == .skip)
  }

  /// The rule for comparing ordered relationships.
  ///
  /// Copied objects keep their order, but their order keys change. After a merge, each engine
  /// chooses its own order.
  var comparedOrder: ContentComparison.Order {
    if duplicates == .merged || duplicates == .upserted { return .nothing }
    return leavesNewStore ? .places : .keys
  }
}
