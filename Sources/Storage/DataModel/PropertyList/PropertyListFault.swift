/// What is wrong with the bytes of a binary property list.
package enum PropertyListFault: Hashable, Sendable {
  /// The bytes do not start with `bplist00`.
  case notBinary
  case truncated
  /// The trailer contradicts the size of the file.
  case trailer
  /// An object lies outside the file or where no object can be.
  case badOffset(object: Int)
  case badReference(object: Int)
  /// A kind of object that property lists of stores do not have.
  case unsupportedObject(marker: UInt8)
  case badText(object: Int)
  case badKey(object: Int)
  /// A container that contains itself.
  case cycle(object: Int)
  case tooDeep(limit: Int)
  /// Shared objects that would unfold into too many.
  case tooLarge(limit: Int)
}

extension PropertyListFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notBinary: "it is not a binary property list"
    case .truncated: "it is cut off"
    case .trailer: "its trailer does not fit its size"
    case .badOffset(let object): "object \(object) lies outside of it"
    case .badReference(let object): "object \(object) refers to one that does not exist"
    case .unsupportedObject(let marker):
      "it has an object of the unknown kind 0x\(String(marker, radix: 16))"
    case .badText(let object): "object \(object) is no valid text"
    case .badKey(let object): "a key of dictionary \(object) is no text or is there twice"
    case .cycle(let object): "object \(object) contains itself"
    case .tooDeep(let limit): "it is nested more than \(limit) levels deep"
    case .tooLarge(let limit): "it unfolds into more than \(limit) objects"
    }
  }
}
