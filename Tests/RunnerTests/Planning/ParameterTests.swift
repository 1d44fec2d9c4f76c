import DataModel
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

  private static let actions = Axis(
    name: "actions",
    domain: .actions([
      Axis.Action("launch"),
      Axis.Action("scroll", count: Axis.Action.Count(1...9_000, standard: 100, "objects")),
    ]),
    defaultValue: .list(["launch"]),
    summary: "what is done"
  )

  private func read(_ yaml: String) throws -> (values: [String]?, problems: [String]) {
    let diagnostics = Diagnostics(file: "w.yaml")
    let top = try #require(YAMLDocument.parse("actions: " + yaml, into: diagnostics)?.mapping())
    let values = try Self.actions.readValues(#require(top["actions"]))
    return (values?.map(\.value.description), diagnostics.all.map(\.description))
  }

  @Test(
    arguments: zip(
      ["launch", "[launch, scroll]", "[launch, scroll: 2_000]", "[[launch], [scroll: 7, launch]]"],
      [["launch"], ["launch+scroll:100"], ["launch+scroll:2000"], ["launch", "scroll:7+launch"]]
    )
  )
  func `a list of actions is one value, and a list of such lists an axis`(
    yaml: String,
    values: [String]
  ) throws {
    #expect(try read(yaml).values == values)
  }

  @Test(
    arguments: zip(
      [
        "[lunch]", "[launch, jump]", "[scrol: 5]", "[scroll: 0]", "[scroll: far]", "[launch: 2]",
        "[{ scroll: 5, launch: 1 }]", "[[]]", "[]",
      ],
      [
        "1:11: error: item 1 of 'actions' cannot be 'lunch'; did you mean 'launch'?",
        "1:19: error: item 2 of 'actions' cannot be 'jump' (one of launch, scroll)",
        "1:11: error: item 1 of 'actions' cannot be 'scrol'; did you mean 'scroll'?",
        "1:19: error: 'scroll' must be from 1 to 9000, not 0",
        "1:19: error: 'scroll' must be a whole number, not text 'far'",
        "1:19: error: 'launch' takes no number: write it without one",
        "1:11: error: item 1 of 'actions' must be one action, such as 'scroll: 100'",
        "1:11: error: item 1 of 'actions' has no actions; leave it out for its default, launch",
        "1:10: error: 'actions' has no values; leave it out for its default, launch",
      ]
    )
  )
  func `a list of actions says what is wrong with it`(yaml: String, message: String) throws {
    let found = try read(yaml)
    #expect(found.values == nil)
    #expect(found.problems == ["w.yaml:" + message])
  }
}
