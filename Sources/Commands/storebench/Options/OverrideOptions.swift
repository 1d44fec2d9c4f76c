import ArgumentParser
import Runner

/// What may be set in place of what workload files say.
struct OverrideOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Run on this store, which is copied first.", valueName: "path")
  )
  var store: String?

  @Option(help: "Fresh copies of the store for each case.")
  var trials: Int?

  @Option(
    name: .customLong("set"),
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set a parameter, as a workload file would: --set entity=Task --set 'batchSize=[20, 100]'.",
      valueName: "name=value"
    )
  )
  var parameters: [String] = []

  @Option(help: "Only cases whose ID fits; '*' stands for any text.")
  var filter: String?

  func validate() throws {
    if let trials, !(1...100_000).contains(trials) {
      throw ValidationError("'--trials' must be from 1 to 100000, not \(trials)")
    }
    for parameter in parameters where Self.split(parameter) == nil {
      throw ValidationError("'--set \(parameter)' must be name=value, such as batchSize=20")
    }
  }

  var overrides: Overrides {
    Overrides(store: store, trials: trials, parameters: parameters.compactMap(Self.split))
  }

  /// A parameter from `name=value`.
  static func split(_ text: String) -> Overrides.Parameter? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return Overrides.Parameter(name: String(parts[0]), yaml: String(parts[1]))
  }
}
