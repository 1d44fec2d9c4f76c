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

  /// The defect of a row.
  func entry(of row: Int) -> Entry? {
    rows.rank(of: row).map { entries[$0] }
  }
}
