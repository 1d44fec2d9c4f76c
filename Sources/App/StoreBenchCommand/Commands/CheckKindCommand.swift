import ArgumentParser
import Basics
import Runner
import StoreBench

/// Checks the kinds of a workload file as the project's tests check the built-in ones.
struct CheckKindCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-kind",
    abstract:
      "Check that a workload kind detects wrong outcomes and has the same counters each time.",
    discussion: """
      Runs each case of the workload file several times: twice unchanged, once for each injected \
      wrong outcome, and once interrupted. Use a small store.

      Exit status: 0 nothing found; 1 a finding; 64 misuse; 65 bad input.

      EXAMPLE: storebench check-kind Workloads/ci/fetch.yaml
      """
  )

  @Argument(
    help: ArgumentHelp("A workload file of the kind to check.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var path: String

  @OptionGroup var folder: WorkFolderOption

  func run(on console: Console) throws -> CommandStatus {
    let check = try KindCheck(
      workload: path,
      kinds: console.program.kinds,
      workFolder: folder.workFolder
    )
    UntrackedFolder.mark(folder.workFolder)
    let findings = try check.findings()
    for finding in findings { console.print(finding) }
    guard findings.isEmpty else { return .caseFailed }
    let names = check.kinds.map { $0.name }.joined(separator: ", ")
    console.print("\(names): documented, verified, repeatable, and safe to interrupt")
    return .done
  }
}
