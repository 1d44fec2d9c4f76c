import ArgumentParser
import Basics

/// What replays of a log are made of.
struct ReplayOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Replay the log on copies of the store: unchanged, and once for each finding, repaired.",
      discussion: "Prints the time that each repair saves, with an interval, and exact counters."
    )
  )
  var replay = false

  @Option(
    help: ArgumentHelp(
      """
      Store sizes, as multiples of the given store. 1 is the store itself; for other sizes a \
      similar store is generated.
      """,
      valueName: "list"
    ),
    transform: { text in
      let sizes = text.split(separator: ",").map { part in
        Quantity(part.trimmingPrefix { $0 == " " }.description)
          .flatMap { $0.dimension == .plain ? $0.value : nil }
      }
      guard !sizes.isEmpty, sizes.count <= 10,
        sizes.allSatisfy({ $0.map { $0 > 0 && $0 <= 1e6 } ?? false })
      else { throw ValidationError("'\(text)' is not a list of sizes such as 1,10,100") }
      return sizes.compactMap(\.self)
    }
  )
  var sizes: [Double] = [1]

  @Option(
    help: ArgumentHelp(
      """
      Replay on stores generated from this recipe or store profile instead of on an existing \
      store.
      """,
      valueName: "recipe"
    )
  )
  var recipe: String?

  @Option(
    help: ArgumentHelp(
      """
      Write a workload file that replays the log, and next to it a copy of the log without \
      values.
      """,
      valueName: "file"
    )
  )
  var workload: String?

  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    guard replay || (sizes == [1] && (recipe == nil || workload != nil)) else {
      throw ValidationError("'--sizes' and '--recipe' need '--replay'")
    }
  }
}
