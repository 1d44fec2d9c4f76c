/// How the parameters of one case fit the store that it runs on, as its kind finds out.
package struct CaseFit {
  /// A parameter whose value the store does not have.
  package struct Misfit: Hashable, Sendable {
    package let parameter: String
    package let reason: String
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
    values = values.setting(parameter.description, to: .text(name))
    self.note(note)
  }

  /// Adds a fact that only the store decides.
  package mutating func note(_ note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// Says that the store does not have what a parameter names.
  package mutating func reject(_ parameter: ParameterName, _ reason: String) {
    misfits.append(Misfit(parameter: parameter.description, reason: reason))
  }

  /// Says that the store offers nothing for the case; of several reasons the first counts.
  package mutating func ruleOut(_ reason: String) {
    obstacle = obstacle ?? reason
  }

  /// Says how many objects of the store the case's time is about.
  package mutating func works(on subject: String, objects: Int) {
    work = Work(subject: subject, objects: objects)
  }
}
