/// Codes such as `SKU-00482913`: a prefix and digits in shuffled order, no two rows alike.
struct CodeGenerator: TextGenerator {
  private let prefix: [UInt8]
  private let digits: Int
  private let shuffle: Permutation

  /// Codes of at least so many digits; more where the rows need them.
  init(prefix: String, digits: Int, rows: Int, key: StreamKey) {
    self.prefix = Array(prefix.utf8)
    var width = min(max(digits, 1), 18)
    var capacity = 1
    for _ in 0..<width { capacity *= 10 }
    while capacity < rows, width < 18 {
      capacity *= 10
      width += 1
    }
    self.digits = width
    shuffle = Permutation(count: capacity, key: key)
  }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    text.append(contentsOf: prefix)
    text.append(decimal: shuffle.image(of: row), width: digits)
  }
}
