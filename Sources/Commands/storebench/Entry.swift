import Basics
import Foundation

/// The process: parses its arguments, runs the command, and ends with its status.
@main
enum Entry {
  static func main() {
    // A reader that closes its end, such as `head`, ends the write with an error instead.
    signal(SIGPIPE, SIG_IGN)
    // So does a file that grows beyond a quota.
    signal(SIGXFSZ, SIG_IGN)
    exit(Storebench.run(CommandLine.arguments.dropFirst().map { $0 }, on: .standard).code)
  }
}
