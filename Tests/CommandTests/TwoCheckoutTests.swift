import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests a gate in two checkouts at different paths: stored files must contain no absolute path.
@Suite(.serialized) struct TwoCheckoutTests {
  private let program: StorebenchProcess

  init() throws { program = try StorebenchProcess() }

  /// The locations of a repository's workloads and model.
  struct Layout: Sendable, CustomTestStringConvertible {
    var name: String
    /// The folder of the workloads, relative to the repository.
    var workloads: String
    /// The folder of the model, relative to the repository.
    var models: String
    /// The path of the model in the recipe, relative to the workloads' folder.
    var reference: String
    /// A symbolic link to make in the repository, with its target.
    var link: (from: String, to: String)?

    var testDescription: String { name }
  }

  static let layouts = [
    Layout(
      name: "below",
      workloads: "Workloads",
      models: "Workloads/models",
      reference: "models/App.xcdatamodeld"
    ),
    Layout(
      name: "above",
      workloads: "Tools/Gate/Workloads",
      models: ".",
      reference: "../../../App.xcdatamodeld"
    ),
    Layout(
      name: "beside, with spaces and umlauts",
      workloads: "Meine Läufe/Workloads",
      models: "Die Äpp/Mödelle 1",
      reference: "../../Die Äpp/Mödelle 1/App.xcdatamodeld"
    ),
    Layout(
      name: "through a link of the repository",
      workloads: "Workloads",
      models: "App",
      reference: "shared/App.xcdatamodeld",
      link: ("Workloads/shared", "../App")
    ),
  ]

  private func write(_ layout: Layout, in checkout: String, index: Bool) throws {
    let indexes =
      index
      ? """
      <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" \
      order="ascending"/></fetchIndex>
      """ : ""
    try program.folder.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Task" representedClassName="Task" syncable="YES">
          <attribute name="title" optional="YES" attributeType="String"/>
          \(indexes)
        </entity>
      </model>
      """,
      to: "\(checkout)/\(layout.models)/App.xcdatamodeld/App.xcdatamodel/contents"
    )
    try program.folder.write(
      "format: 1\nmodel: \"\(layout.reference)\"\nseed: 5\nentities:\n  Task: { count: 200 }\n",
      to: "\(checkout)/\(layout.workloads)/recipes/app.yaml"
    )
    try program.folder.write(
      """
      kind: fetch
      store: { recipe: recipes/app.yaml }
      parameters: { entity: Task, strategy: batched, batchSize: 20, sort: [title] }
      trials: { trials: 1 }
      """,
      to: "\(checkout)/\(layout.workloads)/ci/fetch.yaml"
    )
  }

  private func run(_ script: String, in checkout: String) throws -> StorebenchProcess.Ending {
    let bash = "storebench() { \"$0\" \"$@\"; }; cd \"$1\" && " + script
    return try program.start(
      ["-e", "-c", bash, try StorebenchProcess.program(), checkout],
      program: "/bin/bash"
    ).wait()
  }

  private static let measure =
    "storebench run \"$W/ci\" --allow-debug --force --output out 2>&1 && "

  @Test(arguments: layouts)
  func `fuzz: a baseline of one checkout judges another, by cause`(layout: Layout) throws {
    let (first, second) = ("first", "zweiter Ort/Prüfung")
    try write(layout, in: first, index: true)
    if let link = layout.link {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.path + "/first/" + link.from,
        withDestinationPath: link.to
      )
    }
    let workloads = "W='\(layout.workloads)'; "
    let made = try run(
      workloads + "git init --quiet && " + Self.measure
        + "storebench baseline update out && storebench history add out --commit a1b2c3d "
        + "&& rm -rf .storebench",
      in: first
    )
    try #require(made.status == 0, "\(made.output)\(made.errors)")
    let copy = "mkdir -p 'zweiter Ort' && cp -a first '\(second)' && ln -s '\(second)' link"
    try #require(try run(copy, in: ".").status == 0)
    // Reach the second checkout also by a link: for one layout, and for all in `make fuzz`.
    let hasLink = layout.name == "below" || FuzzSeeds.isThorough
    for place in hasLink ? [second, "link"] : [second] {
      try write(layout, in: second, index: true)
      let compare = "storebench compare Results/baselines out --require-verdict"
      let same = try run(workloads + Self.measure + compare, in: place)
      #expect(same.status == 0, "\(same.output)\(same.errors)")
      try write(layout, in: second, index: false)
      let dropped = try run(workloads + Self.measure + compare, in: place)
      #expect(dropped.status == 2, "\(dropped.output)\(dropped.errors)")
      // The output is wrapped at the terminal's width.
      let words = dropped.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("no more index byTitle of Task (title)"), "\(dropped.output)")
    }
    // Committed files must contain no path of this machine.
    for file in program.files(below: "first/Results") where file.hasSuffix(".csv") {
      let text = try String(
        contentsOfFile: program.folder.path + "/first/Results/" + file,
        encoding: .utf8
      )
      #expect(!text.contains(program.folder.path), "\(file)")
      #expect(text.contains("App.xcdatamodeld"), "\(file)")
    }
  }
}
