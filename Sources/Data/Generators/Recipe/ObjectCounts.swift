import DataModel

/// How many objects of each entity to make when a caller asks for other numbers than the recipe's.
///
/// The entities that are named get exactly the number asked for. All others grow or shrink by the
/// largest factor of those, rounded, with at least one object where the recipe has any; entities
/// with `scaling: fixed` keep the recipe's number.
struct ObjectCounts {
  /// An entity's number in the recipe.
  struct Entry {
    let entity: String
    let count: Int
    let isFixed: Bool
  }

  let entries: [Entry]

  /// The number of each entity, in the order of the entries.
  func scaled(to asked: [String: Int]) -> [Int] {
    let factors = entries.compactMap { entry in
      entry.count > 0 ? asked[entry.entity].map { Double($0) / Double(entry.count) } : nil
    }
    let factor = factors.max() ?? 1
    return entries.map { entry in
      if let own = asked[entry.entity] { return own }
      guard !entry.isFixed, entry.count > 0 else { return entry.count }
      return Int(
        min(max((Double(entry.count) * factor).rounded(), 1), Double(Limits.mostObjects))
      )
    }
  }
}
