import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Runner

enum InspectionFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case html
  case json
  case yaml
}

struct InspectJob {
  let paths: [String]
  let model: ModelFamily?
  let format: InspectionFormat

  func describe(on console: Console) throws {
    if format == .yaml || ModelReport.isAbout(paths[0]) {
      try describeModel(on: console)
      let hasStores = (try? StoreSearch.stores(in: paths[0])) != nil
      // Describe the stores only in text: JSON output is a single document, and its report on the
      // models already lists the stores.
      guard format == .text, hasStores else { return }
    }
    try describeStores(on: console)
  }

  // MARK: Readiness

  func readiness(
    target: TargetSystem,
    modelPath: String?,
    on console: Console
  ) throws -> Readiness {
    let old = try ModelInput.read(path: paths[0], model: model)
    let new = try paths.dropFirst().first.map { try ModelInput.read(path: $0, model: model) }
    return Readiness(
      try ModelComparison(from: old, to: new ?? old, target: target),
      survey: try old.store.map { try survey($0.store, console) },
      hasNewSide: new != nil,
      modelPath: modelPath
    )
  }

  // MARK: Models

  /// Compares the models at two paths, using a map file or inferred renames.
  ///
  /// `modelPath` is the model file for stores that do not contain their model.
  func compareModels(
    target: TargetSystem?,
    mapPath: String?,
    modelPath: String?,
    showsChecklist: Bool,
    on console: Console
  ) throws {
    let comparison = try ModelComparison(
      from: try ModelInput.read(path: paths[0], model: model),
      to: try ModelInput.read(path: paths[1], model: model),
      target: target,
      mapPath: mapPath
    )
    let drift = try comparison.indexDrift()
    let view = MigrationView(
      comparison,
      showsChecklist: showsChecklist,
      modelPath: modelPath,
      indexes: drift,
      survey: try comparison.old.store.map { try survey($0.store, console) }
    )
    switch format {
    case .text, .html: console.show(view.report, asPage: format == .html)
    case .json, .yaml: console.write(try view.jsonText())
    }
  }

  func writeDraft(on console: Console) throws {
    let old = try ModelInput.read(path: paths[0], model: model)
    let new = try ModelInput.read(path: paths[1], model: model)
    let draft = MapDraft(from: old.version.model, to: new.version.model)
    console.write(
      draft.text(
        title: "From \(old.title) to \(new.title).",
        counts: try old.store?.objectCounts() ?? [:]
      )
    )
  }

  private func describeModel(on console: Console) throws {
    let path = paths[0]
    switch format {
    case .text, .html: console.show(try ModelReport(path: path).report, asPage: format == .html)
    case .json: console.write(try ModelReport(path: path).jsonText())
    case .yaml:
      console.printDocument(
        ModelWriter.text(of: try ModelInput.read(path: path, model: model).version.model)
      )
    }
  }

  // MARK: Stores

  private func describeStores(on console: Console) throws {
    guard StoreSearch.isFolder(paths[0]) else {
      let survey = try survey(StoreFile(path: paths[0]), console)
      switch format {
      case .text, .html: console.show(survey.report, asPage: format == .html)
      case .json, .yaml: console.write(try survey.jsonText())
      }
      return
    }
    var surveys: [StoreSurvey] = []
    var refused: [(path: String, error: any Error)] = []
    for store in try StoreSearch.stores(in: paths[0]) {
      do {
        let survey = try survey(store, console)
        surveys.append(survey)
        guard format == .text else { continue }
        if surveys.count > 1 { console.print("") }
        console.show(survey.report)
      } catch {
        refused.append((store.path, error))
      }
    }
    if format == .json {
      let folder: JSONObject = [
        "stores": surveys,
        "refused": Dictionary(keepingFirst: refused.map { ($0.path, "\($0.error)") }),
      ]
      console.write(try folder.jsonText())
    }
    if format == .html, !surveys.isEmpty {
      let reasons = refused.map { "\($0.error)" }
      console.show(StoreSurvey.report(of: surveys, refused: reasons), asPage: true)
    }
    for (_, error) in refused { console.note("left out: \(error)") }
    if surveys.isEmpty, let first = refused.first { throw first.error }
  }

  func survey(_ store: StoreFile, _ console: Console) throws -> StoreSurvey {
    try ProgressLine.during(console) { line in
      var surveyor = StoreSurveyor(store)
      surveyor.model = model
      surveyor.progress = { line.take($0) }
      return try surveyor.survey()
    }
  }

  // MARK: Store profiles

  func writeProfile(k: Int, on console: Console) throws {
    let content = try PlainContent.open(StoreFile(path: paths[0]), model: model)
    let profile = try StoreColumns(content).profile(k: k, on: console)
    console.write(ProfileWriter(profile).text)
    profile.note(on: console)
  }
}

extension StoreProfile {
  func note(on console: Console) {
    for line in remarkLines { console.note(line) }
  }
}

extension StoreContent {
  /// Returns the content of a copy of an app's store; a given model is written into the copy.
  ///
  /// Error messages name the user's path instead of the copy's path.
  static func copied(
    from path: String,
    model: ModelFamily? = nil,
    in scratch: ScratchFolder
  ) throws -> StoreContent {
    let made = MadeStore(path: path)
    let copy = try made.copy(into: try scratch.emptyFolder("original"))
    // Read the original first, so that an error names the user's path.
    let facts = try StoreFacts(store: made.source, model: model)
    if model != nil { try ModelCache.write(facts.model, to: copy) }
    return try PlainContent.open(copy, path: made.source.path)
  }
}

extension StoreColumns {
  func profile(
    k: Int,
    texts: TextChoice = TextChoice(),
    on console: Console
  ) throws -> StoreProfile {
    try ProgressLine.during(console) { line in
      try StoreProfiler(self, k: k, texts: texts) { line.take("profiling \($0)") }.profile()
    }
  }
}
