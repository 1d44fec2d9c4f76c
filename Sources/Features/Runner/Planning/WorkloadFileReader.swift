import Basics
import DataModel
import Generators
import PersistentStore
import SQLite

/// Reads one workload file and collects all errors in it.
struct WorkloadFileReader {
  final class Recipes {
    private var known: [RecipeReference: Result<Recipe, any Error>] = [:]

    func read(_ reference: RecipeReference) throws -> Recipe {
      if let known = known[reference] { return try known.get() }
      let result = Result { try reference.read() }
      known[reference] = result
      return try result.get()
    }
  }

  static func keys(_ kinds: [any WorkloadKind.Type]) -> [FileKey] {
    [
      FileKey("kind", .choice(kinds.map { $0.name }), "the workload kind", isRequired: true),
      FileKey("store", .mapping(storeKeys), "the store; every case gets a fresh copy of it"),
      FileKey(
        "parameters",
        .named("PARAMETER", .any),
        "parameters of the kind; a list is an axis, and the plan is the product of the axes"
      ),
      FileKey("trials", .mapping(trialFields.map(\.key)), "how often each case is measured"),
      FileKey("settings", .mapping(settingFields.map(\.key)), "settings of SQLite's connections"),
      FileKey(
        "budget",
        .named("METRIC", .either([.number, .written("a share such as 2 %, or a size")])),
        "how much exact costs may exceed a baseline"
      ),
      FileKey(
        "assumptions",
        .choice(["asSet", "varied"]),
        "varied: each case also runs with every other choice of what it assumes of Apple's code, one "
          + "at a time, and a finding that changes with one of them says on what it depends; "
          + "default asSet"
      ),
      FileKey(
        "grows",
        .named("METRIC", .choice(CostGrowth.allCases.map(\.rawValue))),
        "how fast exact costs may grow with the store's objects, for 'storebench growth'"
      ),
      FileKey(
        "question",
        .text,
        "the question that the workload answers, in one sentence; default: the kind's"
      ),
      FileKey(
        "mix",
        .named("OPERATION", .number),
        "how often an app does each operation; used to recommend one alternative for all operations"
      ),
      FileKey("actions", .any, "limits of an app's actions, for 'analyze --actions'"),
      FileKey("reference", .text, "log of the same actions to compare with, for 'actions'"),
    ]
  }

  private static let trialFields: [FileField<TrialPolicy>] = [
    FileField("trials", \.trials, count(from: 1), "fresh copies of the store; default 5"),
    FileField("iterations", \.iterations, count(from: 1), "timed runs of each trial; default 1"),
    FileField("warmUps", \.warmUps, count(from: 0), "runs before the first timed one; default 0"),
    FileField("cache", \.cache, .choice, "page cache at the start; default warm"),
    FileField("timeLimit", \.timeLimit, time, "time limit of a trial; default 10 min"),
    FileField("seed", \.seed, .seed, "random seed of the work; default 1"),
  ]

  private static func count(from lowest: Int) -> FileValue<Int> { .integer(lowest...100_000) }

  private static let time = FileValue<Double>(.written("a time such as 90 s")) { value in
    guard let text = value.string() else { return nil }
    guard let seconds = Quantity.seconds(text, in: 0.001...86_400) else {
      value.report("\(value.name) must be a time from 1 ms to 1440 min, such as 90 s")
      return nil
    }
    return seconds
  }

  private static let settingFields: [FileField<ConnectionSettings>] = [
    FileField("cachePages", \.cachePages, .integer(1...100_000_000), "pages of the page cache"),
    FileField("journalMode", \.journalMode, .choice, "journal mode"),
    FileField("synchronous", \.synchronous, .choice, "synchronous"),
    FileField("pageSize", \.pageSize, pageSize, "bytes of a page, a power of two"),
    FileField(
      "walAutocheckpoint",
      \.walAutocheckpoint,
      .integer(0...1_000_000_000),
      "pages before a checkpoint"
    ),
    FileField(
      "busyTimeout",
      \.busyTimeout,
      .integer(0...3_600_000),
      "milliseconds to wait for a lock"
    ),
  ]

