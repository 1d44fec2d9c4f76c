import PersistentStore
import Runner

extension BlobStorageWorkload {
  package func verify(
    _ session: BlobSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let model = try model(for: trial)
    let expectation = BlobExpectation(parameters, model, seed: trial.seed)
    let inspection = BlobInspection(
      store: trial.store,
      layout: StoreLayout(model: model.model, keepsHistory: false),
      expectation: expectation
    )
    var problems = try inspection.problems(since: trial.start)
    let reading = expectation.reading(in: session.keys)
    if onlyReads {
      for (index, digest) in session.digests.enumerated()
      where digest.unordered != reading.unordered {
        problems.append("iteration \(index + 1) has read something else than the objects hold")
      }
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: onlyReads ? reading.unordered : try inspection.digest(),
      notes: ["objects shaped as '\(model.entity)', the blob as its '\(model.blob)'"]
    )
  }
}
