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
    guard let work, case .file(let path) = source, (1..<Self.fewestObjects).contains(work.objects)
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
    "\(objects) \(objects == 1 ? "object" : "objects") of \(subject): too few for times to mean "
      + "much; the counters hold"
  }

  /// For the end of the run: what to type.
  var advice: [String] {
    let name = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
    let file = name.split(separator: "/").last.map(String.init) ?? name
    let made = ShellWord.quoted(file + "-x\(scale).sqlite")
    return [
      "\(note). For times, make a larger store of the same shape:",
      "  storebench generate --like \(ShellWord.quoted(path)) --scale \(scale) --output \(made)",
    ]
  }
}