  private static let pageSize = FileValue<Int>(.integer(512...65_536)) { value in
    value.choice(of: (9...16).map { (String(1 << $0), 1 << $0) })
  }

  let path: String
  let kinds: [any WorkloadKind.Type]
  let overrides: Overrides
  let diagnostics: Diagnostics
  let folder: WorkloadsFolder
  let recipes: Recipes

  init(
    _ path: String,
    _ kinds: [any WorkloadKind.Type],
    _ overrides: Overrides,
    _ recipes: Recipes
  ) {
    (self.path, self.kinds, self.overrides, self.recipes) = (path, kinds, overrides, recipes)
    diagnostics = Diagnostics(file: path)
    folder = WorkloadsFolder(of: path)
  }

  /// Returns the file, once for each of its stores; empty after reporting why the file cannot be
  /// used.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read at all.
  func read() throws -> [WorkloadFile] {
    if (try? InputFile.head(of: path, count: 16))?.areOfSQLiteFile == true {
      diagnostics.report(
        "this is a store, not a workload file; name a workload file here, and the store with "
          + "'--store' or, for 'forecast', '--like'"
      )
      return []
    }
    guard let top = try YAMLDocument.read(path: path, into: diagnostics) else { return [] }
    if let claim = top.mapping().flatMap({ $0["claim"] ?? $0["expect"] }) {
      claim.report("workload files test no claims any more: remove 'claim' and 'expect'")
      return []
    }
    guard let mapping = FileKind.workload.top(top, knowing: Self.keys(kinds))
    else { return [] }
    let stores = stores(mapping)
    let policy = trials(mapping["trials"])
    let pragmas = settings(mapping["settings"])
    // Stop if the kind is invalid, because every parameter would be reported as unknown.
    let names = kinds.map { ($0.name, $0) }
    guard let kind = mapping.required("kind")?.choice(of: names) else { return [] }
    let axes = kind.axes
    let chosen = parameters(mapping["parameters"], of: kind, axes)
    let allowed = budget(mapping["budget"], of: kind)
    let growth = grows(mapping["grows"], of: kind)
    let question = mapping["question"].flatMap { readQuestion($0) } ?? kind.description.question
    let mix = mapping["mix"].map { readMix($0, axes, chosen) } ?? kind.description.mix
    let varies =
      mapping["assumptions"]?.choice(of: [("asSet", false), ("varied", true)]) ?? false
    guard !diagnostics.hasErrors, let first = stores.first else { return [] }
    let file = WorkloadFile(
      path: path,
      name: folder.name(of: path),
      folder: folder.path,
      kind: kind,
      defaults: Dictionary(axes.map { ($0.name, $0.defaultValue) }) { $1 },
      store: first.source,
      recipe: first.recipe,
      isOnGivenStore: overrides.replacesStore,
      parameters: chosen,
      trials: policy,
      settings: pragmas,
      settingPlaces: Dictionary(
        keepingFirst: (mapping["settings"]?.mapping()?.entries ?? []).map { ($0.key, $0.keyPlace) }
      ),
      budget: allowed,
      grows: growth,
      question: question,
      mix: mix,
      variesAssumptions: varies && overrides.variesAssumptions
    )
    return stores.map { store in
      var own = file
      own.name += store.suffix
      (own.store, own.recipe) = (store.source, store.recipe)
      return own
    }
  }

  // MARK: Parameters

  private func parameters(
    _ value: YAMLValue?,
    of kind: any WorkloadKind.Type,
    _ axes: [Axis]
  ) -> [WorkloadFile.Parameter] {
    var result: [WorkloadFile.Parameter] = []
    let entries = value?.mapping(knowing: axes.map(\.name))?.entries ?? []
    for entry in entries {
      guard let axis = axes.first(where: { $0.name == entry.key }),
        let values = axis.readValues(entry.value)
      else { continue }
      result.append(.init(axis: axis, values: values))
    }
    for override in overrides.parameters {
      guard let parameter = read(override, of: kind, axes) else { continue }
      result.removeAll { $0.axis.name == override.name }
      result.append(parameter)
    }
    return result
  }

