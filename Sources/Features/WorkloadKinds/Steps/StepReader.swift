import Basics
import DataModel
import Runner

/// Reads the steps of a scenario from its workload file.
enum StepReader {
  static let form = ScriptForm(
    "a list of steps: " + Step.Verb.allCases.map(\.rawValue).joined(separator: ", "),
    .list(.either([.choice(["save", "reset"]), .mapping(keys)])),
    read: { value in steps(value)?.planText }
  )

  private static let mostSteps = 1_000

  private static let fields: [FileField<Step>] = [
    FileField("as", \.part, partName, "the part of the work that the step belongs to"),
    FileField("weight", \.weight, weight, "how often the step is drawn, compared with the others"),
    FileField("times", \.times, .integer(1...1_000_000), "how often the step is done; default 1"),
    FileField(
      "objects",
      \.objects,
      objects,
      "objects of the step, or 'all'; default 1, and of a batch request all"
    ),
    FileField("choose", \.choose, choice, "how objects are picked; default inTurn"),
    FileField("adjacent", \.isAdjacent, .boolean, "whether neighbours of the first are picked"),
    FileField("where", \.condition, .text, "a condition, such as isPinned == 1"),
    FileField("matches", \.matches, .integer(0...1), "0 if the condition may match no object"),
    FileField("keep", \.keptAs, .text, "the name under which the app keeps what it read"),
    FileField("from", \.from, .text, "the name of objects that an earlier step kept"),
    FileField(
      "sort",
      \.sort,
      names,
      "attributes or paths to sort by; -NAME for descending, 'NAME localized' for a collation"
    ),
    FileField("limit", \.limit, .integer(1...1_000_000_000), "the most objects"),
    FileField("batch", \.batch, .integer(1...100_000), "objects loaded at once"),
    FileField("prefetch", \.prefetch, names, "relationships or paths loaded with the objects"),
    FileField("read", \.read, .integer(0...1_000_000_000), "objects that are read; default all"),
    FileField(
      "follow",
      \.followed,
      name,
      "a relationship or path that is followed from each object"
    ),
    FileField("readsBlobs", \.readsBlobs, .boolean, "whether binary attributes are read"),
    FileField("in", \.searched, .text, "the text attribute that is searched"),
    FileField("for", \.text, .text, "the text that is searched for"),
    FileField("set", \.set, settings, "attributes that get a new value, or each with its value"),
    FileField("to", \.links, links, "relationships, each with how its object is picked"),
    FileField("remove", \.removals, removals, "to-manys, each with what is taken out of it"),
    FileField(
      "blobs",
      \.blobs,
      blobs,
      "binary and string attributes, each with its size: 5 KB to 3 MB"
    ),
    FileField("fetchesFirst", \.fetchesFirst, .boolean, "whether objects are fetched together"),
    FileField("chunk", \.chunk, .integer(1...1_000_000), "objects changed by one save"),
    FileField("upsert", \.upsert, .text, "the attribute that finds the half that is there"),
    FileField("batchRequest", \.batchRequest, .boolean, "whether the store changes all at once"),
    FileField("beside", \.beside, beside, "the fetch that is done 60 times a second meanwhile"),
    FileField("reset", \.resetsChunks, .boolean, "whether the context is reset after a chunk"),
  ]

  private static let keys: [FileKey] =
    Step.Verb.allCases.filter { ![.save, .reset].contains($0) }.map { verb in
      FileKey(verb.rawValue, Step(verb).isComposite ? .list(.any) : .text, summary(of: verb))
    } + fields.map(\.key)

  private static func summary(of verb: Step.Verb) -> String {
    switch verb {
    case .fetch: "the entity whose objects are fetched and read"
    case .count: "the entity whose objects are counted"
    case .search: "the entity whose objects are searched"
    case .insert: "the entity of new objects"
    case .update: "the entity whose objects get new values"
    case .delete: "the entity whose objects are deleted by the delete rules"
    case .save: "saves all changes"
    case .reset: "lets go of all objects"
    case .do: "steps that are one part of the work"
    case .background: "changes by a second context, while a list is read"
    }
  }

