import DataModel
import Testing

@testable import Generators

struct DateGeneratorTests {
  private let day = 86_400.0

  @Test(arguments: ["any", "working", "leisure"])
  func `the map from activity to time has an inverse and rises`(pattern: String) throws {
    let calendar = WorkingCalendar(try #require(WorkingCalendar.Pattern(rawValue: pattern)))
    var previous = -1e18
    for step in stride(from: -2_000_000.0, through: 2_000_000, by: 9_973) {
      let activity = calendar.activity(until: step)
      #expect(activity > previous)
      #expect(abs(calendar.time(at: activity) - step) < 1e-6)
      previous = activity
    }
  }

  @Test func `dates stay within their period`() throws {
    let rule = "{ date: { from: 2024-02-28, to: 2024-03-02 } }"
    let numbers = try Dataset.ofThing("date", rule, count: 2_000).numbers()
    let from = Double(try #require(ReferenceDate.seconds(iso8601: "2024-02-28")))
    #expect(numbers.allSatisfy { $0 >= from && $0 < from + 3 * day })
    #expect(numbers.contains { $0 > from + 2.5 * day })
  }

  @Test func `working days are busy and weekends quiet`() throws {
    let rule = "{ date: { from: 2024-01-01, to: 2024-12-30, pattern: working } }"
    let numbers = try Dataset.ofThing("date", rule, count: 5_000).numbers()
    // Day 0 is 2001-01-01, a Monday.
    let weekend = numbers.count { ($0 / day).truncatingRemainder(dividingBy: 7) >= 5 }
    #expect(weekend > 20 && weekend < 500)
    let office = numbers.count {
      (8..<18).contains($0.truncatingRemainder(dividingBy: day) / 3_600)
    }
    #expect(office > 4_000)
  }

  @Test func `ordered dates rise from row to row`() throws {
    let rule = "{ date: { ordered: true, pattern: working } }"
    let numbers = try Dataset.ofThing("date", rule, count: 3_000).numbers()
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(arguments: [("second", 1.0), ("minute", 60), ("hour", 3_600), ("day", 86_400)])
  func `dates are cut to their precision and stored as integers`(
    precision: String,
    unit: Double
  ) throws {
    let rule = "{ date: { precision: \(precision) } }"
    for value in try Dataset.ofThing("date", rule, count: 200).things() {
      guard case .integer(let seconds) = value else {
        Issue.record("\(value) is no integer")
        continue
      }
      #expect(Double(seconds).truncatingRemainder(dividingBy: unit) == 0)
    }
  }

  @Test func `a later date follows its base, and only where the condition holds`() throws {
    let recipe = try Recipes.make(
      model: """
        Thing:
          attributes:
            createdAt: { type: date, optional: false }
            isDone: { type: boolean, optional: false, default: false }
            doneAt: date
        """,
      """
      entities:
        Thing:
          count: 2_000
          attributes:
            isDone: { chance: 0.5 }
            doneAt: { date: { after: createdAt, days: { exponential: 3 }, precision: day }, when: isDone }
      """
    )
    let dataset = Dataset(recipe)
    func number(_ attribute: String, _ row: Int) throws -> Double? {
      switch try dataset.value(entity: "Thing", row: row, attribute: attribute) {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      default: nil
      }
    }
    var late = 0
    for row in 0..<2_000 {
      let done = try number("doneAt", row)
      #expect((done != nil) == (try number("isDone", row) == 1))
      guard let done, let created = try number("createdAt", row) else { continue }
      #expect(done >= created)
      if done > created + 3 * day { late += 1 }
    }
    #expect(late > 200 && late < 600)
  }
}
