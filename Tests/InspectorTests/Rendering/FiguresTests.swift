import Testing

@testable import Inspector
@testable import Reporter

struct FiguresTests {
  @Test(arguments: [
    (Int64(0), "0"), (999, "999"), (560_000, "560,000"), (13_400_000, "13.4 M"),
    (25_000_000_000, "25.0 G"),
  ])
  func `counts stay short`(value: Int64, text: String) {
    #expect(SurveyText.count(value) == text)
  }

  @Test(arguments: [
    (Int64(0), Int64(10), "0%"), (1, 1000, "<1%"), (999, 1000, "99%"), (10, 10, "100%"),
    (1, 0, "–"), (1, 3, "33%"),
  ])
  func `a share never says all or nothing of what is not`(part: Int64, whole: Int64, text: String) {
    #expect(SurveyText.share(part, of: whole) == text)
  }

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
    #expect(SurveyText.blocks([0, 1, 4, 8]) == " ▁▄█")
    #expect(SurveyText.blocks([0, 0]).isEmpty)
  }
}
