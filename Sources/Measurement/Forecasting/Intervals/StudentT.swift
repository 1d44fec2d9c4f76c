/// Quantiles of Student's distribution.
enum StudentT {
  // The 0.95 quantiles for 1 to 30 degrees of freedom, from the usual tables.
  private static let quantiles95 = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
    1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706,
    1.703, 1.701, 1.699, 1.697,
  ]

  /// How many standard deviations a 90 % interval reaches to either side.
  static func quantile90(freedom: Double) -> Double {
    let index = Int(max(1, freedom.rounded(.down))) - 1
    return index < quantiles95.count ? quantiles95[index] : 1.645
  }
}
