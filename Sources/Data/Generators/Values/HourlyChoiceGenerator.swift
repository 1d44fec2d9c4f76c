/// One of a few values, with other weights in working hours than outside of them.
struct HourlyChoiceGenerator: CellGenerator {
  let date: AttributeSource
  let working: ChoiceGenerator
  let otherwise: ChoiceGenerator

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    date.fill(&cell, row: row)
    guard let time = cell.number else { return cell.setNull() }
    let choice = WorkingCalendar.isWorkingHour(time) ? working : otherwise
    choice.fill(&cell, row: row, draws: &draws)
  }
}
