import DataModel

struct PersonNameRule: ValueRule {
  enum Script: String, CaseIterable, Hashable, Sendable {
    case latin
    case cyrillic
    case greek
    case arabic
    case hebrew
    case chinese
    case japanese
    case korean
    case hindi
  }

  enum Part: String, CaseIterable, Hashable, Sendable {
    case full
    case given
    case family
  }

  static let entry = ValueGenerator(
    "name",
    "names of persons in one or several writing systems",
    types: [.string],
    keys: [
      .init("part", "full, given or family"), .init("scripts", "a weight for each writing system"),
    ],
    examples: [
      .init("name", 2...60), .init("{ name: { part: given, scripts: { latin: 1 } } }", 2...20),
    ],
    bare: { _ in PersonNameRule() },
    parse: parse
  )

  private static let allScripts =
    [Weighted(Script.latin, 24)] + Script.allCases.dropFirst().map { Weighted($0, 1) }

  var part = Part.full
  var scripts = PersonNameRule.allScripts

  private static func parse(_ input: ValueGenerator.Input) -> (any ValueRule)? {
    guard let mapping = input.mapping() else { return nil }
    let part: Part? = mapping["part"].map { $0.choice() } ?? .full
    let scripts = mapping["scripts"].map(scripts) ?? allScripts
    guard let part, let scripts else { return nil }
    return PersonNameRule(part: part, scripts: scripts)
  }

  private static func scripts(_ value: YAMLValue) -> [Weighted<Script>]? {
    guard let mapping = value.mapping(knowing: Script.allCases.map(\.rawValue)) else { return nil }
    let weights = mapping.entries.compactMap { entry -> Weighted<Script>? in
      guard let script = Script(rawValue: entry.key),
        let weight = DistributionReader.weight(entry.value)
      else { return nil }
      return Weighted(script, weight)
    }
    guard weights.contains(where: { $0.weight > 0 }) else {
      value.report("\(value.name) must give at least one script a weight above 0")
      return nil
    }
    return weights
  }

