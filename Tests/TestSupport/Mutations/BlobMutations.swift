import DataModel
import Foundation
import PersistentStore
import SQLite

extension StoreMutation {
  static let blobs = [
    file("an external file cut short") { bytes in Array(bytes.dropLast()) },
    file("an external file emptied") { _ in [] },
    file("an external file with a byte flipped") { bytes in
      var bytes = bytes
      bytes[bytes.count / 2] ^= 0x10
      return bytes
    },
    file("an external file missing") { _ in nil },
    StoreMutation("two external files swapped") { site in
      let names = files(site)
      for first in site.shuffled(names) {
        for second in names where second != first {
          let (left, right) = (try read(first), try read(second))
          guard left != right else { continue }
          try write(right, to: first)
          try write(left, to: second)
          return true
        }
      }
      return false
    },
    StoreMutation("an external file without an owner", .layout) { site in
      guard let name = files(site).first else { return false }
      let folder = URL(fileURLWithPath: name).deletingLastPathComponent()
      let orphan = folder.appendingPathComponent("00000000-0000-4000-8000-000000000000")
      try write(try read(name), to: orphan.path)
      return true
    },
    StoreMutation("two external references to one file") { site in
      let places = site.attributes { $0.allowsExternalStorage }
      return try site.first(of: places) { table, column, _ in
        let reference = "substr(\(column.name), 1, 1) = x'02'"
        guard let first = try site.key(in: table.name, where: reference),
          let second = try site.key(
            in: table.name,
            where: "\(reference) AND \(column.name) <> "
              + "(SELECT \(column.name) FROM \(table.name) WHERE Z_PK = \(first))"
          )
        else { return false }
        return try site.change(
          "UPDATE \(table.name) SET \(column.name) = "
            + "(SELECT \(column.name) FROM \(table.name) WHERE Z_PK = \(first)) "
            + "WHERE Z_PK = \(second)"
        )
      }
    },
    StoreMutation("an inline blob with a byte flipped") { site in
      try site.first(of: site.attributes { $0.type == .binary }) { table, column, attribute in
        let isExternal = attribute.allowsExternalStorage
        return try flipBit(
          in: column,
          of: table,
          atLeast: isExternal ? 1 : 0,
          where: isExternal ? "substr(\(column.name), 1, 1) = x'01'" : "true",
          site
        )
      }
    },
    StoreMutation("an inline blob one byte shorter") { site in
      try site.first(of: site.attributes { $0.type == .binary }) { table, column, _ in
        let condition = "length(\(column.name)) > 1 AND substr(\(column.name), 1, 1) <> x'02'"
        guard let key = try site.key(in: table.name, where: condition) else { return false }
        return try site.change(
          "UPDATE \(table.name) SET \(column.name) = "
            + "substr(\(column.name), 1, length(\(column.name)) - 1) WHERE Z_PK = \(key)"
        )
      }
    },
  ]

  /// A mutation that changes the bytes of one external file, or removes it.
  private static func file(
    _ name: String,
    _ change: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) -> StoreMutation {
    StoreMutation(name) { site in
      try site.first(of: files(site)) { file in
        let bytes = try read(file)
        guard !bytes.isEmpty else { return false }
        if let changed = change(bytes) {
          try write(changed, to: file)
        } else {
          try FileManager.default.removeItem(atPath: file)
        }
        return true
      }
    }
  }

  /// The paths of the files that hold blobs, both the frameworks' and the app's own.
  private static func files(_ site: MutationSite) -> [String] {
    [site.store.externalDataFolder, site.store.filesFolder].flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        .map { folder + "/" + $0 }
    }
  }

  private static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
