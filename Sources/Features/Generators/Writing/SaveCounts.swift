import DataModel

/// How often each object of one entity was saved: Z_OPT, the optimistic-lock counter.
///
/// Once when it was made, and again for what was done to it since, which another attribute tells:
/// a date after the one it follows, or a Boolean that is set.
struct SaveCounts: Sendable {
  /// Most objects are edited once, a few again and again.
  private static let furtherSaves = ExponentialDistribution(mean: 0.9)
  private static let most = 60.0

  private let source: AttributeSource
  /// The date of the object's creation; `nil` where a Boolean tells.
  private let creation: AttributeSource?
  private let key: StreamKey

  /// `nil` for an entity whose objects were saved once.
  init?(_ recipe: EntityRecipe, sources: [String: AttributeSource], root: StreamKey) {
    guard let name = recipe.edited, let source = sources[name] else { return nil }
    self.source = source
    let rule = recipe.attributes[name]?.rule as? LaterDateRule
    creation = rule?.paths.first { $0.relationship == nil }.flatMap { sources[$0.attribute] }
    key = root.derived(recipe.name).derived("saves")
  }

  /// The saves of a row's object, at least one; the cell is used for values on the way.
  func count(row: Int, _ cell: inout Cell) -> Int64 {
    source.fill(&cell, row: row)
    guard let last = cell.number else { return 1 }
    if let creation {
      creation.fill(&cell, row: row)
      guard last > cell.number ?? last else { return 1 }
    } else if last == 0 {
      return 1
    }
    var draws = key.draws(row: row)
    let further = Self.furtherSaves.value(row: row, draws: &draws).rounded(.down)
    return 2 + Int64(min(further, Self.most))
  }
}
