import DataModel

/// The near copies in which one attribute's text is not quite their original's.
struct TextEdits: Sendable {
  let rows: RowSet
  /// By the rank of the row.
  private let edits: [[TextEdit]]
  private let key: StreamKey

  private init(rows: [(row: Int, edits: [TextEdit])], count: Int, key: StreamKey) {
    self.rows = RowSet(ascending: rows.lazy.map(\.row), count: count)
    edits = rows.map(\.edits)
    self.key = key
  }

  /// Edits the text of a row and says what was done; nothing where the row has no edits or no text.
  ///
  /// An edit that has no place in the text is a typo instead, and no text stays as it is.
  @discardableResult
  func apply(to cell: inout Cell, row: Int) -> [TextEdit] {
    guard let rank = rows.rank(of: row), cell.kind == .text else { return [] }
    let original = Array(String(decoding: cell.bytes, as: UTF8.self).unicodeScalars)
    var text = original
    var done: [TextEdit] = []
    var draws = key.draws(row: row)
    for edit in edits[rank] {
      let before = text
      edit.apply(to: &text, &draws)
      if text != before {
        done.append(edit)
      } else {
        TextEdit.typo.apply(to: &text, &draws)
        done.append(.typo)
      }
    }
    if text == original {
      // Edits can take each other back.
      text.append(text.last ?? "?")
      done = [.typo]
    }
    cell.setText { $0.append(contentsOf: TextEdit.string(of: text).utf8) }
    return done
  }

  /// The edits of an entity's near copies by attribute.
  ///
  /// The first edit of a copy falls on an attribute that is never null, so that there is one.
  static func all(
    of recipe: EntityRecipe,
    clusters: DuplicateClusters?,
    key: StreamKey
  ) -> [String: TextEdits] {
    guard let clusters, let described = recipe.duplicates?.edits else { return [:] }
    let names = described.attributes
    let sure = names.filter { recipe.attributes[$0]?.isNeverNull == true }
    let count = described.count.distribution()
    let choice = WeightedChoice(weights: described.kinds.map(\.weight))
    let drawKey = key.derived("edits")
    var found: [String: [(row: Int, edits: [TextEdit])]] = [:]
    for row in clusters.clusters.lazy.flatMap({ $0 }).sorted()
    where clusters.likeness(of: row) == .near {
      var draws = drawKey.draws(row: row)
      var own: [String: [TextEdit]] = [:]
      let number = min(max(count.value(row: row, draws: &draws).rounded(), 1), 16)
      for edit in 0..<Int(number) {
        let candidates = edit == 0 && !sure.isEmpty ? sure : names
        let name = candidates[draws.below(candidates.count)]
        own[name, default: []].append(described.kinds[choice.choice(&draws)].edit)
      }
      for (name, edits) in own { found[name, default: []].append((row, edits)) }
    }
    return found.reduce(into: [:]) { made, pair in
      made[pair.key] = TextEdits(
        rows: pair.value,
        count: recipe.count,
        key: drawKey.derived(pair.key)
      )
    }
  }
}

extension AttributeRecipe {
  /// Whether every object has a value.
  var isNeverNull: Bool {
    nullShare == 0 && condition == nil && generator != .constant(.null)
  }
}
