import DataModel

extension DatasetBuilder {
  func allowed(_ name: String, by conditions: [TargetCondition]) -> [Bool]? {
    let members = members(of: name)
    guard !conditions.isEmpty, let start = members.map(\.span.offset).min() else { return nil }
    let count = members.reduce(0) { $0 + $1.span.count }
    var allowed = [Bool](repeating: true, count: count)
    for condition in conditions {
      var next = allowed
      for member in members {
        guard let source = source(of: condition.attribute, in: member.entity) else { continue }
        var cell = Cell()
        for row in 0..<member.span.count {
          source.fill(&cell, row: row)
          let isMet = condition.values.contains { value in
            value == .null ? cell.kind == .null : cell.holds(value)
          }
          if !isMet { next[member.span.offset - start + row] = false }
        }
      }
      // Ignore a condition that no object meets, because it would leave no targets.
      if next.contains(true) { allowed = next }
    }
    return allowed.contains(false) ? allowed : nil
  }

  /// Builds the source of an attribute's values before the dataset's other sources exist.
  private func source(of attribute: String, in name: String) -> AttributeSource? {
    guard var entity = recipe.entity(named: name), let described = recipe.model.entity(named: name)
    else { return nil }
    let needed = entity.chain(to: attribute)
    entity.attributes = entity.attributes.filter { needed.contains($0.key) }
    let builder = AttributeBuilder(
      recipe: entity,
      attributes: recipe.model.attributes(of: described),
      root: root,
      duplicates: nil
    )
    return builder.sources()[attribute]
  }

  /// Moves children to the objects that may have children.
  ///
  /// The total number of children stays the same unless the maximum per object prevents it.
  func restricted(_ counts: [UInt32], to allowed: [Bool]?, most: Int) -> [UInt32] {
    guard let allowed, allowed.count == counts.count else { return counts }
    var open = counts.indices.filter { allowed[$0] && counts[$0] == 0 }
    let full = counts.indices.filter { allowed[$0] }
    var restricted = counts.enumerated().map { allowed[$0.offset] ? $0.element : 0 }
    var next = 0
    for index in counts.indices where !allowed[index] && counts[index] > 0 {
      if let place = open.popLast() {
        restricted[place] = counts[index]
        continue
      }
      // All permitted objects already have children, so distribute the excluded object's children
      // among the permitted objects.
      for _ in 0..<counts[index] {
        var tries = 0
        while tries < full.count, Int(restricted[full[next]]) >= most {
          next = (next + 1) % full.count
          tries += 1
        }
        guard tries < full.count else { break }
        restricted[full[next]] += 1
        next = (next + 1) % full.count
      }
    }
    return restricted
  }
}
