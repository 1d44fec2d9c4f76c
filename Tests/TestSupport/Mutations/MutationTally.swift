import PersistentStore

/// Counts the mutations that occurred, and records those that verification did not find.
package struct MutationTally {
  package private(set) var occurred = 0
  package private(set) var missed: [String] = []

  /// Tries each mutation: `apply` returns the verification that must fail, or `nil` if the mutation
  /// cannot occur.
  package init(
    of mutations: [StoreMutation] = StoreMutation.all,
    apply: (StoreMutation) throws -> (() throws -> Void)?
  ) rethrows {
    for mutation in mutations {
      guard let verify = try apply(mutation) else { continue }
      occurred += 1
      do {
        try verify()
        missed.append(mutation.description)
      } catch {}
    }
  }
}
