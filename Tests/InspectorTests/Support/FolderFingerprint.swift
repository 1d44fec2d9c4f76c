import Foundation

/// The files in a folder, with their bytes, modification times and permissions.
struct FolderFingerprint: Equatable {
  private struct Entry: Equatable {
    let bytes: Data?
    let modified: Date?
    let permissions: Int?
  }

  private let entries: [String: Entry]

  init(of folder: String) throws {
    var entries: [String: Entry] = [:]
    for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: folder)) {
      let path = folder + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      entries[name] = Entry(
        bytes: isFile ? try Data(contentsOf: URL(fileURLWithPath: path)) : nil,
        modified: attributes[.modificationDate] as? Date,
        permissions: (attributes[.posixPermissions] as? NSNumber)?.intValue
      )
    }
    self.entries = entries
  }
}
