#if SwiftSource
  /// Cuts off a file where its brackets or its chains of names are nested too deeply.
  ///
  /// The parser looks ahead recursively, so such a file would overflow the stack or take extremely
  /// long.
  struct NestingLimit {
    private static let deepest = 2000
    /// The maximum depth of nested array types; the parser looks ahead twice at each level, so each
    /// level doubles its time.
    private static let deepestArray = 12

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// The number of open angle brackets with only names between them, as in `Optional<Optional<`.
    private var angles = 0
    /// The number of open square brackets with only names and other brackets between them, as in
    /// `[String: [[`.
    private var squares = 0
    /// The number of periods with only names between them, as in `a.a.a`: each name is a level of
    /// the syntax tree.
    private var periods = 0

    /// The bytes up to the position at which the nesting is too deep; for most files, all bytes.
    static func cut(_ bytes: [UInt8]) -> [UInt8] {
      var limit = NestingLimit(bytes: bytes)
      return limit.end().map { Array(bytes[..<$0]) } ?? bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func end() -> Int? {
      while position < bytes.count {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "/"): skipComment()
        case UInt8(ascii: "\""): skipText()
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
        default: break
        }
        if byte == UInt8(ascii: "<") {
          angles += 1
        } else if !Self.isName(byte) {
          angles = 0
        }
        if byte == UInt8(ascii: ".") {
          periods += 1
        } else if !Self.isName(byte) {
          periods = 0
        }
        if byte == UInt8(ascii: "[") {
          squares += 1
        } else if !Self.isName(byte), ![40, 58, 60].contains(byte) {
          squares = 0
        }
        if max(depth, angles, periods) > Self.deepest || squares > Self.deepestArray {
          return position
        }
        position += 1
      }
      return nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
      byte >= 128 || byte == 95 || byte == 46 || byte == 32 || byte == 10
        || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private func isAt(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard position + count <= bytes.count else { return false }
      return text.withUTF8Buffer { wanted in
        (0..<count).allSatisfy { bytes[position + $0] == wanted[$0] }
      }
    }

    private mutating func skipComment() {
      if isAt("//") {
        while position + 1 < bytes.count, bytes[position + 1] != 10 { position += 1 }
      } else if isAt("/*") {
        position += 2
        while position < bytes.count, !isAt("*/") { position += 1 }
        position += 1
      }
    }

    private mutating func skipText() {
      if isAt("\"\"\"") {
        position += 3
        while position < bytes.count, !isAt("\"\"\"") { position += 1 }
        position += 2
        return
      }
      position += 1
      while position < bytes.count, bytes[position] != 34, bytes[position] != 10 {
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
    }
  }
#endif
