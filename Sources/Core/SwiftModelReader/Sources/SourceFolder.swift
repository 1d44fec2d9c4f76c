#if SwiftSource
  import Basics
  import DataModel
  import Foundation
  import SwiftModels

  /// Finds and reads the Swift files at a path, within limits and without following links.
  struct SourceFolder {
    private static let deepest = 24
    private static let largestFile = 8 << 20
    private static let mostBytes = 256 << 20
    /// The folders that do not contain the app's sources: build products and third-party packages.
    private static let skipped: Set = [
      "DerivedData", "Pods", "Carthage", "SourcePackages", "node_modules", "checkouts",
    ]

    let root: String
    private(set) var files: [String] = []
    private(set) var notes: [SourceNote] = []
    let isFolder: Bool
    private let mostEntries: Int
    private var bytesLeft = SourceFolder.mostBytes

    /// Finds the files at a path.
    ///
    /// - Throws: ``Refusal`` if the path does not exist.
    init(path: String, mostEntries: Int = 200_000) throws {
      self.mostEntries = mostEntries
      root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      guard let status = FileStatus(path) else { throw Refusal.noSuchFile(path: path) }
      isFolder = status.kind == .folder
      guard isFolder else {
        files = [path]
        return
      }
      search()
    }

    /// Whether the file belongs to tests, which often declare separate models.
    static func isTest(_ file: String) -> Bool {
      let folders = file.split(separator: "/")
      return folders.dropLast().contains { $0.hasSuffix("Tests") || $0 == "Tests" }
        || folders.last?.hasSuffix("Tests.swift") == true
    }

    private mutating func search() {
      var open: [(path: String, depth: Int)] = [("", 0)]
      var seen = 0
      while let (folder, depth) = open.popLast() {
        let names = names(of: folder.isEmpty ? root : root + "/" + folder, &seen)
        for (name, isFolder) in names where !Self.skipped.contains(name) {
          let path = folder.isEmpty ? name : folder + "/" + name
          if !isFolder {
            files.append(path)
          } else if depth < Self.deepest {
            open.append((path, depth + 1))
          }
        }
        if seen >= mostEntries {
          notes.append(
            SourceNote(
              "'\(root)' holds more than \(mostEntries) files; the others are left out: name "
                + "the folder of the models"
            )
          )
          break
        }
      }
      files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func names(of folder: String, _ seen: inout Int) -> [(name: String, isFolder: Bool)] {
      guard let stream = opendir(folder) else { return [] }
      defer { closedir(stream) }
      var names: [(name: String, isFolder: Bool)] = []
      while seen < mostEntries, let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name != ".", name != ".." else { continue }
        seen += 1
        guard !name.hasPrefix("."),
          let isFolder = Self.isFolder(folder + "/" + name, entry.pointee.d_type),
          isFolder || name.hasSuffix(".swift")
        else { continue }
        names.append((name, isFolder))
      }
      return names.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func isFolder(_ path: String, _ type: UInt8) -> Bool? {
      switch Int(type) {
      case Int(DT_DIR): return true
      case Int(DT_REG): return false
      case Int(DT_UNKNOWN):
        let kind = FileStatus(path, followingLinks: false)?.kind
        return kind == .folder ? true : kind == .file ? false : nil
      default: return nil
      }
    }

    mutating func bytes(of file: String) -> [UInt8]? {
      let place = SourcePlace(file: file, line: 1)
      guard bytesLeft > 0 else { return nil }
      do {
        let path = isFolder ? root + "/" + file : file
        let bytes = try InputFile.bytes(of: path, limit: Self.largestFile)
        bytesLeft -= bytes.count
        if bytesLeft <= 0 {
          notes.append(
            SourceNote(
              "the sources have more than \(Self.mostBytes >> 20) MiB; the rest is left out"
            )
          )
        }
        return bytes
      } catch let failure {
        notes.append(SourceNote("\(failure.reason); it is left out", at: place))
        return nil
      }
    }
  }
#endif
