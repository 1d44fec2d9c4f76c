/// Where the store of a workload comes from.
package enum StoreSource: Hashable, Sendable {
  /// A recipe, its path relative to the workloads folder, with the counts and the seed that the
  /// workload file sets in place of the recipe's own.
  case recipe(path: String, objects: [String: Int], seed: UInt64?)
  /// A store made elsewhere, copied before it is opened.
  case file(path: String)
}
