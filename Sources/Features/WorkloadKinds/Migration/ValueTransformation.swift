import DataModel
import Foundation

/// The change that a custom stage makes to every value of an attribute.
enum ValueTransformation: String, CaseIterable, Hashable, Sendable {
  /// Applies the transformation that fits the attribute's type.
  case automatic
  /// Adds 1 to integers, for example to change numbers that start at 0 to start at 1.
  case oneBased
  /// Capitalizes ASCII letters.
  case uppercased
  /// Removes the fractions of seconds.
  case wholeSeconds
  /// Replaces 0 with 1, as in a published guide's stage, which assumes that a priority of 0 was
  /// never set.
  case zeroToOne
  /// Converts the archives of a Transformable attribute to the JSON of a Codable type.
  ///
  /// Bytes that are not an archive of Foundation's own values are kept.
  case codableJSON

  /// The transformation for an attribute; `nil` if the attribute's type does not allow it.
  func resolved(for attribute: Attribute) -> ValueTransformation? {
    let fitting: [ValueTransformation] =
      switch attribute.type {
      case .integer16, .integer32, .integer64: [.oneBased, .zeroToOne]
      case .string: [.uppercased]
      case .date: [.wholeSeconds]
      case .transformable: attribute.allowsExternalStorage ? [] : [.codableJSON]
      default: []
      }
    return self == .automatic ? fitting.first : fitting.first { $0 == self }
  }

  func callAsFunction(_ value: Value, of type: AttributeType) -> Value {
    switch (self, value) {
    case (.oneBased, .integer(let number)):
      .integer(number < Self.largest(type) ? number + 1 : number)
    case (.uppercased, .text(let text)):
      .text(
        String(
          decoding: text.utf8.map { (0x61...0x7a).contains($0) ? $0 - 32 : $0 },
          as: UTF8.self
        )
      )
    case (.wholeSeconds, .real(let seconds)): .real(seconds.rounded(.down))
    case (.zeroToOne, .integer(0)): .integer(1)
    case (.codableJSON, .blob(let bytes)):
      (try? ArchivedValue(archive: bytes)?.json()).map { Value.blob($0) } ?? value
    default: value
    }
  }

  private static func largest(_ type: AttributeType) -> Int64 {
    switch type {
    case .integer16: Int64(Int16.max)
    case .integer32: Int64(Int32.max)
    default: .max
    }
  }
}

/// The content of a keyed archive of a Transformable attribute, as a Codable type encodes it:
/// arrays, dictionaries, strings, numbers, dates, data, URLs and UUIDs.
indirect enum ArchivedValue: Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case array([ArchivedValue])
  case dictionary([String: ArchivedValue])

  /// Reads an archive's root; `nil` if the bytes are not an archive or contain objects of an app's
  /// own classes.
  init?(archive bytes: [UInt8]) {
    guard let archive = try? PropertyList(binary: bytes).dictionary,
      archive["$archiver"]?.string == "NSKeyedArchiver", let objects = archive["$objects"]?.array,
      case .uid(let root)? = archive["$top"]?.dictionary?["root"]
    else { return nil }
    var reader = Reader(objects: objects)
    guard let value = reader.value(at: root, depth: 0) else { return nil }
    self = value
  }

  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = ExportFiles.infinities.encoding
    return try [UInt8](encoder.encode(self))
  }
}

extension ArchivedValue: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .dictionary(let values): try container.encode(values)
    }
  }
}

extension ArchivedValue {
  private struct Reader {
    let objects: [PropertyList]
    /// The number of objects that may still be read.
    ///
    /// Archives can refer to an object many times, so a small malicious archive could otherwise
    /// expand without limit.
    var budget = 100_000

    mutating func value(at index: Int, depth: Int) -> ArchivedValue? {
      budget -= 1
      guard objects.indices.contains(index), depth < 64, budget > 0 else { return nil }
      switch objects[index] {
      case .string("$null"): return .null
      case .string(let text): return .text(text)
      case .boolean(let value): return .boolean(value)
      case .integer(let value): return .integer(value)
      case .real(let value): return .real(value)
      case .data(let bytes): return .text(Data(bytes).base64EncodedString())
      case .dictionary(let object): return self.object(object, depth: depth + 1)
      case .date, .array, .uid: return nil
      }
    }

    private mutating func object(_ object: [String: PropertyList], depth: Int) -> ArchivedValue? {
      guard case .uid(let classIndex)? = object["$class"], objects.indices.contains(classIndex),
        let name = objects[classIndex].dictionary?["$classname"]?.string
      else { return nil }
      switch name {
      case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet":
        return list(object["NS.objects"], depth: depth).map { .array($0) }
      case "NSDictionary", "NSMutableDictionary": return dictionary(object, depth: depth)
      case "NSString", "NSMutableString": return object["NS.string"]?.string.map { .text($0) }
      case "NSNull": return .null
      // `Date` encodes itself as the seconds since 2001.
      case "NSDate": return seconds(object["NS.time"]).map { .real($0) }
      case "NSData", "NSMutableData":
        return object["NS.data"]?.data.map { .text(Data($0).base64EncodedString()) }
      case "NSURL":
        guard case .uid(let index)? = object["NS.relative"] else { return nil }
        return value(at: index, depth: depth)
      case "NSUUID":
        return object["NS.uuidbytes"]?.data.flatMap { bytes in
          bytes.count == 16 ? .text(UUID(bytes: bytes).uuidString) : nil
        }
      default: return nil
      }
    }

    private func seconds(_ value: PropertyList?) -> Double? {
      switch value {
      case .real(let seconds)?: seconds
      case .integer(let seconds)?: Double(seconds)
      default: nil
      }
    }

    private mutating func list(_ references: PropertyList?, depth: Int) -> [ArchivedValue]? {
      guard let references = references?.array else { return nil }
      var values: [ArchivedValue] = []
      for reference in references {
        guard case .uid(let index) = reference, let value = value(at: index, depth: depth) else {
          return nil
        }
        values.append(value)
      }
      return values
    }

    private mutating func dictionary(
      _ object: [String: PropertyList],
      depth: Int
    ) -> ArchivedValue? {
      guard let keys = list(object["NS.keys"], depth: depth),
        let values = list(object["NS.objects"], depth: depth), keys.count == values.count
      else { return nil }
      var result: [String: ArchivedValue] = [:]
      for (key, value) in zip(keys, values) {
        guard case .text(let name) = key else { return nil }
        result[name] = value
      }
      return .dictionary(result)
    }
  }
}

extension UUID {
  fileprivate init(bytes: [UInt8]) {
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }
}