  private func read(
    _ override: Overrides.Parameter,
    of kind: any WorkloadKind.Type,
    _ axes: [Axis]
  ) -> WorkloadFile.Parameter? {
    guard let axis = axes.first(where: { $0.name == override.name }) else {
      diagnostics.report(
        "the kind '\(kind.name)' has no parameter '\(override.name)'"
          + didYouMean(override.name, among: axes.map(\.name))
      )
      return nil
    }
    let own = Diagnostics(file: path)
    defer { for problem in own.all { diagnostics.report(problem.message) } }
    guard let top = YAMLDocument.parse("\(override.name): \(override.yaml)", into: own),
      let value = top.mapping()?[override.name], let values = axis.readValues(value)
    else { return nil }
    return .init(
      axis: axis,
      values: values.map { Axis.PlacedValue(value: folder.found($0.value, of: axis), place: nil) }
    )
  }

  // MARK: Question and mix

  private func readQuestion(_ value: YAMLValue) -> String? {
    guard let text = value.string() else { return nil }
    guard (1...300).contains(text.count), !text.unicodeScalars.contains(where: { $0.value < 32 })
    else {
      value.report("\(value.name) must be a sentence of at most 300 characters in one line")
      return nil
    }
    return text
  }

  /// Reads a mix, which is how often an app performs each operation, from the values of the kind's
  /// parameter 'operation'; an operation that no case of the file does is reported.
  private func readMix(
    _ value: YAMLValue,
    _ axes: [Axis],
    _ chosen: [WorkloadFile.Parameter]
  ) -> OperationMix? {
    let axis = axes.first { $0.name == OperationMix.parameter }
    guard case .choice(let operations)? = axis?.domain else {
      value.report("'mix' needs a kind with a parameter '\(OperationMix.parameter)'")
      return nil
    }
    // The command line may choose some of the operations for one run.
    let isOverridden = overrides.parameters.contains { $0.name == OperationMix.parameter }
    let values: [ParameterValue] =
      chosen.first { $0.axis.name == OperationMix.parameter }?.values.map(\.value)
      ?? axis.map { [$0.defaultValue] } ?? []
    let done: [String]? =
      isOverridden
      ? nil
      : values.compactMap { value in
        if case .text(let word) = value { word } else { nil }
      }
    var weights: [String: Double] = [:]
    for entry in value.mapping(knowing: operations)?.entries ?? [] {
      guard let weight = entry.value.number() else { continue }
      guard (0...1e9).contains(weight) else {
        entry.value.report("\(entry.value.name) must be from 0 to 1000000000, not \(weight)")
        continue
      }
      if weight > 0, let done, !done.contains(entry.key) {
        entry.value.report(
          "no case of this file does '\(entry.key)', only \(done.joined(separator: ", ")): add it to "
            + "'operation', or leave it out of 'mix'"
        )
      }
      weights[entry.key] = weight
    }
    if weights.values.count(where: { $0 > 0 }) < 2 {
      value.report("a mix adds up several operations: give two or more a weight above 0")
    }
    return OperationMix(weights: weights)
  }

  func trials(_ value: YAMLValue?) -> TrialPolicy {
    var policy = TrialPolicy()
    if let mapping = value?.mapping(knowing: Self.trialFields.map(\.key)) {
      mapping.fill(&policy, Self.trialFields)
      if policy.cache == .cold, policy.warmUps > 0 {
        mapping["warmUps"]?.report(
          "a cold case cannot have warm-ups: they would fill the page cache"
        )
      }
    }
    if let trials = overrides.trials { policy.trials = trials }
    return policy
  }

