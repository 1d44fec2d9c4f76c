import DataModel
import Inspector
import Reporter

/// What `inspect` does with models: one path with its versions, or what leads from one to another.
struct InspectModelsJob {
  let old: String
  /// `nil` where one path is described alone.
  let new: String?
  let format: InspectionFormat
  let target: TargetSystem?
  let showsChecklist: Bool

  func perform(on console: Console) throws {
    guard let new else { return try describe(on: console) }
    let comparison = try ModelComparison(
      from: try ModelInput.read(path: old),
      to: try ModelInput.read(path: new),
      target: target
    )
    switch format {
    case .text:
      console.print(
        MigrationText.text(
          of: comparison,
          width: console.width,
          showsChecklist: showsChecklist
        )
      )
    case .json, .yaml:
      console.print(
        try MigrationDocument(comparison, hasChecklist: showsChecklist).reportJSON()
      )
    }
  }

  private func describe(on console: Console) throws {
    switch format {
    case .text:
      console.print(
        ModelReportText.text(of: try ModelReport(path: old), width: console.width)
      )
    case .json: console.print(try ModelReportDocument(try ModelReport(path: old)).reportJSON())
    case .yaml: console.print(ModelWriter.text(of: try ModelInput.read(path: old).version.model))
    }
  }
}
