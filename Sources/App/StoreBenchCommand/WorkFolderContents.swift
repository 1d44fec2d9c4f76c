import Basics
import Foundation
import Runner

/// The items that StoreBench keeps in its work folder between runs: generated stores, work trees of
/// other commits with their builds, links to SQLite libraries, and measurements of forecasts.
struct WorkFolderContents {
  /// The maximum total size in bytes; commands remove the least recently used items beyond it.
  static let limit: Int64 = 10 << 30

  enum Kind: String, CaseIterable {
    case stores
    case revisions
    case libraries
    case forecast

    var name: String {
      switch self {
      case .stores: "generated store"
      case .revisions: "work tree"
      case .libraries: "link to SQLite"
      case .forecast: "forecast"
      }
    }

    var plural: String { self == .libraries ? "links to SQLite" : name + "s" }

    /// Whether the item can be recreated identically; measurements cannot.
    var canBeMadeAgain: Bool { self != .forecast }
  }

  struct Item {
    let kind: Kind
    let path: String
    let bytes: Int64
    let lastUse: Date
  }

  private let folder: String
  let items: [Item]

  init(of folder: String) {
    self.folder = folder
    items = Kind.allCases.flatMap { Self.items($0, in: folder) }.sorted {
      ($0.lastUse, $0.path) < ($1.lastUse, $1.path)
    }
  }

  private static func items(_ kind: Kind, in folder: String) -> [Item] {
    let root = folder + "/" + kind.rawValue
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    // Skip items whose names begin with a period, because they are incomplete.
    return names.sorted().filter { !$0.hasPrefix(".") }.compactMap { name in
      let path = root + "/" + name
      guard let status = FileStatus(path, followingLinks: false), status.kind != .link else {
        return nil
      }
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return Item(
        kind: kind,
        path: path,
        bytes: bytes(at: path),
        lastUse: attributes?[.modificationDate] as? Date ?? .distantPast
      )
    }
  }

  private static func bytes(at path: String) -> Int64 {
    func size(_ path: String) -> Int64 {
      FileStatus(path, followingLinks: false)?.allocatedBytes ?? 0
    }
    let below = FileManager.default.enumerator(atPath: path)
    var sum = size(path)
    while let name = below?.nextObject() as? String { sum += size(path + "/" + name) }
    return sum
  }

  var isInUse: Bool {
    let work = folder + "/work"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: work)) ?? []
    return names.contains { name in
      guard name.hasSuffix(".lock") else { return false }
      let descriptor = open(work + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }
  }

  /// The items to remove to meet the limit; items that cannot be recreated are kept.
  func excess(over limit: Int64) -> [Item] {
    var sum = items.reduce(0) { $0 + $1.bytes }
    var excess: [Item] = []
    for item in items where sum > limit && item.kind.canBeMadeAgain {
      excess.append(item)
      sum -= item.bytes
    }
    return excess
  }

  static func remove(_ items: [Item], on console: Console) throws {
    for item in items {
      do {
        try FileManager.default.removeItem(atPath: item.path)
      } catch {
        throw Refusal.cannotWrite(item.path, reason: "it cannot be removed")
      }
    }
    guard !items.isEmpty else { return }
    let parts = Kind.allCases.compactMap { kind -> String? in
      let count = items.count { $0.kind == kind }
      return count > 0 ? Figures.counted(count, kind.name, kind.plural) : nil
    }
    let bytes = Figures.bytes(items.reduce(0) { $0 + $1.bytes }, .rough)
    console.note("removed \(parts.joined(separator: ", ")): \(bytes)")
  }

  static func keepWithinLimit(_ folder: String, on console: Console) {
    let contents = WorkFolderContents(of: folder)
    let excess = contents.excess(over: limit)
    guard !excess.isEmpty, !contents.isInUse else { return }
    console.note(
      "'\(folder)' holds more than \(Figures.bytes(limit, .rough)): what was not used for longest "
        + "goes; see 'storebench clean'"
    )
    try? remove(excess, on: console)
  }
}
