import Basics
import DataModel
import Generators

/// Adapts the parameters of one case to its store, as determined by the case's kind.
package struct CaseFit {
  /// A parameter value that does not exist in the store.
  package struct Misfit: Hashable, Sendable {
    package let parameter: String
    package let reason: String
    /// The line and column of the faulty part of the value; `nil` if the whole value is faulty.
    package var position: [Int]?
  }

  /// The objects that a case works on, with the name shown to the user.
  struct Work: Hashable, Sendable {
    let subject: String
    let objects: Int
  }

  /// The values of all parameters of the kind, including those chosen so far.
  package private(set) var values: ParameterValues
  /// The models that parameters refer to.
  package let models: ModelFiles
  package private(set) var misfits: [Misfit] = []
  /// The choices and their reasons, for display.
  package private(set) var notes: [String] = []
  /// The reason why the case cannot run on this store, whatever names it uses; `nil` if it can.
  package private(set) var obstacle: String?
  /// A suffix for the name of the case's end state, if the models that the parameters name lead to
  /// a different end state.
  private(set) var detour: String?
  /// The objects on which the case's time depends; `nil` if the kind creates its own objects.
  private(set) var work: Work?

  package init(_ values: ParameterValues, models: ModelFiles) {
    self.values = values
    self.models = models
  }

  /// Sets a parameter that the case leaves open, and notes the reason.
  package mutating func choose(
    _ parameter: ParameterName,
    _ name: String,
    because note: String
  ) {
    values = values.setting(parameter, to: name)
    self.note(note)
  }

  /// Sets a list parameter that the case leaves open, and notes the reason.
  package mutating func choose(
    _ parameter: ParameterName,
    _ names: [String],
    because note: String
  ) {
    values = values.setting(parameter, to: names)
    self.note(note)
  }

  /// Adds a note about the store.
  package mutating func note(_ note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// Reports that the value of a parameter does not exist in the store.
  package mutating func reject(
    _ parameter: ParameterName,
    _ reason: String,
    at position: [Int]? = nil
  ) {
    misfits.append(Misfit(parameter: parameter.description, reason: reason, position: position))
  }

  /// Reports that the case cannot run on the store; the first reason is kept.
  package mutating func ruleOut(_ reason: String) {
    obstacle = obstacle ?? reason
  }

  /// Records that the models named by parameters lead the case to a different end state, described
  /// by `words`.
  package mutating func endsApart(_ words: String) {
    detour = words
  }

  /// Runs a check of a parameter; an error that it throws becomes the reason for rejecting the
  /// value.
  package mutating func look(_ parameter: ParameterName, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      reject(parameter, "\(error)")
    }
  }

  /// Runs a check of the store; an error that it throws rules out the case.
  package mutating func require(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      ruleOut("\(error)")
    }
  }

  /// Fits the case as a case of another kind, and copies the values that the other kind chooses.
  package mutating func fit<Kind: WorkloadKind>(
    as kind: Kind.Type,
    with others: ParameterValues,
    to store: StoreOffer
  ) {
    var other = CaseFit(others, models: models)
    Kind.description.fit?(&other, store)
    values = ParameterValues(
      values.values.merging(other.values.values.filter { others[$0.key] != $0.value }) { $1 }
    )
    for fact in other.notes { note(fact) }
    misfits += other.misfits
    obstacle = obstacle ?? other.obstacle
    detour = detour ?? other.detour
    work = work ?? other.work
  }

  /// Records how many objects of the store the case's time depends on.
  package mutating func works(on subject: String, objects: Int) {
    work = Work(subject: subject, objects: objects)
  }
}

/// Fits the cells (combinations of parameter values) of one workload file to their store.
///
/// The names in a file belong to its own recipe. If the command line replaces the store, and that
/// store lacks a name, the kind chooses another name. In all other cases, a missing name is an
/// error.
struct CaseFitter {
  struct Fitted {
    var planned: Case
    let obstacle: String?
    let hint: ScaleHint?
  }

  private let file: WorkloadFile
  private let offer: StoreOffer?
  private let models: ModelFiles
  private let diagnostics: Diagnostics
  private(set) var problems: [Diagnostic] = []

  init(_ file: WorkloadFile, _ offers: StoreOffer.Reader, diagnostics: Diagnostics) throws {
    self.file = file
    self.diagnostics = diagnostics
    models = ModelFiles(folder: file.folder)
    offer = try file.kind.description.fit != nil ? offers.offer(of: file) : nil
    if let foreign = offer?.foreignTriggers, !foreign.isEmpty {
      diagnostics.report(
        "these triggers of the store do not run, because Core Data did not make them: "
          + foreign.prefix(3).joined(separator: ", ") + (foreign.count > 3 ? " …" : ""),
        severity: .warning
      )
    }
  }

