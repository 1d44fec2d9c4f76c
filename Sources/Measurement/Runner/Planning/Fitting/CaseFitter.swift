import DataModel

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
  init(_ file: WorkloadFile, _ offers: StoreOffers, diagnostics: Diagnostics) throws {
    self.file = file
    self.diagnostics = diagnostics
    models = ModelFiles(folder: file.folder)
    offer = try file.kind.fitsStores ? offers.offer(of: file) : nil
  }

  /// The case of a cell; `nil` after noting what it names that is not there.
  mutating func fit(_ cell: [String: ParameterValue]) -> Fitted? {
    guard let offer else {
      return Fitted(planned: file.makeCase(of: cell), obstacle: nil, hint: nil)
    }
    var (cell, dropped): ([String: ParameterValue], [String]) = (cell, [])
    while true {
      let planned = file.makeCase(of: cell)
      // What is left of the file's own words may mean nothing any more.
      if let reason = file.kind.impossibility(of: planned.allParameters) {
        return Fitted(planned: planned, obstacle: reason, hint: nil)
      }
      var fit = CaseFit(planned.allParameters, models: models)
      file.kind.fit(&fit, to: offer)
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
    }
  }

  private func fitted(
    _ planned: Case,
    _ fit: CaseFit,
    _ dropped: [String],
    _ offer: StoreOffer
  ) -> Fitted {
    let hint = ScaleHint(fit.work, of: offer, at: file.store)
    let planned = Case(
      id: planned.id,
      shownParameters: planned.shownParameters,
      parameters: planned.parameters,
      allParameters: fit.values,
      notes: fit.notes + dropped + (hint.map { [$0.note] } ?? []),
      traits: file.kind.traits(of: fit.values)
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
    let place = value.flatMap { self.place(of: $0, of: misfit.parameter) }
    guard let value, place == nil else {
      diagnostics.report("\(misfit.parameter): \(misfit.reason)", at: place)
      return
    }
    problems.append(
      Diagnostic(file: "--set \(misfit.parameter)=\(value)", message: misfit.reason)
    )
  }
}
