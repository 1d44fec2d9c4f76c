import Basics
import DataModel
import PersistentStore
import Reporting
import SwiftModels

extension IndexDrift {
  /// The differences between the indexes of a store and of a model, in groups with the recommended
  /// action.
  package var section: Report.Section {
    guard !isEmpty else {
      return .init("Indexes", [.sentence("The store has the model's indexes and no others.")])
    }
    let groups = [
      (
        "In the model, missing in the store", missing,
        ": adding an index to a model does not change existing stores; the app has to create it"
      ), ("In the store, not in the model", superfluous, ""),
      ("Its columns are the first columns of another index", redundant, ""),
    ]
    let blocks = groups.filter { !$0.1.isEmpty }.flatMap { title, indexes, note -> [Report.Block] in
      [
        .sentence("\(title) (\(indexes.count))\(note)"),
        .texts(
          indexes.map { index in
            "\(index.name) on \(index.table)"
              + (index.bytes.map { ", \(Figures.bytes($0))" } ?? "")
              + (index.note.isEmpty ? "" : ": \(index.note)")
          },
          most: 40
        ),
      ]
    }
    return .init(
      "Indexes",
      blocks + [.note("--advise WORKLOAD measures on a copy what each index costs and saves")]
    )
  }
}

/// The costs and savings of an index, measured on copies of a store.
package struct IndexAdvice: Encodable, Sendable {
  /// The change to the index on a copy of the store.
  package enum Change: String, Encodable, Sendable {
    case create, drop
  }

  /// The costs of a fetch without and with the change to the index.
  package struct Fetch: Encodable, Sendable {
    package let id: String
    /// The median time without the change, in seconds; ``after`` is the median time with the
    /// change.
    package let before: Double
    package let after: Double
    /// The number of pages read into SQLite's page cache without the change; `nil` if not counted.
    package let pagesBefore: Double?
    package let pagesAfter: Double?
    /// The number of SQLite virtual machine steps without the change, an exact counter; `nil` if
    /// not counted.
    package let stepsBefore: Double?
    package let stepsAfter: Double?

    package init(
      id: String,
      time: (before: Double, after: Double),
      pages: (before: Double?, after: Double?),
      steps: (before: Double?, after: Double?)
    ) {
      (self.id, before, after) = (id, time.before, time.after)
      (pagesBefore, pagesAfter) = pages
      (stepsBefore, stepsAfter) = steps
    }
  }

  package let index: String
  package let table: String
  package let change: Change
  /// The SQL statement that creates the index.
  package let sql: String
  /// The growth of the store in bytes; negative if it shrinks.
  package let bytes: Int64
  package let fetches: [Fetch]
  /// The median time in seconds, without the change, of a save that changes the index's columns in
  /// ``savedObjects`` objects.
  package let saveBefore: Double
  package let saveAfter: Double
  /// The number of objects that the measured save changes.
  package let savedObjects: Int

  package init(
    index: IndexDrift.Index,
    change: Change,
    bytes: Int64,
    fetches: [Fetch],
    save: (before: Double, after: Double, objects: Int)
  ) {
    (self.index, table, sql) = (index.name, index.table, index.sql)
    (self.change, self.bytes, self.fetches) = (change, bytes, fetches)
    (saveBefore, saveAfter, savedObjects) = save
  }

  /// The smallest relative change of a fetch's steps (or its time, if steps were not counted) for
  /// which the fetch is listed.
  private static let leastChange = 0.05

  /// The fetches whose cost changes, the largest relative difference first.
  private var changed: [Fetch] {
    func share(_ fetch: Fetch) -> Double {
      let before = fetch.stepsBefore ?? fetch.before
      return before > 0 ? abs((fetch.stepsAfter ?? fetch.after) - before) / before : 0
    }
    return fetches.filter { share($0) >= Self.leastChange }.sorted { share($0) > share($1) }
  }

  /// Whether pages or steps were counted for a listed fetch.
  fileprivate var hasCounters: Bool {
    changed.contains { $0.pagesBefore != nil || $0.stepsBefore != nil }
  }

  private var rows: [[Report.Cell]] {
    let save: [Report.Cell] = [
      .text("save of \(Figures.counted(savedObjects, "object"))"), .number(saveBefore),
      .number(saveAfter),
    ]
    return [save]
      + changed.map { fetch -> [Report.Cell] in
        let times: [Report.Cell] = [
          .text("fetch \(fetch.id)"), .number(fetch.before), .number(fetch.after),
        ]
        let counters = [fetch.pagesBefore, fetch.pagesAfter, fetch.stepsBefore, fetch.stepsAfter]
        return hasCounters ? times + counters.map { Report.Cell.number($0, or: "") } : times
      }
  }

  private var columns: [Report.Column] {
    let times: [Report.Column] = [
      .init("Work"), .init("Before", .seconds), .init("After", .seconds),
    ]
    let counters: [Report.Column] = [
      .init("Pages before", .number), .init("Pages after", .number),
      .init("Steps before", .number), .init("Steps after", .number),
    ]
    return hasCounters ? times + counters : times
  }
}

