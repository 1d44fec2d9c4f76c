import Compression
import Foundation
import Measurement
import PersistentStore
import SQLite

/// All objects of a store as compressed JSON: one file of objects and one of their relationships,
/// each a line an object.
struct ExportFiles: ObjectSource {
  let folder: String
  let plan: CopyPlan

  private var objects: String { folder + "/objects.json.gz" }
  private var links: String { folder + "/relationships.json.gz" }

  /// The size of both files.
  var bytes: Int64 { StoreFile.bytes(at: objects) + StoreFile.bytes(at: links) }

  func write(_ source: some ObjectSource) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = ExportedObject.infinities.encoding
    let objects = try CompressedLines(writing: self.objects)
    try source.forEachObject { try objects.append(encoder.encode(ExportedObject($0))) }
    try objects.finish()
    let links = try CompressedLines(writing: self.links)
    try source.forEachLinks { try links.append(encoder.encode(ExportedLinks($0))) }
    try links.finish()
    CountingVFS.installed?.noteFiles(growth: bytes)
  }

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    let decoder = self.decoder
    try forEachLine(of: objects) { line in
      try body(
        decoder.decode(
          ExportedObject.self,
          from: line,
          configuration: plan.entities
        ).carried
      )
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    let decoder = self.decoder
    try forEachLine(of: links) { line in
      try body(
        decoder.decode(
          ExportedLinks.self,
          from: line,
          configuration: plan.entities
        ).carried
      )
    }
  }

  private var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = ExportedObject.infinities.decoding
    return decoder
  }

  private func forEachLine(of path: String, _ body: (Data) throws -> Void) throws {
    var number = 0
    let lines = try CompressedLineReader(path: path)
    while let line = try lines.next() {
      number += 1
      do {
        try body(line)
      } catch is DecodingError {
        throw MigrationCaseError.damagedExport(path: path, line: number)
      }
    }
  }
}

extension Metric {
  /// The size of what an export wrote.
  static let exportBytes = Metric("exportBytes", unit: .bytes, isExact: true)
}
