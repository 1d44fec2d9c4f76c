/// A way in which a text that is typed in a second time differs from the first.
package enum TextEdit: String, CaseIterable, Hashable, Sendable {
  /// A letter doubled or left out, or two neighbours swapped.
  case typo
  /// A letter replaced by one beside it on the keyboard.
  case keyboard
  /// All in capitals, all in small letters, or all words with one capital.
  case `case`
  /// Accents left out; one added where there are none.
  case accents
  case swappedWords

  /// Makes the edit; a text without a place for it stays as it is.
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
}
