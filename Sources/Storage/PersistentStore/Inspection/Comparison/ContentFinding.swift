/// One difference between the content expected and the content found.
package enum ContentFinding: Hashable, Sendable {
  case missing(ContentReference)
  case unexpected(ContentReference)
  case wrongEntity(ContentReference, found: String)
  case wrongValue(ContentReference, property: String, expected: String, found: String)
  case wrongVersion(ContentReference, expected: String, found: String)
  case missingPair(relationship: String, ContentPair)
  case unexpectedPair(relationship: String, ContentPair)
  case wrongOrder(relationship: String, ContentPair, found: ContentPair)
  /// An object comes before one that it is expected behind, in an ordered relationship.
  case misplaced(relationship: String, object: Int64, before: Int64)
  /// An object of the original for which the new keys have no counterpart.
  case unmatched(ContentReference)
}

extension ContentFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let object): "\(object) is missing"
    case .unexpected(let object): "\(object) is not expected"
    case .wrongEntity(let object, let found): "\(object) is of '\(found)' instead"
    case .wrongValue(let object, let property, let expected, let found):
      "\(object) has \(found) as '\(property)' where \(expected) is expected"
    case .wrongVersion(let object, let expected, let found):
      "\(object) has the version \(found) where \(expected) is expected"
    case .missingPair(let relationship, let pair):
      "\(relationship) lacks the pair \(pair.first), \(pair.second)"
    case .unexpectedPair(let relationship, let pair):
      "\(relationship) has a pair \(pair.first), \(pair.second) that is not expected"
    case .wrongOrder(let relationship, let pair, let found):
      "\(relationship) has the pair \(pair.first), \(pair.second) at \(Self.orders(of: found)) "
        + "where \(Self.orders(of: pair)) is expected"
    case .misplaced(let relationship, let object, let other):
      "\(relationship) has \(object) before \(other) where it is expected behind it"
    case .unmatched(let object): "\(object) of the original has no counterpart"
    }
  }

  private static func orders(of pair: ContentPair) -> String {
    [pair.firstOrder, pair.secondOrder].map { $0.map { "\($0)" } ?? "NULL" }
      .joined(separator: "/")
  }
}
