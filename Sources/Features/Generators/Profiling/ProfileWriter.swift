import DataModel
import Foundation
import PersistentStore

/// Writes a profile in the format of profile files.
///
/// Reading the file returns an equal profile.
package struct ProfileWriter {
  private let profile: StoreProfile

  package init(_ profile: StoreProfile) {
    self.profile = profile
  }

  package var text: String {
    var lines = [
      profile.k == 1
        ? "# The shape of a store with rare values too: keep it on this machine. A bin is"
        : "# The shape of a store: counts, ranges and the words of enumerations. Nothing is based on",
      profile.k == 1
        ? "# [from, to, objects], or [number, objects]."
        : "# fewer than \(profile.k) objects. A bin is [from, to, objects], or [number, objects].",
      "profile: \(StoreProfile.format)",
      "k: \(profile.k)",
      "flavour: \(profile.flavour.rawValue)",
      "framework: \(profile.frameworkVersion)",
      "versions: \(YAMLText.list(profile.versionIdentifiers.map(YAMLText.quoted)))",
    ]
    if !profile.versionHashes.isEmpty {
      lines.append("hashes:")
      for (name, hash) in profile.versionHashes.sorted(by: { $0.key < $1.key }) {
        lines.append("  \(YAMLText.word(name)): \(Data(hash).base64EncodedString())")
      }
    }
    lines.append(profile.entities.isEmpty ? "entities: {}" : "entities:")
    for entity in profile.entities { lines += entityLines(entity) }
    if let history = profile.history { lines += historyLines(history) }
    if let use = profile.pageUse { lines += pageLines(use) }
    if !profile.triggers.isEmpty {
      lines.append("triggers: \(YAMLText.list(profile.triggers.map(YAMLText.quoted)))")
    }
    lines.append("model:")
    lines += ModelWriter.text(of: profile.model).split(separator: "\n").map { "  " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }

  private var tooFew: String { "\"< \(profile.k)\"" }

  private func entityLines(_ entity: EntityProfile) -> [String] {
    let name = YAMLText.word(entity.name)
    guard let objects = entity.objects else { return ["  \(name): { objects: \(tooFew) }"] }
    var lines = ["  \(name):", "    objects: \(objects)"]
    if !entity.columns.isEmpty { lines.append("    attributes:") }
    for column in entity.columns {
      lines.append("      \(YAMLText.word(column.name)): \(columnText(column))")
    }
    if !entity.relationships.isEmpty { lines.append("    relationships:") }
    for relationship in entity.relationships {
      let keys = [
        relationship.nulls > 0 ? ("nulls", "\(relationship.nulls)") : nil,
        relationship.fanOut.isEmpty ? nil : ("counts", text(relationship.fanOut)),
        relationship.targets.isEmpty ? nil : ("targets", text(relationship.targets)),
        relationship.levels.isEmpty
          ? nil
          : (
            "levels",
            YAMLText.list(
              relationship.levels.map { YAMLText.list(["\($0.objects)", "\($0.parents)"]) }
            )
          ),
      ]
      let text = YAMLText.mapping(keys.compactMap(\.self).map { (key: $0.0, value: $0.1) })
      lines.append("      \(YAMLText.word(relationship.name)): \(text)")
    }
    return lines
  }

  private func columnText(_ column: ColumnProfile) -> String {
    var keys: [(key: String, value: String)] = []
    if column.nulls > 0 { keys.append(("nulls", "\(column.nulls)")) }
    if !column.bins.isEmpty {
      keys.append((column.measure.rawValue, text(column.bins, column.measure)))
      if column.grain != .whole { keys.append(("grain", column.grain.rawValue)) }
    }
    if let sharing = column.sharing {
      if !sharing.ranks.isEmpty {
        keys.append(("ranks", YAMLText.list(sharing.ranks.map(String.init))))
      }
      if !sharing.rankNumbers.isEmpty {
        keys.append(("rankNumbers", YAMLText.list(sharing.rankNumbers.map(text))))
      }
      if !sharing.clusters.isEmpty { keys.append(("shared", text(sharing.clusters))) }
    }
    if !column.texts.isEmpty {
      let texts = column.texts.map { YAMLText.list([YAMLText.quoted($0.text), "\($0.count)"]) }
      keys.append(("texts", YAMLText.list(texts)))
    }
    if let form = column.form {
      keys.append(("form", YAMLText.list(form.words.map(YAMLText.quoted))))
    }
    if let follow = column.follow {
      let names = YAMLText.list(follow.attributes.map(YAMLText.word))
      let parts = [(key: "attributes", value: names), (key: "seconds", value: text(follow.gaps))]
      keys.append(("follows", YAMLText.mapping(parts)))
    }
    if let presence = column.presence {
      let condition = TargetCondition(attribute: presence.attribute, values: presence.values)
      keys.append(("presentWith", text([condition])))
    }
    return YAMLText.mapping(keys)
  }

  private func text(_ targets: [TargetCondition]) -> String {
    YAMLText.mapping(
      targets.map { target in
        let values = target.values.map { value in
          switch value {
          case .null, .blob: "null"
          case .integer(let number): "\(number)"
          case .real(let number): "\(number)"
          case .text(let text): YAMLText.quoted(text)
          }
        }
        return (key: YAMLText.word(target.attribute), value: YAMLText.list(values))
      }
    )
  }

  private func historyLines(_ history: HistoryProfile) -> [String] {
    var lines = ["history:"]
    lines.append("  transactions: \(history.transactions.map(String.init) ?? tooFew)")
    if !history.changesPerTransaction.isEmpty {
      lines.append("  changesPerTransaction: \(text(history.changesPerTransaction))")
    }
    if !history.times.isEmpty { lines.append("  dates: \(text(history.times, .dates))") }
    if !history.changes.isEmpty { lines.append("  changes:") }
    for changes in history.changes {
      let keys = [
        ("inserts", changes.inserts), ("updates", changes.updates), ("deletes", changes.deletes),
      ].filter { $0.1 > 0 }.map { (key: $0.0, value: "\($0.1)") }
      lines.append("    \(YAMLText.word(changes.entity)): \(YAMLText.mapping(keys))")
    }
    return lines
  }

  private func pageLines(_ use: PageUse) -> [String] {
    var lines = ["pages:", "  free: \(use.free)"]
    if !use.fill.isEmpty { lines.append("  fill:") }
    for (name, percent) in use.fill.sorted(by: { $0.key < $1.key }) {
      lines.append("    \(YAMLText.word(name)): \(percent)")
    }
    return lines
  }

  private func text(_ bins: [Bin], _ measure: ColumnProfile.Measure = .numbers) -> String {
    YAMLText.list(
      bins.map { bin in
        let ends = bin.isPoint ? [bin.from] : [bin.from, bin.to]
        let isMonth = measure == .dates && profile.k > 1
        let texts = ends.map { isMonth ? CalendarMonth(seconds: $0).iso8601 : text($0) }
        return YAMLText.list(texts + [String(bin.count)])
      }
    )
  }

  private func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }
}
