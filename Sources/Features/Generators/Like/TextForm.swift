import DataModel

/// The form of a column's strings, so that an app that reads them can also read generated strings.
///
/// A form contains only data that many values share, such as the scheme of URLs, the punctuation of
/// dates, or the keys and repeated words of JSON.
package enum TextForm: Hashable, Sendable {
  /// URLs with the most common scheme.
  case url(scheme: String)
  case email
  case uuid(isUpper: Bool)
  /// ISO 8601 dates, described by their punctuation: `9999-99-99T99:99:99Z`.
  case date(String)
  /// Digits with grouping characters, each digit written as 9: phone numbers, account numbers.
  case digits([String])
  /// JSON documents, described by examples with replaced values (``DocumentShape``).
  case json([String])
  /// An XML property list.
  case plist
  /// Blobs in a file format.
  case file(FileKind)

  /// File formats that are recognized by their first bytes.
  package enum FileKind: String, CaseIterable, Hashable, Sendable {
    case jpeg
    case png
    case pdf
    case propertyList
    case archive

    var format: BlobRule.Format? { BlobRule.Format(rawValue: rawValue) }
  }

  /// The minimum share of a column's strings that must have the same form.
  private static let share = 0.9
  private static let mostShapes = 8

  /// Returns the form that at least `k` (the anonymity threshold) of a column's strings share;
  /// `nil` if there is no such form.
  ///
  /// If `keepsWords` is `false`, JSON documents keep only their keys.
  static func form(of texts: [String], k: Int, keepsWords: Bool = true) -> TextForm? {
    let wanted = max(k, Int((Double(texts.count) * share).rounded(.up)), 1)
    func most(_ shapes: [String]) -> [String] {
      var counts: [String: Int] = [:]
      for shape in shapes { counts[shape, default: 0] += 1 }
      return counts.filter { $0.value >= k }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .prefix(mostShapes).map(\.key)
    }
    let uuids = texts.filter(isUUID)
    if uuids.count >= wanted { return .uuid(isUpper: !uuids.contains { $0 != $0.uppercased() }) }
    let schemes = texts.compactMap(scheme)
    if schemes.count >= wanted, let common = most(schemes).first { return .url(scheme: common) }
    if texts.count(where: isEmail) >= wanted { return .email }
    let dates = texts.filter(isDate).map(shape)
    if dates.count >= wanted, let common = most(dates).first { return .date(common) }
    if texts.count(where: { $0.hasPrefix("<?xml") && $0.contains("<plist") }) >= wanted {
      return .plist
    }
    let documents = texts.filter { $0.hasPrefix("{") || $0.hasPrefix("[") }
    if documents.count >= wanted {
      let shapes = DocumentShape.shapes(
        of: documents,
        k: k,
        most: mostShapes,
        keepsWords: keepsWords
      )
      if !shapes.isEmpty { return .json(shapes) }
    }
    let numbers = texts.filter(isDigits).map(shape)
    if numbers.count >= wanted, case let shapes = most(numbers), !shapes.isEmpty {
      return .digits(shapes)
    }
    return nil
  }

  // MARK: Kinds of text

  static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
    }
  }

  static func scheme(_ text: String) -> String? {
    guard let end = text.firstRange(of: "://"), !text.utf8.contains(where: { $0 <= 0x20 }) else {
      return nil
    }
    let scheme = text[..<end.lowerBound]
    let isScheme = scheme.utf8.allSatisfy {
      (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || (0x30...0x39).contains($0)
        || [0x2b, 0x2d, 0x2e].contains($0)
    }
    return isScheme && (1...20).contains(scheme.utf8.count) ? scheme.lowercased() : nil
  }

  static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
      && !parts[1].hasPrefix(".") && !parts[1].hasSuffix(".")
      && !text.utf8.contains { $0 <= 0x20 }
  }

  static func isDate(_ text: String) -> Bool {
    let shape = shape(text)
    guard shape.hasPrefix("9999-99-99"), text.utf8.count <= 40,
      let month = Int(text.dropFirst(5).prefix(2)), let day = Int(text.dropFirst(8).prefix(2))
    else { return false }
    let rest = shape.dropFirst(10)
    let isTime = rest.isEmpty || rest.hasPrefix("T99:99") || rest.hasPrefix(" 99:99")
    return isTime && rest.allSatisfy { "T 9:.,Z+-".contains($0) } && (1...12).contains(month)
      && (1...31).contains(day)
  }

  static func isDigits(_ text: String) -> Bool {
    let digits = text.utf8.count { (0x30...0x39).contains($0) }
    return (6...20).contains(digits) && text.utf8.count <= 30
      && text.allSatisfy { "0123456789 +-().#*/".contains($0) }
  }

  /// The string with each digit replaced by 9.
  static func shape(_ text: String) -> String {
    String(text.map { ("0"..."9").contains($0) ? "9" : $0 })
  }

  /// The form of a single string within a document; `nil` if the string has no known form.
  static func own(_ text: String) -> TextForm? {
    if isUUID(text) { return .uuid(isUpper: text == text.uppercased()) }
    if let scheme = scheme(text) { return .url(scheme: scheme) }
    if isEmail(text) { return .email }
    if isDate(text) { return .date(shape(text)) }
    return isDigits(text) ? .digits([shape(text)]) : nil
  }

  // MARK: File format

  var words: [String] {
    switch self {
    case .url(let scheme): ["url", scheme]
    case .email: ["email"]
    case .uuid(let isUpper): ["uuid", isUpper ? "upper" : "lower"]
    case .date(let shape): ["date", shape]
    case .digits(let shapes): ["digits"] + shapes
    case .json(let shapes): ["json"] + shapes
    case .plist: ["plist"]
    case .file(let kind): ["file", kind.rawValue]
    }
  }

  init?(words: [String]) {
    let rest = Array(words.dropFirst().prefix(Self.mostShapes))
    switch (words.first, rest.first) {
    case ("url"?, let scheme?):
      guard Self.scheme(scheme + "://") != nil else { return nil }
      self = .url(scheme: scheme)
    case ("email"?, nil): self = .email
    case ("uuid"?, let letters?): self = .uuid(isUpper: letters == "upper")
    case ("date"?, let shape?):
      guard Self.isDate(shape.replacing("9999-99-99", with: "2001-01-01")) else { return nil }
      self = .date(shape)
    case ("digits"?, _?):
      guard rest.allSatisfy(Self.isDigits) else { return nil }
      self = .digits(rest)
    case ("json"?, _?): self = .json(rest)
    case ("plist"?, nil): self = .plist
    case ("file"?, let kind?):
      guard let kind = FileKind(rawValue: kind) else { return nil }
      self = .file(kind)
    default: return nil
    }
  }
}