  private static func known(_ verb: Step.Verb) -> [String] {
    let reading = [
      "sort", "limit", "batch", "prefetch", "read", "follow", "readsBlobs", "keep", "matches",
    ]
    let picking = ["objects", "choose", "where", "matches", "from"]
    let own =
      switch verb {
      case .fetch: reading + ["objects", "choose", "where", "adjacent"]
      case .count: ["where", "matches"]
      case .search: reading + ["in", "for"]
      case .insert: ["objects", "to", "blobs", "set", "upsert"]
      case .update: picking + ["set", "to", "remove", "blobs", "chunk", "reset", "batchRequest"]
      case .delete: picking + ["fetchesFirst", "chunk", "reset", "batchRequest"]
      case .background: ["beside"]
      case .save, .reset, .do: [String]()
      }
    return [verb.rawValue, "as", "weight", "times"] + own
  }

  // MARK: Reading and checking steps

  static func steps(_ value: YAMLValue) -> [Step]? {
    guard let items = value.items() else { return nil }
    guard (1...mostSteps).contains(items.count) else {
      value.report("\(value.name) has \(items.count) steps, and 1 to \(mostSteps) are possible")
      return nil
    }
    let steps = items.compactMap(step)
    return steps.count == items.count ? steps : nil
  }

  private static func step(_ item: YAMLValue) -> Step? {
    let words = Step.Verb.allCases.map(\.rawValue)
    guard item.isMapping else {
      if item.isSequence || item.scalar == .null {
        item.report("\(item.name) is no step: write one such as '{ count: ENTITY }' or 'save'")
        return nil
      }
      let verb = item.choice(of: words.map { ($0, Step.Verb(rawValue: $0)) })
      guard let verb = verb ?? nil else { return nil }
      guard verb == .save || verb == .reset else {
        item.report("'\(verb.rawValue)' needs its entity: write '\(verb.rawValue): ENTITY'")
        return nil
      }
      return positioned(Step(verb), item)
    }
    guard let mapping = item.mapping() else { return nil }
    let found = mapping.entries.filter { words.contains($0.key) && $0.key != "reset" }
    guard found.count == 1, let entry = found.first, let verb = Step.Verb(rawValue: entry.key)
    else {
      let keys = mapping.entries.map(\.key)
      let hint = keys.lazy.map { didYouMean($0, among: words) }.first { !$0.isEmpty }
      item.report(
        found.isEmpty
          ? "\(item.name) is no step: it needs one of \(words.joined(separator: ", "))"
            + (hint ?? "")
          : "\(item.name) is two steps at once, '\(found[0].key)' and '\(found[1].key)': make two "
            + "items of the list"
      )
      return nil
    }
    guard verb != .save else {
      entry.value.report("'save' takes no value: write it alone")
      return nil
    }
    mapping.reportKeys(except: known(verb))
    var step = positioned(Step(verb), item)
    mapping.fill(&step, fields)
    let isOfAll =
      mapping["objects"]?.scalar == all
      || step.isBatchRequest
        && !["objects", "choose", "where", "from"].contains { mapping[$0] != nil }
    if isOfAll, [.update, .delete].contains(step.verb) { step.takesAll = true }
    if step.isComposite {
      guard let inner = steps(entry.value) else { return nil }
      step.steps = inner
    } else {
      guard let entity = entry.value.string() else { return nil }
      step.entity = entity
    }
    return check(step, mapping, item) ? step : nil
  }

  private static func positioned(_ step: Step, _ item: YAMLValue) -> Step {
    var step = step
    step.position = item.place.map { [$0.line, $0.column] }
    return step
  }

  /// Checks that the keys in a step can be combined, and reports keys that cannot.
  private static func check(_ step: Step, _ mapping: YAMLMapping, _ item: YAMLValue) -> Bool {
    let problems = problems(of: step, mapping)
    for problem in problems { item.report("'\(step.words)': \(problem)") }
    return problems.isEmpty
  }

