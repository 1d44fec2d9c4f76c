import PersistentStore
import Runner

extension CascadeDeleteWorkload {
  package func verify(
    _ session: CascadeSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let start = try StartState(trial, parameters)
    let outcome = CascadeOutcome(parameters: parameters, trial: trial, start: start)
    let problems = try failure == nil ? outcome.problems() : outcome.problemsUnlessAsItWas()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    let digest = try StoreInspection(store: trial.store, layout: start.layout).digest()
    guard failure == nil else { return Verification(digest: digest) }
    return Verification(digest: digest, notes: [start.summary])
  }
}
