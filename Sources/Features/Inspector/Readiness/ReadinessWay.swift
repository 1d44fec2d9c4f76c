import Basics
import DataModel
import PersistentStore
import SwiftModels

extension Readiness {
  /// The migration method, with the reason for the choice.
  var chosen: (way: Way, reason: String) {
    if !hasNewSide { return alone }
    if comparison.isSameVersion { return (.none, sameness) }
    if comparison.mapPath != nil { return (.copyByMap, "the map says what becomes of each object") }
    let isRenamed = comparison.needsNewNames
    if !isRenamed, obstacles.allSatisfy(\.lacksOnlyDefault) {
      let changes = comparison.mapping.changes.count
      if changes == 0, obstacles.isEmpty {
        let hashes = comparison.hasEqualHashes == false ? "the version hashes differ, though " : ""
        return (.lightweight, hashes + "no change of the model is known")
      }
      let count = Figures.counted(changes, "change")
      let known = comparison.mapping.changedStructs.isEmpty ? "" : ", as far as known"
      let rest = (obstacles.isEmpty ? "" : " once defaults are given") + known
      return (.lightweight, "the frameworks can make all changes (\(count))\(rest)")
    }
    let first = comparison.renameFirst
    if let first, first.isPossible {
      let changes = first.isDrafted ? "seems to change" : "changes"
      return (
        .renameFirst,
        "nothing but names \(changes); that SwiftData then opens the store is assumed"
      )
    }
    if isRenamed {
      return (.copyByMap, first?.reason ?? "entities have other names in the new model")
    }
    // Omit the solution after the semicolon in the obstacle's sentence if the solution is an
    // intermediate version, which `wayWords` states.
    let sentence = obstacles.first { !$0.lacksOnlyDefault }?.description ?? ""
    return (.copyByMap, isBridged ? Item(sentence: sentence).text : sentence)
  }

  /// The reason why no migration is needed.
  private var sameness: String {
    if comparison.hasEqualHashes == true { return "both have the same version of every entity" }
    let changes = comparison.mapping.changes.count
    let reason =
      changes == 0
      ? "the schemas are equal"
      : "what differs does not decide the version (\(Figures.counted(changes, "change")))"
    return comparison.isTowardsSwiftData ? "\(reason); equal hashes are assumed" : reason
  }

  private var alone: (way: Way, reason: String) {
    guard comparison.isTowardsSwiftData else {
      return (.none, "it is a \(old.store == nil ? "model" : "store") of SwiftData already")
    }
    let hard = comparison.swiftData.first {
      $0.isBroken && $0.rule == MigrationComplexity.hardRule
    }
    if let hard {
      return (
        .copyByMap,
        "SwiftData has \(hard.text.prefix { $0 != ":" && $0 != ";" }) (\(Figures.few(hard.places)))"
      )
    }
    if let difference = own.difference { return (.lightweight, difference) }
    let unknown = own.unknown.joined(separator: ", ")
    return (
      .lightweight,
      unknown.isEmpty
        ? "SwiftData has all that decides the version; equal hashes are assumed"
        : "the frameworks can make all changes; not known whether hashes differ (\(unknown))"
    )
  }

  private var own: OwnIdentity { OwnIdentity(model: old.version.model) }

  /// Whether the hashes differ, so that an app without a plan lets the frameworks infer one
  /// migration.
  private var infersMigration: Bool {
    guard way == .lightweight else { return false }
    return hasNewSide
      ? comparison.isOtherVersion && !comparison.hasPlan
      : comparison.isTowardsSwiftData && own.difference != nil
  }

  /// Whether an intermediate version can make every change that a lightweight migration cannot.
  private var isBridged: Bool {
    hasNewSide && comparison.mapPath == nil && !comparison.needsNewNames && !obstacles.isEmpty
      && obstacles.allSatisfy(\.isBridged)
  }

  var need: String? {
    switch way {
    case .none, .lightweight: nil
    case .renameFirst: "a last Core Data release"
    case .copyByMap:
      comparison.mapping.map != nil
        ? nil : isBridged ? "a version between or a copy by a map" : "a copy by a map"
    }
  }

  var wayWords: String {
    if infersMigration { return "\(way.words), one inferred migration" }
    return way == .copyByMap && isBridged ? "a version between, or a copy by a map" : way.words
  }
}

extension Readiness {
  /// Whether the team decides on a rename of an entity, because a renaming identifier in the new
  /// model is sufficient.
  func isOpen(_ rename: ModelComparison.SuspectedRename) -> Bool {
    comparison.isWithinCoreData && rename.entity == nil && comparison.mapping.map == nil
  }

  var renames: [Item] { comparison.suspectedRenames.map { decision(on: $0) } }

  /// Returns the decision on a rename, with the number of objects that are lost without the rename.
  private func decision(on rename: ModelComparison.SuspectedRename) -> Item {
    guard isOpen(rename) else { return Item(text: rename.sentence, advice: "") }
    let former = old.version.model.entity(named: rename.former)
    let identifier = rename.identifier ?? former?.renamingIdentifier ?? rename.former
    let advice = "set \(rename.name)'s renaming identifier to '\(identifier)'"
    let lost = comparison.dropped.first { $0.kind == .objects && $0.entity == rename.former }?.count
    let end =
      switch lost {
      case 0?: " if it is the same; it has no objects"
      case 1?: ", or its object goes"
      case let count?: ", or its \(count.grouped) objects go"
      case nil: ", or its objects go"
      }
    return Item(
      text: "'\(rename.former)' is removed and '\(rename.name)' is new, \(rename.likeness)",
      advice: advice + end
    )
  }
}

extension Readiness {
  /// The CloudKit rules that the migration certainly violates, each with the places of the
  /// violations.
  var brokenSync: [Item] {
    guard comparison.isSynced, hasNewSide else { return [] }
    return comparison.cloudKit.compactMap { finding in
      let places = finding.places.filter { !rests($0) }
      return places.isEmpty
        ? nil
        : Item(
          text: "CloudKit's rule '\(finding.text)' is broken",
          places: places,
          advice: finding.advice
        )
    }
  }

  /// Whether a place (an entity or property) depends on an uncertain part of the sources.
  private func rests(_ place: String) -> Bool {
    let names = place.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
    return SwiftVersion.leavesOpen(names.first.map(String.init) ?? "", in: open)
  }

  var synced: [Item] {
    guard comparison.isSynced else { return [] }
    let broken = hasNewSide ? 0 : comparison.cloudKit.count(where: \.isBroken)
    return [
      Item(
        text: "CloudKit syncs it"
          + (broken == 0 ? "" : ", and its model breaks \(broken) of the rules"),
        advice: way == .copyByMap
          ? "a copy uploads every object again: merge the duplicates"
          : "deploy the schema to production before the update"
      )
    ]
  }
}
