import Foundation

/// A comparison of texts that calls a function of Core Data, such as `CONTAINS[cd] 'call'`.
package struct TextMatch: Hashable, Sendable {
  package enum Operator: String, Hashable, Sendable {
    case equal = "=="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    /// Compares the whole text with a pattern, in which `*` stands for any characters and `?` for
    /// one.
    case like = "LIKE"
  }

  package let comparison: Operator
  package let text: String
  package let ignoresCase: Bool
  package let ignoresDiacritics: Bool

  package init(
    _ comparison: Operator,
    _ text: String,
    ignoresCase: Bool = false,
    ignoresDiacritics: Bool = false
  ) {
    self.comparison = comparison
    self.text = text
    self.ignoresCase = ignoresCase
    self.ignoresDiacritics = ignoresDiacritics
  }

  /// The operator with its options, such as `CONTAINS[cd]`.
  package var name: String {
    let options = (ignoresCase ? "c" : "") + (ignoresDiacritics ? "d" : "")
    return comparison.rawValue + (options.isEmpty ? "" : "[\(options)]")
  }

  /// The options argument of the SQL function that performs the comparison.
  package var options: UInt {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    switch comparison {
    case .equal: return options.rawValue | FrameworkFunctions.wholeText
    case .beginsWith: options.insert(.anchored)
    case .endsWith: options.formUnion([.anchored, .backwards])
    case .contains: break
    case .like: return options.rawValue | FrameworkFunctions.wildcards
    }
    return options.rawValue
  }

  /// Whether a string matches; uses the function that SQL statements call for the comparison.
  package func isMet(by other: String) -> Bool {
    FrameworkFunctions.isMet(other, text, options: options)
  }
}

extension Predicate {
  /// Matches objects whose string attribute contains a string, ignoring case and diacritics
  /// (`CONTAINS[cd]`).
  package static func contains(_ property: String, _ text: String) -> Predicate {
    .text(property, TextMatch(.contains, text, ignoresCase: true, ignoresDiacritics: true))
  }
}
