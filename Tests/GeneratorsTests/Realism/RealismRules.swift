import Testing

/// A rule for realistic objects, with a query for the objects that break it.
struct RealismRule: CustomTestStringConvertible {
  /// The recipes whose models have the tables of the rule's query.
  let recipes: Set<String>
  /// The rule as a sentence.
  let name: String
  /// SQL that selects a key of each object that breaks the rule.
  let broken: String

  init(_ recipes: Set<String>, _ name: String, _ broken: String) {
    self.recipes = recipes
    self.name = name
    self.broken = broken
  }

  var testDescription: String { name }

  private static let tasks: Set<String> = [
    "tasks", "tasks-priorities", "tasks-aged", "tasks-dirty", "tiers/10k",
  ]
  private static let feeds: Set<String> = [
    "feed", "feed-few", "feed-small", "feed-file", "feed-external", "feed-entity", "feed-dirty",
  ]
  /// The end of the shipped recipes' periods, 2026-01-01, in seconds since 2001-01-01.
  private static let now = "788918400"

  static let all: [RealismRule] = [
    RealismRule(
      tasks,
      "an attachment is no older than its task",
      """
      SELECT a.Z_PK FROM ZATTACHMENT a JOIN ZTASK t ON t.Z_PK = a.ZTASK
      WHERE a.ZCREATEDAT < t.ZCREATEDAT AND t.ZCREATEDAT < \(now)
      """
    ),
    RealismRule(
      tasks,
      "a task is no older than its project",
      """
      SELECT t.Z_PK FROM ZTASK t JOIN ZPROJECT p ON p.Z_PK = t.ZPROJECT
      WHERE t.ZCREATEDAT < p.ZCREATEDAT
      """
    ),
    RealismRule(
      tasks,
      "an attachment's bytes are of its media type",
      """
      SELECT Z_PK FROM ZATTACHMENT WHERE ZDATA NOT NULL AND NOT CASE ZMEDIATYPE
      WHEN 'image/jpeg' THEN hex(substr(ZDATA, 1, 3)) = 'FFD8FF'
      WHEN 'application/pdf' THEN hex(substr(ZDATA, 1, 4)) = '25504446'
      WHEN 'image/png' THEN hex(substr(ZDATA, 1, 4)) = '89504E47' ELSE 1 END
      """
    ),
    RealismRule(
      tasks,
      "an attachment's name ends as its media type does",
      """
      SELECT Z_PK FROM ZATTACHMENT WHERE NOT CASE ZMEDIATYPE
      WHEN 'image/jpeg' THEN lower(ZFILENAME) LIKE '%.jp%g'
      WHEN 'application/pdf' THEN ZFILENAME LIKE '%.pdf'
      WHEN 'image/png' THEN ZFILENAME LIKE '%.png' ELSE 1 END
      """
    ),
    RealismRule(
      tasks,
      "a task is completed when, and only when, it has a date of completion",
      "SELECT Z_PK FROM ZTASK WHERE (ZISCOMPLETED = 1) <> (ZCOMPLETEDAT NOT NULL)"
    ),
    RealismRule(
      tasks,
      "a task is completed and changed after it was made",
      "SELECT Z_PK FROM ZTASK WHERE ZCOMPLETEDAT < ZCREATEDAT OR ZMODIFIEDAT < ZCREATEDAT"
    ),
    RealismRule(
      tasks,
      "a task is changed when it is completed, or later",
      "SELECT Z_PK FROM ZTASK WHERE ZCOMPLETEDAT NOT NULL AND ifnull(ZMODIFIEDAT, 0) < ZCOMPLETEDAT"
    ),
    RealismRule(
      tasks.subtracting(["tasks-aged"]),
      "no task is made, completed or changed in the future",
      "SELECT Z_PK FROM ZTASK WHERE max(ZCREATEDAT, ifnull(ZCOMPLETEDAT, 0), "
        + "ifnull(ZMODIFIEDAT, 0)) > \(now)"
    ),
    RealismRule(
      ["tasks-aged"],
      "no task of an aged store is changed after the last save",
      "SELECT Z_PK FROM ZTASK WHERE max(ZCREATEDAT, ifnull(ZCOMPLETEDAT, 0), "
        + "ifnull(ZMODIFIEDAT, 0)) > (SELECT max(ZTIMESTAMP) FROM ATRANSACTION)"
    ),
    RealismRule(
      tasks,
      "no attachment and no project is of the future",
      "SELECT Z_PK FROM ZATTACHMENT WHERE ZCREATEDAT > \(now) UNION ALL "
        + "SELECT Z_PK FROM ZPROJECT WHERE ZCREATEDAT > \(now)"
    ),
    RealismRule(
      tasks,
      "the steps of completed tasks are completed far more often than others",
      """
      SELECT 1 FROM (SELECT avg(s.ZISCOMPLETED) FILTER (WHERE t.ZISCOMPLETED = 1) AS done,
      avg(s.ZISCOMPLETED) FILTER (WHERE t.ZISCOMPLETED = 0) AS open
      FROM ZSUBTASK s JOIN ZTASK t ON t.Z_PK = s.ZTASK) WHERE done < open + 0.3
      """
    ),
    RealismRule(
      tasks,
      "the steps of a task have different places",
      """
      SELECT min(Z_PK) FROM ZSUBTASK WHERE ZTASK NOT NULL AND ZTASK IN (SELECT Z_PK FROM ZTASK)
      GROUP BY ZTASK, ZSORTORDER HAVING count(*) > 1
      """
    ),
    RealismRule(
      ["tasks", "tasks-priorities", "tasks-aged", "tasks-dirty"],
      "a task's progress is whole when it is completed, and only then",
      "SELECT Z_PK FROM ZTASK WHERE (ZPROGRESS = 1) <> (ZISCOMPLETED = 1)"
    ),
    RealismRule(
      ["tasks", "tasks-priorities"],
      "a task that was never changed is where it began",
      "SELECT Z_PK FROM ZTASK WHERE ZMODIFIEDAT = ZCREATEDAT AND ZPROGRESS > 0"
    ),
    RealismRule(
      tasks,
      "nothing is left to do in an archived project",
      "SELECT t.Z_PK FROM ZTASK t JOIN ZPROJECT p ON p.Z_PK = t.ZPROJECT "
        + "WHERE p.ZISARCHIVED = 1 AND t.ZISCOMPLETED = 0"
    ),
    RealismRule(
      tasks.subtracting(["tasks-aged"]),
      "what was changed was saved again, and nothing else was",
      "SELECT Z_PK FROM ZTASK WHERE (Z_OPT > 1) <> (ZMODIFIEDAT > ZCREATEDAT)"
    ),
    RealismRule(
      feeds,
      "what the reader likes has a like",
      "SELECT Z_PK FROM ZPOST WHERE ZISLIKED = 1 AND ZLIKECOUNT = 0"
    ),
    RealismRule(
      feeds,
      "nobody posts before joining",
      "SELECT p.Z_PK FROM ZPOST p JOIN ZUSER u ON u.Z_PK = p.ZAUTHOR WHERE p.ZCREATEDAT < u.ZJOINEDAT"
    ),
    RealismRule(
      ["contacts-duplicates"],
      "nobody is met before becoming a contact, and no contact changes before",
      """
      SELECT i.Z_PK FROM ZINTERACTION i JOIN ZCONTACT c ON c.Z_PK = i.ZCONTACT
      WHERE i.ZDATE < c.ZCREATEDAT UNION ALL
      SELECT Z_PK FROM ZCONTACT WHERE ZMODIFIEDAT < ZCREATEDAT OR ZMODIFIEDAT > \(now)
      """
    ),
    RealismRule(
      ["catalog"],
      "products of one number are one product",
      "SELECT min(Z_PK) FROM ZPRODUCT GROUP BY ZSKU HAVING count(DISTINCT ZNAME) > 1"
    ),
    RealismRule(
      ["catalog"],
      "what is not in stock is not available",
      "SELECT Z_PK FROM ZPRODUCT WHERE ZSTOCK = 0 AND ZISAVAILABLE = 1"
    ),
    RealismRule(
      ["catalog"],
      "a desk costs more than fifty, and a notebook less",
      """
      SELECT Z_PK FROM ZPRODUCT WHERE ZNAME GLOB '* desk*' AND ZNAME NOT GLOB '*lamp*' AND ZPRICE < 50
      UNION ALL SELECT Z_PK FROM ZPRODUCT WHERE ZNAME GLOB '* notebook*' AND ZPRICE > 50
      """
    ),
    RealismRule(
      ["trips"],
      "a trip has a night, and the name of its town",
      "SELECT Z_PK FROM ZTRIP WHERE ZENDDATE <= ZSTARTDATE OR ZNAME NOT LIKE '%. ' || ZDESTINATION"
    ),
    RealismRule(
      ["trips"],
      "what is reserved is planned",
      "SELECT Z_PK FROM ZBUCKETLISTITEM WHERE ZHASRESERVATION = 1 AND ZISINPLAN = 0"
    ),
    RealismRule(
      ["trips"],
      "a place has both coordinates or none",
      "SELECT Z_PK FROM ZLIVINGACCOMMODATION WHERE (ZLATITUDE IS NULL) <> (ZLONGITUDE IS NULL)"
    ),
    RealismRule(
      ["trips"],
      "a place to stay is in the town that the trip leads to",
      """
      SELECT a.Z_PK FROM ZLIVINGACCOMMODATION a JOIN ZTRIP t ON t.Z_PK = a.ZTRIP
      WHERE a.ZADDRESS NOT LIKE '%' || t.ZDESTINATION
      """
    ),
    RealismRule(
      ["trips"],
      "places to stay in one town are near each other",
      """
      SELECT min(a.Z_PK) FROM ZLIVINGACCOMMODATION a JOIN ZTRIP t ON t.Z_PK = a.ZTRIP
      GROUP BY t.ZDESTINATION HAVING max(ZLATITUDE) - min(ZLATITUDE) > 0.2
      OR max(ZLONGITUDE) - min(ZLONGITUDE) > 0.2
      """
    ),
    RealismRule(
      ["planner"],
      "a contact's street is in the contact's town",
      "SELECT Z_PK FROM ZCDCONTACT WHERE ZSTREET NOT NULL AND ZCITY NOT NULL "
        + "AND ZSTREET NOT LIKE '%' || ZCITY"
    ),
    RealismRule(
      ["planner"],
      "an author's e-mail address is made of the author's name",
      """
      SELECT Z_PK FROM ZCDAUTHOR WHERE ZFULLNAME NOT GLOB '*[^a-zA-Z ]*'
      AND ZEMAIL NOT LIKE replace(ZFULLNAME, ' ', '.') || '%@%'
      """
    ),
    RealismRule(
      ["tasks-aged"],
      "what was edited at last was changed at last",
      """
      SELECT t.Z_PK FROM ZTASK t JOIN ACHANGE c ON c.ZENTITYPK = t.Z_PK AND c.ZENTITY = t.Z_ENT
      JOIN ATRANSACTION a ON a.Z_PK = c.ZTRANSACTIONID WHERE c.ZCHANGETYPE = 1
      AND a.ZTIMESTAMP > \(now) GROUP BY t.Z_PK HAVING abs(max(a.ZTIMESTAMP) - t.ZMODIFIEDAT) > 86400
      """
    ),
    RealismRule(
      ["planner"],
      "a contact's telephone number is of the contact's country",
      """
      SELECT Z_PK FROM ZCDCONTACT WHERE ZPHONE NOT NULL AND ZPHONE NOT LIKE CASE ZCITY
      WHEN 'Oslo' THEN '+47 %' WHEN 'Köln' THEN '+49 %' WHEN '東京' THEN '+81 %' ELSE '+%' END
      """
    ),
    RealismRule(
      ["planner"],
      "a task is due after its project was made, and one that is not done was due lately",
      """
      SELECT t.Z_PK FROM ZCDTASK t JOIN ZCDPROJECT p ON p.Z_PK = t.ZPROJECT
      WHERE t.ZDUEDATE < p.ZCREATEDDATE UNION ALL
      SELECT Z_PK FROM ZCDTASK WHERE ZSTATUS <> 2 AND ZDUEDATE < \(now) - 250 * 86400
      """
    ),
  ]
}
