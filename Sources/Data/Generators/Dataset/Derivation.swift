/// How a derived attribute follows from its object, where that is no more than one step away.
///
/// Sums, to-one key paths and `now()` are not among them: their values are made like any other's.
enum Derivation: Hashable {
  /// `children.@count`: the objects that a to-many leads to.
  case count(of: String)
  /// `canonical:(name)`: a text without case and accents.
  case canonical(of: String)

  /// `nil` for an expression of another form.
  init?(_ expression: String) {
    let text = expression.filter { $0 != " " }
    let count = ".@count"
    if text.hasSuffix(count), !text.dropLast(count.count).contains(where: Self.isSyntax) {
      self = .count(of: String(text.dropLast(count.count)))
    } else if text.hasPrefix("canonical:("), text.hasSuffix(")") {
      let name = text.dropFirst("canonical:(".count).dropLast()
      guard !name.isEmpty, !name.contains(where: Self.isSyntax) else { return nil }
      self = .canonical(of: String(name))
    } else {
      return nil
    }
  }

  private static func isSyntax(_ character: Character) -> Bool { ".()@:,".contains(character) }

  /// The attribute of the same object that it is made from.
  var base: String? {
    if case .canonical(let name) = self { name } else { nil }
  }
}
