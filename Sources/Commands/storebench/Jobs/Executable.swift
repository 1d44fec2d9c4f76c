import Foundation

/// This program's own file.
enum Executable {
  /// Its path, whatever the program was called by.
  static func path() throws -> String {
    #if os(Linux)
      let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
      if path != "/proc/self/exe" { return path }
    #endif
    guard let path = Bundle.main.executablePath else { throw StorebenchError.noExecutable }
    return path
  }
}
