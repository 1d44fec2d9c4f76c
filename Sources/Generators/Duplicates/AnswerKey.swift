import DataModel

/// The list of a store's duplicates: which objects share a key, and which of them is the original.
package struct AnswerKey {
  private static let header = ["entity", "attributes", "cluster", "primaryKey", "role", "key"]

  private let dataset: Dataset

  package init(_ dataset: Dataset) {
    self.dataset = dataset
  }

  /// Whether the dataset has any duplicates to list.
  package var isNeeded: Bool {
    dataset.entities.contains { $0.duplicates != nil }
  }

  /// The list as CSV (RFC 4180), a line for every object of every cluster, originals first.
  ///
  /// `key` is the value in common, several joined by `|`, blobs in hexadecimal digits.
  package func csv() throws -> String {
    var text = Self.line(Self.header)
    for entity in dataset.entities {
      guard let duplicates = entity.duplicates,
        let key = dataset.recipe.entity(named: entity.name)?.duplicates?.key
      else { continue }
      let attributes = key.joined(separator: "|")
      for (index, cluster) in duplicates.clusters.enumerated() {
        let values = try key.map {
          Self.text(of: try dataset.value(entity: entity.name, row: cluster[0], attribute: $0))
        }
        for row in cluster {
          text += Self.line([
            entity.name, attributes, String(index + 1), String(entity.primaryKey(row: row)),
            row == cluster[0] ? "original" : "copy", values.joined(separator: "|"),
          ])
        }
      }
    }
    return text
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null: ""
    case .integer(let integer): String(integer)
    case .real(let real): "\(real)"
    case .text(let text): text
    case .blob(let bytes): CanonicalForm.hexadecimal(bytes)
    }
  }

  private static func line(_ fields: [String]) -> String {
    fields.map { field in
      let needsQuotes = field.utf8.contains { [10, 13, 34, 44].contains($0) }
      return needsQuotes
        ? "\""
          + field.split(separator: "\"", omittingEmptySubsequences: false)
          .joined(separator: "\"\"") + "\"" : field
    }.joined(separator: ",") + "\r\n"
  }
}
