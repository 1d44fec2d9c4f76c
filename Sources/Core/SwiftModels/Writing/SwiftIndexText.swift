import Basics
import DataModel

/// An index as both frameworks declare it: `#Index` of SwiftData, a fetch index of Xcode's editor.
///
/// Neither gives the index to stores that are there: an index is no part of the version by which a
/// store is compared with its model.
package struct SwiftIndexText: Hashable, Sendable {
  package let entity: String
  package let index: FetchIndex

  package init(entity: String, index: FetchIndex) { (self.entity, self.index) = (entity, index) }

  /// An index over some properties, each ascending; `-name` is descending.
  package init(entity: String, properties: [String]) {
    let elements = properties.map { name in
      FetchIndex.Element(
        property: name.hasPrefix("-") ? String(name.dropFirst()) : name,
        isAscending: !name.hasPrefix("-")
      )
    }
    let names = elements.map(\.property)
    let tail = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
    self.init(entity: entity, index: FetchIndex(name: "by\(tail)", elements: elements))
  }

  /// The declaration inside the class of the entity.
  package var swiftData: String { "#Index<\(SwiftNames.quoted(entity))>(\(argument))" }

  var isRTree: Bool { index.elements.contains { $0.kind == .rTree } }

  /// One argument of `#Index`, as it stands next to others without R-trees.
  var argument: String { isRTree ? ".rtree(\(paths))" : paths }
  /// The same, next to others of which some are R-trees.
  var mixedArgument: String { isRTree ? argument : ".binary(\(paths))" }

  private var paths: String {
    "["
      + index.elements.map { "\\.\(SwiftNames.member(SwiftNames.property($0.property)))" }
      .joined(separator: ", ") + "]"
  }

  /// What to enter in Xcode's model editor.
  package var editor: String {
    let elements = index.elements.map { element in
      element.property + (element.isAscending ? " ascending" : " descending")
        + (isRTree ? " (R-tree)" : "")
    }
    return "select \(entity), Editor > Add Fetch Index, name it \(index.name), add "
      + elements.joined(separator: ", ")
      + (index.partialPredicate.map { ", predicate \($0)" } ?? "")
  }

  /// The three texts for programs.
  package var json: JSONObject {
    ["swiftData": swiftData, "editor": editor, "shippedStores": Self.shippedStores]
  }

  /// What makes stores get it that users have already.
  package static let shippedStores =
    "stores that users have already get it only by a migration: set a new hash modifier "
    + "(@Attribute(hashModifier:) of the first property, or Hash Modifier in the editor) in a new "
    + "model version, or add the index in a version with another change"
}
