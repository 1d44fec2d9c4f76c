/// A kind whose parameters name parts of the store that its cases run on.
///
/// The plan asks it once a case, before anything is run: names are checked against the store's
/// model, and what is left open is chosen by what the store has.
package protocol StoreFitting: Workload {
  /// Checks the names of a case and chooses those that it leaves open.
  ///
  /// Parameters that do not matter in the case have their defaults and need no look.
  static func fit(_ fit: inout CaseFit, to store: StoreOffer)
}