  mutating func fit(_ cell: [String: ParameterValue], _ asWritten: Case) -> Fitted? {
    guard let offer else {
      let planned = asWritten.fitted(asWritten.allParameters, by: file.kind)
      return Fitted(planned: planned, obstacle: nil, hint: nil)
    }
    var (cell, planned, dropped): ([String: ParameterValue], Case, [String]) = (cell, asWritten, [])
    while true {
      // Check again in each round, because dropping names that the store lacks can leave values
      // that exclude each other.
      if let reason = file.kind.impossibility(of: planned.allParameters) {
        return Fitted(planned: planned, obstacle: reason, hint: nil)
      }
      var fit = CaseFit(planned.allParameters, models: models)
      file.kind.description.fit?(&fit, offer)
      guard !fit.misfits.isEmpty else { return fitted(planned, fit, dropped, offer) }
      var isDropping = false
      for misfit in fit.misfits {
        guard let value = cell[misfit.parameter], mayDrop(value, of: misfit.parameter) else {
          report(misfit, cell[misfit.parameter])
          continue
        }
        cell[misfit.parameter] = nil
        dropped.append("the file's \(misfit.parameter)=\(value) was left out: \(misfit.reason)")
        isDropping = true
      }
      guard isDropping else { return nil }
      planned = file.makeCase(of: cell).planned
    }
  }

  private func fitted(
    _ planned: Case,
    _ fit: CaseFit,
    _ dropped: [String],
    _ offer: StoreOffer
  ) -> Fitted {
    let hint = ScaleHint(fit.work, of: offer, at: file.store)
    let planned = planned.fitted(
      fit.values,
      by: file.kind,
      notes: fit.notes + dropped + (hint.map { [$0.note] } ?? []),
      detour: fit.detour
    )
    return Fitted(planned: planned, obstacle: fit.obstacle, hint: hint)
  }

  private func place(of value: ParameterValue, of parameter: String) -> Place? {
    let values = file.parameters.first { $0.axis.name == parameter }?.values
    return values?.first { $0.value == value }?.place
  }

  private func mayDrop(_ value: ParameterValue, of parameter: String) -> Bool {
    file.isOnGivenStore && place(of: value, of: parameter) != nil
  }

  private mutating func report(_ misfit: CaseFit.Misfit, _ value: ParameterValue?) {
    var place = value.flatMap { self.place(of: $0, of: misfit.parameter) }
    if let position = misfit.position, position.count == 2 {
      place?.line = position[0]
      place?.column = position[1]
    }
    guard let value, place == nil else {
      diagnostics.report("\(misfit.parameter): \(misfit.reason)", at: place)
      return
    }
    problems.append(Diagnostic(file: "--set \(misfit.parameter)=\(value)", message: misfit.reason))
  }

  /// Advice for a store with too few objects for meaningful times.
  struct ScaleHint: Hashable, Sendable {
    /// The minimum number of objects; with fewer, fixed costs such as opening the file outweigh the
    /// work.
    private static let fewestObjects = 1_000
    /// The number of objects to aim for; a store of this size is made within minutes.
    private static let wantedObjects = 10_000
    private static let mostObjects = 10_000_000

    private let path: String
    private let subject: String
    let objects: Int
    /// The number of objects of the store.
    private let all: Int
    /// Whether the store is large, so that ``objects`` probably does not grow with its use.
    private let isFew: Bool
    /// The recommended scale factor of the larger store, rounded up to two significant digits; 1 if
    /// no larger store is recommended.
    let scale: Int

    /// Creates a hint; `nil` if the store is made from a recipe, has enough objects, or would
    /// become too large.
    init?(_ work: CaseFit.Work?, of offer: StoreOffer, at source: StoreSource) {
      guard let work, case .file(let path, _) = source,
        (1..<Self.fewestObjects).contains(work.objects)
      else { return nil }
      self.path = path
      subject = work.subject
      objects = work.objects
      all = offer.objectCount
      isFew =
        all >= Self.fewestObjects
        && (LikeRecipe.isFew(objects, of: all)
          || Self.mostObjects / all * objects < Self.fewestObjects)
      guard !isFew else {
        scale = 1
        return
      }
      let wanted = min(
        (Self.wantedObjects + objects - 1) / objects,
        Self.mostObjects / max(offer.objectCount, 1)
      )
      var step = 1
      while wanted / step >= 100 { step *= 10 }
      scale = (wanted + step - 1) / step * step
      guard scale > 1 else { return nil }
    }

