/// What dates are rounded down to.
package enum DatePrecision: String, CaseIterable, Hashable, Sendable {
  case microsecond
  case second
  case minute
  case hour
  case day

  /// The time cut off to the precision.
  func cut(_ time: Double) -> Double {
    switch self {
    case .microsecond: (time * 1_000_000).rounded(.down) / 1_000_000
    case .second: time.rounded(.down)
    case .minute: (time / 60).rounded(.down) * 60
    case .hour: (time / 3_600).rounded(.down) * 3_600
    case .day: (time / 86_400).rounded(.down) * 86_400
    }
  }
}

/// Dates of a period, in seconds since 2001-01-01 00:00 UTC.
struct DateGenerator: CellGenerator {
  private let calendar: WorkingCalendar
  private let first: Double
  private let span: Double
  private let precision: DatePrecision
  /// Where later rows have later dates, the number of rows.
  private let orderedRows: Int?

  init(_ recipe: DateRecipe, rows: Int) {
    calendar = WorkingCalendar(recipe.pattern)
    first = calendar.activity(until: recipe.from)
    span = calendar.activity(until: recipe.to) - first
    precision = recipe.precision
    orderedRows = recipe.isOrdered ? rows : nil
  }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    var share = draws.unit()
    if let orderedRows { share = (Double(row) + share) / Double(max(orderedRows, 1)) }
    cell.setNumeric(precision.cut(calendar.time(at: first + share * span)))
  }
}

/// Dates that follow another date of the same object by a number of days.
struct LaterDateGenerator: CellGenerator {
  let base: AttributeSource
  let days: any Distribution
  let precision: DatePrecision

  /// A thousand years, in days.
  private static let longestDelay = 365_250.0

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    base.fill(&cell, row: row)
    let start: Double
    switch cell.kind {
    case .integer: start = Double(cell.integer)
    case .real: start = cell.real
    default: return cell.setNull()
    }
    let delay = min(max(0, days.value(row: row, draws: &draws)), Self.longestDelay) * 86_400
    // Rounding down must not carry the date before the one it follows.
    let later = precision.cut(start + delay)
    cell.setNumeric(max(later, start))
  }
}
