/// What a connection can be found by.
enum AliasTables {
  /// Of the versions before the ninth: in the order of their texts, so that each new one came to a place of its own.
  static let inOrderOfValues = """
    CREATE TABLE aliases (              -- every id by which a connection, and so a call, can be found
      value          TEXT NOT NULL,
      kind           TEXT NOT NULL,     -- call, session, sip, ufrag-local, fingerprint-local, ssrc-in, address-local, person ...
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      PRIMARY KEY (value, kind, connection_key)
    ) WITHOUT ROWID;
    CREATE INDEX aliases_by_connection ON aliases (connection_key);
    """

  /// Ids lie in the order in which they came in, and short hashes of them lead there (`Aliases`).
  static let ddl = """
    CREATE TABLE aliases (              -- every id by which a connection, and so a call, can be found
      connection_key INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
      kind           TEXT NOT NULL,     -- call, session, sip, ufrag-local, fingerprint-local, ssrc-in, address-local, person ...
      value          TEXT NOT NULL,
      hash           INTEGER NOT NULL,  -- alias_hash(value): where to look it up in alias_hashes
      PRIMARY KEY (connection_key, hash, kind, value)
    ) WITHOUT ROWID;

    CREATE TABLE recent_alias_hashes (  -- those that came in last: few, so that they lie together
      hash           INTEGER NOT NULL,
      connection_key INTEGER NOT NULL,
      PRIMARY KEY (hash, connection_key)
    ) WITHOUT ROWID;
    CREATE TABLE settled_alias_hashes ( -- what came in before recent_alias_hashes
      hash           INTEGER NOT NULL,
      connection_key INTEGER NOT NULL,
      PRIMARY KEY (hash, connection_key)
    ) WITHOUT ROWID;
    """

  /// The hashes follow the ids. One may stand for two ids of a connection.
  static let triggers = """
    CREATE TRIGGER aliases_come AFTER INSERT ON aliases BEGIN
      INSERT OR IGNORE INTO recent_alias_hashes (hash, connection_key) VALUES (new.hash, new.connection_key);
    END;
    CREATE TRIGGER aliases_go AFTER DELETE ON aliases
    WHEN NOT EXISTS (SELECT 1 FROM aliases AS a WHERE a.connection_key = old.connection_key AND a.hash = old.hash) BEGIN
      DELETE FROM recent_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
      DELETE FROM settled_alias_hashes WHERE hash = old.hash AND connection_key = old.connection_key;
    END;
    """

  /// Needs function `alias_hash`.
  static let inOrderOfConnections = """
    ALTER TABLE aliases RENAME TO earlier_aliases;
    DROP INDEX aliases_by_connection;
    \(ddl)
    INSERT INTO aliases (connection_key, kind, value, hash)
      SELECT connection_key, kind, value, alias_hash(value) FROM earlier_aliases ORDER BY connection_key, 4;
    DROP TABLE earlier_aliases;
    INSERT INTO settled_alias_hashes (hash, connection_key)
      SELECT DISTINCT hash, connection_key FROM aliases ORDER BY hash, connection_key;
    \(triggers)
    """
}
