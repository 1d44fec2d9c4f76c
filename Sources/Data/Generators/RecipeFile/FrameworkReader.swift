import DataModel
import PersistentStore

/// Reads the framework version whose layout a store gets: one that real stores show
/// (coredata-format.md, section 15).
struct FrameworkReader {
  private static let known: [(versions: ClosedRange<Int>, systems: String)] = [
    (847...851, "iOS 11"), (866...866, "iOS 12"), (973...977, "iOS 13"),
    (1030...StoreMetadata.currentFrameworkVersion, "iOS 14 to 26"),
  ]
  /// The first version that came with SwiftData, in iOS 17.
  private static let firstOfSwiftData = 1333

  let flavour: Flavour
  let keepsHistory: Bool

  func framework(_ value: YAMLValue?) -> Int {
    guard let value, let framework = value.integer() else {
      return StoreMetadata.currentFrameworkVersion
    }
    if let problem = problem(framework) { value.report(problem) }
    return framework
  }

  private func problem(_ framework: Int) -> String? {
    guard Self.known.contains(where: { $0.versions.contains(framework) }) else {
      return "'framework' cannot be \(framework): the layouts known to the letter are those of "
        + Self.known.map { Self.text($0.versions) + " (\($0.systems))" }.joined(separator: ", ")
    }
    if flavour == .swiftData, framework < Self.firstOfSwiftData {
      return "'framework' must be at least \(Self.firstOfSwiftData) (iOS 17) for a store of "
        + "SwiftData, not \(framework)"
    }
    return LayoutGeneration.obstacle(framework: framework, keepsHistory: keepsHistory).map {
      "'framework' cannot be \(framework) with 'history': \($0)"
    }
  }

  private static func text(_ versions: ClosedRange<Int>) -> String {
    versions.count == 1
      ? "\(versions.lowerBound)" : "\(versions.lowerBound) to \(versions.upperBound)"
  }
}
