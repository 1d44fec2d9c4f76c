/// What only a command can find wrong.
enum StorebenchError: Error, Equatable, CustomStringConvertible {
  case debugBuild
  /// The output folder holds the result of another run.
  case hasResult(folder: String)
  case noExecutable

  var description: String {
    switch self {
    case .debugBuild:
      "this is a debug build, whose times mean nothing: build with 'swift build -c release', or "
        + "pass --allow-debug"
    case .hasResult(let folder):
      "'\(folder)' holds a result already: choose another folder, or pass --force"
    case .noExecutable: "this program cannot find its own file, to run trials in their own process"
    }
  }
}
