import DataModel
import PersistentStore
import SQLite

/// Inspects a store: everything that a ``StoreSurvey`` says, read in one go.
///
///     let survey = try StoreSurveyor(store).survey()
package struct StoreSurveyor {
  package let store: StoreFile
  /// Told what is being read, in a few words, as often as the reader can.
  package var progress: (String) -> Void = { _ in }

  package init(_ store: StoreFile) {
    self.store = store
  }

  /// Reads the store.
  ///
  /// - Throws: ``PersistentStoreError`` or ``InspectionError`` for what is no readable store; what
  ///   is merely wrong in it is a finding.
  package func survey() throws -> StoreSurvey {
    let before = FolderState(of: store)
    progress("opening \(store.name)")
    let reader = try StoreReader(store)
    do {
      var survey = try survey(reader)
      if FolderState(of: store) != before { survey.findings.append(.changedMeanwhile(store.name)) }
      survey.findings.sort { $0.severity < $1.severity }
      return survey
    } catch let error as SQLiteError {
      throw StoreReader.refusal(error, of: store)
    }
  }

  private func survey(_ reader: StoreReader) throws -> StoreSurvey {
    let cache = CachedModel(reader)
    var survey = StoreSurvey(
      path: store.path,
      bytes: store.storeBytes,
      file: reader.header,
      wal: reader.wal,
      metadata: try MetadataScan(reader: reader, model: cache.model).survey(),
      space: SpaceSurvey()
    )
    progress("\(store.name): pages")
    survey.space = SpaceScan(reader: reader).survey()
    survey.unknownInModel = cache.unknown
    survey.findings += FileFindings(reader: reader).all
    guard let model = cache.model else {
      survey.entities = try UnmodelledEntities(reader: reader).all
      survey.findings.append(.noModel(cache.problem ?? ""))
      return survey
    }
    let layout = StoreLayout(
      model: model,
      framework: survey.metadata.frameworkVersion,
      tables: Set(reader.schema.columns.keys)
    )
    compareLayout(reader, model, &survey)
    readObjects(reader, layout, &survey)
    progress("\(store.name): history")
    readHistory(reader, layout, &survey)
    progress("\(store.name): rules")
    survey.findings += RuleFindings(reader: reader, layout: layout).all
    survey.countDangling()
    survey.findings += SurveyFindings(survey: survey).all
    if reader.budget.isSpent { survey.findings.append(.gaveUp(store.name)) }
    return survey
  }

  private func compareLayout(_ reader: StoreReader, _ model: Model, _ survey: inout StoreSurvey) {
    do {
      let comparison = try LayoutComparison(
        model: model,
        connection: reader.connection,
        path: store.path
      )
      survey.layout = LayoutSurvey(comparison)
    } catch {
      survey.findings.append(.unreadable("sqlite_schema", "\(error)"))
    }
  }

  private func readObjects(
    _ reader: StoreReader,
    _ layout: StoreLayout,
    _ survey: inout StoreSurvey
  ) {
    let folder = ExternalFolder(of: store)
    var external = ExternalDataSurvey()
    for table in layout.tables where reader.schema.has(table.name) {
      let scan = TableScan(table, layout: layout, reader: reader, folder: folder)
      scan.run { progress("\(store.name): \(table.name), \($0) objects") }
      var entities = EntitySurveys(scan: scan, layout: layout)
      entities.addRelationships(RelationshipScan(reader: reader, layout: layout))
      survey.entities += entities.all
      survey.findings += scan.findings
      for files in scan.plans.compactMap(\.external) {
        external.references += files.references
        external.missing += files.missing
        external.bytes &+= files.bytes
      }
    }
    survey.entities.sort { $0.number < $1.number }
    (external.orphaned, external.orphanedBytes) = folder.orphans()
    external.malformed = folder.malformed
    if external != ExternalDataSurvey() { survey.externalData = external }
  }

  private func readHistory(
    _ reader: StoreReader,
    _ layout: StoreLayout,
    _ survey: inout StoreSurvey
  ) {
    do {
      survey.history = try HistoryScan(reader: reader, layout: layout).survey()
      guard survey.space.limitation == nil else { return }
      let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
      survey.history?.bytes = survey.space.parts
        .filter { tables.contains($0.table ?? $0.name) }.reduce(0) { $0 + $1.bytes }
    } catch {
      survey.findings.append(.unreadable("ACHANGE", "\(error)"))
    }
  }
}

extension StoreSurvey {
  /// Gives the relationships the dangling references that the rules have counted.
  fileprivate mutating func countDangling() {
    let found = findings.filter { $0.rule == AuditRule.danglingReference.rawValue }
    let counts = Dictionary(found.map { ($0.place, $0.count) }, uniquingKeysWith: max)
    for entity in entities.indices {
      for index in entities[entity].relationships.indices {
        let column = entities[entity].relationships[index].column
        entities[entity].relationships[index].dangling = column.flatMap { counts[$0] } ?? 0
      }
    }
  }
}
