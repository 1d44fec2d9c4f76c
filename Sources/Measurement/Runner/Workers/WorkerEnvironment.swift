import Foundation

/// The environment of a worker: that of this process, and a variable that moves its stack.
enum WorkerEnvironment {
  /// `NAME=value` in name order, with some variables set.
  static func variables(padding: Int, setting own: [String: String] = [:]) -> [String] {
    var variables = ProcessInfo.processInfo.environment.merging(own) { $1 }
    variables["STOREBENCH_PADDING"] = String(repeating: "x", count: padding)
    // A crash must end quickly, not with a search for symbols that nobody reads.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}
