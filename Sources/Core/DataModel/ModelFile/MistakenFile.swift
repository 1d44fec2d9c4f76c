import Basics
import Foundation

/// A file that users often pass instead of a model or a store, recognized by its name or first
/// bytes.
package enum MistakenFile: Hashable, Sendable {
  case mappingModel
  case compiledMappingModel
  case optimizedModel
  case versionInfo
  case log
  case sharedMemory
  case archive

  /// Recognizes the file at a path.
  ///
  /// - Returns: `nil` if the file is of any other kind or does not exist.
  package init?(path: String) {
    let name = URL(fileURLWithPath: path).lastPathComponent
    let start = (try? InputFile.head(of: path, count: 4096)) ?? []
    switch URL(fileURLWithPath: path).pathExtension.lowercased() {
    case "xcmappingmodel": self = .mappingModel
    case "cdm": self = .compiledMappingModel
    case "omo": self = .optimizedModel
    default:
      if name == "xcmapping.xml" {
        self = .mappingModel
      } else if name == "VersionInfo.plist" {
        self = .versionInfo
      } else if name.hasSuffix("-wal") || Self.logs.contains(where: start.starts(with:)) {
        self = .log
      } else if name.hasSuffix("-shm") {
        self = .sharedMemory
      } else if Self.archives.contains(where: start.starts(with:)) {
        self = .archive
      } else if start.starts(with: Array("momv2$".utf8)) {
        self = .optimizedModel
      } else {
        return nil
      }
    }
  }

  /// The first bytes of a WAL, for both byte orders of its checksums (sqlite.org/fileformat2.html).
  private static let logs: [[UInt8]] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]]
  private static let archives: [[UInt8]] = [
    [0x50, 0x4b, 0x03, 0x04], [0x1f, 0x8b], [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    Array("BZh".utf8), [0x37, 0x7a, 0xbc, 0xaf],
  ]

  /// A sentence that identifies the kind of file, and names the input to give instead.
  package var explanation: String {
    switch self {
    case .mappingModel:
      "it is a mapping model, which describes how to convert one version to another; give the "
        + ".xcdatamodeld"
    case .compiledMappingModel:
      "it is a compiled mapping model; give the .xcdatamodeld, or the .xcmappingmodel for a migration"
    case .optimizedModel:
      "it is an optimized model, which only Apple's frameworks read; give the .mom next to it, the "
        + ".momd folder or the .xcdatamodeld"
    case .versionInfo:
      "it contains only the version hashes of models; give the .momd folder around it"
    case .log: "it is the write-ahead log of a store; give the store itself, without '-wal'"
    case .sharedMemory:
      "it is the index of a write-ahead log; give the store itself, without '-shm'"
    case .archive: "it is a compressed archive; unpack it, and give the file inside"
    }
  }

  package func error(path: String) -> Refusal {
    .wrongContent(path: path, reason: explanation)
  }
}
