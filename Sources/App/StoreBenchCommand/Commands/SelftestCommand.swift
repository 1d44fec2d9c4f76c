import ArgumentParser
import Basics
import Compare
import Runner

/// Puts the promise of live comparisons to the test on this machine.
struct SelftestCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Show how far this machine's comparisons can be trusted.",
    discussion: """
      Compares small cases with themselves, which must raise no alarm, and with copies that take \
      1, 2, 5 and 10 % more time. Also injects changes that counters must show: one more sync per \
      save, a dropped index, faults fired one by one, batches of one object, blobs moved into the \
      row.

      Exit status: 1 if an injected change of a counter was not found, or if there were more false \
      alarms than specified; 3 if the machine is too noisy to find a 2 % change in a minute.

      EXAMPLE: storebench selftest --minutes 10
      """
  )

  @Argument(help: ArgumentHelp("Folder with the cases of the self-test.", valueName: "folder"))
  var cases = "Workloads/selftest"

  @Option(help: "Approximate duration in minutes.")
  var minutes: String?

  @Option(help: "Approximate duration in hours.")
  var hours: String?

  @Option(
    help: """
      Random seed that decides which of the two sides runs first. (default: a new seed from the \
      system)
      """
  )
  var seed: UInt64?

  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  func validate() throws {
    if minutes != nil, hours != nil {
      throw ValidationError("'--minutes' and '--hours' exclude each other")
    }
    guard seconds != nil else {
      throw ValidationError(
        "'--minutes' or '--hours' must amount to a time from 3 seconds to a week"
      )
    }
  }

  /// A number without a unit counts the minutes or hours of its option.
  private var seconds: Double? {
    Quantity.seconds(
      hours ?? minutes ?? "3.5",
      in: 3...604_800,
      plainUnit: hours == nil ? 60 : 3600
    )
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    return try SelftestJob(
      cases: InstalledFiles.resolved(cases),
      seconds: seconds ?? 0,
      seed: seed ?? LiveSuite.freshSeed(),
      folder: folder
    ).perform(on: console)
  }
}
