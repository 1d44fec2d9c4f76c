import Basics

/// Replaces values so that their equality, order and length are preserved but their contents are
/// not.
///
/// All values of a log are collected first and then ranked. Each character of a string becomes
/// another with as many UTF-8 bytes, and keeps its rank among the characters after the same prefix.
/// Digits of numbers are replaced in the same way, so sign, number of digits and order are
/// preserved. Strings are ordered by bytes (SQLite's BINARY), numbers by size.
struct ValueMap {
  private var texts: Set<[UInt8]> = []
  private var numbers: Set<[UInt8]> = []
  private var blobs: Set<[UInt8]> = []
  private(set) var bytes = 0
  private var images: [[UInt8]: [UInt8]] = [:]
  private var numberImages: [[UInt8]: [UInt8]] = [:]
  private var blobImages: [[UInt8]: [UInt8]] = [:]

  /// The maximum total size of the collected distinct values, in bytes.
  static let most = 64 << 20

  // MARK: Collecting

  mutating func collect(text: some Collection<UInt8>) {
    let text = Array(text)
    if texts.insert(text).inserted { bytes += text.count + 64 }
  }

  mutating func collect(number: some Collection<UInt8>) {
    let digits = Self.parts(of: Array(number)).magnitude
    if numbers.insert(digits).inserted { bytes += digits.count + 64 }
  }

  mutating func collect(blob: some Collection<UInt8>) {
    let digits = blob.map { $0 | 0x20 }
    if blobs.insert(digits).inserted { bytes += digits.count + 64 }
  }

  mutating func rank() {
    images = Self.rankTexts(texts.sorted { $0.lexicographicallyPrecedes($1) })
    // Magnitudes with the same number of digits before the decimal point sort like strings.
    let classes = Dictionary(grouping: numbers) { Self.numberClass($0) }
    for (_, magnitudes) in classes {
      let sorted = magnitudes.sorted { $0.lexicographicallyPrecedes($1) }
      for (magnitude, image) in Self.rankDigits(sorted) { numberImages[magnitude] = image }
    }
    let sorted = blobs.sorted { $0.lexicographicallyPrecedes($1) }
    for (blob, image) in Self.rankDigits(sorted, isBlob: true) { blobImages[blob] = image }
    (texts, numbers, blobs) = ([], [], [])
  }

  // MARK: Replacing

  func image(text: some Collection<UInt8>) -> [UInt8] {
    images[Array(text)] ?? []
  }

  func image(number: some Collection<UInt8>) -> [UInt8] {
    let parts = Self.parts(of: Array(number))
    return parts.sign + (numberImages[parts.magnitude] ?? parts.magnitude.map { _ in 48 })
  }

  func image(blob: some Collection<UInt8>) -> [UInt8] {
    let digits = blob.map { $0 | 0x20 }
    return blobImages[digits] ?? digits.map { _ in 48 }
  }

  // MARK: Strings

  /// Strings that share a prefix, and the position of the next character.
  private struct Group {
    var range: Range<Int>
    var place: Int
  }

  private static func rankTexts(_ sorted: [[UInt8]]) -> [[UInt8]: [UInt8]] {
    var images = sorted.map { [UInt8](repeating: 0, count: $0.count) }
    var groups = [Group(range: 0..<sorted.count, place: 0)]
    while let group = groups.popLast() {
      // Skip the strings that end at this position: they sort first, and their replacements are
      // complete.
      var start = group.range.lowerBound
      while start < group.range.upperBound, sorted[start].count == group.place { start += 1 }
      var runs: [(range: Range<Int>, width: Int)] = []
      while start < group.range.upperBound {
        let character = self.character(sorted[start], at: group.place)
        var end = start + 1
        while end < group.range.upperBound,
          self.character(sorted[end], at: group.place) == character
        {
          end += 1
        }
        runs.append((start..<end, character.count))
        start = end
      }
      for width in 1...4 {
        let ofWidth = runs.filter { $0.width == width }
        for (rank, run) in ofWidth.enumerated() {
          let image = replacement(rank, of: ofWidth.count, width: width)
          for index in run.range {
            images[index].replaceSubrange(group.place..<group.place + width, with: image)
          }
          groups.append(Group(range: run.range, place: group.place + width))
        }
      }
    }
    return Dictionary(uniqueKeysWithValues: zip(sorted, images))
  }

