/// Something of a model that SwiftData cannot have, or has in another way, and what the code does.
package struct WritingNote: Hashable, Sendable, CustomStringConvertible {
  /// What a note is about, for programs.
  package enum Subject: String, CaseIterable, Hashable, Sendable {
    case abstract, composite, configuration, counts, defaultValue, derived, entityHash
    case entityRename, fetched, index, indexOrder, inferredInverse, inheritance, inverse, name
    case objectID, order, partialIndex, rename, transformable, transient, undefined, unique
    case userInfo, validation, versionIdentifier
  }

  package let subject: Subject
  /// The version's type, such as `SchemaV2`; `nil` for classes without a version.
  package var version: String?
  /// An entity, or an entity and its property; empty for the whole model.
  package let place: String
  /// A sentence without a full stop: what is lost, and what the code does.
  package let text: String

  package init(_ subject: Subject, _ place: String, _ text: String, version: String? = nil) {
    (self.subject, self.place, self.text, self.version) = (subject, place, text, version)
  }

  package var description: String {
    let whole = [version, place.isEmpty ? nil : place].compactMap(\.self).joined(separator: ".")
    return whole.isEmpty ? text : "\(whole): \(text)"
  }
}
