/// Columns of `calls` for what an SDK's log tells without statistics.
enum LoggedColumns {
  static let ddl = """
    ALTER TABLE calls ADD COLUMN reported_mean REAL /* the client's own 0-100 of what came in, over time; nobody else's */;
    ALTER TABLE calls ADD COLUMN reported_min REAL;
    ALTER TABLE calls ADD COLUMN reported_below_50_ms REAL;
    ALTER TABLE calls ADD COLUMN held_local_ms REAL /* how long this end held the call; NULL: never */;
    ALTER TABLE calls ADD COLUMN held_remote_ms REAL /* how long the far end did */;
    ALTER TABLE calls ADD COLUMN network_out_ms REAL /* how long network, session or path were out, by the log; NULL: never */;
    ALTER TABLE calls ADD COLUMN has_audio INTEGER /* 1: there was sound; NULL: nobody tells */;
    ALTER TABLE calls ADD COLUMN has_video INTEGER;
    ALTER TABLE calls ADD COLUMN upgraded INTEGER /* 1: the picture came when the call stood */;
    ALTER TABLE calls ADD COLUMN outcome_why TEXT /* what the outcome rests on, in words */
    """

  static let opinion =
    "ALTER TABLE calls ADD COLUMN reported_mos REAL /* 1-5, of what came in, by a telephone, gateway or service; the lowest */"
}
