import Foundation

/// Looks for models below a folder, such as a project, without following links.
package enum ModelSearch {
  private static let deepest = 8
  private static let mostEntries = 20_000

  /// The paths of Xcode's sources and of compiled models, sorted; a family is one of them.
  ///
  /// Throws a ``DataModelError`` where the folder cannot be listed or is too large to search.
  package static func sources(below folder: String) throws -> [String] {
    var found: [String] = []
    var seen = 0
    func visit(_ folder: String, depth: Int) throws {
      for name in try names(in: folder, isTop: depth == 0) {
        seen += 1
        guard seen <= mostEntries else {
          throw DataModelError.unreadable(
            path: folder,
            reason: "there are more than \(mostEntries) files to search; name the model itself"
          )
        }
        let path = folder + "/" + name
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        let isFolder = kind as? FileAttributeType == .typeDirectory
        if isSource(name, isFolder: isFolder) {
          found.append(path)
        } else if isFolder, depth < deepest {
          try visit(path, depth: depth + 1)
        }
      }
    }
    try visit(folder, depth: 0)
    return found
  }

  private static func isSource(_ name: String, isFolder: Bool) -> Bool {
    let suffix = URL(fileURLWithPath: name).pathExtension.lowercased()
    return isFolder
      ? ["xcdatamodeld", "xcdatamodel", "momd"].contains(suffix)
      : suffix == "mom" || name == "contents.xml"
  }

  private static func names(in folder: String, isTop: Bool) throws -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      return names.filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      guard isTop else { return [] }
      throw DataModelError.unreadable(path: folder, reason: "it is not a folder that can be listed")
    }
  }
}
