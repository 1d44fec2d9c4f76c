import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

/// A file next to a generated store that lists the duplicates or defects planted in the store.
package enum AnswerKeyFile: String, CaseIterable, Hashable, Sendable {
  case duplicates
  case dirty

  /// The path of the list: `NAME.duplicates.csv` or `NAME.dirty.csv`, where `NAME` is the store's
  /// name without extension.
  package func path(of file: StoreFile) -> String {
    let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
    return "\(file.folder)/\(name).\(rawValue).csv"
  }

  static func write(for dataset: Dataset, of store: StoreFile) throws -> [AnswerKeyFile] {
    var written: [AnswerKeyFile] = []
    let duplicates = AnswerKey(dataset, gone: try goneKeys(of: dataset, store))
    if duplicates.isNeeded {
      try AnswerKeyFile.duplicates.write(duplicates.csv(), of: store)
      written.append(.duplicates)
    }
    if dataset.recipe.isDirty {
      let others = try StoreDefects.make(of: dataset, in: store)
      try dirty.write(DefectList(dataset, and: others).csv, of: store)
      written.append(.dirty)
    }
    return written
  }

  private func write(_ text: String, of store: StoreFile) throws {
    var text = text
    var files = FileBytes()
    try text.withUTF8 {
      try files.write(UnsafeRawBufferPointer($0), to: path(of: store), durable: false)
    }
  }

  private static func goneKeys(
    of dataset: Dataset,
    _ store: StoreFile
  ) throws -> [String: Set<Int64>] {
    guard dataset.recipe.age != nil else { return [:] }
    let connection = try StoreContent(store: store, layout: dataset.layout).connection
    var gone: [String: Set<Int64>] = [:]
    for entity in dataset.entities {
      guard let clusters = entity.duplicates, let table = dataset.layout.table(of: entity.name)
      else { continue }
      let exists = try connection.prepare("SELECT 1 FROM \(table.name) WHERE Z_PK = ?")
      for row in clusters.clusters.joined() {
        exists.bind(entity.primaryKey(row: row), at: 1)
        if try exists.step() {
          exists.reset()
        } else {
          gone[entity.name, default: []].insert(entity.primaryKey(row: row))
        }
      }
    }
    return gone
  }
}

