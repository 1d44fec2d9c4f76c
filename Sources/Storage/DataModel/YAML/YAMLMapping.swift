import Yams

/// A mapping of a YAML file, its entries in the order of the file.
package struct YAMLMapping {
  /// One entry; the key has a place of its own.
  package struct Entry {
    package let key: String
    package let keyPlace: Place?
    package let value: YAMLValue
  }

  package let entries: [Entry]
  /// What messages call the mapping.
  package let name: String
  package let place: Place?
  private let diagnostics: Diagnostics

  init(_ mapping: Node.Mapping, name: String, place: Place?, diagnostics: Diagnostics) {
    self.name = name
    self.place = place
    self.diagnostics = diagnostics
    entries = mapping.compactMap { key, value in
      guard let scalar = key.scalar else {
        diagnostics.report("a key must be a word", at: key.mark.map { Place($0) })
        return nil
      }
      return Entry(
        key: scalar.string,
        keyPlace: key.mark.map { Place($0) },
        value: YAMLValue(value, name: "'\(scalar.string)'", diagnostics: diagnostics)
      )
    }
  }

  /// The value of a key, if the mapping has it.
  package subscript(key: String) -> YAMLValue? {
    entries.first { $0.key == key }?.value
  }

  /// The value of a key; reports its absence.
  package func required(_ key: String) -> YAMLValue? {
    if let value = self[key] { return value }
    report("\(name) lacks the key '\(key)'")
    return nil
  }

  /// Reports a problem at the mapping's place.
  package func report(_ message: String, severity: Diagnostic.Severity = .error) {
    diagnostics.report(message, at: place, severity: severity)
  }

  /// Reports every key that is not among those known, with the one it probably means.
  package func reportKeys(except known: [String]) {
    for entry in entries where !known.contains(entry.key) {
      let hint = didYouMean(entry.key, among: known)
      let list = hint.isEmpty ? " (known: \(known.joined(separator: ", ")))" : hint
      diagnostics.report("unknown key '\(entry.key)' in \(name)\(list)", at: entry.keyPlace)
    }
  }
}
