import StoreBenchCommand

@main enum Program {
  static func main() { StoreBenchCommand.main(kinds: [FinishReading.self]) }
}
