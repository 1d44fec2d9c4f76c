import Basics
import DataModel

/// The declaration of an index in SwiftData (`#Index`) and in Core Data (a fetch index in Xcode's
/// editor).
///
/// Neither declaration adds the index to existing stores, because indexes do not change the
/// identity of a version.
package struct SwiftIndexText: Hashable, Sendable {
  package let entity: String
  package let index: FetchIndex

  package init(entity: String, index: FetchIndex) { (self.entity, self.index) = (entity, index) }

  /// Creates an index over properties in ascending order; `-name` means descending order.
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

  /// The declaration inside the entity's class.
  package var swiftData: String { "#Index<\(SwiftNames.quoted(entity))>(\(argument))" }

  var isRTree: Bool { index.elements.contains { $0.kind == .rTree } }

  /// The argument of `#Index` in a list without R-tree indexes.
  var argument: String { isRTree ? ".rtree(\(paths))" : paths }
  /// The argument of `#Index` in a list that contains R-tree indexes.
  var mixedArgument: String { isRTree ? argument : ".binary(\(paths))" }

  private var paths: String {
    "["
      + index.elements.map { "\\.\(SwiftNames.member(SwiftNames.property($0.property)))" }
      .joined(separator: ", ") + "]"
  }

  /// The steps in Xcode's model editor.
  package var editor: String {
    let elements = index.elements.map { element in
      element.property + (element.isAscending ? " ascending" : " descending")
        + (isRTree ? " (R-tree)" : "")
    }
    return "select \(entity), Editor > Add Fetch Index, name it \(index.name), add "
      + elements.joined(separator: ", ")
      + (index.partialPredicate.map { ", predicate \($0)" } ?? "")
  }

  /// The SwiftData declaration, the editor's steps and the note on shipped stores, for JSON output.
  package var json: JSONObject {
    ["swiftData": swiftData, "editor": editor, "shippedStores": Self.shippedStores]
  }

  /// The way in which users' existing stores get the index.
  package static let shippedStores =
    "stores that users have already get it only by a migration: set a new hash modifier "
    + "(@Attribute(hashModifier:) of the first property, or Hash Modifier in the editor) in a new "
    + "model version, or add the index in a version with another change"
}
