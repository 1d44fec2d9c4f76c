import Basics
import Foundation

/// A property list: the format of Z_METADATA, Z_MODELCACHE and compiled models.
package enum PropertyList: Hashable, Sendable {
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// A reference in a keyed archive: an index into the archive's objects.
  case uid(Int)

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var array: [PropertyList]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var dictionary: [String: PropertyList]? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  package var data: [UInt8]? {
    if case .data(let value) = self { value } else { nil }
  }
}

extension PropertyList {
  /// A reason why a binary property list is invalid.
  package enum Fault: Hashable, Sendable, CustomStringConvertible {
    case notBinary
    case truncated
    case trailer
    case badOffset(object: Int)
    case badReference(object: Int)
    /// An object of a type that does not occur in the property lists of stores.
    case unsupportedObject(marker: UInt8)
    case badText(object: Int)
    case badKey(object: Int)
    case cycle(object: Int)
    case tooDeep(limit: Int)
    /// A list with shared objects that would expand to too many objects.
    case tooLarge(limit: Int)

    package var description: String {
      switch self {
      case .notBinary: "it is not a binary property list"
      case .truncated: "it is cut off"
      case .trailer: "its trailer does not match its size"
      case .badOffset(let object): "object \(object) lies outside of it"
      case .badReference(let object): "object \(object) refers to one that does not exist"
      case .unsupportedObject(let marker):
        "it has an object of the unknown kind 0x\(String(marker, radix: 16))"
      case .badText(let object): "object \(object) is not a valid text"
      case .badKey(let object): "a key of dictionary \(object) is not a string, or occurs twice"
      case .cycle(let object): "object \(object) contains itself"
      case .tooDeep(let limit): "it is nested more than \(limit) levels deep"
      case .tooLarge(let limit): "it expands to more than \(limit) objects"
      }
    }
  }
}

extension PropertyList {
  private static let largestFile = 16 << 20

  init(path: String) throws {
    let bytes = try InputFile.bytes(path: path, limit: Self.largestFile)
    if bytes.starts(with: Array("bplist".utf8)) {
      try self.init(binary: bytes)
      return
    }
    try self.init(markup: bytes, file: path)
  }

  private init(markup: [UInt8], file: String) throws {
    let diagnostics = Diagnostics(file: file)
    let top = MarkupReader.parse(markup, into: diagnostics)
    guard let top, top.name == "plist", top.children.count == 1,
      let value = Self.value(of: top.children[0])
    else {
      diagnostics.report("the file is not a property list")
      throw InvalidInput(diagnostics.all)
    }
    self = value
  }

  /// Reads a keyed archive in XML form.
  ///
  /// - Throws: `Refusal.damagedPropertyList(.notBinary)` if the bytes cannot be read.
  init(archivedMarkup bytes: [UInt8]) throws {
    do { try self.init(markup: bytes, file: "") } catch {
      throw Refusal.damagedPropertyList(.notBinary)
    }
  }

  private static func value(of element: MarkupReader.Element) -> PropertyList? {
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

  private static func dictionary(_ elements: [MarkupReader.Element]) -> PropertyList? {
    guard elements.count.isMultiple(of: 2) else { return nil }
    var pairs: [String: PropertyList] = [:]
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard elements[index].name == "key", let value = value(of: elements[index + 1]) else {
        return nil
      }
      pairs[elements[index].text] = value
    }
    // In XML, a reference in a keyed archive is a dictionary with the single key `CF$UID`.
    if pairs.count == 1, let uid = pairs["CF$UID"]?.integer, let uid = Int(exactly: uid), uid >= 0 {
      return .uid(uid)
    }
    return .dictionary(pairs)
  }
}
