/// Letters with accents and those without.
///
/// A table of its own: foldings of a library differ between its versions.
enum Accents {
  private static let pairs: [(plain: Unicode.Scalar, accented: String)] = [
    ("a", "áàâäãåāą"), ("c", "çćč"), ("d", "ďđ"), ("e", "éèêëēęě"), ("g", "ğ"), ("i", "íìîïī"),
    ("l", "łľ"), ("n", "ñńň"), ("o", "óòôöõøō"), ("r", "řŕ"), ("s", "šśş"), ("t", "ťţ"),
    ("u", "úùûüūů"), ("y", "ýÿ"), ("z", "žźż"), ("A", "ÁÀÂÄÃÅĀ"), ("C", "ÇĆČ"), ("E", "ÉÈÊËĒĘ"),
    ("I", "ÍÌÎÏİ"), ("L", "Ł"), ("N", "ÑŃ"), ("O", "ÓÒÔÖÕØŌ"), ("S", "ŠŚŞ"), ("U", "ÚÙÛÜŪ"),
    ("Y", "Ý"), ("Z", "ŽŹŻ"),
  ]

  private static let plain: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
    pairs.flatMap { pair in pair.accented.unicodeScalars.map { ($0, pair.plain) } },
    uniquingKeysWith: { first, _ in first }
  )

  /// The letters without their accents.
  static func without(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] { text.map { plain[$0] ?? $0 } }

  /// Leaves all accents out; where there is none, one letter gets one.
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
