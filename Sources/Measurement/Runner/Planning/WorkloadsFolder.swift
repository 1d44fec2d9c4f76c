import Foundation

/// The folder that a workload file's name, recipe and models are relative to: the nearest one above
/// it that holds a folder `recipes` or `models`, else the file's own.
package struct WorkloadsFolder: Hashable, Sendable {
  package let path: String

  /// The workloads folder of a file or of a folder with workload files.
  package init(of path: String) {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    var folder = url.hasDirectoryPath ? url : url.deletingLastPathComponent()
    let own = folder
    while true {
      if Self.holdsData(folder) {
        self.path = folder.path
        return
      }
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      guard parent.path != folder.path, folder.path != "/" else { break }
      folder = parent
    }
    self.path = own.path
  }

  private static func holdsData(_ folder: URL) -> Bool {
    ["recipes", "models"].contains { name in
      var isFolder: ObjCBool = false
      let path = folder.appendingPathComponent(name).path
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && isFolder.boolValue
    }
  }

  /// A file's path below this folder, without its ending.
  package func name(of file: String) -> String {
    let full = URL(fileURLWithPath: file).standardizedFileURL.deletingPathExtension().path
    let prefix = path.hasSuffix("/") ? path : path + "/"
    return full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full
  }

  /// A path that is relative to this folder, or absolute already.
  package func resolved(_ path: String) -> String {
    path.hasPrefix("/") ? path : self.path + "/" + path
  }

  /// The value of a parameter that the command line sets: what is not in this folder is a path as
  /// every other of the command line, relative to where that is typed.
  func found(_ value: ParameterValue, of axis: Axis) -> ParameterValue {
    switch (axis.domain, value) {
    case (.path, .text(let path)): .text(found(path))
    case (.paths, .list(let paths)): .list(paths.map(found))
    default: value
    }
  }

  private func found(_ path: String) -> String {
    let files = FileManager.default
    guard !files.fileExists(atPath: resolved(path)), files.fileExists(atPath: path) else {
      return path
    }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// The workload files at the given paths: files as they are, folders with all YAML files below
  /// them but for models and recipes; in the order given, within a folder by path, each once.
  ///
  /// - Throws: ``RunnerError`` for a path where there is nothing.
  package static func files(at paths: [String]) throws -> [String] {
    var result: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw RunnerError.noSuchInput(path: path)
      }
      let found = isFolder.boolValue ? files(below: path) : [path]
      guard !found.isEmpty else { throw RunnerError.noWorkloadFiles(folder: path) }
      result += found.filter { !result.contains($0) }
    }
    return result
  }

  private static func files(below folder: String) -> [String] {
    let subpaths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    return (subpaths ?? []).filter { subpath in
      let folders = subpath.split(separator: "/").dropLast()
      let ending = URL(fileURLWithPath: subpath).pathExtension
      return ["yaml", "yml"].contains(ending)
        && !folders.contains { $0 == "models" || $0 == "recipes" || $0.hasPrefix(".") }
    }.sorted().map { base + "/" + $0 }
  }
}