  private static func problems(of step: Step, _ mapping: YAMLMapping) -> [String] {
    var problems: [String] = []
    func has(_ key: String) -> Bool { mapping[key] != nil }
    let isAll = mapping["objects"]?.scalar == all
    func exclude(_ key: String, _ others: [String]) {
      for other in others where has(key) && has(other) {
        problems.append("'\(key)' and '\(other)' exclude each other: leave one of them out")
      }
    }
    exclude("choose", ["where", "from", "sort", "limit", "batch", "prefetch", "read"])
    exclude("where", ["from"])
    if !has("choose") { exclude("from", ["objects"]) }
    exclude("batchRequest", ["to", "remove", "blobs", "fetchesFirst", "chunk"])
    var dependent = [("adjacent", "choose"), ("reset", "chunk")]
    if step.verb != .search, step.takesAll == nil { dependent.append(("matches", "where")) }
    for (key, needed) in dependent where has(key) && !has(needed) {
      problems.append("'\(key)' has no effect without '\(needed)': leave it out")
    }
    for name in step.set.map(\.name) where step.blobs[name] != nil {
      problems.append("'\(name)' is in 'set' and in 'blobs': leave it out of one of them")
    }
    if case .text(let text)? = mapping["where"]?.scalar, text.allSatisfy(\.isWhitespace) {
      problems.append(
        "'where' is empty: leave it out" + (step.reads ? "" : ", or write 'objects: all'")
      )
    }
    if isAll, has("choose") || step.verb == .insert {
      problems.append("'objects' must be a number here, not 'all'")
    }
    if step.changes, has("where"), has("objects"), !has("choose") {
      problems.append(
        "'where' takes all objects that match: leave out 'objects'; to take some of them, fetch "
          + "them with 'where', 'sort', 'limit' and 'keep: NAME', then write 'from: NAME' here"
      )
    }
    switch step.verb {
    case .fetch where has("objects") && !has("choose") && !isAll:
      problems.append("'objects' needs 'choose'; for the first objects of a list use 'limit'")
    case .update where !["set", "to", "remove", "blobs"].contains(where: has):
      problems.append(
        "'set' is missing: name the attributes that get a new value, relationships in 'to' or "
          + "'remove', or 'blobs'"
      )
    case .update where step.isBatchRequest && step.set.contains { $0.text == nil && !$0.isEmptied }:
      problems.append(
        "a batch request gives all objects the same values: write 'set: { NAME: VALUE }'"
      )
    case .insert where step.set.contains { $0.text == nil && !$0.isEmptied }:
      problems.append(
        "each new object gets values of its own: leave 'set' out, or write 'set: { NAME: VALUE }'"
      )
    case .search where step.searched.isEmpty || step.text.isEmpty:
      problems.append("it needs 'in', a text attribute, and 'for', a text")
    case .background where step.beside.isEmpty:
      problems.append("'beside' is missing: the fetch of the list that is read meanwhile")
    case .background where step.beside.contains { $0.verb != .fetch || $0.choose != nil }:
      problems.append("'beside' must be a fetch by a condition or of all objects, without 'choose'")
    case .background where step.beside.contains { $0.batch > 0 }:
      problems.append(
        "'beside' reads its list at once, since rows of a later batch may be gone by then: use 'limit' "
          + "instead of 'batch'"
      )
    case .background where step.beside.contains { !$0.followed.isEmpty }:
      problems.append(
        "'beside' follows no relationship, since its target may be gone by then: leave out 'follow'"
      )
    case .background where step.beside.contains { !$0.keptAs.isEmpty }:
      problems.append("nothing works on what 'beside' has read: leave out its 'keep'")
    case .background where step.steps.contains { $0.reads }:
      problems.append("the second context only changes: move what is read to 'beside'")
    case .background where step.steps.contains { !$0.from.isEmpty }:
      problems.append("objects that the first context kept are not the second one's: use 'where'")
    case _ where step.isComposite && step.part == nil:
      problems.append("a part of several steps needs a name: 'as: NAME'")
    case _ where step.isComposite && step.steps.contains(where: \.isComposite):
      problems.append("a part is made of simple steps: leave out the inner 'do' or 'background'")
    case _ where step.isComposite && step.leaves.contains { $0.weight != nil }:
      problems.append("only steps of the outer list have a 'weight'")
    case _ where step.isComposite && step.leaves.contains { $0.part != nil }:
      problems.append("steps within a part belong to it: leave out their 'as'")
    default: break
    }
    return problems
  }

  // MARK: Reading the values of keys

  private static let partName = FileValue<String>(.written("a name")) { value in
    guard let name = value.string() else { return nil }
    let isWord =
      (1...40).contains(name.count)
      && name.allSatisfy { $0.isLetter || $0.isWholeNumber || $0 == "_" || $0 == "-" }
    if !isWord {
      value.report(
        "\(value.name) must be up to 40 letters, digits, '_' and '-', without spaces, not '\(name)'"
      )
    }
    return isWord ? name : nil
  }

