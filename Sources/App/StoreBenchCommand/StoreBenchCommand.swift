import Basics
import StoreBench

/// The command line of StoreBench for kinds of your own.
///
/// ```swift
/// import StoreBenchCommand
///
/// @main enum Program {
///   static func main() { StoreBenchCommand.main(kinds: [FlagTasks.self]) }
/// }
/// ```
public enum StoreBenchCommand {
  /// Parses the arguments of the process, runs the command that they name, and ends the process.
  ///
  /// All commands of `storebench` are there: `run`, `plan`, `compare`, `compare-live`, `report`, and
  /// so on. Trials run in worker processes, which are this program again with the argument `worker`:
  /// do nothing before this call that a worker must not do.
  ///
  /// Exit status: 0 done; 1 a case failed; 2 regression; 64 misuse; 65 bad input; `--help` lists all.
  public static func main(kinds: [any WorkloadKind.Type]) -> Never {
    let names = kinds.map { $0.name }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      Console.standard(of: Program(kinds: [])).note("two kinds have the name '\(twice)'")
      exit(CommandStatus.misuse.code)
    }
    Program(kinds: kinds).main()
  }
}
