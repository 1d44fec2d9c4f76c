/// Texts of a given length in bytes, made of words that mean nothing, with a number at their end.
struct NumberedWords: Sendable {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let consonants = Array("bdfgklmnprstvz".utf8)
  private static let vowels = Array("aeiou".utf8)
  private static let scheme = Array("https://example.org/".utf8)

  /// The digits that the largest number needs.
  private let width: Int

  init(count: Int) {
    var (width, reach) = (1, 36)
    while reach < count, reach < Int.max / 36 {
      width += 1
      reach *= 36
    }
    self.width = width
  }

  /// Appends the text of a number; those of two numbers differ where they have room for all digits.
  func append(to text: inout [UInt8], id: Int, length: Int, isURI: Bool, _ draws: inout Draws) {
    let start = text.count
    if isURI, length >= Self.scheme.count + width { text.append(contentsOf: Self.scheme) }
    while text.count - start < length {
      for _ in 0..<(1 + draws.below(4)) {
        text.append(Self.consonants[draws.below(Self.consonants.count)])
        text.append(Self.vowels[draws.below(Self.vowels.count)])
      }
      text.append(isURI ? 0x2d : 0x20)
    }
    text.removeLast(text.count - start - length)
    var rest = id
    for place in 1...width where place <= length {
      text[text.count - place] = Self.digits[rest % 36]
      rest /= 36
    }
  }
}