    var note: String {
      "\(Figures.counted(objects, "object")) of \(subject): too few for meaningful "
        + "times; the counters are valid"
    }

    var advice: [String] {
      guard !isFew else {
        return [
          "\(note). The store has \(all.grouped) objects, so the number of these probably does not "
            + "grow with its use: for times, measure an entity with more objects"
        ]
      }
      let name = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
      let file = name.split(separator: "/").last.map(String.init) ?? name
      let made = ShellWord.quoted(file + "-x\(scale).sqlite")
      return [
        "\(note). For times, make a larger store of the same shape:",
        "  storebench generate --like \(ShellWord.quoted(path)) --to \(scale)x --output \(made)",
      ]
    }
  }
}

/// One cell of a plan: a workload file with one value per parameter.
package struct Case: Hashable, Sendable {
  /// The workload's name, followed by the parameters that the file sets, sorted by name.
  package let id: String
  /// The parameters shown in the ID.
  package let shownParameters: ParameterValues
  /// The parameters that are relevant to the case, including defaults.
  package let parameters: ParameterValues
  /// All parameters of the kind, including those whose values the kind chose for the store;
  /// irrelevant parameters have their defaults.
  package private(set) var allParameters: ParameterValues
  /// The kind's choices for the store, and the names in the file that the store lacks.
  package private(set) var notes: [String] = []
  /// The properties of the case, computed once by its kind.
  package private(set) var traits = CaseTraits(endState: "")
  /// The assumption that differs from the file's own cases, such as `batchRetention=all`; `nil` for
  /// the file's own cases.
  package internal(set) var variation: String?

  func fitted(
    _ values: ParameterValues,
    by kind: any WorkloadKind.Type,
    notes: [String] = [],
    detour: String? = nil
  ) -> Case {
    var fitted = self
    (fitted.allParameters, fitted.notes) = (values, notes)
    fitted.traits = kind.traits(of: values)
    if let detour {
      fitted.traits.endState += ", " + detour
      fitted.traits.job += ", " + detour
    }
    return fitted
  }

  func setting(_ values: [String: ParameterValue]) -> Case {
    var changed = self
    changed.allParameters = ParameterValues(allParameters.values.merging(values) { $1 })
    return changed
  }
}

extension WorkloadFile {
  /// Returns the Cartesian product of the parameters' values; the last parameter varies fastest.
  func cells() throws -> [[String: ParameterValue]] {
    // Allow more cells than cases, because irrelevant parameters make cells equal.
    let limit = Plan.mostCases * 10
    var cells: [[String: ParameterValue]] = [[:]]
    for parameter in parameters {
      // The multiplication cannot overflow: there are at most `limit` cells, and a file of 1 MB has
      // fewer values.
      let count = cells.count * parameter.values.count
      guard count <= limit else { throw Refusal.tooManyCases(count: count, limit: Plan.mostCases) }
      cells = cells.flatMap { cell in
        parameter.values.map { cell.merging([parameter.axis.name: $0.value]) { $1 } }
      }
    }
    return cells
  }

  /// Returns variants of the cell, each with one alternative assumption; empty unless the file asks
  /// for varied assumptions.
  func variations(
    of cell: [String: ParameterValue],
    _ traits: CaseTraits
  ) -> [(cell: [String: ParameterValue], name: String)] {
    guard variesAssumptions else { return [] }
    return traits.behaviours.filter { $0.evidence == .assumed }.flatMap { behaviour in
      (behaviour.alternatives ?? []).compactMap { other in
        behaviour.parameter.map { name in
          (cell.merging([name: .text(other)]) { $1 }, "\(behaviour.name)=\(other)")
        }
      }
    }
  }

  func makeCase(of cell: [String: ParameterValue]) -> (planned: Case, impossibility: String?) {
    let all = completed(cell)
    let (irrelevant, impossibility) = kind.judge(all)
    let shown = ParameterValues(cell).without(irrelevant)
    let planned = Case(
      id: shown.canonical.isEmpty ? name : name + "/" + shown.canonical,
      shownParameters: shown,
      parameters: all.without(irrelevant),
      allParameters: completed(shown.values)
    )
    return (planned, impossibility)
  }

  private func completed(_ cell: [String: ParameterValue]) -> ParameterValues {
    ParameterValues(defaults.merging(cell) { $1 })
  }
}