/// The list of a store's duplicates.
///
/// It contains each original with its copies, and the differences between them.
package struct AnswerKey {
  private static let header = [
    "entity", "attributes", "cluster", "primaryKey", "role", "key", "likeness", "edits",
  ]

  private let dataset: Dataset
  /// For each entity, the primary keys of objects that are no longer in the store.
  private let gone: [String: Set<Int64>]

  package init(_ dataset: Dataset, gone: [String: Set<Int64>] = [:]) {
    self.dataset = dataset
    self.gone = gone
  }

  /// Whether the dataset contains duplicates.
  package var isNeeded: Bool {
    dataset.entities.contains { $0.duplicates != nil }
  }

  /// The list as CSV (RFC 4180), with one line per object in each cluster, originals first.
  ///
  /// `key` contains the values of the key attributes, joined by `|`, with blobs in hexadecimal
  /// digits. `likeness` is the way in which a copy resembles the original, and `edits` lists the
  /// edits of each string.
  ///
  /// - Throws: A ``Refusal`` if the dataset lacks an entity or attribute of the list.
  package func csv() throws -> String {
    var text = CSVRecord.text(Self.header) + "\r\n"
    for entity in dataset.entities {
      guard let duplicates = entity.duplicates,
        let recipe = dataset.recipe.entity(named: entity.name)?.duplicates
      else { continue }
      for (index, cluster) in duplicates.clusters.enumerated() {
        let present = cluster.filter { !isGone(entity, row: $0) }
        guard present.count > 1 else { continue }
        for row in present {
          let likeness = row == present[0] ? nil : duplicates.likeness(of: row)
          let fields = [
            entity.name, recipe.key.joined(separator: "|"), String(index + 1),
            String(entity.primaryKey(row: row)), row == present[0] ? "original" : "copy",
            try key(recipe.key, of: entity.name, row: row), likeness?.rawValue ?? "",
            likeness == .near ? try edits(in: row, of: entity, recipe) : "",
          ]
          text += CSVRecord.text(fields) + "\r\n"
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

  /// The edits as text, such as `name typo case|city accents`, in the order of the recipe's
  /// attributes.
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

/// The list of a dirty store's defects, each with its object and property.
package struct DefectList {
  /// A planted defect.
  package struct Entry: Hashable, Sendable {
    package let entity: String
    /// The primary key of the object with the defect; `nil` if the defect is in the entity's
    /// highest key or in a folder.
    package let primaryKey: Int64?
    package let property: String
    package let defect: Defect
    /// The stored value, key or file name; for a long string, its size in bytes.
    package let value: String
    /// The audit rule that finds the defect; `nil` if only an SQL query can find the defect.
    package let rule: AuditRule?
  }

  private static let header = ["entity", "primaryKey", "property", "defect", "value", "rule"]
  private static let longestValue = 1_000

  package let entries: [Entry]

  init(_ dataset: Dataset, and others: [Entry]) throws {
    var entries: [Entry] = []
    for entity in dataset.entities {
      for property in entity.changes.keys.sorted() {
        for entry in entity.changes[property]?.entries ?? [] {
          entries.append(try Self.entry(entry, of: property, entity, dataset))
        }
      }
      entries += Self.orphans(of: entity, dataset)
      entries += others.filter { $0.entity == entity.name }
    }
    self.entries = entries
  }

  /// The list of defects as CSV (RFC 4180).
  package var csv: String {
    let records = entries.map { entry in
      [
        entry.entity, entry.primaryKey.map(String.init) ?? "", entry.property,
        entry.defect.rawValue, entry.value, entry.rule?.rawValue ?? "",
      ]
    }
    return ([Self.header] + records).map { CSVRecord.text($0) + "\r\n" }.joined()
  }

  private static func entry(
    _ entry: DefectRows.Entry,
    of property: String,
    _ entity: EntitySource,
    _ dataset: Dataset
  ) throws -> Entry {
    let attribute = dataset.layout.column(of: property, in: entity.name).flatMap { column in
      if case .attribute(let attribute) = column.content { attribute } else { nil as Attribute? }
    }
    let rule: AuditRule?
    let value: String
    if let attribute {
      rule = Defect.rule(of: entry.defect, attribute.type)
      let text = try dataset.value(entity: entity.name, row: entry.row, attribute: property)
        .answerText
      value = text.utf8.count > longestValue ? "\(text.utf8.count) bytes" : text
    } else {
      rule = entry.defect == .null ? .missingReference : .danglingReference
      value = Self.key(of: entry, entity.changes[property])
    }
    return Entry(
      entity: entity.name,
      primaryKey: entity.primaryKey(row: entry.row),
      property: property,
      defect: entry.defect,
      value: value,
      rule: rule
    )
  }

  private static func key(of entry: DefectRows.Entry, _ changes: PropertyChanges?) -> String {
    var cell = Cell()
    changes?.apply(to: &cell, row: entry.row)
    return cell.value.answerText
  }

  private static func orphans(of entity: EntitySource, _ dataset: Dataset) -> [Entry] {
    dataset.orphans.keys.sorted().flatMap { name -> [Entry] in
      let parts = name.split(separator: ".").map(String.init)
      guard let orphans = dataset.orphans[name], parts.count == 2, parts[0] == entity.name,
        let declaring = dataset.recipe.model.entity(named: parts[0]),
        let relationship = declaring.relationships.first(where: { $0.name == parts[1] })
      else { return [] }
      let last = dataset.recipe.rowCount(besides: relationship.destination, in: dataset.layout)
      return orphans.entries.map { entry in
        Entry(
          entity: entity.name,
          primaryKey: entity.primaryKey(row: entry.row),
          property: parts[1],
          defect: .orphaned,
          value: String(last + entry.ordinal + 1),
          rule: .danglingPair
        )
      }
    }
  }
}

extension Recipe {
  /// Whether the recipe plants defects in at least one entity's objects, files or keys.
  package var isDirty: Bool { entities.contains { !$0.defects.isEmpty && $0.count > 0 } }
}
