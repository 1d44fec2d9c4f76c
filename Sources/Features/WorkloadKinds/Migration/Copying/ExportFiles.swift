import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// All objects of a store as compressed JSON: a file of objects and a file of their relationships,
/// each with one line per object.
struct ExportFiles: ObjectSource {
  /// The encoding of infinities and NaN, which JSON does not support, as strings.
  static let infinities:
    (
      encoding: JSONEncoder.NonConformingFloatEncodingStrategy,
      decoding: JSONDecoder.NonConformingFloatDecodingStrategy
    ) = (
      .convertToString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN"),
      .convertFromString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
    )

  let folder: String
  let plan: CopyPlan

  private var objects: String { folder + "/objects.json.gz" }
  private var links: String { folder + "/relationships.json.gz" }

  var bytes: Int64 { StoreFile.bytes(at: objects) + StoreFile.bytes(at: links) }

  func write(_ source: some ObjectSource) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = Self.infinities.encoding
    let objects = try LineWriter(path: self.objects)
    try source.forEachObject { try objects.append(encoder.encode(ExportedObject($0))) }
    try objects.finish()
    let links = try LineWriter(path: self.links)
    try source.forEachLinks { try links.append(encoder.encode(ExportedLinks($0))) }
    try links.finish()
    CountingVFS.installed?.noteFiles(growth: bytes)
  }

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    try forEachLine(of: objects) { (line: ExportedObject) in try body(line.carried) }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    try forEachLine(of: links) { (line: ExportedLinks) in try body(line.carried) }
  }

  private func forEachLine<Line: DecodableWithConfiguration>(
    of path: String,
    _ body: (Line) throws -> Void
  ) throws where Line.DecodingConfiguration == [String: CopyPlan.EntityCopy] {
    let copies = Dictionary(
      keepingFirst: plan.entities.values.flatMap(\.self).map { ($0.name, $0) }
    )
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = Self.infinities.decoding
    var number = 0
    let lines = try LineReader(path: path)
    while let line = try lines.next() {
      number += 1
      do {
        try body(decoder.decode(Line.self, from: line, configuration: copies))
      } catch is DecodingError {
        throw Refusal(.badInput, "'\(path)' is damaged at object \(number)")
      }
    }
  }
}

extension ExportFiles {
  /// A line of an export: the attributes of an object.
  ///
  /// An attribute has its source name or, if a map computes it, its destination name. NULL values
  /// are omitted.
  struct ExportedObject: Encodable, DecodableWithConfiguration {
    let carried: CarriedObject

    init(_ carried: CarriedObject) {
      self.carried = carried
    }

    func encode(to encoder: any Encoder) throws {
      var line = encoder.container(keyedBy: Field.self)
      try line.encode(carried.copy.name, forKey: .entity)
      try line.encode(carried.key, forKey: .key)
      var values = line.nestedContainer(keyedBy: Name.self, forKey: .values)
      for (mapping, value) in zip(carried.copy.attributes, carried.values) {
        let name = Name(mapping.exported.name)
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

    // `entities` maps the names in an export to the parts of the copy plan.
    init(from decoder: any Decoder, configuration entities: [String: CopyPlan.EntityCopy]) throws {
      let line = try decoder.container(keyedBy: Field.self)
      let copy = try line.copy(among: entities)
      let values = try line.nestedContainer(keyedBy: Name.self, forKey: .values)
      carried = CarriedObject(
        copy: copy,
        key: try line.decode(Int64.self, forKey: .key),
        values: try copy.attributes.map { try Self.value(of: $0.exported, in: values) }
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
      case .undefined, .binary, .uuid, .transformable, .objectID, .composite:
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

  /// A line of an export: the keys of the objects that an object's relationships refer to.
  struct ExportedLinks: Encodable, DecodableWithConfiguration {
    let carried: CarriedLinks

    init(_ carried: CarriedLinks) {
      self.carried = carried
    }

    func encode(to encoder: any Encoder) throws {
      var line = encoder.container(keyedBy: Field.self)
      try line.encode(carried.copy.name, forKey: .entity)
      try line.encode(carried.key, forKey: .key)
      var targets = line.nestedContainer(keyedBy: Name.self, forKey: .targets)
      for (link, keys) in zip(carried.copy.links, carried.targets) where !keys.isEmpty {
        try targets.encode(keys, forKey: Name(link.name))
      }
    }

    // `entities` maps the names in an export to the parts of the copy plan.
    init(from decoder: any Decoder, configuration entities: [String: CopyPlan.EntityCopy]) throws {
      let line = try decoder.container(keyedBy: Field.self)
      let copy = try line.copy(among: entities)
      let targets = try line.nestedContainer(keyedBy: Name.self, forKey: .targets)
      carried = CarriedLinks(
        copy: copy,
        key: try line.decode(Int64.self, forKey: .key),
        targets: try copy.links.map {
          try targets.decodeIfPresent([Int64].self, forKey: Name($0.name)) ?? []
        }
      )
    }
  }

  fileprivate struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  fileprivate enum Field: String, CodingKey {
    case entity
    case key
    case values
    case targets
  }

  final class LineWriter {
    private let file: FileHandle
    private var compressor: GzipWriter
    private var buffer: [UInt8] = []
    private static let bufferSize = 1 << 16

    init(path: String) throws {
      try Data().write(to: URL(fileURLWithPath: path))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      self.file = file
      compressor = try GzipWriter { try file.write(contentsOf: Data($0)) }
    }

    func append(_ line: Data) throws {
      buffer += line
      buffer.append(0x0a)
      if buffer.count >= Self.bufferSize { try flush() }
    }

    func finish() throws {
      try flush()
      try compressor.finish()
      try file.close()
    }

    private func flush() throws {
      try compressor.append(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
  }

  final class LineReader {
    private let reader: GzipReader
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(path: String) throws {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      reader = try GzipReader {
        try file.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : [UInt8]($0) }
      }
    }

    func next() throws -> Data? {
      var searched = start
      while true {
        if let end = buffer[searched...].firstIndex(of: 0x0a) {
          defer { start = end + 1 }
          return Data(buffer[start..<end])
        }
        searched = buffer.count - start
        buffer.removeSubrange(..<start)
        start = 0
        guard !isAtEnd, let more = try reader.next() else {
          isAtEnd = true
          defer { buffer = [] }
          return buffer.isEmpty ? nil : Data(buffer)
        }
        buffer += more
      }
    }
  }
}

extension AttributeMapping {
  /// The attribute that determines the name and type of a value in an export.
  fileprivate var exported: Attribute { value == nil ? source ?? destination : destination }
}

extension KeyedDecodingContainer<ExportFiles.Field> {
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
