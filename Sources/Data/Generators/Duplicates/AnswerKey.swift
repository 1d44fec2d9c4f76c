import Basics
import DataModel

/// The list of a store's duplicates: which objects are copies of each other, which of them is the
/// original, and how the others differ from it.
package struct AnswerKey {
  private static let header = [
    "entity", "attributes", "cluster", "primaryKey", "role", "key", "likeness", "edits",
  ]

  private let dataset: Dataset
  /// By entity, the keys of objects that are no longer in the store.
  private let gone: [String: Set<Int64>]

  package init(_ dataset: Dataset, gone: [String: Set<Int64>] = [:]) {
    self.dataset = dataset
    self.gone = gone
  }

  /// Whether the dataset has any duplicates to list.
  package var isNeeded: Bool {
    dataset.entities.contains { $0.duplicates != nil }
  }

  /// The list as CSV (RFC 4180), a line for every object of every cluster, originals first.
  ///
  /// `key` is the object's value of the key, several joined by `|`, blobs in hexadecimal digits;
  /// `likeness` says how like the original a copy is, and `edits` what was done to which text.
  package func csv() throws -> String {
    var text = CSVLine.text(Self.header)
    for entity in dataset.entities {
      guard let duplicates = entity.duplicates,
        let recipe = dataset.recipe.entity(named: entity.name)?.duplicates
      else { continue }
      for (index, cluster) in duplicates.clusters.enumerated() {
        let present = cluster.filter { !isGone(entity, row: $0) }
        guard present.count > 1 else { continue }
        for row in present {
          let likeness = row == present[0] ? nil : duplicates.likeness(of: row)
          text += CSVLine.text([
            entity.name, recipe.key.joined(separator: "|"), String(index + 1),
            String(entity.primaryKey(row: row)), row == present[0] ? "original" : "copy",
            try key(recipe.key, of: entity.name, row: row), likeness?.rawValue ?? "",
            likeness == .near ? try edits(in: row, of: entity, recipe) : "",
          ])
        }
      }
    }
    return text
  }

  private func isGone(_ entity: EntitySource, row: Int) -> Bool {
    gone[entity.name]?.contains(entity.primaryKey(row: row)) == true
  }

  private func key(_ attributes: [String], of entity: String, row: Int) throws -> String {
    try attributes.map {
      try dataset.value(entity: entity, row: row, attribute: $0).answerText
    }.joined(separator: "|")
  }

  /// `name typo case|city accents`, the attributes in the order of the recipe.
  private func edits(
    in row: Int,
    of entity: EntitySource,
    _ recipe: DuplicatesRecipe
  ) throws -> String {
    try (recipe.edits?.attributes ?? []).compactMap { attribute in
      var cell = Cell()
      try entity.attribute(attribute).fill(&cell, row: row)
      let edits = entity.changes[attribute]?.edit(&cell, row: row) ?? []
      return edits.isEmpty ? nil : ([attribute] + edits.map(\.rawValue)).joined(separator: " ")
    }.joined(separator: "|")
  }
}

extension Value {
  /// The value as answer keys write it.
  var answerText: String {
    switch self {
    case .null: ""
    case .integer(let integer): String(integer)
    case .real(let real): "\(real)"
    case .text(let text): text
    case .blob(let bytes): bytes.hexadecimal
    }
  }
}
