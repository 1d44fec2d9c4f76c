import DataModel
import PersistentStore

final class PropertyChanges: Sendable {
  enum Part: Hashable, Sendable {
    /// An attribute's value, or the key of a to-one relationship's target.
    case value
    /// The entity number that accompanies a key.
    case entityNumber
    /// The order key that accompanies a key.
    case order
  }

  private let edits: TextEdits?
  private let defects: DefectRows?
  private let values: DefectiveValues
  private let rows: RowSet

  init(edits: TextEdits?, defects: DefectRows?, values: DefectiveValues, rowCount: Int) {
    self.edits = edits
    self.defects = defects
    self.values = values
    switch (edits, defects) {
    case (nil, let defects?): rows = defects.rows
    case (let edits?, nil): rows = edits.rows
    default:
      rows = RowSet(
        ascending: (0..<rowCount).lazy.filter { row in
          edits?.rows.contains(row) == true || defects?.rows.contains(row) == true
        },
        count: rowCount
      )
    }
  }

  var entries: [DefectRows.Entry] { defects?.entries ?? [] }

  func edit(_ cell: inout Cell, row: Int) -> [TextEdit] {
    edits?.apply(to: &cell, row: row) ?? []
  }

  @inline(__always)
  func contains(_ row: Int) -> Bool { rows.contains(row) }

  func apply(to cell: inout Cell, row: Int, part: Part = .value) {
    if part == .value { edits?.apply(to: &cell, row: row) }
    if let entry = defects?.entry(of: row) { values.apply(entry, to: &cell, part: part) }
  }

  struct Builder {
    let recipe: Recipe
    let layout: StoreLayout
    let root: StreamKey

    func changes(
      of described: EntityRecipe,
      clusters: DuplicateClusters?
    ) -> [String: PropertyChanges] {
      guard let entity = recipe.model.entity(named: described.name) else { return [:] }
      let key = root.derived(described.name)
      let edits = TextEdits.all(of: described, clusters: clusters, key: key.derived("near copies"))
      var changes: [String: PropertyChanges] = [:]
      for attribute in recipe.model.attributes(of: entity) {
        changes[attribute.name] = make(
          described,
          attribute.name,
          edits: edits[attribute.name],
          clusters: clusters,
          property: .attribute(
            attribute,
            listed: described.attributes[attribute.name]?.rule.listed ?? []
          )
        )
      }
      for relationship in recipe.model.lineage(of: entity).flatMap(\.relationships)
      where !relationship.isToMany {
        let rows = recipe.rowCount(besides: relationship.destination, in: layout)
        changes[relationship.name] = make(
          described,
          relationship.name,
          edits: nil,
          clusters: nil,
          property: .toOne(firstMissing: Int64(rows + 1))
        )
      }
      return changes
    }

    private func make(
      _ described: EntityRecipe,
      _ name: String,
      edits: TextEdits?,
      clusters: DuplicateClusters?,
      property: DefectiveValues.Property
    ) -> PropertyChanges? {
      let defects = described.defects(of: name).filter(\.defect.isOfRow)
      guard edits != nil || !defects.isEmpty else { return nil }
      let key = root.derived(described.name).derived(name).derived("defects")
      let rows = DefectRows(defects, rows: described.count, key: key) { row in
        // Do not change rows in duplicate clusters, because the list of duplicates would become
        // wrong.
        clusters?.rows.contains(row) == true
      }
      return PropertyChanges(
        edits: edits,
        defects: defects.isEmpty ? nil : rows,
        values: DefectiveValues(property: property, key: key.derived("values")),
        rowCount: described.count
      )
    }

    /// The objects whose join rows in a many-to-many relationship reference missing objects.
    ///
    /// Returns `nil` if the recipe plants no such defect.
    func orphans(of relationship: String, in entity: String, sources: Int) -> DefectRows? {
      let defects = recipe.entity(named: entity)?.defects(of: relationship) ?? []
      guard !defects.isEmpty else { return nil }
      let key = root.derived(entity).derived(relationship).derived("defects")
      return DefectRows(defects, rows: sources, key: key)
    }
  }
}

extension Recipe {
  func rowCount(besides entity: String, in layout: StoreLayout) -> Int {
    (layout.table(of: entity)?.entities ?? []).reduce(0) {
      $0 + (self.entity(named: $1)?.count ?? 0)
    }
  }

  /// The number of a table's keys that only dangling references use.
  ///
  /// The keys count toward Z_MAX, as if their objects had been deleted, so no new object gets one
  /// of these keys.
  func missingKeys(in table: EntityTable) -> Int {
    var most = 0
    for entity in entities {
      guard let described = model.entity(named: entity.name) else { continue }
      for defect in entity.defects where [.dangling, .orphaned].contains(defect.defect) {
        let relationship = model.lineage(of: described).flatMap(\.relationships)
          .first { $0.name == defect.property }
        guard let relationship, table.entities.contains(relationship.destination) else { continue }
        most = max(most, defect.count(among: entity.count))
      }
    }
    return most
  }
}

/// The rows of a property that have defects: an exact number per defect, at most one defect per
/// row.
struct DefectRows: Sendable {
  struct Entry: Hashable, Sendable {
    let row: Int
    let defect: Defect
    /// The index of the row, from 0, in the random order of the rows that one entry of the recipe
    /// changes.
    let ordinal: Int
  }

  let entries: [Entry]
  let rows: RowSet

  /// Chooses rows at random, as the key determines.
  ///
  /// Rows for which `isSpared` returns `true` are skipped.
  init(
    _ recipes: [DefectRecipe],
    rows count: Int,
    key: StreamKey,
    except isSpared: (Int) -> Bool = { _ in false }
  ) {
    let shuffle = Permutation(count: count, key: key)
    var entries: [Entry] = []
    var place = 0
    for recipe in recipes where count > 0 {
      var ordinal = 0
      while ordinal < recipe.count(among: count), place < count {
        let row = shuffle.image(of: place)
        place += 1
        guard !isSpared(row) else { continue }
        entries.append(Entry(row: row, defect: recipe.defect, ordinal: ordinal))
        ordinal += 1
      }
    }
    self.entries = entries.sorted { $0.row < $1.row }
    rows = RowSet(ascending: self.entries.lazy.map(\.row), count: count)
  }

  func entry(of row: Int) -> Entry? {
    rows.rank(of: row).map { entries[$0] }
  }
}

/// A set of an entity's rows, stored as one bit per row, so that lookups are fast.
struct RowSet: Sendable {
  private let words: [UInt64]
  private let before: [UInt32]
  let members: Int

  /// Creates a set of rows, which must be in ascending order and below `count`.
  init(ascending rows: some Sequence<Int>, count: Int) {
    var words = [UInt64](repeating: 0, count: count / 64 + 1)
    for row in rows { words[row / 64] |= 1 << UInt64(row % 64) }
    var sum: UInt32 = 0
    before = words.map { word in
      defer { sum += UInt32(word.nonzeroBitCount) }
      return sum
    }
    self.words = words
    members = Int(sum)
  }

  @inline(__always)
  func contains(_ row: Int) -> Bool {
    words[row / 64] >> UInt64(row % 64) & 1 == 1
  }

  /// The index of a row within the set, from 0; `nil` if the set does not contain the row.
  @inline(__always)
  func rank(of row: Int) -> Int? {
    let (word, bit) = (words[row / 64], UInt64(row % 64))
    guard word >> bit & 1 == 1 else { return nil }
    return Int(before[row / 64]) + (word & ((1 << bit) - 1)).nonzeroBitCount
  }
}
