import Basics
import Foundation

/// The structure of a JSON document: its keys and the kinds of their values, without the values
/// themselves.
///
/// Strings that many documents have at the same path are kept, because they are part of the app's
/// code. Every other string is replaced by its form and size: `@text|12`, `@url|https|40`.
indirect enum DocumentShape: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(String)
  /// A string as written in the profile file: a kept string, or `@` followed by a form.
  case text(String)
  case list([DocumentShape])
  case object([String: DocumentShape])

  private static let mark = "@"
  private static let longestKept = 40
  private static let longest = 16_384
  private static let mostValues = 16

  /// The most common structures of documents.
  ///
  /// The list is empty if fewer than `k` documents (the anonymity threshold) can be parsed; keys
  /// that occur fewer than `k` times are left out.
  static func shapes(of texts: [String], k: Int, most: Int, keepsWords: Bool) -> [String] {
    let documents = texts.filter { $0.utf8.count <= longest }.compactMap(DocumentShape.init(json:))
    guard documents.count >= k, !documents.isEmpty else { return [] }
    var values: [String: [String: Int]] = [:]
    var keys: [String: Int] = [:]
    for document in documents { document.count(at: "", &values, &keys) }
    let least = max(k, 3)
    let kept = values.mapValues { found in
      found.count > mostValues || !keepsWords
        ? [] : Set(found.filter { $0.value >= least && $0.key.utf8.count <= longestKept }.keys)
    }
    var counts: [String: Int] = [:]
    for document in documents {
      let shape = document.shaped(at: "", kept) { keys[$0, default: 0] >= k }
      counts[shape.json, default: 0] += 1
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map(\.key)
  }

  private func count(
    at path: String,
    _ texts: inout [String: [String: Int]],
    _ keys: inout [String: Int]
  ) {
    switch self {
    case .text(let text): texts[path, default: [:]][text, default: 0] += 1
    case .list(let items): for item in items { item.count(at: path + "[]", &texts, &keys) }
    case .object(let members):
      for (key, value) in members {
        keys[path + "." + key, default: 0] += 1
        value.count(at: path + "." + key, &texts, &keys)
      }
    case .null, .boolean, .number: break
    }
  }

  private func shaped(
    at path: String,
    _ kept: [String: Set<String>],
    _ isCommon: (String) -> Bool
  ) -> DocumentShape {
    switch self {
    case .null, .boolean: return self
    case .number(let number): return .number(Self.digits(of: number))
    case .text(let text):
      if kept[path]?.contains(text) == true, TextForm.own(text) == nil {
        return .text(text.hasPrefix(Self.mark) ? Self.mark + text : text)
      }
      let words = TextForm.own(text)?.words ?? ["text"]
      return .text(Self.mark + (words + [String(text.utf8.count)]).joined(separator: "|"))
    case .list(let items):
      return .list(items.prefix(Self.mostValues).map { $0.shaped(at: path + "[]", kept, isCommon) })
    case .object(let members):
      var shaped: [String: DocumentShape] = [:]
      for (key, value) in members where isCommon(path + "." + key) {
        shaped[key] = value.shaped(at: path + "." + key, kept, isCommon)
      }
      return .object(shaped)
    }
  }

  /// The number with each digit replaced by 9, shortened so that it fits in a 64-bit integer.
  private static func digits(of number: String) -> String {
    guard !number.contains("e") else { return "9.9" }
    return String(number.map { $0.isNumber ? "9" : $0 }.prefix(18))
  }

  // MARK: JSON

  init?(json text: String) {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
      return nil
    }
    switch document.shape {
    case .list, .object: self = document.shape
    case .null, .boolean, .number, .text: return nil
    }
  }

  var json: String {
    var bytes: [UInt8] = []
    write(to: &bytes) { text, bytes in
      Self.quote(text, to: &bytes)
    } number: {
      $0
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The approximate size of a document with this structure, in bytes.
  var length: Int {
    switch self {
    case .null: 4
    case .boolean(let value): value ? 4 : 5
    case .number(let number): number.utf8.count
    case .text(let text): (Self.length(of: text) ?? text.utf8.count) + 2
    case .list(let items): items.reduce(1) { $0 + $1.length + 1 }
    case .object(let members): members.reduce(1) { $0 + $1.key.utf8.count + $1.value.length + 4 }
    }
  }

  private static func length(of text: String) -> Int? {
    guard text.hasPrefix(mark), !text.hasPrefix(mark + mark) else { return nil }
    return text.split(separator: "|").last.flatMap { Int($0) }.map { min(max($0, 0), longest) }
  }

  /// Appends a document of this structure with new values.
  ///
  /// `id` is a number that makes the document unique; `nil` if documents may be equal.
  func append(
    to bytes: inout [UInt8],
    id: Int?,
    _ words: ShapedColumn.NumberedWords,
    _ draws: inout Draws
  ) {
    var drawn = draws
    write(to: &bytes) { text, bytes in
      guard let length = Self.length(of: text) else {
        let kept = text.hasPrefix(Self.mark + Self.mark) ? String(text.dropFirst()) : text
        return Self.quote(kept, to: &bytes)
      }
      let parts = text.dropFirst().split(separator: "|").dropLast().map(String.init)
      var value: [UInt8] = []
      let number = id ?? drawn.below(1 << 30)
      if let form = TextForm(words: parts) {
        FormedTexts(form, words: words, isUnique: id != nil)
          .append(to: &value, id: number, length: length, &drawn)
      } else if length > 0 {
        words.append(to: &value, id: number, length: length, isURI: false, &drawn)
      }
      Self.quote(String(decoding: value, as: UTF8.self), to: &bytes)
    } number: { number in
      var isFirst = true
      return String(
        number.map { sign in
          guard sign == "9" else { return sign }
          defer { isFirst = false }
          // JSON does not permit leading zeros, so the first digit is from 1 to 9.
          return Character(String(isFirst ? 1 + drawn.below(9) : drawn.below(10)))
        }
      )
    }
    draws = drawn
  }

  private func write(
    to bytes: inout [UInt8],
    text: (String, inout [UInt8]) -> Void,
    number: (String) -> String
  ) {
    switch self {
    case .null: bytes.append("null")
    case .boolean(let value): bytes.append(contentsOf: String(value).utf8)
    case .number(let written): bytes.append(contentsOf: number(written).utf8)
    case .text(let written): text(written, &bytes)
    case .list(let items):
      bytes.append("[")
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(",") }
        item.write(to: &bytes, text: text, number: number)
      }
      bytes.append("]")
    case .object(let members):
      bytes.append("{")
      for (index, key) in members.keys.sorted().enumerated() {
        if index > 0 { bytes.append(",") }
        Self.quote(key, to: &bytes)
        bytes.append(":")
        members[key]?.write(to: &bytes, text: text, number: number)
      }
      bytes.append("}")
    }
  }

  private static func quote(_ text: String, to bytes: inout [UInt8]) {
    bytes.append("\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes.append("\\u00")
        bytes.append(hexadecimal: UInt64(byte), width: 2)
      default: bytes.append(byte)
      }
    }
    bytes.append("\"")
  }

  /// A JSON value as decoded by Foundation, which distinguishes Booleans from numbers.
  private struct Document: Decodable {
    let shape: DocumentShape

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        shape = .null
      } else if let value = try? container.decode(Bool.self) {
        shape = .boolean(value)
      } else if let value = try? container.decode(Int64.self) {
        shape = .number(String(value))
      } else if let value = try? container.decode(Double.self) {
        shape = .number("\(value)")
      } else if let value = try? container.decode(String.self) {
        shape = .text(value)
      } else if let items = try? container.decode([Document].self) {
        shape = .list(items.map(\.shape))
      } else {
        shape = .object(try container.decode([String: Document].self).mapValues(\.shape))
      }
    }
  }
}
