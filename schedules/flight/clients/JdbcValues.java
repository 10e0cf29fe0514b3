import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Properties;

/**
 * Checks what the JDBC driver of Arrow binds and reads, in the time zone of this JVM, against DuckDB's own answers.
 *
 * <p>Usage: java -Duser.timezone=ZONE --add-opens=java.base/java.nio=ALL-UNNAMED -cp flight-sql-jdbc-driver.jar
 * JdbcValues.java HOST:PORT TOKEN
 */
public class JdbcValues {
  interface Binder {
    void bind(PreparedStatement s) throws SQLException;
  }

  interface Reader {
    Object read(ResultSet r) throws SQLException;
  }

  static int checked;

  /** Runs a statement that is true of the value that it is given. */
  static void bound(Connection c, String sql, Binder value) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      value.bind(s);
      try (ResultSet r = s.executeQuery()) {
        if (!r.next() || !r.getBoolean(1)) {
          throw new IllegalStateException(sql + " is false: the value is bound as another one");
        }
      }
    } catch (SQLException | RuntimeException e) {
      throw new IllegalStateException(sql, e);
    }
    checked++;
  }

  static void refused(Connection c, String sql, Binder value) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(sql)) {
      value.bind(s);
      s.executeQuery().close();
    } catch (SQLException | RuntimeException e) {
      checked++;
      return;
    }
    throw new IllegalStateException(sql + ": what the driver binds as another value is not refused");
  }

  static void read(Connection c, String sql, Reader reader, Object want) throws SQLException {
    try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT " + sql)) {
      Object got = r.next() ? reader.read(r) : null;
      if (!want.equals(got)) {
        throw new IllegalStateException(sql + " is read as " + got + ", not " + want);
      }
    }
    checked++;
  }

  public static void main(String[] args) throws SQLException {
    Properties p = new Properties();
    p.put("useEncryption", "false");
    p.put("token", args[1]);
    Instant instant = Instant.parse("2026-11-20T12:30:00.123Z");
    try (Connection c = DriverManager.getConnection("jdbc:arrow-flight-sql://" + args[0], p)) {
      bound(c, "SELECT ?::BOOLEAN", s -> s.setBoolean(1, true));
      bound(c, "SELECT ?::INTEGER = 41", s -> s.setInt(1, 41));
      bound(c, "SELECT ?::BIGINT = 5000000000", s -> s.setLong(1, 5_000_000_000L));
      bound(c, "SELECT ?::INTEGER + 1 = 42", s -> s.setInt(1, 41));
      bound(c, "SELECT count(*) = (SELECT count(*) FROM vessels WHERE imo > 9000000) FROM vessels WHERE imo > ?", s -> s.setInt(1, 9_000_000));
      bound(c, "SELECT count(*) = (SELECT count(*) FROM vessels WHERE year_built >= 2000.4) FROM vessels WHERE year_built >= ?", s -> s.setDouble(1, 2000.4));
      bound(c, "SELECT sum(imo) > ? FROM vessels", s -> s.setLong(1, 1));
      bound(c, "SELECT ?::DOUBLE = 1.5", s -> s.setDouble(1, 1.5));
      bound(c, "SELECT ?::DECIMAL(9, 2) = 2000.40", s -> s.setBigDecimal(1, new BigDecimal("2000.40")));
      bound(c, "SELECT ? = 'it''s'", s -> s.setString(1, "it's"));
      bound(c, "SELECT ?::DATE = DATE '2026-11-20'", s -> s.setDate(1, Date.valueOf("2026-11-20")));
      bound(c, "SELECT count(*) = (SELECT count(*) FROM vessels_as_of(DATE '2026-11-24')) FROM vessels_as_of(?::DATE)", s -> s.setString(1, "2026-11-24"));
      bound(c, "SELECT ?::TIME = TIME '12:30:00'", s -> s.setTime(1, Time.valueOf("12:30:00")));
      bound(c, "SELECT ?::TIMESTAMP = TIMESTAMP '2026-11-20 12:30:00.123'", s -> s.setTimestamp(1, Timestamp.valueOf("2026-11-20 12:30:00.123")));
      bound(c, "SELECT ?::TIMESTAMPTZ = TIMESTAMPTZ '2026-11-20 12:30:00.123+00'", s -> s.setString(1, instant.toString()));
      bound(c, "SELECT count(*) = (SELECT count(*) FROM vessels WHERE last_seen > TIMESTAMPTZ '2026-11-20 12:30:00.123+00') FROM vessels WHERE last_seen > ?", s -> s.setString(1, instant.toString()));
      refused(c, "SELECT count(*) FROM vessels WHERE last_seen > ?", s -> s.setTimestamp(1, Timestamp.from(instant))); // it writes the zone's clock

      read(c, "true", r -> r.getBoolean(1), true);
      read(c, "41", r -> r.getInt(1), 41);
      read(c, "5000000000", r -> r.getLong(1), 5_000_000_000L);
      read(c, "17014118346046923173168730371588::HUGEINT", r -> r.getBigDecimal(1).toPlainString(), "17014118346046923173168730371588");
      read(c, "1.50::DECIMAL(6, 2)", r -> r.getBigDecimal(1).toPlainString(), "1.50");
      read(c, "1.5::DOUBLE", r -> r.getDouble(1), 1.5);
      read(c, "'it''s'", r -> r.getString(1), "it's");
      read(c, "DATE '2026-11-20'", r -> r.getDate(1).toString(), "2026-11-20");
      read(c, "DATE '2026-11-20'", r -> r.getObject(1, LocalDate.class), LocalDate.parse("2026-11-20"));
      // getTime of the driver 18.3 moves a TIME by the zone of the JVM, and getTimestamp a TIMESTAMP.
      read(c, "TIMESTAMP '2026-11-20 12:30:00.123456'", r -> r.getObject(1, LocalDateTime.class), LocalDateTime.parse("2026-11-20T12:30:00.123456"));
      // getTimestamp does the same to an instant.
      read(c, "TIMESTAMPTZ '2026-11-20 13:30:00.123+01'", r -> r.getObject(1, Instant.class), instant);
      read(c, "TIMESTAMPTZ '2026-11-20 13:30:00.123+01'", r -> r.getObject(1, OffsetDateTime.class).toInstant(), instant);
    }
    System.out.println("jdbc in " + java.util.TimeZone.getDefault().getID() + ": " + checked + " values are bound and read as DuckDB has them");
  }
}
