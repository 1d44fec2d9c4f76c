import DataModel
import PersistentStore

/// The list of a dirty store's defects: which object, which property, what is wrong.
package struct DefectList {
  /// One defect.
  package struct Entry: Hashable, Sendable {
    package let entity: String
    /// `nil` where no object has the defect but its entity or a folder.
    package let primaryKey: Int64?
    package let property: String
    package let defect: Defect
    /// What is stored: a value, a key, the name of a file; the number of bytes of a long text.
    package let value: String
    /// The rule of an audit that finds the defect; `nil` where plain SQL has to.
    package let rule: AuditRule?
  }

  private static let header = ["entity", "primaryKey", "property", "defect", "value", "rule"]
  /// The most bytes of a value that is written out.
  private static let longestValue = 1_000

  package let entries: [Entry]

  /// The defects of a dataset's rows, and those that were made in its files and keys afterwards.
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

  /// The list as CSV (RFC 4180).
  package var csv: String {
    entries.reduce(CSVLine.text(Self.header)) { text, entry in
      text
        + CSVLine.text([
          entry.entity, entry.primaryKey.map(String.init) ?? "", entry.property,
          entry.defect.rawValue, entry.value, entry.rule?.rawValue ?? "",
        ])
    }
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

  /// The key that a to-one holds.
  private static func key(of entry: DefectRows.Entry, _ changes: PropertyChanges?) -> String {
    var cell = Cell()
    changes?.apply(to: &cell, row: entry.row)
    return cell.value.answerText
  }

  /// The join rows that lead from an entity's objects to nowhere.
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
  /// Whether any objects, files or keys have defects.
  package var isDirty: Bool { entities.contains { !$0.defects.isEmpty && $0.count > 0 } }
}
