import DataModel
import Foundation

/// A line of an export: an object's attributes by their names in the source, NULL left out.
struct ExportedObject {
  /// How numbers are written that JSON has not.
  static let infinities:
    (
      encoding: JSONEncoder.NonConformingFloatEncodingStrategy,
      decoding: JSONDecoder.NonConformingFloatDecodingStrategy
    ) = (
      .convertToString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN"),
      .convertFromString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
    )

  let carried: CarriedObject

  init(_ carried: CarriedObject) {
    self.carried = carried
  }
}

/// A line of an export: the keys that an object's relationships lead to.
struct ExportedLinks {
  let carried: CarriedLinks

  init(_ carried: CarriedLinks) {
    self.carried = carried
  }
}

/// A name that is known only when the file is read or written.
private struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

private enum Field: String, CodingKey {
  case entity
  case key
  case values
  case targets
}

extension KeyedDecodingContainer<Field> {
  /// The carried entity that a line names.
  fileprivate func copy(among entities: [String: CopyPlan.EntityCopy]) throws -> CopyPlan.EntityCopy
  {
    let name = try decode(String.self, forKey: .entity)
    guard let copy = entities[name] else {
      throw DecodingError.dataCorruptedError(
        forKey: .entity,
        in: self,
        debugDescription: "unknown entity '\(name)'"
      )
    }
    return copy
  }
}

extension ExportedObject: Encodable, DecodableWithConfiguration {
  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Field.self)
    try line.encode(carried.copy.source, forKey: .entity)
    try line.encode(carried.key, forKey: .key)
    var values = line.nestedContainer(keyedBy: Name.self, forKey: .values)
    for (mapping, value) in zip(carried.copy.attributes, carried.values) {
      let name = Name(mapping.source?.name ?? "")
      switch value {
      case .null: continue
      case .integer(let number): try values.encode(number, forKey: name)
      case .real(let number): try values.encode(number, forKey: name)
      case .text(let text): try values.encode(text, forKey: name)
      case .blob(let bytes):
        try values.encode(Data(bytes).base64EncodedString(), forKey: name)
      }
    }
  }

  // The configuration: the carried entities by their names in the source.
  init(from decoder: any Decoder, configuration entities: [String: CopyPlan.EntityCopy]) throws {
    let line = try decoder.container(keyedBy: Field.self)
    let copy = try line.copy(among: entities)
    let values = try line.nestedContainer(keyedBy: Name.self, forKey: .values)
    carried = CarriedObject(
      copy: copy,
      key: try line.decode(Int64.self, forKey: .key),
      values: try copy.attributes.map { mapping in
        guard let attribute = mapping.source else { return .null }
        return try Self.value(of: attribute, in: values)
      }
    )
  }

  private static func value(
    of attribute: Attribute,
    in values: KeyedDecodingContainer<Name>
  ) throws -> Value {
    let name = Name(attribute.name)
    guard values.contains(name) else { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean:
      return .integer(try values.decode(Int64.self, forKey: name))
    case .double, .float, .date: return .real(try values.decode(Double.self, forKey: name))
    case .decimal:
      if let number = try? values.decode(Int64.self, forKey: name) { return .integer(number) }
      if let number = try? values.decode(Double.self, forKey: name) { return .real(number) }
      return .text(try values.decode(String.self, forKey: name))
    case .string, .uri: return .text(try values.decode(String.self, forKey: name))
    case .binary, .uuid, .transformable, .objectID, .composite:
      let text = try values.decode(String.self, forKey: name)
      guard let bytes = Data(base64Encoded: text) else {
        throw DecodingError.dataCorruptedError(
          forKey: name,
          in: values,
          debugDescription: "no base64"
        )
      }
      return .blob([UInt8](bytes))
    }
  }
}

extension ExportedLinks: Encodable, DecodableWithConfiguration {
  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Field.self)
    try line.encode(carried.copy.source, forKey: .entity)
    try line.encode(carried.key, forKey: .key)
    var targets = line.nestedContainer(keyedBy: Name.self, forKey: .targets)
    for (link, keys) in zip(carried.copy.links, carried.targets) where !keys.isEmpty {
      try targets.encode(keys, forKey: Name(link.source.name))
    }
  }

  // The configuration: the carried entities by their names in the source.
  init(from decoder: any Decoder, configuration entities: [String: CopyPlan.EntityCopy]) throws {
    let line = try decoder.container(keyedBy: Field.self)
    let copy = try line.copy(among: entities)
    let targets = try line.nestedContainer(keyedBy: Name.self, forKey: .targets)
    carried = CarriedLinks(
      copy: copy,
      key: try line.decode(Int64.self, forKey: .key),
      targets: try copy.links.map {
        try targets.decodeIfPresent([Int64].self, forKey: Name($0.source.name)) ?? []
      }
    )
  }
}
