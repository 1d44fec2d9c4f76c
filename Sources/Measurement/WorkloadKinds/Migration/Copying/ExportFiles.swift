import Compression
import Foundation
import Measurement
import PersistentStore
import SQLite

/// All objects of a store as JSON, compressed or plain: one file of objects and one of their
/// relationships, each a line an object.
struct ExportFiles: ObjectSource {
  let folder: String
  let plan: CopyPlan
  let isCompressed: Bool

  private var ending: String { isCompressed ? ".json.gz" : ".json" }
  private var objects: String { folder + "/objects" + ending }
  private var links: String { folder + "/relationships" + ending }

  /// The size of both files.
  var bytes: Int64 { StoreFile.bytes(at: objects) + StoreFile.bytes(at: links) }

  func write(_ source: some ObjectSource) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = ExportedObject.infinities.encoding
    let objects = try LineWriter(path: self.objects, isCompressed: isCompressed)
    try source.forEachObject { try objects.append(encoder.encode(ExportedObject($0))) }
    try objects.finish()
    let links = try LineWriter(path: self.links, isCompressed: isCompressed)
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
    let lines = try LineReader(path: path, isCompressed: isCompressed)
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
