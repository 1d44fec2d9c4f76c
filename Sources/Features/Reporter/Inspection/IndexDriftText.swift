import Basics
import PersistentStore
import Runner

/// How the indexes of a store and of a model have drifted apart, as text for a terminal.
package struct IndexDriftText {
  private let drift: IndexDrift
  private var report: ReportText

  /// The three groups, each with what to do about it.
  package static func text(of drift: IndexDrift, width: Int) -> String {
    report(of: drift, width: width).text
  }

  static func report(of drift: IndexDrift, width: Int) -> ReportText {
    var text = IndexDriftText(drift, width: width)
    text.write()
    return text.report
  }

  private init(_ drift: IndexDrift, width: Int) {
    self.drift = drift
    report = ReportText(width: width)
  }

  private mutating func write() {
    report.heading("INDEXES")
    guard !drift.isEmpty else {
      return report.paragraph("the store has the model's indexes and no others")
    }
    group(
      drift.missing,
      "in the model, missing in the store",
      "adding an index to a model does not change existing stores; the app has to create it"
    )
    group(drift.superfluous, "in the store, not in the model", "")
    group(drift.redundant, "its columns are the first columns of another index", "")
    report.paragraph(
      "--advise WORKLOAD measures on a copy what each index costs and saves",
      mark: "→ "
    )
  }

  private mutating func group(_ indexes: [IndexDrift.Index], _ title: String, _ note: String) {
    guard !indexes.isEmpty else { return }
    report.paragraph("\(title) (\(indexes.count))" + (note.isEmpty ? "" : ": " + note))
    report.list(
      indexes.map { index in
        let size = index.bytes.map { ", \(SurveyText.bytes($0))" } ?? ""
        return "\(index.name) on \(index.table)\(size)"
          + (index.note.isEmpty ? "" : ": \(index.note)")
      }
    )
  }
}

/// What an index costs and saves, measured on copies of a store.
package struct IndexAdvice: Encodable, Sendable {
  /// What was done to the copy.
  package enum Change: String, Encodable, Sendable {
    case create
    case drop
  }

  /// One fetch without and with the change.
  package struct Fetch: Encodable, Sendable {
    package let id: String
    /// Median wall times in seconds.
    package let before: Double
    package let after: Double
    /// Pages read into SQLite's page cache; `nil` where they were not counted.
    package let pagesBefore: Double?
    package let pagesAfter: Double?
    /// Steps of SQLite's virtual machine, which repeat exactly; `nil` where they were not counted.
    package let stepsBefore: Double?
    package let stepsAfter: Double?

    package init(
      id: String,
      before: Double,
      after: Double,
      pages: (before: Double?, after: Double?),
      steps: (before: Double?, after: Double?)
    ) {
      self.id = id
      self.before = before
      self.after = after
      (pagesBefore, pagesAfter) = pages
      (stepsBefore, stepsAfter) = steps
    }
  }

  package let index: String
  package let table: String
  package let change: Change
  /// The statement that makes the index.
  package let sql: String
  /// Bytes that the store grows by; negative where it shrinks.
  package let bytes: Int64
  package let fetches: [Fetch]
  /// Median seconds of a save that changes the index's columns in some objects.
  package let saveBefore: Double
  package let saveAfter: Double
  /// Objects of that save.
  package let savedObjects: Int

  package init(
    index: IndexDrift.Index,
    change: Change,
    bytes: Int64,
    fetches: [Fetch],
    save: (before: Double, after: Double, objects: Int)
  ) {
    self.index = index.name
    table = index.table
    self.change = change
    sql = index.sql
    self.bytes = bytes
    self.fetches = fetches
    saveBefore = save.before
    saveAfter = save.after
    savedObjects = save.objects
  }

  /// A fetch is worth a line where its steps or, uncounted, its time differ by a twentieth.
  private static let leastChange = 0.05

  /// The fetches that the change makes cheaper or dearer, the greatest difference first.
  var changed: [Fetch] {
    func share(_ fetch: Fetch) -> Double {
      let (before, after) = (
        fetch.stepsBefore ?? fetch.before, fetch.stepsAfter ?? fetch.after
      )
      return before > 0 ? abs(after - before) / before : 0
    }
    return fetches.filter { share($0) >= Self.leastChange }.sorted { share($0) > share($1) }
  }

  /// The advice of all indexes, for a terminal.
  package static func text(of advice: [IndexAdvice], width: Int) -> String {
    var report = ReportText(width: width)
    report.heading("ADVICE")
    guard !advice.isEmpty else {
      report.paragraph("no index is missing or superfluous, so nothing was measured")
      return report.text
    }
    for one in advice { one.write(to: &report) }
    report.paragraph(
      "Times are medians on copies of the store. Pages (read into SQLite's page cache) and steps "
        + "(of its virtual machine) repeat exactly. 'save' changes the index's columns in the "
        + "stated number of objects."
    )
    return report.text
  }

  private static let mostFetches = 6

  private func write(to report: inout ReportText) {
    let verb = change == .create ? "create" : "drop"
    report.paragraph("\(verb) \(index) on \(table)")
    let size = SurveyText.bytes(abs(bytes))
    report.paragraph("size    \(bytes < 0 ? "frees" : "adds") \(size)", indent: 4)
    report.paragraph(
      "save    \(Self.times(saveBefore, saveAfter)) for \(savedObjects) objects",
      indent: 4
    )
    let shown = changed.prefix(Self.mostFetches)
    if shown.isEmpty {
      report.paragraph("fetch   none of \(fetches.count) changes", indent: 4)
    }
    for fetch in shown {
      var line = "fetch   \(fetch.id): \(Self.times(fetch.before, fetch.after))"
      line += Self.counts(fetch.pagesBefore, fetch.pagesAfter, "pages")
      line += Self.counts(fetch.stepsBefore, fetch.stepsAfter, "steps")
      report.paragraph(line, indent: 4)
    }
    if changed.count > shown.count {
      report.paragraph("and \(changed.count - shown.count) more fetches", indent: 4)
    }
  }

  private static func counts(_ before: Double?, _ after: Double?, _ unit: String) -> String {
    guard let before, let after else { return "" }
    return ", \(Int(before).grouped) → \(Int(after).grouped) \(unit)"
  }

  private static func times(_ before: Double, _ after: Double) -> String {
    "\(Figures.seconds(before, .aligned)) → \(Figures.seconds(after, .aligned))"
  }
}

/// The drift and the advice as JSON for programs.
package struct IndexAdviceDocument: Encodable, Sendable {
  let format = "storebench.indexes"
  let formatVersion = 1
  let store: String
  let drift: IndexDrift
  let advice: [IndexAdvice]

  package init(store: String, drift: IndexDrift, advice: [IndexAdvice]) {
    self.store = store
    self.drift = drift
    self.advice = advice
  }
}
