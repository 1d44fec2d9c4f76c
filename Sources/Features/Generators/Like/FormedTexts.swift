import Basics
import DataModel

/// Generates strings of a form, such as URLs; if the strings must be unique, each contains a
/// different number.
struct FormedTexts: Sendable {
  private static let head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict><key>value</key><string>"
  private static let tail = "</string></dict></plist>"

  let form: TextForm
  private let words: ShapedColumn.NumberedWords
  private let isUnique: Bool
  private let documents: [DocumentShape]

  init(_ form: TextForm, words: ShapedColumn.NumberedWords, isUnique: Bool) {
    self.form = form
    self.words = words
    self.isUnique = isUnique
    if case .json(let shapes) = form {
      documents = shapes.compactMap(DocumentShape.init(json:))
    } else {
      documents = []
    }
  }

  func append(to text: inout [UInt8], id: Int, length: Int, _ draws: inout Draws) {
    switch form {
    case .url(let scheme):
      text.append(contentsOf: "\(scheme)://".utf8)
      let host = "example.org/"
      let room = length - scheme.utf8.count - 3
      let hasHost = room >= host.utf8.count + words.width
      if hasHost { text.append(contentsOf: host.utf8) }
      let left = hasHost ? room - host.utf8.count : room
      appendWords(to: &text, id: id, length: max(left, words.width), &draws)
    case .email:
      let host = "@example.org"
      appendWords(to: &text, id: id, length: max(length - host.utf8.count, words.width), &draws)
      text.append(contentsOf: host.utf8)
    case .uuid(let isUpper):
      let uuid = UUIDGenerator.text(&draws)
      text.append(contentsOf: (isUpper ? uuid.uppercased() : uuid.lowercased()).utf8)
    case .date(let shape): appendDate(to: &text, shape, id: id, &draws)
    case .digits(let shapes):
      let fitting = shapes.filter { $0.utf8.count == length }
      let known = fitting.isEmpty ? shapes : fitting
      appendDigits(to: &text, known[draws.below(known.count)], id: id, &draws)
    case .json:
      guard let document = document(near: length, &draws) else {
        return JSONBlob.append(count: max(length, 2), compressibility: 0, to: &text, draws: &draws)
      }
      let start = text.count
      document.append(to: &text, id: isUnique ? id : nil, words, &draws)
      // Pad the JSON document to its length with spaces, which do not change its content.
      let missing = length - (text.count - start)
      if missing > 0 { text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: missing)) }
    case .plist:
      let frame = Self.head.utf8.count + Self.tail.utf8.count
      text.append(contentsOf: Self.head.utf8)
      appendWords(to: &text, id: id, length: max(length - frame, words.width), &draws)
      text.append(contentsOf: Self.tail.utf8)
    case .file(let kind): appendFile(to: &text, kind, id: id, length: length, &draws)
    }
  }

  private func appendFile(
    to bytes: inout [UInt8],
    _ kind: TextForm.FileKind,
    id: Int,
    length: Int,
    _ draws: inout Draws
  ) {
    guard let format = kind.format else {
      let least = max(words.width, 1)
      var room = max(length - Self.list(kind, "").count, least)
      func missingBytes() -> Int {
        length - Self.list(kind, String(repeating: "x", count: room)).count
      }
      // A longer string needs more bytes for its length field and for the file's offsets, so adjust
      // its length repeatedly.
      var missing = missingBytes()
      for _ in 0..<3 where missing != 0 {
        room = max(room + missing, least)
        missing = missingBytes()
      }
      while missing < 0, room > least {
        room -= 1
        missing = missingBytes()
      }
      let isNear = (1...9).contains(missing)
      let key = "value" + String(repeating: "x", count: isNear ? missing : 0)
      var written: [UInt8] = []
      appendWords(to: &written, id: id, length: room, &draws)
      let text = String(decoding: written, as: UTF8.self)
      bytes.append(contentsOf: Self.list(kind, text, key: key))
      return
    }
    let room = max(length - format.head.count - format.tail.count, isUnique ? 8 : 0)
    bytes.append(contentsOf: format.head)
    for _ in 0..<room { bytes.append(UInt8(truncatingIfNeeded: draws.next() >> 56)) }
    if isUnique {
      for place in 0..<8 {
        bytes[bytes.count - 1 - place] = UInt8(truncatingIfNeeded: id >> (8 * place))
      }
    }
    bytes.append(contentsOf: format.tail)
  }

  /// A binary property list with a single string, or a keyed archive of that string.
  private static func list(
    _ kind: TextForm.FileKind,
    _ text: String,
    key: String = "value"
  ) -> [UInt8] {
    guard kind == .archive else {
      return PropertyList.dictionary([key: .string(text)]).binary()
    }
    return PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(1)]),
      "$objects": .array([.string("$null"), .string(text)]),
    ]).binary()
  }

  private func appendWords(to text: inout [UInt8], id: Int, length: Int, _ draws: inout Draws) {
    words.append(to: &text, id: id, length: length, isURI: true, &draws, hasScheme: false)
  }

  /// The document structure whose length in bytes is nearest to the requested length, chosen at
  /// random if there are several.
  private func document(near length: Int, _ draws: inout Draws) -> DocumentShape? {
    guard let first = documents.first else { return nil }
    let distance = documents.map { abs($0.length - length) }.min() ?? abs(first.length - length)
    let near = documents.filter { abs($0.length - length) == distance }
    return near[draws.below(near.count)]
  }

  /// Appends a date from 2010 to 2025.
  ///
  /// If dates must be unique, `id` is the number of seconds or days since 2010.
  private func appendDate(
    to text: inout [UInt8],
    _ shape: String,
    id: Int,
    _ draws: inout Draws
  ) {
    let hasTime = shape.utf8.count > 10
    let first = 3_287  // 2010-01-01, in days since 2001-01-01
    let day = isUnique ? first + (hasTime ? id / 86_400 : id) : first + draws.below(5_844)
    let second = isUnique ? id % 86_400 : draws.below(86_400)
    let written = ReferenceDate.iso8601(seconds: Int64(day) * 86_400 + Int64(second)) ?? ""
    let digits = written.utf8.filter { (0x30...0x39).contains($0) }
    var place = 0
    var isZone = false
    for (index, sign) in shape.utf8.enumerated() {
      if index > 10, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) { isZone = true }
      guard sign == UInt8(ascii: "9") else {
        text.append(sign)
        continue
      }
      if isZone {
        text.append(UInt8(ascii: "0"))
      } else if place < digits.count {
        text.append(digits[place])
        place += 1
      } else {
        text.append(UInt8(ascii: "0") + UInt8(draws.below(10)))
      }
    }
  }

  private func appendDigits(
    to text: inout [UInt8],
    _ shape: String,
    id: Int,
    _ draws: inout Draws
  ) {
    let start = text.count
    var isFirst = true
    for sign in shape.utf8 {
      guard sign == UInt8(ascii: "9") else {
        text.append(sign)
        continue
      }
      text.append(UInt8(ascii: "0") + UInt8(isFirst ? 1 + draws.below(9) : draws.below(10)))
      isFirst = false
    }
    guard isUnique else { return }
    var (rest, place) = (id, text.count - 1)
    while rest > 0, place >= start {
      if (0x30...0x39).contains(text[place]) {
        text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      place -= 1
    }
  }
}