/// The indexes of a store, with the costs and savings of each missing or superfluous index.
package struct IndexAdviceView: Encodable {
  let store: String
  let drift: IndexDrift
  let advice: [IndexAdvice]
  let model: Model

  package init(store: String, drift: IndexDrift, advice: [IndexAdvice], model: Model) {
    (self.store, self.drift, self.advice, self.model) = (store, drift, advice, model)
  }

  /// Returns the model's declaration of an index, by its name in the store.
  private func declaration(of name: String) -> SwiftIndexText? {
    for entity in model.entities {
      if let index = entity.fetchIndexes.first(where: { "Z_\(entity.name)_\($0.name)" == name }) {
        return SwiftIndexText(entity: entity.name, index: index)
      }
    }
    return nil
  }

  /// The declaration of each missing index, and advice on adding the index to users' existing
  /// stores.
  private var declarations: Report.Section? {
    let missing = drift.missing.compactMap { declaration(of: $0.name) }
    guard !missing.isEmpty else { return nil }
    let blocks = missing.flatMap { index -> [Report.Block] in
      [.command(index.swiftData), .note("In Xcode's editor: \(index.editor)")]
    }
    let shipped = SwiftIndexText.shippedStores.capitalizedFirst
    return .init("Declarations", blocks + [.sentence("\(shipped).")])
  }

  package var report: Report {
    var report = Report(
      kind: "index advice",
      title: advice.isEmpty
        ? "No index is missing or superfluous, so nothing was measured"
        : "\(Figures.counted(advice.count, "index", "indexes")) measured on copies of the store",
      source: "copies of the store"
    )
    report.sections =
      [drift.section] + advice.map(\.section) + [declarations].compactMap(\.self)
    if !advice.isEmpty {
      let verdict: Report.Text =
        advice.contains { $0.hasCounters }
        ? "Times are medians. Pages (read into SQLite's page cache) and steps (of its virtual machine) repeat exactly. A save changes the index's columns."
        : "Times are medians. A save changes the index's columns."
      report.verdict = verdict
    }
    return report
  }

  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": "storebench.indexes", "formatVersion": 1, "store": store, "drift": drift,
      "advice": advice,
      "declarations": drift.missing.compactMap { declaration(of: $0.name)?.json },
    ]
    try object.encode(to: encoder)
  }
}

extension IndexAdvice {
  fileprivate var section: Report.Section {
    let all = Figures.counted(fetches.count, "fetch", "fetches")
    let share = Figures.percent(Self.leastChange, decimals: 0)
    return .init(
      "\(change == .create ? "Create" : "Drop") \(index) on \(table)",
      [
        .sentence(
          "\(bytes < 0 ? "Frees" : "Adds") \(Figures.bytes(abs(bytes))); changes the cost of \(changed.count) of \(all) by at least \(share)."
        ),
        .table(columns, rows: rows, most: 7),
      ]
    )
  }
}
