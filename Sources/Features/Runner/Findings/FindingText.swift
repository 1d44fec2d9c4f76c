import Basics

/// Numbers and names as findings word them.
enum FindingText {
  /// A value of a parameter: words alone, numbers and yes or no with the parameter's name.
  static func value(_ value: String, of parameter: String) -> String {
    isWord(value) ? value : "\(parameter)=\(value)"
  }

  /// What values of a parameter are called: `strategy`, or `setting` where they have its name.
  static func noun(_ parameter: String, _ value: String) -> String {
    isWord(value) ? parameter : "setting"
  }

  private static func isWord(_ value: String) -> Bool {
    Double(value) == nil && !["true", "false", ""].contains(value)
  }

  /// `a`, `a and b`, `a, b and c`.
  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Where a comparison is one of several: `; the largest of 3 differences, for operation=list`.
  static func scope(_ contest: Contest, of all: [Contest], named name: String) -> String {
    guard all.count > 1 else { return "" }
    return "; the largest of \(all.count) differences" + (name.isEmpty ? "" : ", for \(name)")
  }

  /// A number with so many significant digits, without an exponent.
  static func digits(_ value: Double, _ digits: Int) -> String {
    guard value > 0, value < 1e12 else { return value.shortest }
    let size = Int(log10(value).rounded(.down)) + 1
    let decimals = max(0, digits - size)
    let unit = pow(10, Double(size - digits))
    return Figures.fixed(
      size > digits ? (value / unit).rounded() * unit : value,
      decimals: decimals
    )
  }

  /// `11 times as long (7.6 to 17)`.
  static func times(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return "\(value) times as long" + (range.isEmpty ? "" : " (\(range))")
  }

  /// `11 (7.6 to 17)`.
  static func factor(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return value + (range.isEmpty ? "" : " (\(range))")
  }

  /// Two digits, or three where the ends would look alike.
  private static func parts(_ figure: Finding.Figure) -> (value: String, range: String) {
    guard let lower = figure.lower, let upper = figure.upper else {
      return (digits(figure.value, 2), "")
    }
    let count = [2, 3].first { digits(lower, $0) != digits(upper, $0) } ?? 4
    return (digits(figure.value, count), "\(digits(lower, count)) to \(digits(upper, count))")
  }

  /// A share: `12 %`; two digits below 10 %.
  static func percent(_ share: Double) -> String {
    "\(digits(max(share, 1e-4) * 100, share < 0.1 ? 2 : share < 1 ? 2 : 3)) %"
  }
}

extension Finding.Figure {
  /// A ratio by its logarithm.
  static func ratio(
    _ name: String,
    _ metric: Metric,
    _ difference: TrialIntervals.Difference
  ) -> Finding.Figure {
    Finding.Figure(
      name,
      metric: metric.name,
      unit: .ratio,
      value: exp(difference.estimate),
      lower: exp(difference.lower),
      upper: exp(difference.upper)
    )
  }
}
