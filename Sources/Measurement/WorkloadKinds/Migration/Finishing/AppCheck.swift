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
    switch parameters.check {
    case .none: return
    case .counts: try checkCounts(old, new)
    case .spotChecks: try SpotChecks(session: session, old: old, new: new).run()
    case .full:
      var expected = try MigrationExpectation(session: session).make(from: old).expected
      try MigrationExpectation(session: session).rekey(&expected, to: new)
      var comparison = ContentComparison(expected: expected, actual: new)
      comparison.order = parameters.comparedOrder
      comparison.ignoredProperties = session.stage?.recoded(in: session.destination.model) ?? [:]
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
          "\(after) objects of \(mapping.destination) where \(before) were before"
        )
      }
    }
  }
}

extension StoreContent {
  /// The number of an entity's objects, those of its sub-entities left aside.
  fileprivate func count(of entity: String) throws -> Int64 {
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
  var keepsKeys: Bool { !leavesNewStore || (engine == .bareSQL && strategy == .sideBySide) }

  /// Copies are placed anew, in the same order; so are the objects of merged ones, in an order that
  /// each engine chooses.
  var comparedOrder: ContentComparison.Order {
    if duplicates == .merged || duplicates == .upserted { return .nothing }
    return leavesNewStore ? .places : .keys
  }
}
