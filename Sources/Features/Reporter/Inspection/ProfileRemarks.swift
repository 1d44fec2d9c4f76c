import Basics
import Generators

/// What a profile does not show of its store, a line for each reason.
package struct ProfileRemarks {
  /// The most names in a line.
  private static let mostNames = 8

  private let profile: StoreProfile

  package init(_ profile: StoreProfile) {
    self.profile = profile
  }

  package var lines: [String] {
    StoreProfile.Remark.Kind.allCases.compactMap { kind in
      let remarks = profile.remarks.filter { $0.kind == kind }
      guard !remarks.isEmpty else { return nil }
      let names = remarks.prefix(Self.mostNames).map(\.subject).joined(separator: ", ")
      let rest = remarks.count - Self.mostNames
      let more = rest > 0 ? " and \(rest) more" : ""
      return text(kind, objects: remarks.reduce(0) { $0 + $1.objects }) + ": \(names)\(more)"
    }
  }

  private func text(_ kind: StoreProfile.Remark.Kind, objects: Int) -> String {
    switch kind {
    case .fewObjects: "left out, with fewer than \(profile.k) objects"
    case .fewNulls: "counted as having a value, with fewer than \(profile.k) objects without one"
    case .fewValues: "counted as having no value, with fewer than \(profile.k) objects with one"
    case .otherType:
      "\(Figures.counted(objects, "value")) with a type that differs from the model; the new values "
        + "have the model's type"
    case .missingFile:
      "\(Figures.counted(objects, "blob")) without external file; the new blobs have the sizes of "
        + "other blobs"
    }
  }
}
