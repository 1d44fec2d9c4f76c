import DataModel

/// What stands behind `compare-live --against`: the side that the workload files are compared with.
package enum SideText: Hashable, Sendable {
  /// Another workload file, or a folder of them.
  case workloads(path: String)
  /// The same files with other settings of the connection.
  case pragmas([Pragma])
  /// The same files with a store of another version of its model.
  case model(path: String)
  /// The same files with another value of a parameter.
  case parameter(Overrides.Parameter)
  /// Another build of this program.
  case binary(path: String)
  /// A revision of the folder's own repository, files and program.
  case revision(String)
  /// The same files and program with another SQLite library.
  case sqlite(path: String)

  package struct Pragma: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  private static let kinds = ["binary", "git", "model", "pragma", "set", "sqlite"]

  /// Reads a side as it is written on the command line.
  ///
  /// - Throws: ``LiveError/invalidSide(_:problem:)``
  package init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 2, !parts[0].contains("/"), !parts[0].contains(".") else {
      self = .workloads(path: text)
      return
    }
    let rest = parts[1]
    guard !rest.isEmpty else {
      throw LiveError.invalidSide(text, problem: "says nothing after '\(parts[0]):'")
    }
    switch parts[0] {
    case "binary": self = .binary(path: rest)
    case "git": self = .revision(rest)
    case "model": self = .model(path: rest)
    case "pragma": self = .pragmas(try Self.pairs(rest, of: text))
    case "set":
      guard let pair = try Self.pairs(rest, of: text, separator: nil).first else { fallthrough }
      self = .parameter(Overrides.Parameter(name: pair.name, yaml: pair.value))
    case "sqlite": self = .sqlite(path: rest)
    default:
      throw LiveError.invalidSide(
        text,
        problem: "is of no kind that there is: '\(Self.kinds.joined(separator: ":', '")):', or a "
          + "path" + didYouMean(parts[0], among: Self.kinds)
      )
    }
  }

  private static func pairs(
    _ list: String,
    of text: String,
    separator: Character? = ","
  ) throws -> [Pragma] {
    let items = separator.map { list.split(separator: $0).map(String.init) } ?? [list]
    return try items.map { item in
      let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw LiveError.invalidSide(text, problem: "needs name=value, not '\(item)'")
      }
      return Pragma(name: parts[0], value: parts[1])
    }
  }
}
