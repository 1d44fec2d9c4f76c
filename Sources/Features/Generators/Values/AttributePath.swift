import DataModel

/// The path to an attribute of the same object or of a to-one relationship's target.
///
/// Examples are `createdAt` and `task.createdAt`.
struct AttributePath: Hashable, Sendable {
  var relationship: String?
  var attribute: String

  var text: String { relationship.map { "\($0).\(attribute)" } ?? attribute }
}

struct PathTarget {
  let relationship: String
  let attributes: [Attribute]
}

enum PathSource: Sendable {
  case own(AttributeSource)
  case related(RelatedSource)

  /// Sets the cell to the value for a row, or to null if the to-one relationship has no target.
  @inline(__always)
  func fill(_ cell: inout Cell, row: Int) {
    switch self {
    case .own(let source): source.fill(&cell, row: row)
    case .related(let source): source.fill(&cell, row: row)
    }
  }

  /// The row at the end of the path: the object's own row or the target's table row; `nil` if the
  /// to-one relationship has no target.
  ///
  /// `cell` is scratch space.
  @inline(__always)
  func origin(of row: Int, _ cell: inout Cell) -> Int? {
    switch self {
    case .own: row
    case .related(let source): source.target(of: row, &cell)
    }
  }
}

extension AttributeSite {
  func source(_ path: AttributePath) -> PathSource? {
    guard path.relationship != nil else { return sources[path.attribute].map { .own($0) } }
    return related(path).map { .related($0) }
  }

  func related(_ path: AttributePath) -> RelatedSource? {
    path.relationship.flatMap { relationships[$0] }.map {
      binder.source($0, offset: offset, attribute: path.attribute)
    }
  }
}

extension AttributeReader {
  /// Parses a path to an attribute of one of the given types; returns `nil` after reporting a
  /// problem.
  func path(_ value: YAMLValue, of types: [AttributeType]) -> AttributePath? {
    guard let text = value.string() else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      return sibling(value, of: types).map { AttributePath(attribute: $0) }
    }
    guard let target = targets.first(where: { $0.relationship == parts[0] }) else {
      let hint = didYouMean(parts[0], among: targets.map(\.relationship))
      value.report("\(entity) has no to-one relationship '\(parts[0])'\(hint)")
      return nil
    }
    let fitting = target.attributes.filter { types.contains($0.type) && !$0.isTransient }
    guard fitting.contains(where: { $0.name == parts[1] }) else {
      let kind = types.count > 4 ? "" : types.map(\.name).joined(separator: " or ") + " "
      let hint = didYouMean(parts[1], among: fitting.map(\.name))
      value.report("the target of '\(parts[0])' has no \(kind)attribute '\(parts[1])'\(hint)")
      return nil
    }
    return AttributePath(relationship: parts[0], attribute: parts[1])
  }

  func attribute(at path: AttributePath) -> Attribute? {
    let all =
      path.relationship.map { name in
        targets.first { $0.relationship == name }?.attributes ?? []
      } ?? siblings
    return all.first { $0.name == path.attribute }
  }
}
