import Basics
import DataModel

/// The near copies in which the text of an attribute differs slightly from the original's.
struct TextEdits: Sendable {
  let rows: RowSet
  private let edits: [[TextEdit]]
  private let key: StreamKey

  private init(rows: [(row: Int, edits: [TextEdit])], count: Int, key: StreamKey) {
    self.rows = RowSet(ascending: rows.lazy.map(\.row), count: count)
    edits = rows.map(\.edits)
    self.key = key
  }

  /// Edits the text of a row.
  ///
  /// If an edit is not applicable to the text, a typo replaces it.
  ///
  /// - Returns: The edits that were made; empty if the row has no edits or no text.
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
      // Edits can cancel each other out, so add a character to make the copy differ.
      text.append(text.last ?? "?")
      done = [.typo]
    }
    cell.setText { $0.append(contentsOf: TextEdit.string(of: text).utf8) }
    return done
  }

  /// The edits of an entity's near copies, by attribute.
  ///
  /// If possible, the first edit applies to an attribute that is never null, so that at least one
  /// edit takes effect.
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
        own[name, default: []].append(described.kinds[choice.choice(&draws)].choice)
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

/// A difference between a string and a second attempt to type it.
package enum TextEdit: String, CaseIterable, Hashable, Sendable {
  /// A letter doubled or omitted, or two adjacent letters swapped.
  case typo
  /// A letter replaced by an adjacent letter on the keyboard.
  case keyboard
  /// All upper case, all lower case, or each word capitalized.
  case `case`
  /// Accents removed or, if the text has no accents, an accent added.
  case accents
  case swappedWords

  func apply(to text: inout [Unicode.Scalar], _ draws: inout Draws) {
    switch self {
    case .typo: Self.mistype(&text, &draws)
    case .keyboard: Self.missKey(&text, &draws)
    case .case: Self.changeCase(&text, &draws)
    case .accents: Accents.change(&text, &draws)
    case .swappedWords: Self.swapWords(&text, &draws)
    }
  }

  private static func mistype(_ text: inout [Unicode.Scalar], _ draws: inout Draws) {
    guard text.count > 2 else { return }
    let place = 1 + draws.below(text.count - 2)
    switch draws.below(3) {
    case 0: text.insert(text[place], at: place)
    case 1: text.remove(at: place)
    default: text.swapAt(place, place + 1)
    }
  }

  private static let keys = ["qwertyuiop", "asdfghjkl", "zxcvbnm"].map {
    Array($0.unicodeScalars)
  }

  private static func missKey(_ text: inout [Unicode.Scalar], _ draws: inout Draws) {
    let places = text.indices.filter { index in keys.contains { $0.contains(text[index]) } }
    guard !places.isEmpty else { return }
    let place = places[draws.below(places.count)]
    for row in keys {
      guard let key = row.firstIndex(of: text[place]) else { continue }
      let isLast = key == row.count - 1
      text[place] = row[key == 0 ? 1 : isLast || draws.below(2) == 0 ? key - 1 : key + 1]
      return
    }
  }

  private static func changeCase(_ text: inout [Unicode.Scalar], _ draws: inout Draws) {
    let string = string(of: text)
    let changed =
      switch draws.below(3) {
      case 0: string.uppercased()
      case 1: string.lowercased()
      default:
        string.split(separator: " ", omittingEmptySubsequences: false)
          .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: " ")
      }
    text = Array(changed.unicodeScalars)
  }

  private static func swapWords(_ text: inout [Unicode.Scalar], _ draws: inout Draws) {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 1 else { return }
    let place = draws.below(words.count - 1)
    words.swapAt(place, place + 1)
    text = Array(words.joined(separator: [" "]))
  }

  static func string(of text: [Unicode.Scalar]) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text)
    return String(view)
  }

  /// A table of letters with and without accents.
  ///
  /// The table is built in because the tables of libraries differ between versions.
  enum Accents {
    private static let pairs: [(plain: Unicode.Scalar, accented: String)] = [
      ("a", "áàâäãåāą"), ("c", "çćč"), ("d", "ďđ"), ("e", "éèêëēęě"), ("g", "ğ"), ("i", "íìîïī"),
      ("l", "łľ"), ("n", "ñńň"), ("o", "óòôöõøō"), ("r", "řŕ"), ("s", "šśş"), ("t", "ťţ"),
      ("u", "úùûüūů"), ("y", "ýÿ"), ("z", "žźż"), ("A", "ÁÀÂÄÃÅĀ"), ("C", "ÇĆČ"), ("E", "ÉÈÊËĒĘ"),
      ("I", "ÍÌÎÏİ"), ("L", "Ł"), ("N", "ÑŃ"), ("O", "ÓÒÔÖÕØŌ"), ("S", "ŠŚŞ"), ("U", "ÚÙÛÜŪ"),
      ("Y", "Ý"), ("Z", "ŽŹŻ"),
    ]

    private static let plain: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
      keepingFirst: pairs.flatMap { pair in pair.accented.unicodeScalars.map { ($0, pair.plain) } }
    )

    static func without(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
      text.map { plain[$0] ?? $0 }
    }

    static func change(_ text: inout [Unicode.Scalar], _ draws: inout Draws) {
      let bare = without(text)
      guard bare == text else {
        text = bare
        return
      }
      let places = text.indices.filter { index in pairs.contains { $0.plain == text[index] } }
      guard !places.isEmpty else { return }
      let place = places[draws.below(places.count)]
      guard let pair = pairs.first(where: { $0.plain == text[place] }) else { return }
      let accented = Array(pair.accented.unicodeScalars)
      text[place] = accented[draws.below(accented.count)]
    }
  }
}
