import Basics
import Reporting

extension IndexProposals {
  /// The proposal in one line: the number of new indexes and their savings.
  package var headline: String {
    guard let chosen else { return "No new index saves 1 % of the statements' steps" }
    let share = Double(saving(chosen)) / Double(max(before.vmSteps, 1))
    let time = saved.flatMap { $0.low > 0 ? " and \(Figures.seconds($0.median))" : nil } ?? ""
    return "\(Figures.counted(chosen.indexes.count, "new index", "new indexes")) saves "
      + "\(Figures.percent(share)) of SQLite's steps\(time)"
  }

  /// Returns the proposed indexes with their savings and costs, then every candidate.
  package func section(_ vocabulary: Vocabulary) -> Report.Section {
    let title = "Indexes that the statements could use"
    guard doubt.isEmpty else { return .init(title, [.warning("Not measured: \(doubt).")]) }
    guard !single.isEmpty else {
      return .init(title, [.sentence("No predicate, order or join lacks an index.")])
    }
    var blocks: [Report.Block] = []
    if let chosen {
      let names = chosen.indexes.map { Self.words($0, vocabulary) }
      let time = saved.map { saved in
        saved.low > 0
          ? ", \(Figures.seconds(saved.median)) (\(Figures.seconds(saved.low)) to \(Figures.seconds(saved.high)))"
          : ", no difference of the time"
      }
      blocks.append(
        .sentence(
          "\(strong: names.joined(separator: " and ")): saves \(Figures.percent(Double(saving(chosen)) / Double(max(before.vmSteps, 1)))) of SQLite's steps\(time ?? "")."
        )
      )
      let written = chosen.counters.pagesWritten - before.pagesWritten
      let each =
        saves > 0
        ? ", \(Figures.significant(Double(written) / Double(saves))) pages written more per save"
        : ""
      blocks.append(
        .sentence(
          "Cost: \(Figures.bytes(Int64(chosen.counters.storeBytes - before.storeBytes)))\(each)\(saveCost.map { ", \($0.costOfSave)" } ?? ", the log has no save to measure")."
        )
      )
      blocks.append(.list(chosen.indexes.map { .code($0.sql) }))
    } else {
      blocks.append(.sentence("None of the candidates saves 1 % of SQLite's steps."))
    }
    let rows = (single + combined).sorted { saving($0) > saving($1) }.map {
      measured -> [Report.Cell] in
      [
        .text(measured.indexes.map { Self.words($0, vocabulary) }.joined(separator: " + ")),
        .number(Double(saving(measured)) / Double(max(before.vmSteps, 1))),
        .number(measured.counters.vmSteps), .number(measured.counters.pagesRead),
        .number(Double(measured.counters.storeBytes - before.storeBytes)),
      ]
    }
    blocks.append(
      .table(
        [
          .init("Index"), .init("Saved", .share), .init("Steps", .number),
          .init("Pages read", .number), .init("Bytes", .bytes),
        ],
        rows: rows,
        most: 12
      )
    )
    blocks.append(
      .note(
        "Each row is a replay of the log on a copy with these indexes. The proposal is the smallest set that saves at least 90 % of what the best one saves."
      )
    )
    return .init(title, question: "Which indexes should the model get?", blocks)
  }

  private static func words(_ index: IndexCandidate, _ vocabulary: Vocabulary) -> String {
    let names = index.columns.map { vocabulary.property($0.name, of: index.table) }
    return "\(vocabulary.entity(of: index.table)) (\(names.joined(separator: ", ")))"
  }
}
