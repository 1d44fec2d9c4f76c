/// What becomes of a case that is killed when it takes longer than a launch may take.
package struct WatchedCase: Hashable, Sendable {
  package enum Ending: Hashable, Sendable {
    /// In the launch of that number, counted from 1.
    case finished(launch: Int)
    /// Launches were killed one after the other, and each had added something.
    case goesOn(launches: Int)
    /// The last launch had added nothing to what the one before had left.
    case neverFinishes(launches: Int)
    /// It could not be tried, for this cause.
    case failed(String)
  }

  package let id: String
  /// Objects of the store.
  package let objects: Int
  /// Seconds that a launch took which nobody killed; `nil` where it did not end.
  package var undisturbed: Double?
  package var ending: Ending

  /// The objects that a launch of some seconds gets done, where time grows as objects do; `nil`
  /// where it is not known.
  package func objects(within seconds: Double) -> Int? {
    guard let undisturbed, undisturbed > 0 else { return nil }
    return Int(min(Double(objects) * seconds / undisturbed, 1e15))
  }

  /// Whether users with so many objects are never let in again.
  package var hasFailed: Bool {
    switch ending {
    case .finished, .goesOn: false
    case .neverFinishes, .failed: true
    }
  }
}
