import Basics
import DataModel

/// How the parameters of one case fit the store that it runs on, as its kind finds out.
package struct CaseFit {
  /// A parameter whose value the store does not have.
  package struct Misfit: Hashable, Sendable {
    package let parameter: String
    package let reason: String
    /// Line and column of the part of the value that the reason is about; `nil` for all of it.
    package var position: [Int]?
  }

  /// Objects of the store, as the reader calls them.
  struct Work: Hashable, Sendable {
    let subject: String
    let objects: Int
  }

  /// Every parameter of the kind, with what was chosen so far.
  package private(set) var values: ParameterValues
  /// The models that parameters name.
  package let models: ModelFiles
  package private(set) var misfits: [Misfit] = []
  /// What was chosen and why, for the reader.
  package private(set) var notes: [String] = []
  /// Why the case cannot be run on this store, however it is spelled.
  package private(set) var obstacle: String?
  /// What the case's end state is told apart by from that of cases with the same parameters.
  private(set) var detour: String?
  /// The objects of the store that the case's time is about; `nil` for a kind that makes its own.
  private(set) var work: Work?

  package init(_ values: ParameterValues, models: ModelFiles) {
    self.values = values
    self.models = models
  }

  /// Chooses the value of a parameter that the case leaves open, and says why.
  package mutating func choose(
    _ parameter: ParameterName,
    _ name: String,
    because note: String
  ) {
    values = values.setting(parameter, to: name)
    self.note(note)
  }

  /// Chooses the list of a parameter that the case leaves open, and says why.
  package mutating func choose(
    _ parameter: ParameterName,
    _ names: [String],
    because note: String
  ) {
    values = values.setting(parameter, to: names)
    self.note(note)
  }

  /// Adds a fact that only the store decides.
  package mutating func note(_ note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// Says that the store does not have what a parameter names.
  package mutating func reject(
    _ parameter: ParameterName,
    _ reason: String,
    at position: [Int]? = nil
  ) {
    misfits.append(Misfit(parameter: parameter.description, reason: reason, position: position))
  }

  /// Says that the store offers nothing for the case; of several reasons the first counts.
  package mutating func ruleOut(_ reason: String) {
    obstacle = obstacle ?? reason
  }

  /// Says that the models lead the case to an end state of its own.
  package mutating func endsApart(_ words: String) {
    detour = words
  }

  /// Looks up what a parameter names; what the look throws is wrong with its value.
  package mutating func look(_ parameter: ParameterName, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      reject(parameter, "\(error)")
    }
  }

  /// Tries what the case needs; what the try throws keeps the store from offering it.
  package mutating func require(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      ruleOut("\(error)")
    }
  }

  /// Fits the case as one of another kind: what that kind chooses is taken over where this one has a
  /// parameter of the name.
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

  /// Says how many objects of the store the case's time is about.
  package mutating func works(on subject: String, objects: Int) {
    work = Work(subject: subject, objects: objects)
  }
}

/// Fits the cells of one workload file to the store that they run on.
///
/// A name that the file gives is a name of its own recipe: where a store was given in its place and
/// has no such thing, the name is left out and the kind chooses. Any other name must fit.
struct CaseFitter {
  /// A cell that was fitted.
  struct Fitted {
    var planned: Case
    /// Why the store offers nothing for it.
    let obstacle: String?
    /// What to do where the store is too small for it.
    let hint: ScaleHint?
  }

  private let file: WorkloadFile
  private let offer: StoreOffer?
  private let models: ModelFiles
  private let diagnostics: Diagnostics
  /// What the command line names and is not there.
  private(set) var problems: [Diagnostic] = []

  /// Names of the file that are not there are reported with their place.
  ///
  /// - Throws: what reading the store or its recipe throws.
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

