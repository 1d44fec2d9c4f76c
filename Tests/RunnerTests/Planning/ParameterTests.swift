import Testing

@testable import Runner

struct ParameterTests {
  enum Colour: String, CaseIterable, Sendable {
    case red
    case blue
  }

  struct Paint: ParameterSet {
    @Parameter("what it looks like") var colour = Colour.blue
    @Parameter(bytes: 0...4096, "of a can") var size = 1024
    @Parameter(0...0.5, "of the can that is left") var share = 0.25
    @Parameter(named: "gloss", "whether it shines") var isGlossy = false
    @Parameter(.names, "who paints") var painters: [String] = []

    var irrelevant: Set<ParameterName> { isGlossy ? [] : [$share] }
  }

  @Test func `a declaration gives a parameter its name, values, default and description`() {
    #expect(Paint.axes.map(\.name) == ["colour", "size", "share", "gloss", "painters"])
    #expect(Paint.axes.map(\.domain).prefix(2) == [.choice(["red", "blue"]), .bytes(0...4096)])
    #expect(
      Paint.axes.map(\.defaultValue)
        == [.text("blue"), .integer(1024), .real(0.25), .boolean(false), .list([])]
    )
    #expect(Paint.axes.map(\.summary).first == "what it looks like")
  }

  @Test func `values are typed, and what is not given has its default`() {
    let paint = Paint(
      ParameterValues(["colour": .text("red"), "share": .integer(0), "gloss": .boolean(true)])
    )
    #expect(paint.colour == .red)
    #expect(paint.share == 0)
    #expect(paint.isGlossy)
    #expect(paint.size == 1024)
    #expect(paint.values["gloss"] == .boolean(true))
    #expect(paint.values["size"] == .integer(1024))
    #expect(Paint().colour == .blue)
  }

  @Test func `a parameter is named by its property`() {
    #expect(Paint(ParameterValues()).irrelevant.map(\.description) == ["share"])
    #expect(Paint(ParameterValues()).$isGlossy.description == "gloss")
  }

  @Test func `a parameter has a line in the reference`() {
    #expect(
      Paint.axes.map { "\($0.name): \($0.valuesAndDefault): \($0.summary)" } == [
        "colour: red, blue; default blue: what it looks like",
        "size: 0 to 4,096 bytes; default 1024: of a can",
        "share: 0 to 0.5; default 0.25: of the can that is left",
        "gloss: true, false; default false: whether it shines",
        "painters: names; default none: who paints",
      ]
    )
  }
}