  func settings(_ value: YAMLValue?) -> ConnectionSettings {
    var settings = ConnectionSettings()
    value?.mapping(knowing: Self.settingFields.map(\.key))?.fill(&settings, Self.settingFields)
    return settings
  }

  /// Reads the allowed growth of exact costs, such as `vfs.syncs: 0` or `sqlite.vmSteps: 2 %`, and
  /// reports every invalid name and number.
  func budget(_ value: YAMLValue?, of kind: any WorkloadKind.Type) -> [String: Budget] {
    var budget: [String: Budget] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      guard let metric = cost(entry, of: kind, as: "budget") else { continue }
      budget[metric.name] = growth(entry.value, of: metric)
    }
    return budget
  }

  /// Reads the expected growth of exact costs, such as `sqlite.vmSteps: n log n`.
  func grows(_ value: YAMLValue?, of kind: any WorkloadKind.Type) -> [String: CostGrowth] {
    var growth: [String: CostGrowth] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      guard let metric = cost(entry, of: kind, as: "declared growth") else { continue }
      growth[metric.name] = CostGrowth.read(entry.value)
    }
    return growth
  }

  /// Looks up a metric; if a kind's cases name parts of their work, `step.list.vmSteps` is declared
  /// as `step.NAME.vmSteps`.
  private func metric(
    named name: String,
    among metrics: [Metric],
    of kind: any WorkloadKind.Type
  ) -> Metric? {
    let words = name.split(separator: ".", omittingEmptySubsequences: false)
    guard kind.description.namesParts, words.count == 3, words[0] == "step" else {
      return Metric.named(name, among: metrics)
    }
    guard words[1] != "NAME", !words[1].isEmpty else { return nil }
    var metric = Metric.named("step.NAME.\(words[2])", among: metrics)
    metric?.name = name
    return metric
  }

  private func cost(
    _ entry: YAMLMapping.Entry,
    of kind: any WorkloadKind.Type,
    as limit: String
  ) -> Metric? {
    let metrics = Metric.catalogue + kind.metrics
    guard let metric = metric(named: entry.key, among: metrics, of: kind) else {
      let costs = metrics.filter(\.isExactCost).map(\.name)
      let hint = didYouMean(entry.key, among: costs)
      let families = "; exact costs are sizes such as storeBytes, and counters of sqlite., vfs., "
      diagnostics.report(
        "there is no metric '\(entry.key)'"
          + (hint.isEmpty ? families + "files. and objects." : hint),
        at: entry.keyPlace
      )
      return nil
    }
    guard metric.isExactCost else {
      let reason =
        metric.isExact
        ? "it is not a cost, so it never fails a comparison"
        : "it is not exact: 'compare --earlier' judges it by the variation of earlier runs"
      diagnostics.report("'\(entry.key)' can have no \(limit): \(reason)", at: entry.keyPlace)
      return nil
    }
    return metric
  }

  private func growth(_ value: YAMLValue, of metric: Metric) -> Budget? {
    guard let budget = value.string().flatMap({ Self.growth($0, of: metric) }), budget.isUsable
    else {
      let size = metric.unit == .bytes ? ", a size such as 64 KB" : ""
      value.report("\(value.name) must be a growth such as 0 or 20\(size), or a share such as 2 %")
      return nil
    }
    return budget
  }

  private static func growth(_ text: String, of metric: Metric) -> Budget? {
    if text.hasSuffix("%") {
      // Accept a percentage with and without a space: `2 %` and `2%`.
      var number = text.dropLast()
      if number.last == " " { number.removeLast() }
      guard number.last != "%", let share = Quantity(String(number)), share.dimension == .plain
      else { return nil }
      return .percent(share.value)
    }
    guard let quantity = Quantity(text),
      quantity.dimension == .plain || (quantity.dimension == .bytes && metric.unit == .bytes),
      quantity.value.rounded() == quantity.value
    else { return nil }
    return .absolute(quantity.value)
  }
}
