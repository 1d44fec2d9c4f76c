import Basics
import DataModel
import Foundation
import Inspector
import Reporting
import Testing

@Suite struct ModelReportTests {
  private func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
  }

  private func markup(_ attributes: String...) -> String {
    let list = attributes.map {
      "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
    }
    return "<model><entity name=\"A\">\(list.joined())</entity></model>"
  }

  @Test func `finds a compiled model that contradicts its source`() throws {
    let fixture = try ModelFixture()
    try write(markup("title", "body"), to: fixture.folder + "/contents.xml")
    let stale = Model(
      entities: [
        Entity(
          name: "A",
          className: Entity.genericClassName,
          attributes: [Attribute(name: "title", type: .string)]
        )
      ]
    )
    try Data(ModelArchive.write(stale))
      .write(to: URL(fileURLWithPath: fixture.folder + "/M.mom"))
    let report = try ModelReport(path: fixture.folder)
    #expect(report.agreements.map(\.version) == ["M"])
    #expect(
      report.agreements.first?.differences == [
        "A: optional attribute 'body' is new, string"
      ]
    )
    let text = report.report.text()
    #expect(text.contains("contradict each other on 'M': one"))
  }

  @Test(arguments: [(["F", "F 2"], true), (["Alpha", "Beta"], false), (["v1", "v2"], true)])
  func `versions whose names do not count them have no order`(
    names: [String],
    isOrdered: Bool
  ) throws {
    let fixture = try ModelFixture()
    let path = fixture.folder + "/F.xcdatamodeld"
    for version in names { try write(markup("a"), to: "\(path)/\(version).xcdatamodel/contents") }
    let report = try ModelReport(path: path)
    #expect(report.sources[0].isOrdered == isOrdered)
    let words = report.report.text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("in the order of their") == !isOrdered, "\(words)")
  }

  @Test func `describes the steps of a family in order, within the terminal`() throws {
    let fixture = try ModelFixture()
    let path = fixture.folder + "/F.xcdatamodeld"
    for (version, attributes) in [("F", "a"), ("F 2", "b")] {
      try write(markup(attributes), to: "\(path)/\(version).xcdatamodel/contents")
    }
    let report = try ModelReport(path: path)
    let steps = ModelReport.steps(of: report.sources[0].family)
    #expect(steps.map(\.from) == ["F"])
    #expect(
      steps[0].changes == ["A: optional attribute 'b' is new, string", "A: attribute 'a' goes"]
    )
    let text = report.report.text()
    #expect(text.contains("  F → F 2: lightweight"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.contains(path) })
    #expect(try report.jsonText().contains("\"storebench.models\""))
  }

  @Test func `a family that is used with CloudKit has its rules at each step`() throws {
    let fixture = try ModelFixture()
    let path = fixture.folder + "/F.xcdatamodeld"
    for (version, attribute) in [("F", "a"), ("F 2", "b")] {
      let text = markup(attribute).replacing("<model>", with: "<model usedWithCloudKit=\"YES\">")
        .replacing(
          "</entity>",
          with: "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(attribute)\"/>"
            + "</uniquenessConstraint></uniquenessConstraints></entity>"
        )
      try write(text, to: "\(path)/\(version).xcdatamodel/contents")
    }
    let text = try ModelReport(path: path).report.text().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let additive = "CloudKit's rule 'entities and properties are only added' is broken [1]: "
    #expect(text.contains(additive + "A.a removed"), "\(text)")
    #expect(text.contains("in F 2, CloudKit's rule 'no unique constraints' is broken"), "\(text)")
  }

  @Test func `two ways of which one cannot be inferred are not both permitted`() throws {
    let fixture = try ModelFixture()
    let path = fixture.folder + "/F.xcdatamodeld"
    let dated = markup("a", "b").replacing(
      "name=\"a\" optional=\"YES\" attributeType=\"String\"",
      with: "name=\"a\" optional=\"YES\" attributeType=\"Date\""
    )
    let between = dated.replacing(
      "<attribute name=\"b\" optional=\"YES\" attributeType=\"String\"/>",
      with: ""
    )
    for (version, text) in [("F", markup("a", "b")), ("F 2", between), ("F 3", dated)] {
      try write(text, to: "\(path)/\(version).xcdatamodel/contents")
    }
    let report = try ModelReport(path: path)
    let detours = ModelReport.detours(of: report.sources[0].family)
    #expect(detours.map(\.areStepsLightweight) == [false])
    #expect(detours.map(\.isDirectLightweight) == [false])
    let text = report.report.text()
    #expect(text.contains("Neither is lightweight."), "\(text)")
    #expect(!text.contains("Both are permitted"))
    let first = try ModelInput.read(path: path + "/F.xcdatamodel")
    let comparison = try ModelComparison(from: first, to: report.sources[0])
    #expect(comparison.versions.count == 3)
    #expect(comparison.detours == [])
  }

  @Test func `takes a path for one of models by its name or by what is below it`() throws {
    let fixture = try ModelFixture()
    _ = try fixture.store("a.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    #expect(!ModelReport.isAbout(fixture.folder))
    #expect(!ModelReport.isAbout(fixture.folder + "/a.sqlite"))
    #expect(ModelReport.isAbout("x/M.xcdatamodeld"))
    try write(markup("a"), to: fixture.folder + "/App/F.xcdatamodel/contents")
    #expect(ModelReport.isAbout(fixture.folder))
  }

  @Test func `refuses what is neither a store nor a model`() throws {
    let fixture = try ModelFixture()
    try write("hello", to: fixture.folder + "/notes.txt")
    #expect(
      throws: Refusal.badInput(
        "'\(fixture.folder + "/notes.txt")' is neither a SQLite file nor a model: "
          + "name a store, a folder with stores, an .xcdatamodeld, .xcdatamodel, "
          + ".momd, .mom, .swift or model .yaml"
      )
    ) {
      try ModelInput.read(path: fixture.folder + "/notes.txt")
    }
    #expect(throws: Refusal.noSuchFile(path: fixture.folder + "/none")) {
      try ModelInput.read(path: fixture.folder + "/none")
    }
  }

  @Test func `leaves no trace in the folder of a store`() throws {
    let fixture = try ModelFixture()
    _ = try fixture.store("a.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted()
    let input = try ModelInput.read(path: fixture.folder + "/a.sqlite")
    _ = try ModelComparison(from: input, to: input)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted() == before)
  }

  @Test func `fits a comparison into eighty columns, with its sources at the end`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.model("old", ModelFixture.note, ModelFixture.folderEntity)
    let new = try fixture.model("new", Entity(name: "Folder"))
    let comparison = try ModelComparison(from: old, to: new, target: .ios17)
    let text = MigrationView(comparison, showsChecklist: true).report.text()
    let wide = text.split(separator: "\n").filter { $0.count > 80 && !$0.contains("https://") }
    #expect(wide == [])
    #expect(text.contains("\nSources\n"))
    #expect(text.contains("\nChecklist\n"))
    let json = try MigrationView(comparison, showsChecklist: true).jsonText()
    #expect(json.contains("\"checklist\""))
    #expect(json.contains("\"storebench.migration\""))
  }
}
