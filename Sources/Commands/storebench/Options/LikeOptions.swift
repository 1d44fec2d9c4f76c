import ArgumentParser
import Profiling

/// What a store is to be made like.
struct LikeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a store of the shape of this one, or of a profile.",
      valueName: "store"
    )
  )
  var like: String?

  @Option(help: "How many times the objects of the store that it is made like.")
  var scale: Double?

  @Option(
    name: .customLong("k"),
    help: "The fewest objects that a number of the profile rests on; at least 20."
  )
  var smallestCount: Int?

  @Option(help: ArgumentHelp("Also write the profile to this file.", valueName: "file"))
  var profile: String?

  /// The forms of the fidelity report.
  enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  @Option(help: ArgumentHelp("The fidelity report as text or json.", valueName: "name"))
  var format: ReportFormat?

  func validate() throws {
    if let scale, !(scale > 0 && scale <= 1e6) {
      throw ValidationError("'--scale' must be above 0 and at most 1000000, not \(scale)")
    }
    if let smallestCount, smallestCount < StoreProfile.smallestK {
      throw ValidationError("'--k' must be at least \(StoreProfile.smallestK)")
    }
    if like == nil, scale != nil || smallestCount != nil || profile != nil || format != nil {
      throw ValidationError("'--scale', '--k', '--profile' and '--format' need '--like'")
    }
  }
}
