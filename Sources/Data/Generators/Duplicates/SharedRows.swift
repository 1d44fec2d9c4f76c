/// Which rows of an attribute have the value of an earlier row.
struct SharedRows: Sendable {
  private let clusters: DuplicateClusters
  /// Whether copies of every likeness share the value, as they do their key.
  private let isKey: Bool

  /// `nil` where no copy shares the attribute's values.
  init?(_ recipe: EntityRecipe, attribute: String, clusters: DuplicateClusters?) {
    guard let clusters, let duplicates = recipe.duplicates else { return nil }
    isKey = duplicates.key.contains(attribute)
    self.clusters = clusters
    guard isKey || recipe.sharesInCopies(attribute) else { return nil }
  }

  /// The row whose value a row has.
  @inline(__always)
  func origin(of row: Int) -> Int {
    let original = clusters.original(of: row)
    if original == row || isKey { return original }
    return clusters.likeness(of: row) == .sameKey ? row : original
  }
}

extension EntityRecipe {
  /// Whether exact and near copies have their original's value of an attribute.
  ///
  /// Files are each object's own, and so is all that depends on what is.
  func sharesInCopies(_ attribute: String) -> Bool {
    guard let duplicates, duplicates.likeness.contains(where: { $0.likeness != .sameKey }) else {
      return false
    }
    return !isOwn(attribute, duplicates, depth: 0)
  }

  private func isOwn(_ attribute: String, _ duplicates: DuplicatesRecipe, depth: Int) -> Bool {
    if duplicates.own.contains(attribute) { return true }
    guard let recipe = attributes[attribute], depth <= attributes.count else { return false }
    if case .file = recipe.generator { return true }
    return recipe.bases.contains { isOwn($0, duplicates, depth: depth + 1) }
  }
}
