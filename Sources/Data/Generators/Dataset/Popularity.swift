import Profiling

/// How often each of a number of objects is chosen by others.
package enum Popularity: Hashable, Sendable {
  /// Each as likely as the others.
  case uniform
  /// A few favourites and a long tail; which ones are the favourites is shuffled.
  case zipfian(exponent: Double)
  /// In proportion to a draw for each object.
  case spread(DistributionRecipe)
  /// As often as a profile's bins say.
  case counts([Bin])
}