  var canBeNumbered: Bool { true }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(
      part: part,
      choice: WeightedChoice(weights: scripts.map(\.weight)),
      sets: scripts.map { Names.sets(of: $0.choice) }
    )
  }

  private struct Generator: TextGenerator {
    let part: Part
    let choice: WeightedChoice
    let sets: [[Names]]

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      let candidates = sets[choice.choice(&draws)]
      let names = candidates[draws.below(candidates.count)]
      let given = names.given[draws.below(names.given.count)]
      let family = names.family[draws.below(names.family.count)]
      switch part {
      case .given: text.append(contentsOf: given)
      case .family: text.append(contentsOf: family)
      case .full:
        let isGivenFirst = names.order == .givenSpaceFamily
        text.append(contentsOf: isGivenFirst ? given : family)
        if names.order != .familyGiven { text.append(" ") }
        text.append(contentsOf: isGivenFirst ? family : given)
      }
    }
  }

  /// Given and family names of the same origin, and the order in which they are written.
  private struct Names: Sendable {
    enum Order: Sendable {
      case givenSpaceFamily
      case familySpaceGiven
      case familyGiven
    }

    let given: WordList
    let family: WordList
    let order: Order

    static func sets(of script: PersonNameRule.Script) -> [Names] {
      switch script {
      case .latin: latin
      case .cyrillic: [cyrillicFemale, cyrillicMale]
      case .greek: [greekFemale, greekMale]
      case .arabic: [arabic]
      case .hebrew: [hebrew]
      case .chinese: [chinese]
      case .japanese: [japanese]
      case .korean: [korean]
      case .hindi: [hindi]
      }
    }

    /// Sets of names that can occur together, from one country or its neighbors, because few people
    /// have names from two regions.
    private static let latin: [Names] = [
      latin(
        "Emma Liam Olivia Noah Mia Grace Henry Isla Jack Kate Leo Nora Owen Ruby Samuel Tessa",
        "Smith Jones Taylor Brown Wilson Thomas Johnson Roberts Walker Wright Thompson White Hughes Green Hall Clarke"
      ),
      latin(
        "Siân Róisín Seán Niamh Eoin Aisling Rhys Megan",
        "O’Connor O’Neill Evans Murphy Walsh Kelly Davies Byrne"
      ),
      latin(
        "Ana José Iñigo Nuño Óscar Lucía Inés Andrés",
        "García Nuñez Muñoz Peña Rodríguez Hernández Ibáñez Gutiérrez"
      ),
      latin(
        "João Inês Simão Beatriz Tomé Leonor Duarte Catarina",
        "Gonçalves Silva Santos Araújo Magalhães Conceição Simões Pereira"
      ),
      latin(
        "Jürgen Jörg Käthe Günther Lena Lukas Bärbel Anja",
        "Müller Schäfer Weiß Größmann Krüger Schröder Weber Köhler"
      ),
      latin(
        "Søren Björn Åsa Øyvind Ragnar Märta Linnéa Håkon",
        "Østergaard Åkesson Lindström Ålund Håkansson Sørensen Bjørnstad Dahl"
      ),
      latin(
        "Chloé Renée Noël Maëlle Anaïs Élodie François Zoë",
        "Lefèvre Moreau Laurent Béranger Hébert Dubois Mercier Gauthier"
      ),
      latin(
        "Łukasz Paweł Stanisław Zofia Małgorzata Hanna Jakub Ola",
        "Nowak Wójcik Mazur Gołąb Wróbel Zając Kaczmarek Pająk"
      ),
      latin("Tomáš Jiří Ondřej Lukáš Matěj Vojtěch", "Novák Dvořák Málek Šimek Beneš Růžek"),
      latin(
        "Mária Jana Šárka Zuzana Klára Božena",
        "Nováková Dvořáková Horáková Benešová Králová Němcová"
      ),
      latin("Emre Gülşen Yusuf Zeynep Çağla Deniz", "Çelik Yılmaz Öztürk Şahin Demir Aydın"),
      latin("Ngọc Thảo Minh Hương Tuấn Linh", "Nguyễn Trần Phạm Lê Hoàng Đặng"),
      latin(
        "Ștefan Ioana Andrei Ilinca Márta László",
        "Ionescu Popescu Munteanu Szabó Kovács Németh"
      ),
      latin("Ana Luka Ivana Đorđe Petra Nikola", "Đorđević Šimić Kovačević Jurić Babić Marić"),
      latin("Giulia Luca Sofia Marco Niccolò Chiara", "Rossi Bianchi Ferrari Conti Greco Marino"),
    ]

    private static func latin(_ given: String, _ family: String) -> Names {
      Names(given: WordList(given), family: WordList(family), order: .givenSpaceFamily)
    }

    private static let cyrillicFemale = Names(
      given: WordList(
        "Анна Мария Елена Ольга Наталья Ирина Татьяна Светлана Екатерина Юлия Дарья Ксения "
          + "Оксана Людмила Галина Вера Алёна Полина Софія Марічка Соломія Зоряна"
      ),
      family: WordList(
        "Иванова Смирнова Кузнецова Попова Соколова Лебедева Козлова Новикова Морозова Петрова "
          + "Волкова Соловьёва Шевченко Коваленко Бондаренко Ткаченко Кравченко Черных Павлюк"
      ),
      order: .givenSpaceFamily
    )

    private static let cyrillicMale = Names(
      given: WordList(
        "Александр Дмитрий Сергей Андрей Алексей Иван Михаил Николай Павел Фёдор Юрий Олег "
          + "Володимир Тарас Богдан Ярослав Георги Стоян Милан Душан"
      ),
      family: WordList(
        "Иванов Смирнов Кузнецов Попов Соколов Лебедев Козлов Новиков Морозов Петров Волков "
          + "Соловьёв Шевченко Коваленко Бондаренко Ткаченко Димитров Николић Јовановић Черных"
      ),
      order: .givenSpaceFamily
    )

    private static let greekFemale = Names(
      given: WordList(
        "Μαρία Ελένη Αικατερίνη Βασιλική Σοφία Αγγελική Γεωργία Δήμητρα Άννα Ιωάννα Χριστίνα Ζωή"
      ),
      family: WordList(
        "Παπαδοπούλου Παππά Καραγιάννη Βλάχου Ιωάννου Οικονόμου Παπαγεωργίου Μακρή Κωνσταντίνου "
          + "Δημοπούλου Γεωργίου Νικολαΐδου"
      ),
      order: .givenSpaceFamily
    )

    private static let greekMale = Names(
      given: WordList(
        "Γιώργος Δημήτρης Κωνσταντίνος Γιάννης Νίκος Χρήστος Παναγιώτης Βασίλης Θανάσης Άρης Σπύρος"
      ),
      family: WordList(
        "Παπαδόπουλος Παππάς Καραγιάννης Βλάχος Ιωάννου Οικονόμου Παπαγεωργίου Μακρής "
          + "Κωνσταντίνου Δημόπουλος Γεωργίου Νικολαΐδης"
      ),
      order: .givenSpaceFamily
    )

    private static let arabic = Names(
      given: WordList(
        "محمد أحمد علي حسن حسين عمر خالد يوسف إبراهيم فاطمة مريم عائشة زينب "
          + "ليلى نور سارة هدى سلمى رانيا"
      ),
      family: WordList(
        "الأحمد الحسن المصري الشامي البغدادي الخطيب النجار الحداد الصالح العلي "
          + "المنصور القاسم الزهراني"
      ),
      order: .givenSpaceFamily
    )

    private static let hebrew = Names(
      given: WordList(
        "דוד משה יוסף יעקב אברהם נועה תמר שרה רחל יעל מיכל איתי עומר דניאל אורי ליאור שירה הילה"
      ),
      family: WordList(
        "כהן לוי מזרחי פרץ ביטון דהן אברהם פרידמן מלכה אזולאי כץ יוסף דוד עמר אוחיון חדד גבאי"
      ),
      order: .givenSpaceFamily
    )

    private static let chinese = Names(
      given: WordList("伟 芳 娜 秀英 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀兰 霞 平 刚 桂英 子涵 浩宇 欣怡 梓萱"),
      family: WordList("王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 高 林 罗 欧阳 司马 诸葛"),
      order: .familyGiven
    )

    private static let japanese = Names(
      given: WordList("太郎 花子 翔太 美咲 健一 陽子 さくら ひろし 大輔 愛 直樹 由美子 拓也 真由美 蓮 結衣 アンナ ケン"),
      family: WordList("佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上"),
      order: .familySpaceGiven
    )

    private static let korean = Names(
      given: WordList("민준 서연 지훈 지우 하은 도윤 예준 수빈 영수 영희 은주 성민 현우 미경 정숙 유진"),
      family: WordList("김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 남궁"),
      order: .familyGiven
    )

    private static let hindi = Names(
      given: WordList(
        "आरव विवान अर्जुन रोहन अमित संजय प्रिया अनन्या दीपिका सुनीता कविता "
          + "नेहा पूजा राधिका विजय अनिल"
      ),
      family: WordList(
        "शर्मा वर्मा गुप्ता सिंह कुमार पटेल मिश्रा यादव जोशी अग्रवाल चौधरी "
          + "त्रिपाठी मेहता श्रीवास्तव"
      ),
      order: .givenSpaceFamily
    )
  }
}