  /// The case of a cell; `nil` after noting what it names that is not there.
  mutating func fit(_ cell: [String: ParameterValue], _ asWritten: Case) -> Fitted? {
    guard let offer else {
      let planned = asWritten.fitted(asWritten.allParameters, by: file.kind)
      return Fitted(planned: planned, obstacle: nil, hint: nil)
    }
    var (cell, planned, dropped): ([String: ParameterValue], Case, [String]) = (cell, asWritten, [])
    while true {
      // What is left of the file's own words may mean nothing any more.
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

  /// What to do about a store that has too few objects for times to mean much.
  struct ScaleHint: Hashable, Sendable {
    /// Below it a case's fixed costs, such as opening the file, outweigh its work.
    private static let fewestObjects = 1_000
    /// What a larger store is to have, within what is made in some minutes.
    private static let wantedObjects = 10_000
    private static let mostObjects = 10_000_000

    private let path: String
    private let subject: String
    let objects: Int
    /// How many times its objects the larger store has, in two digits.
    let scale: Int

    /// `nil` where the store is made by a recipe, has enough objects, or would grow beyond measure.
    init?(_ work: CaseFit.Work?, of offer: StoreOffer, at source: StoreSource) {
      guard let work, case .file(let path, _) = source,
        (1..<Self.fewestObjects).contains(work.objects)
      else { return nil }
      self.path = path
      subject = work.subject
      objects = work.objects
      let wanted = min(
        (Self.wantedObjects + objects - 1) / objects,
        Self.mostObjects / max(offer.objectCount, 1)
      )
      var step = 1
      while wanted / step >= 100 { step *= 10 }
      scale = (wanted + step - 1) / step * step
      guard scale > 1 else { return nil }
    }

    /// For the case's row.
    var note: String {
      "\(Figures.counted(objects, "object")) of \(subject): too few for meaningful "
        + "times; the counters are valid"
    }

    /// For the end of the run: what to type.
    var advice: [String] {
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

/// One cell of a plan: a workload file with one value for every parameter.
package struct Case: Hashable, Sendable {
  /// The workload's name and the parameters that the file sets, in name order.
  package let id: String
  /// The parameters of the ID.
  package let shownParameters: ParameterValues
  /// The parameters that matter in the cell, defaults included.
  package let parameters: ParameterValues
  /// Every parameter of the kind, with what it chose by the store; those that do not matter have
  /// their defaults.
  package private(set) var allParameters: ParameterValues
  /// What the kind chose by the store, and names of the file that the store does not have.
  package private(set) var notes: [String] = []
  /// What the kind says of the case; computed once, while planning.
  package private(set) var traits = CaseTraits(endState: "")
  /// What it assumes of Apple's code and the file's own cases do not, as `batchRetention=all`.
  package internal(set) var variation: String?

  /// The case as its kind fitted it to the store.
  func fitted(
    _ values: ParameterValues,
    by kind: any WorkloadKind.Type,
    notes: [String] = [],
    detour: String? = nil
  ) -> Case {
    var fitted = self
    (fitted.allParameters, fitted.notes) = (values, notes)
    fitted.traits = kind.traits(of: values)
    if let detour { fitted.traits.endState += ", " + detour }
    return fitted
  }

  /// The case with other values for some parameters, which its ID does not show.
  func setting(_ values: [String: ParameterValue]) -> Case {
    var changed = self
    changed.allParameters = ParameterValues(allParameters.values.merging(values) { $1 })
    return changed
  }
}

extension WorkloadFile {
  /// The product of the file's parameters, the last one changing fastest.
  func cells() throws -> [[String: ParameterValue]] {
    // Parameters that do not matter make cells equal, so more of them than cases may be allowed.
    let limit = Plan.mostCases * 10
    var cells: [[String: ParameterValue]] = [[:]]
    for parameter in parameters {
      // No overflow: there are at most `limit` cells, and a file of 1 MB has fewer values.
      let count = cells.count * parameter.values.count
      guard count <= limit else { throw Refusal.tooManyCases(count: count, limit: Plan.mostCases) }
      cells = cells.flatMap { cell in
        parameter.values.map { cell.merging([parameter.axis.name: $0.value]) { $1 } }
      }
    }
    return cells
  }

  /// The cell with each other choice of what its case assumes, one at a time; none where the file
  /// does not ask for them.
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

  /// A cell's case as the file writes it, before it is fitted to the store, and why it cannot be
  /// run.
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

  /// A cell with the defaults of the parameters that the file does not set.
  private func completed(_ cell: [String: ParameterValue]) -> ParameterValues {
    ParameterValues(defaults.merging(cell) { $1 })
  }
}
