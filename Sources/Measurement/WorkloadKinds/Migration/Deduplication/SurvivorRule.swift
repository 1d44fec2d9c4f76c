import DataModel

/// Which object of a cluster of duplicates stays; of equals the one with the lowest key.
enum SurvivorRule: String, CaseIterable, Hashable, Sendable {
  case first
  /// The one with the latest date, one without a date after all others.
  case newest
  /// The one with the most attributes that have a value.
  case mostComplete
}

/// A survivor rule with the attributes that it looks at, in the names of the model before the
/// migration.
struct SurvivorChoice: Hashable, Sendable {
  let rule: SurvivorRule
  /// For `newest` the date, for `mostComplete` every attribute; none for `first`.
  let attributes: [String]

  /// - Throws: ``MigrationCaseError/noDate(entity:named:)``.
  init(_ parameters: MigrationParameters, entity name: String, model: Model) throws {
    // A starting store without duplicates is one for all cases.
    rule = parameters.duplicates == .merged ? parameters.survivor : .first
    guard let entity = model.entity(named: name), rule != .first else {
      attributes = []
      return
    }
    let stored = model.attributes(of: entity).filter { !$0.isTransient }
    if rule == .mostComplete {
      attributes = stored.map(\.name)
      return
    }
    let dates = stored.filter { $0.type == .date }.map(\.name)
    let named = parameters.newestBy
    let found = named.isEmpty ? Self.latest(among: dates) : dates.first { $0 == named }
    guard let found else { throw MigrationCaseError.noDate(entity: name, named: named) }
    attributes = [found]
  }

  /// The attribute that most likely tells of the last change.
  private static func latest(among dates: [String]) -> String? {
    for word in ["modif", "updat", "chang", "creat"] {
      if let found = dates.first(where: { $0.lowercased().contains(word) }) { return found }
    }
    return dates.first
  }

  /// The rank of an object by the values of the rule's attributes, the highest one stays.
  func rank(_ values: [Value]) -> Double {
    switch rule {
    case .first: 0
    case .newest:
      switch values.first {
      case .integer(let seconds)?: Double(seconds)
      case .real(let seconds)?: seconds
      default: -.infinity
      }
    case .mostComplete: Double(values.filter { $0 != .null }.count)
    }
  }

  /// The rank in SQL, by the rule's columns.
  func rankSQL(_ columns: [String]) -> String {
    switch rule {
    case .first: "0"
    case .newest: "coalesce(\(columns.first ?? "NULL"), -9e999)"
    case .mostComplete: columns.map { "(\($0) IS NOT NULL)" }.joined(separator: " + ")
    }
  }
}
