import Foundation

/// Property lists of files, binary or XML.
enum PropertyListFile {
  private static let largestFile = 16 << 20

  /// The property list of a file.
  ///
  /// Throws a ``DataModelError``: also `invalid`, where the file is neither form.
  static func read(path: String) throws -> PropertyList {
    let bytes = try InputFile.bytes(path: path, limit: largestFile)
    if bytes.starts(with: Array("bplist".utf8)) { return try PropertyList(binary: bytes) }
    let diagnostics = Diagnostics(file: path)
    let top = MarkupReader.parse(bytes, into: diagnostics)
    guard let top, top.name == "plist", top.children.count == 1,
      let value = value(of: top.children[0])
    else {
      diagnostics.report("the file is no property list")
      throw DataModelError.invalid(diagnostics.all)
    }
    return value
  }

  private static func value(of element: MarkupElement) -> PropertyList? {
    let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch element.name {
    case "string": return .string(element.text)
    case "integer": return Int64(text).map { .integer($0) }
    case "real": return Double(text).map { .real($0) }
    case "true", "false": return .boolean(element.name == "true")
    case "date": return ReferenceDate.seconds(iso8601: text).map { .date(Double($0)) }
    case "data":
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data(Array($0)) }
    case "array":
      let items = element.children.compactMap(value)
      return items.count == element.children.count ? .array(items) : nil
    case "dict": return dictionary(element.children)
    default: return nil
    }
  }

  private static func dictionary(_ elements: [MarkupElement]) -> PropertyList? {
    guard elements.count.isMultiple(of: 2) else { return nil }
    var pairs: [String: PropertyList] = [:]
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard elements[index].name == "key", let value = value(of: elements[index + 1]) else {
        return nil
      }
      pairs[elements[index].text] = value
    }
    return .dictionary(pairs)
  }
}