  /// Returns the bytes of the character at a position; invalid UTF-8 is read byte by byte.
  private static func character(_ text: [UInt8], at place: Int) -> ArraySlice<UInt8> {
    let first = text[place]
    let width = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
    let end = place + width
    guard end <= text.count, text[(place + 1)..<end].allSatisfy({ $0 & 0xC0 == 0x80 }) else {
      return text[place..<place + 1]
    }
    return text[place..<end]
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
  private static let alphanumerics =
    Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  // The printable ASCII characters except the space, quotation marks and the backslash. If there
  // are too few, bytes from 0x80 to 0xBF are used as well.
  private static let printable = (UInt8(33)...126).filter { ![34, 39, 92].contains($0) }

  private static func replacement(_ rank: Int, of count: Int, width: Int) -> [UInt8] {
    switch width {
    case 1:
      let alphabet =
        count <= letters.count
        ? letters : count <= alphanumerics.count ? alphanumerics : printable
      if rank < alphabet.count { return [alphabet[rank]] }
      // Bytes above 0x7F, which preserve the order of invalid UTF-8.
      return [UInt8(min(0x80 + rank - alphabet.count, 0xBF))]
    // The characters from U+00E0, U+4E00 and U+20000 have 2, 3 and 4 bytes in UTF-8.
    case 2: return Array(String(scalar(0xE0, rank)).utf8)
    case 3: return Array(String(scalar(0x4E00, rank)).utf8)
    default: return Array(String(scalar(0x20000, rank)).utf8)
    }
  }

  private static func scalar(_ first: UInt32, _ rank: Int) -> Character {
    let limit: UInt32 = first == 0xE0 ? 0x7FF : first == 0x4E00 ? 0xD7FF : 0x10FFFF
    return Character(UnicodeScalar(min(first + UInt32(rank), limit)) ?? "?")
  }

  // MARK: Numbers

  private static func parts(of number: [UInt8]) -> (sign: [UInt8], magnitude: [UInt8]) {
    let sign = number.prefix { $0 == 45 || $0 == 43 }
    return (Array(sign), Array(number.dropFirst(sign.count)))
  }

  private static func numberClass(_ magnitude: [UInt8]) -> [UInt8] {
    let whole = magnitude.prefix { LineHead.isDigit($0) }
    let exponent = magnitude.drop { $0 | 0x20 != 101 }
    return [UInt8(min(whole.count, 255))] + exponent
  }

  private static func rankDigits(
    _ sorted: [[UInt8]],
    isBlob: Bool = false
  ) -> [([UInt8], [UInt8])] {
    let digits = Array("0123456789abcdef".utf8)
    var images = sorted
    var groups = [Group(range: 0..<sorted.count, place: 0)]
    while let group = groups.popLast() {
      var start = group.range.lowerBound
      while start < group.range.upperBound, sorted[start].count == group.place { start += 1 }
      guard start < group.range.upperBound else { continue }
      // Keep a first digit of 0, and replace no other first digit with 0. Treat the digits of a
      // fraction in the same way, so that the value stays a fraction.
      let keepsZero =
        !isBlob && (group.place == 0 || sorted[start][..<group.place].contains(46))
      var next = keepsZero ? 1 : 0
      while start < group.range.upperBound {
        let byte = sorted[start][group.place]
        var end = start + 1
        while end < group.range.upperBound, sorted[end][group.place] == byte { end += 1 }
        let run = start..<end
        start = end
        // Keep the exponent, because all numbers in a class have the same exponent.
        if !isBlob, byte | 0x20 == 101 { continue }
        if isBlob || LineHead.isDigit(byte), !(keepsZero && byte == 48) {
          for index in run { images[index][group.place] = digits[min(next, 15)] }
          next += 1
        }
        groups.append(Group(range: run, place: group.place + 1))
      }
    }
    return Array(zip(sorted, images))
  }
}
