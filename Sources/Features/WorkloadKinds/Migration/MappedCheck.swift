import DataModel
import PersistentStore
import SQLite

/// How an app makes sure of a migration by a map: what it counts and looks at, it reads from the old
/// store through the same map.
struct MappedCheck {
  let session: MigrationSession
  /// The old store.
  let reference: StoreFile
  let old: StoreContent
  let new: StoreContent

  private var parameters: MigrationParameters { session.parameters }

  private var copy: MappedCopy {
    MappedCopy(
      session.mapping,
      from: session.source,
      to: session.destination,
      now: MissingValuePolicy.date,
      schema: "main"
    )
  }

  /// - Throws: ``MigrationCaseError/checkFailed(_:)``.
  func run() throws {
    switch parameters.check {
    case .none: return
    case .counts: try checkCounts()
    case .spotChecks:
      for function in MappedCopy.functions(externalFiles: reference.externalDataFolder) {
        try old.connection.registerFunction(function.name, function.body)
      }
      for rows in copy.rows { try check(rows) }
    case .full: try checkAll()
    }
  }

  private func checkCounts() throws {
    let counts = try copy.counts(on: old.connection)
    for (entity, before) in counts.sorted(by: { $0.key < $1.key }) {
      let after = try new.count(of: entity)
      if parameters.mayLoseObjects ? after > before : after != before {
        throw MigrationCaseError.checkFailed(
          "\(after) objects of \(entity) where the map makes \(before)"
        )
      }
    }
  }

  /// Migrates once more, by the way that the migration itself did not take, and compares all.
  private func checkAll() throws {
    let made = try MappedReference(session: session, trial: session.trial, start: reference).make()
    defer { try? made.remove() }
    let content = try StoreContent(store: made, layout: session.destination)
    let expectation = MigrationExpectation(session: session, mapping: session.sameMapping)
    var expected = try expectation.make(from: content).expected
    try expectation.rekey(&expected, to: new)
    var comparison = ContentComparison(expected: expected, actual: new)
    comparison.order = parameters.comparedOrder
    if let finding = try comparison.findings(limit: 1).sentences.first {
      throw MigrationCaseError.checkFailed(finding)
    }
  }
}

extension MappedCheck {
  /// Looks at twenty objects that a mapping makes, spread over all of them; at none where new
  /// objects have nothing to be found by.
  private func check(_ rows: MappedCopy.RowSet) throws {
    let mapping = session.mapping.entities.filter { $0.source != nil }[rows.rule]
    guard let identity = identity(of: mapping, in: rows) else { return }
    let compared = rows.columns.indices.filter { isCompared(rows.columns[$0], in: mapping) }
    let total = try old.connection.integer("SELECT count(*) FROM (\(rows.select))") ?? 0
    let step = max(1, total / AppCheck.SpotChecks.count)
    let objects = try old.connection.prepare(rows.select)
    var place: Int64 = 0
    while try objects.step() {
      defer { place += 1 }
      guard place % step == 0, !objects.isNull(at: identity + 1) else { continue }
      let name = "\(mapping.source ?? "") \(objects.integer(at: 0))"
      guard try isThere(objects, [identity], rows) else {
        if parameters.mayLoseObjects { continue }
        throw MigrationCaseError.checkFailed("\(name) is missing")
      }
      // A missing value may have been filled.
      let set = compared.filter { !objects.isNull(at: $0 + 1) }
      guard try !isThere(objects, [identity] + set, rows) else { continue }
      let other = try set.first { try !isThere(objects, [identity, $0], rows) }
      throw MigrationCaseError.checkFailed(
        "\(name) has another value in \(rows.table).\(other.map { rows.columns[$0] } ?? "")"
      )
    }
  }

  /// Whether the new store has an object with the values of some columns.
  private func isThere(
    _ object: Statement,
    _ columns: [Int],
    _ rows: MappedCopy.RowSet
  ) throws -> Bool {
    let conditions = columns.map { "\(rows.columns[$0].quotedName) = ?" }
    let find = try new.connection.cached(
      "SELECT 1 FROM \(rows.table.quotedName) WHERE \(conditions.joined(separator: " AND "))"
    )
    defer { find.reset() }
    for (place, column) in columns.enumerated() {
      Self.bind(object, column + 1, to: find, at: place + 1)
    }
    return try find.step()
  }

  private static func bind(_ object: Statement, _ column: Int, to find: Statement, at place: Int) {
    switch object.storageClass(at: column) {
    case .null: find.bindNull(at: place)
    case .integer: find.bind(object.integer(at: column), at: place)
    case .real: find.bind(object.real(at: column), at: place)
    case .text: find.bind(object.text(at: column), at: place)
    case .blob: find.bind(object.blob(at: column), at: place)
    }
  }

  /// The column of what is unique alone, or of a UUID.
  private func identity(of mapping: EntityMapping, in rows: MappedCopy.RowSet) -> Int? {
    let model = session.destination.model
    let unique =
      model.entity(named: mapping.destination).map(model.lineage)?
      .flatMap(\.uniquenessConstraints).filter { $0.count == 1 }.map { $0[0] } ?? []
    let named = mapping.attributes.filter { $0.source != nil || $0.value != nil }
    let chosen =
      named.first { unique.contains($0.destination.name) }
      ?? named.first { $0.destination.type == .uuid }
    return chosen.flatMap { column(of: $0.destination.name, mapping) }
      .flatMap(rows.columns.firstIndex)
  }

  /// Whether copies have the value as it is; files of blobs have names of their own.
  private func isCompared(_ column: String, in mapping: EntityMapping) -> Bool {
    mapping.attributes.contains { attribute in
      self.column(of: attribute.destination.name, mapping) == column
        && !attribute.destination.allowsExternalStorage
    }
  }

  private func column(of attribute: String, _ mapping: EntityMapping) -> String? {
    session.destination.column(of: attribute, in: mapping.destination)?.name
  }
}