struct BiographyGenerator: TextGenerator, ValueRule {
  static let entry = ValueGenerator(
    "biography",
    "what people write of themselves in a profile",
    bytes: 10...90
  ) { _ in BiographyGenerator() }

  private static let roles = WordList(
    """
    Photographer|Teacher|Baker|Student|Nurse|Designer|Engineer|Gardener|Musician|Cook|Translator
    Architect|Carpenter|Librarian|Runner|Cyclist|Writer|Barista|Illustrator|Parent of two
    """,
    separator: "|"
  )
  private static let hobbies = WordList(
    """
    coffee|long walks|old maps|house plants|film cameras|trains|climbing|jazz|board games|baking
    birds|cats|street food|hiking|ceramics|football|crosswords|vinyl records|crème brûlée|naïve art
    """,
    separator: "|"
  )
  private static let ends = WordList(
    "Opinions are my own|Here for the pictures|👋|🌿|Always late|Say hello",
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    Self.roles.append(to: &text, draws: &draws)
    text.append(". I like ")
    let hobby = draws.below(Self.hobbies.count)
    text.append(contentsOf: Self.hobbies[hobby])
    if draws.below(2) == 0 {
      text.append(" and ")
      let other = hobby + 1 + draws.below(Self.hobbies.count - 1)
      text.append(contentsOf: Self.hobbies[other % Self.hobbies.count])
    }
    text.append(".")
    guard draws.below(3) == 0 else { return }
    text.append(" ")
    Self.ends.append(to: &text, draws: &draws)
  }
}
