import Basics
import DataModel
import PersistentStore

/// The verdict on whether a store is ready for the next model or for SwiftData.
///
/// It is based only on the comparison of the models and the survey of the store.
package struct Readiness: Sendable {
  /// The migration method: how the objects get into the new model.
  package enum Way: String, Encodable, Sendable {
    case none
    case lightweight
    case renameFirst
    case copyByMap

    /// The description of the migration method in a report.
    package var words: String {
      switch self {
      case .none: "no migration"
      case .lightweight: "lightweight"
      case .renameFirst: "rename first, by a last Core Data release"
      case .copyByMap: "copy by a map"
      }
    }
  }

  /// A blocker or a decision in the verdict.
  package struct Item: Hashable, Encodable, Sendable {
    package let text: String
    /// The affected entities and properties; empty if the item concerns none in particular.
    package let places: [String]
    /// The recommended action.
    package let advice: String

    init(text: String, places: [String] = [], advice: String) {
      (self.text, self.places, self.advice) = (text, places, advice)
    }

    init(sentence: String) {
      let parts = sentence.split(separator: "; ", maxSplits: 1).map(String.init)
      self.init(text: parts.first ?? sentence, advice: parts.count > 1 ? parts[1] : "")
    }
  }

  let comparison: ModelComparison
  let survey: StoreSurvey?
  let modelPath: String?
  /// Whether a new model was given; otherwise the store is compared with its own model.
  let hasNewSide: Bool
  /// The problems that make the migration fail or lose data until they are fixed.
  package private(set) var blockers: [Item] = []
  /// The decisions that only the app's team can make; they do not make the migration fail.
  package private(set) var decisions: [Item] = []
  private var choice: (way: Way, reason: String) = (.none, "")

  /// Judges the two sides of a comparison; a single store is compared with itself.
  ///
  /// Without a survey, the store's values and files are not judged.
  package init(
    _ comparison: ModelComparison,
    survey: StoreSurvey?,
    hasNewSide: Bool = true,
    modelPath: String? = nil
  ) {
    (self.comparison, self.survey, self.modelPath) = (comparison, survey, modelPath)
    self.hasNewSide = hasNewSide
    // Choose the migration method first, because the blockers and decisions depend on it.
    choice = chosen
    (blockers, decisions) = (allBlockers, allDecisions)
  }

  var old: ModelInput { comparison.old }

  /// The uncertain parts of the new model's sources, by entity or property; they affect neither
  /// blockers nor the migration method.
  var open: [String: String] {
    comparison.new.family.assumed[comparison.new.version.name] ?? [:]
  }

  private var assumed: [String: String] { open.filter { $0.key.contains(".") } }

  /// The obstacles to a lightweight migration that do not depend on an assumption.
  var obstacles: [MigrationObstacle] { comparison.mapping.obstacles(apartFrom: assumed) }

  /// Whether there are no blockers, and the objects need neither a copy nor an intermediate
  /// version.
  package var isReady: Bool { blockers.isEmpty && need == nil }

  /// The verdict in one sentence.
  package var headline: String {
    let goal =
      comparison.isTowardsSwiftData
      ? "SwiftData on \(comparison.target?.name ?? "")"
      : hasNewSide ? comparison.new.title : "a migration"
    let wrong = Figures.counted(blockers.count, "blocker", "blockers")
    let open = Figures.counted(decisions.count, "decision", "decisions")
    let scope = old.store == nil ? " as far as models show" : ""
    let tail = decisions.isEmpty ? "" : ", \(open)"
    if isReady, !hasNewSide, !comparison.isTowardsSwiftData {
      return "Nothing was found in \(old.title) that is in the way of a migration\(scope)\(tail)"
    }
    if isReady {
      let after = decisions.isEmpty ? "" : " after \(open)"
      return "\(old.title) is ready for \(goal)\(scope)\(after)"
    }
    if blockers.isEmpty, let need { return "\(old.title) needs \(need) for \(goal)\(scope)\(tail)" }
    return "\(old.title) is not ready for \(goal)\(scope): \(wrong)\(tail)"
  }

  // MARK: Blockers

  private var allBlockers: [Item] {
    let wrong = (survey?.findings ?? []).filter { $0.severity == .wrong }.map { finding in
      Item(text: "\(finding.place): \(finding.message)", advice: finding.remedy)
    }
    let data = comparison.dataObstacles.map { Item(sentence: $0.sentence) }
    // Ignore the obstacles if the objects are copied and there is no map yet, because a map can
    // resolve them.
    let model =
      way == .lightweight || comparison.mapping.map != nil
      ? obstacles.map { Item(sentence: $0.description) } : []
    let newer = comparison.swiftData.filter { $0.isBroken && $0.rule.contains(".needs.") }
    return wrong + data + model + newer.map(Self.item) + brokenSync
  }

  private static func item(_ finding: RuleFinding) -> Item {
    // Omit the explanation in a rule's text, because the longer report contains it.
    let text = finding.text.split(separator: "; ").first.map(String.init) ?? finding.text
    let subject = text.hasPrefix("no ") ? "SwiftData has \(text.prefix { $0 != ":" })" : text
    return Item(text: subject, places: finding.places, advice: finding.advice)
  }

  // MARK: Decisions

  private var allDecisions: [Item] {
    let general = [swapped, strange, purge, unknownVersion, unknownLayouts, unknownTypes]
      .compactMap(\.self)
    let classes = [modifiers, names].compactMap(\.self)
    return general + lacking + losses + computed + synced + classes + renames + stages
  }

  private var lacking: [Item] {
    comparison.isTowardsSwiftData
      ? comparison.swiftData.filter { $0.isBroken && !$0.rule.contains(".needs.") }.map(Self.item)
      : []
  }

  private var losses: [Item] {
    // Report no losses for a copy without a map, because the map decides which data is dropped.
    guard way != .copyByMap || comparison.mapping.map != nil else { return [] }
    let renamed = comparison.suspectedRenames.filter { isOpen($0) }.map(\.former)
    let dropped = comparison.dropped.filter { !$0.isIntended && $0.count != 0 }
      .filter { $0.kind != .objects || !renamed.contains($0.entity) }.map(\.name)
      .filter { open[$0] == nil }
    let unfilled = comparison.unfilled.filter {
      $0.kind == .requiredRelationship && $0.objects != 0
    }
    return [
      dropped.isEmpty
        ? nil
        : Item(
          text: "the step drops data",
          places: dropped,
          advice: "keep it, name its successor, or let it go"
        ),
      unfilled.isEmpty
        ? nil
        : Item(
          text: UnfilledPlace.Kind.requiredRelationship.words,
          places: unfilled.map(\.name),
          advice: UnfilledPlace.Kind.requiredRelationship.advice
        ),
    ].compactMap(\.self)
  }

  /// The decision on new attributes whose default value is computed by code.
  ///
  /// It is not known whether all objects get the same value.
  private var computed: [Item] {
    guard way == .lightweight else { return [] }
    let model = comparison.new.version.model
    let places = comparison.unfilled.filter { place in
      let attribute = model.entity(named: place.entity)?.attribute(named: place.property ?? "")
      return place.kind == .defaulted && attribute?.computedDefault != nil
        && (place.objects ?? 2) > 1
    }
    func item(_ places: [UnfilledPlace], _ text: String, _ advice: String) -> Item? {
      places.isEmpty ? nil : Item(text: text, places: places.map(\.name), advice: advice)
    }
    let isUnique = { (place: UnfilledPlace) in
      model.entity(named: place.entity)?.uniquenessConstraints.contains([place.property ?? ""])
        == true
    }
    return [
      item(
        places.filter(isUnique),
        "all objects may get one default, but it has to be unique",
        "fill it in a version between, then make it unique"
      ),
      item(
        places.filter { !isUnique($0) },
        "not known whether all objects get one default or one each",
        "fill it in a custom stage if each needs its own"
      ),
    ].compactMap(\.self)
  }

  /// The decision on the hash modifiers that the new classes lack.
  private var modifiers: Item? {
    guard way == .lightweight, hasNewSide, comparison.isTowardsSwiftData else { return nil }
    let before = ModelPlaces(model: old.version.model)
    let after = ModelPlaces(model: comparison.new.version.model)
    let attributes = Set(after.attributes { $0.versionHashModifier == nil })
    let relationships = Set(after.relationships { $0.versionHashModifier == nil })
    let places =
      before.attributes { $0.versionHashModifier != nil }.filter(attributes.contains)
      + before.relationships { $0.versionHashModifier != nil }.filter(relationships.contains)
    guard !places.isEmpty else { return nil }
    return Item(
      text: "the new classes lack hash modifiers that the model has",
      places: places,
      advice: "add hashModifier: to keep the version"
    )
  }

  private var unknownLayouts: Item? {
    let obstacles = comparison.mapping.obstacles.filter { $0.rests(on: assumed) }
    let places = obstacles.compactMap(\.property) + comparison.mapping.changedStructs
    guard !places.isEmpty else { return nil }
    return Item(
      text: "not known whether these need a migration, since how they are stored is assumed",
      places: places,
      advice: "compare a store that this code made"
    )
  }

  /// The decision on parts that seem to be dropped but whose types may be declared in sources that
  /// were not given.
  private var unknownTypes: Item? {
    let places = comparison.dropped.filter { $0.count != 0 && open[$0.name] != nil }.map(\.name)
    guard !places.isEmpty else { return nil }
    return Item(
      text: "the sources lack a type, so it is open what becomes of these",
      places: places,
      advice: "give the folder that declares it as well"
    )
  }

  /// The warning that the user may have swapped the old and the new version, whose order only the
  /// team knows.
  var swapped: Item? {
    guard hasNewSide, let sign = comparison.signOfSwap else { return nil }
    return Item(
      text: "these look swapped: \(sign)",
      advice: "if they are, name them the other way round"
    )
  }

  private var strange: Item? {
    guard hasNewSide, comparison.hasNothingInCommon, comparison.mapping.map == nil,
      comparison.suspectedRenames.isEmpty
    else { return nil }
    return Item(
      text: "no entity of the store is in the new model",
      advice: "give the app's own classes, or say by a map what becomes of each"
    )
  }

  private var purge: Item? {
    history.map { Item(text: $0, advice: "purge it first (deleteHistory(before:))") }
  }

  private var unknownVersion: Item? {
    // Require hashes, because models that differ only in details cannot be distinguished without
    // them.
    guard let match = comparison.match, match.version == nil,
      !comparison.new.family.versionHashes.isEmpty
    else { return nil }
    return Item(text: "the store \(match)", advice: "find the release that wrote it")
  }

  /// A sentence about the persistent history if it takes up at least half of the file; otherwise
  /// `nil`.
  package var history: String? {
    guard let survey, let history = survey.history, let bytes = history.bytes,
      history.changes >= 100, bytes * 2 >= survey.pageBytes
    else { return nil }
    return "history is \(survey.share(of: bytes)) of the file (\(history.changes.grouped) changes, "
      + "\(Figures.bytes(bytes)))"
  }

  /// The warning that a Core Data class and a SwiftData class have the same name.
  private var names: Item? {
    comparison.coexistence.first { $0.rule == "coexistence.classNames" && $0.isBroken }.map {
      Item(
        text: "classes of both frameworks share names",
        places: $0.places,
        advice: "call Core Data's CDName (schema generate --coexistence)"
      )
    }
  }

  private var stages: [Item] {
    // Without a plan, it is unknown whether the app migrates in stages, so only the full report
    // mentions the risk.
    let risk = comparison.hasPlan ? comparison.stagePlanRisk : nil
    let plan = risk.map {
      Item(
        text:
          "all \($0.steps) stages from '\($0.from)' to '\($0.to)' are lightweight, and a plan of "
          + "such stages may skip some",
        advice: "test it from each version, or make one stage custom"
      )
    }
    let detours =
      comparison.detours.isEmpty
      ? nil
      : Item(
        text: "step by step, \(comparison.detours[0])",
        advice: "choose one way for all users"
      )
    return [plan, detours].compactMap(\.self)
  }

  /// The chosen migration method.
  package var way: Way { choice.way }
  /// The reason for choosing the migration method.
  package var reason: String { choice.reason }

  // MARK: What was checked

  /// The parts that were checked for the verdict.
  package var checked: [String] {
    let entities = old.version.model.entities.count
    return [
      "the model (\(Figures.counted(entities, "entity", "entities")))",
      comparison.isTowardsSwiftData ? "SwiftData's features" : nil,
      survey.flatMap {
        $0.gaps.isEmpty
          ? "values and files of \($0.objectCount.grouped) object\($0.objectCount == 1 ? "" : "s")"
          : nil
      },
      hasNewSide && old.store != nil ? "duplicates and missing values" : nil,
    ].compactMap(\.self)
  }

  /// The parts that could not be checked, because the given files do not contain the necessary
  /// information.
  package var unchecked: [String] {
    [
      "the app's code",
      survey == nil ? (old.store == nil ? "data: give a store" : "values") : nil,
      survey.flatMap { $0.gaps.isEmpty ? nil : "all values (see \(Figures.few($0.gaps)))" },
      hasNewSide ? nil : "new classes (--sources)",
      assumed.isEmpty
        ? nil
        : "how \(Figures.counted(assumed.count, "property", "properties")) "
          + (assumed.count == 1 ? "is" : "are") + " stored (assumed)",
    ].compactMap(\.self)
  }

  /// The next command to run.
  package var next: String {
    let store = ShellWord.quoted(old.path)
    let model = modelPath.map { " --model " + ShellWord.quoted($0) } ?? ""
    if survey?.findings.contains(where: { $0.severity == .wrong }) == true {
      return "storebench inspect \(store)" + (hasNewSide ? "" : model)
    }
    guard hasNewSide else {
      guard comparison.isTowardsSwiftData else { return "storebench inspect \(store)\(model)" }
      return "storebench schema generate \(store)\(model) -o Models"
    }
    if old.store?.isSwiftData == true, comparison.new.store == nil,
      ModelSource.holdsSwift(comparison.new.path)
    {
      return "storebench schema check \(ShellWord.quoted(comparison.new.path)) --store \(store)"
    }
    let inspect =
      "storebench inspect \(store) \(ShellWord.quoted(comparison.new.path))\(model) --checklist"
    // If a rename is suspected, it must be decided before a migration is measured.
    if comparison.suspectedRenames.contains(where: isOpen) { return inspect }
    let steps = NextSteps(comparison: comparison, showsChecklist: false, modelPath: modelPath).all
    let commands = steps.compactMap { if case .command(let line) = $0 { line } else { nil } }
    return commands.first ?? inspect
  }
}

extension Readiness: Encodable {
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": "storebench.ready", "formatVersion": 1, "store": old.path,
      "target": comparison.target, "isReady": isReady, "headline": headline,
      "blockers": blockers, "decisions": decisions, "way": way, "reason": reason,
      "history": history, "checked": checked, "notChecked": unchecked, "next": next,
    ]
    try object.encode(to: encoder)
  }
}
