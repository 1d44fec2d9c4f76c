import DataModel

/// The number of saves of each object, as in Z_OPT, the optimistic-lock counter.
///
/// An object was saved again if a date is later than the date from which it is generated, or if a
/// Boolean is true.
struct SaveCounts: Sendable {
  /// The distribution of the number of further saves: most edited objects are edited once, a few of
  /// them many times.
  private static let furtherSaves = ExponentialDistribution(mean: 0.9)
  private static let most = 60.0

  private let source: AttributeSource
  /// The earlier date, such as the object's creation; `nil` if a Boolean shows whether the object
  /// was edited.
  private let creation: AttributeSource?
  private let key: StreamKey

  init?(_ recipe: EntityRecipe, sources: [String: AttributeSource], root: StreamKey) {
    guard let name = recipe.edited, let source = sources[name] else { return nil }
    self.source = source
    let rule = recipe.attributes[name]?.rule as? LaterDateRule
    creation = rule?.paths.first { $0.relationship == nil }.flatMap { sources[$0.attribute] }
    key = root.derived(recipe.name).derived("saves")
  }

  /// The number of saves of a row's object, at least 1.
  ///
  /// `cell` is scratch space.
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
