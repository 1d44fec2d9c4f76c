import Foundation

/// The files of a folder in an order that people expect.
enum FolderListing {
  /// The names that end so, `v2` before `v10`; hidden ones are left out.
  ///
  /// Throws a ``DataModelError`` where the folder cannot be listed or holds none of them.
  static func names(of path: String, endingWith suffix: String) throws -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      guard FileManager.default.fileExists(atPath: path) else {
        throw DataModelError.noSuchFile(path: path)
      }
      throw DataModelError.unreadable(path: path, reason: "it is not a folder that can be listed")
    }
    let found = names.filter { !$0.hasPrefix(".") && $0.hasSuffix(suffix) }
    guard !found.isEmpty else {
      throw DataModelError.unreadable(path: path, reason: "it holds no model (*\(suffix))")
    }
    let endless = found.map { String($0.dropLast(suffix.count)) }.sorted(by: precedes)
    return endless.map { $0 + suffix }
  }

  /// Whether a file name comes first, with runs of digits compared as numbers.
  static func precedes(_ first: String, _ second: String) -> Bool {
    let (left, right) = (pieces(first), pieces(second))
    for (one, other) in zip(left, right) where one != other {
      if let number = Int(one), let otherNumber = Int(other), number != otherNumber {
        return number < otherNumber
      }
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    return left.count < right.count
  }

  private static func pieces(_ name: String) -> [String] {
    var pieces: [String] = []
    var wasDigit: Bool?
    for character in name {
      let isDigit = ("0"..."9").contains(character)
      if isDigit == wasDigit {
        pieces[pieces.count - 1].append(character)
      } else {
        pieces.append(String(character))
      }
      wasDigit = isDigit
    }
    return pieces
  }
}
