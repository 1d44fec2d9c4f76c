/// Words of which e-mail addresses and URLs are made.
private enum AddressWords {
  static let first = WordList(
    """
    ana jose zoe bjorn chloe soren lukas jurgen renee inigo sian noel asa emre maelle joao maria stefan
    ilze karlis oyvind roisin sean anais elodie francois emma liam olivia noah mia lucas sofia ethan
    """
  )
  static let last = WordList(
    """
    garcia muller nunez kowalski dvorak oconnor lefevre akesson celik nguyen tran novak szabo ionescu
    smith jones taylor brown wilson evans thomas johnson roberts walker wright rossi silva moreau
    """
  )
  /// Names that RFC 2606 reserves, so that nobody gets mail.
  static let hosts = WordList(
    "example.com example.org example.net mail.example.com post.example.org"
  )
  static let path = WordList(
    """
    articles blog docs guides help images library news notes photos posts recipes reports shop stories
    support tasks travel users videos wiki 2023 2024 2025 archive download profile search
    """
  )
}

/// E-mail addresses at reserved names; no two rows have the same one.
struct EmailGenerator: TextGenerator {
  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    AddressWords.first.append(to: &text, draws: &draws)
    text.append(".")
    AddressWords.last.append(to: &text, draws: &draws)
    text.append(decimal: row + 1)
    text.append("@")
    AddressWords.hosts.append(to: &text, draws: &draws)
  }
}

/// URLs at reserved names, with one to three folders, a third of them with a query.
struct URLGenerator: TextGenerator {
  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    text.append("https://")
    AddressWords.hosts.append(to: &text, draws: &draws)
    for _ in 0...draws.below(3) {
      text.append("/")
      AddressWords.path.append(to: &text, draws: &draws)
    }
    text.append("/")
    text.append(hexadecimal: draws.next(), width: 8)
    guard draws.below(3) == 0 else { return }
    text.append("?page=")
    text.append(decimal: draws.below(40) + 1)
  }
}
