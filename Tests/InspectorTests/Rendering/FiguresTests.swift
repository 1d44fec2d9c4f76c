import Testing

@testable import Inspector

struct FiguresTests {
  @Test(arguments: [
    (0.0, "0"), (-1234, "-1,234"), (3.14159, "3.14"), (0.98765, "0.9877"), (123.456, "123.5"),
    (1e300, "1.0e300"), (-2.5e-7, "-2.5e-7"), (17_000_000_000, "1.7e10"),
  ])
  func `numbers have few digits`(value: Double, text: String) {
    #expect(SurveyText.number(value) == text)
  }

  @Test func `days of dates that no calendar has are numbers`() {
    #expect(SurveyText.day(0) == "2001-01-01")
    #expect(SurveyText.day(1e18) == "1.0e18")
    #expect(SurveyText.day(-0.5) == "2000-12-31")
  }

  @Test func `a histogram has a block a bin`() {
    #expect(SurveyText.blocks([0, 1, 4, 8]) == "\u{2007}▁▄█")
    #expect(SurveyText.blocks([0, 0]).isEmpty)
  }
}
