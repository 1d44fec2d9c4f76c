/// What happens to a store after it was made: edits and deletions over time, and what they leave.
package struct AgeRecipe: Hashable, Sendable {
  /// How free pages are given back.
  package enum Vacuum: String, CaseIterable, Hashable, Sendable {
    case never
    /// Free pages are cut off at the end of the file; those in use stay as full as they are.
    case incremental
    /// The file is written anew.
    case full
  }

  /// The share of each entity's objects that are edited, from 0 to 1.
  package var edits: Double
  /// The share of each entity's objects that are deleted, those not counted that cascades reach.
  package var deletes: Double
  /// The entities that are edited and deleted; all where it is empty.
  package var entities: [String]
  package var objectsPerSave: Int
  /// How long it takes, in days from the end of the history of the objects' creation.
  package var days = 365.0
  package var vacuum: Vacuum
  /// The least bytes of the -wal that is left beside the store; 0 leaves none.
  package var walBytes: Int
}
