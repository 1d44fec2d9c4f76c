import Foundation

/// A whole file of bounded size.
package enum InputFile {
  /// The file's bytes; throws a ``DataModelError`` where it cannot be read or is over the limit.
  package static func bytes(path: String, limit: Int) throws -> [UInt8] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw DataModelError.noSuchFile(path: path)
    }
    guard !isFolder.boolValue else {
      throw DataModelError.unreadable(path: path, reason: "it is a folder")
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw DataModelError.unreadable(path: path, reason: "permission denied")
    }
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let kind = try? FileManager.default.attributesOfItem(atPath: resolved)[.type]
    // A pipe or a device would block or never end.
    guard kind as? FileAttributeType == .typeRegular else {
      throw DataModelError.unreadable(path: path, reason: "it is not a regular file")
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw DataModelError.unreadable(path: path, reason: "it cannot be opened")
    }
    defer { try? handle.close() }
    let data: Data
    do {
      data = try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw DataModelError.unreadable(path: path, reason: "reading it failed")
    }
    guard data.count <= limit else { throw DataModelError.tooLarge(path: path, limit: limit) }
    return Array(data)
  }

  /// The file's text; invalid UTF-8 is an error.
  package static func text(path: String, limit: Int) throws -> String {
    let bytes = try bytes(path: path, limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DataModelError.unreadable(path: path, reason: "it is not UTF-8 text")
    }
    return text
  }
}
