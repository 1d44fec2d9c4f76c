/// A choice that stands for how Apple's frameworks behave, with the evidence behind it.
package struct Behaviour: Codable, Hashable, Sendable {
  /// What stands behind a behaviour.
  package enum Evidence: String, Codable, Hashable, Sendable {
    /// A public log of the frameworks' own statements.
    case log
    /// A file that the frameworks wrote.
    case file
    /// Apple's documentation.
    case documented
    /// Nothing but an assumption: run both ways, and never proof of a claim.
    case assumed
  }

  /// The behaviour's name, such as `externalDataLoad`.
  package var name: String
  /// The choice made, such as `onFetch`.
  package var value: String
  package var evidence: Evidence

  package init(name: String, value: String, evidence: Evidence) {
    self.name = name
    self.value = value
    self.evidence = evidence
  }
}
