import DataModel
import PersistentStore

/// What a few rows of one property hold instead of what its rule makes.
///
/// A writer asks `contains` for every row and `apply` only where it is true.
final class PropertyChanges: Sendable {
  /// Which of a property's columns a value is for.
  enum Part: Hashable, Sendable {
    /// An attribute's value, or the key of a to-one's target.
    case value
    /// The entity number beside a key.
    case entityNumber
    /// The order key beside a key.
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

  /// The rows with defects, in row order.
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

  /// Finds what is changed in a few rows of each of an entity's properties.
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
        // What copies and originals have in common would be a lie otherwise.
        clusters?.rows.contains(row) == true
      }
      return PropertyChanges(
        edits: edits,
        defects: defects.isEmpty ? nil : rows,
        values: DefectiveValues(property: property, key: key.derived("values")),
        rowCount: described.count
      )
    }

    /// The sources of a many-to-many that have a join row to nowhere; `nil` where none has.
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

  /// How many keys of a table were handed out to objects that only dangling references know.
  ///
  /// They count towards Z_MAX, as if the objects had been deleted: no new object gets them.
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

/// The rows of one property that have defects: exactly so many of each, and no row with two.
struct DefectRows: Sendable {
  /// A defect in a row.
  struct Entry: Hashable, Sendable {
    let row: Int
    let defect: Defect
    /// The how-manieth defect of its kind in the property, from 0, in no order of rows.
    let ordinal: Int
  }

  /// In row order.
  let entries: [Entry]
  let rows: RowSet

  /// Chooses rows by a keyed permutation, passing over those that must stay as they are.
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

/// Some of an entity's rows: a bit a row, so that asking costs the other rows next to nothing.
struct RowSet: Sendable {
  private let words: [UInt64]
  private let before: [UInt32]
  /// How many rows it has.
  let members: Int

  /// The set of ascending rows, all below `count`.
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

  /// The how-manieth row of the set a row is, from 0; `nil` where it is none.
  @inline(__always)
  func rank(of row: Int) -> Int? {
    let (word, bit) = (words[row / 64], UInt64(row % 64))
    guard word >> bit & 1 == 1 else { return nil }
    return Int(before[row / 64]) + (word & ((1 << bit) - 1)).nonzeroBitCount
  }
}