  private static let weight = FileValue<Double>(.number) { value in
    guard let weight = value.number() else { return nil }
    guard weight > 0, weight <= 1e9 else {
      value.report(
        "\(value.name) must be more than 0 and at most 1000000000: leave out a step that never "
          + "happens"
      )
      return nil
    }
    return weight
  }

  private static let beside = FileValue<[Step]>(.any) { value in step(value).map { [$0] } }

  private static let choice = FileValue<Step.Choice>(.choice(among: Step.Choice.self)) {
    $0.choice()
  }

  private static let names = FileValue<[String]>(.oneOrMore(.text)) { value in
    value.itemsOrSelf().compactMap { $0.string() }
  }

  private static let name = FileValue<String>(.oneOrMore(.text)) { value in
    let items = value.itemsOrSelf()
    guard items.count == 1 else {
      value.report("\(value.name) takes one name, not \(items.count)")
      return nil
    }
    return items[0].string()
  }

  /// Returns whether a list or mapping is empty, after reporting it if so.
  private static func isEmpty(_ value: YAMLValue) -> Bool {
    let isEmpty =
      value.isMapping ? value.mapping()?.entries.isEmpty == true : value.itemsOrSelf().isEmpty
    if isEmpty { value.report("\(value.name) names nothing: leave it out") }
    return isEmpty
  }

  private static let settings = FileValue<[Step.Setting]>(
    .either([.oneOrMore(.text), .named("ATTRIBUTE", .any)])
  ) { value in
    guard !isEmpty(value) else { return nil }
    guard value.isMapping else {
      return value.itemsOrSelf().compactMap { $0.string() }.map { Step.Setting(name: $0) }
    }
    return value.mapping()?.entries.compactMap { entry -> Step.Setting? in
      if entry.value.scalar == .null { return Step.Setting(name: entry.key, isEmptied: true) }
      guard let text = entry.value.string() else { return nil }
      var setting = Step.Setting(name: entry.key, text: text)
      if text.hasPrefix("+"), case .text? = entry.value.scalar { setting.isText = true }
      return setting
    }
  }

  /// The word for all objects of an entity.
  private static let all = YAMLScalar.text("all")

  private static let objects = FileValue<Step.Numbers>(
    .either([.integer(1...1_000_000_000), .written("1 to 100, or all")])
  ) { value in
    if value.scalar == all { return Step.Numbers(1...1) }
    guard let text = value.string() else { return nil }
    guard let numbers = Step.Numbers(text.replacing("_", with: ""), isInBytes: false),
      numbers.low > 0
    else {
      value.report("\(value.name) must be a number such as 50, 1 to 100, or all, not '\(text)'")
      return nil
    }
    return numbers
  }

  private static let links = picks(
    Step.Choice.allCases.map(\.rawValue) + [Step.newTarget, Step.noTarget]
  )
  private static let removals = picks(Step.Choice.allCases.map(\.rawValue))

  /// A mapping of relationships, each to a word that picks one object, a number of objects and such
  /// a word, or the key of an object.
  private static func picks(_ words: [String]) -> FileValue<[String: String]> {
    FileValue(
      .named(
        "RELATIONSHIP",
        .either([.choice(words), .written("3 uniform"), .integer(1...Int.max)])
      )
    ) { value in
      guard !isEmpty(value) else { return nil }
      var picks: [String: String] = [:]
      for entry in value.mapping()?.entries ?? [] {
        if case .integer? = entry.value.scalar {
          picks[entry.key] = entry.value.integer(in: 1...Int.max).map(String.init)
        } else if case .text(let text)? = entry.value.scalar, Step.picking(text) != nil {
          picks[entry.key] = text
        } else {
          picks[entry.key] = entry.value.choice(of: words.map { ($0, $0) })
        }
      }
      return picks
    }
  }

  private static let blobs = FileValue<[String: Step.Numbers]>(
    .named("ATTRIBUTE", .written("a size such as 5 KB, or 5 KB to 3 MB"))
  ) { value in
    var blobs: [String: Step.Numbers] = [:]
    for entry in value.mapping()?.entries ?? [] {
      guard let text = entry.value.string() else { continue }
      guard let size = Step.Numbers(text, isInBytes: true), size.high <= 1 << 28 else {
        entry.value.report(
          "\(entry.value.name) must be a size such as 5 KB, or 5 KB to 3 MB, up to 256 MB, not "
            + "'\(text)'; the units are B, KB and MB"
        )
        continue
      }
      blobs[entry.key] = size
    }
    return blobs
  }
}
