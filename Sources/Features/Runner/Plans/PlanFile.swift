import Basics

/// A plan as a file: JSON with sorted keys, the same bytes for the same plan.
///
/// `Results/schema/plan-v1.schema.json` is its JSON Schema.
package enum PlanFile {
  /// Writes a plan, atomically.
  package static func write(_ plan: PlanDocument, to path: String) throws {
    try AtomicFile.write(plan.jsonText(), to: path)
  }

  /// Reads a plan of untrusted origin and checks it; throws `Refusal`.
  package static func read(_ path: String) throws -> PlanDocument {
    do {
      return try PlanDocument(json: InputFile.bytes(of: path, limit: 64 << 20))
    } catch InputFile.Failure.missing {
      throw Refusal.noSuchInput(path: path)
    } catch InputFile.Failure.unreadable(let reason) {
      throw Refusal.cannotRead(path, reason: reason)
    } catch {
      let reason = (error as? InputFile.Failure)?.reason ?? "\(error)"
      throw Refusal.badInput("'\(path)' is not a plan: \(reason)")
    }
  }
}
