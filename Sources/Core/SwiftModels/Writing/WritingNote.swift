/// A note about a part of a model that SwiftData cannot express exactly, and about its substitute
/// in the generated code.
package struct WritingNote: Hashable, Sendable, CustomStringConvertible {
  /// The subject of a note, for JSON output.
  package enum Subject: String, CaseIterable, Hashable, Sendable {
    case abstract, composite, configuration, counts, defaultValue, derived, entityHash
    case entityRename, fetched, index, indexOrder, inferredInverse, inheritance, inverse, name
    case objectID, order, partialIndex, rename, transformable, transient, undefined, unique
    case userInfo, validation, versionIdentifier
  }

  package let subject: Subject
  /// The version's type, such as `SchemaV2`; `nil` for classes without a version.
  package var version: String?
  /// The name of an entity, or of an entity and its property; empty for the whole model.
  package let place: String
  /// A sentence without a final period that describes the loss and the substitute.
  package let text: String

  package init(_ subject: Subject, _ place: String, _ text: String, version: String? = nil) {
    (self.subject, self.place, self.text, self.version) = (subject, place, text, version)
  }

  package var description: String {
    let whole = [version, place.isEmpty ? nil : place].compactMap(\.self).joined(separator: ".")
    return whole.isEmpty ? text : "\(whole): \(text)"
  }
}
