import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * Checks fleetlake's Flight SQL with the JDBC driver of Arrow.
 *
 * <p>Usage: java --add-opens=java.base/java.nio=ALL-UNNAMED -cp flight-sql-jdbc-driver.jar Jdbc.java
 * HOST:PORT TOKEN VESSELS
 */
public class Jdbc {
  static void check(boolean good, String what) {
    if (!good) {
      throw new IllegalStateException(what);
    }
  }

  static Connection connect(String address, String token) throws SQLException {
    Properties p = new Properties();
    p.put("useEncryption", "false");
    p.put("token", token);
    return DriverManager.getConnection("jdbc:arrow-flight-sql://" + address, p);
  }

  static void refused(Connection c, String sql, String words) throws SQLException {
    try (Statement s = c.createStatement()) {
      s.executeQuery(sql).next();
    } catch (SQLException e) {
      check(String.valueOf(e).contains(words), sql + ": " + e);
      return;
    }
    throw new IllegalStateException(sql + " is not refused");
  }

  /** Asks whatever a BI tool may ask about the database: the driver throws where the server has no answer. */
  static void answersAll(DatabaseMetaData m) throws SQLException {
    for (Method f : DatabaseMetaData.class.getMethods()) {
      if (f.getParameterCount() > 0) {
        continue;
      }
      try {
        Object answer = f.invoke(m);
        if (answer instanceof ResultSet rows) {
          rows.close(); // the driver refuses to close a connection whose results are open
        }
      } catch (InvocationTargetException | IllegalAccessException e) {
        throw new IllegalStateException(f.getName() + ": " + e.getCause());
      }
    }
  }

  public static void main(String[] args) throws SQLException {
    long vessels = Long.parseLong(args[2]);
    try (Connection c = connect(args[0], args[1])) {
      try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT count(*), max(last_seen) FROM vessels")) {
        check(r.next() && r.getLong(1) == vessels, "vessels: " + r.getLong(1));
        check(r.getObject(2, java.time.Instant.class) != null, "no instant");
      }
      int columns = 0;
      try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("FROM vessels")) {
        columns = r.getMetaData().getColumnCount();
        long rows = 0;
        for (; r.next(); rows++) {
          for (int i = 1; i <= columns; i++) {
            r.getString(i); // getObject(i) of the driver 18.3 knows no TIMESTAMP WITH TIME ZONE
          }
        }
        check(rows == vessels, rows + " rows");
      }
      try (PreparedStatement s = c.prepareStatement("SELECT count(*) FROM vessels WHERE flag = ? AND year_built > ?")) {
        for (String flag : new String[] {"PA", "MT"}) {
          s.setString(1, flag);
          s.setInt(2, 1900);
          try (ResultSet r = s.executeQuery()) {
            check(r.next() && r.getLong(1) > 0, "no vessels of " + flag);
          }
        }
      }
      try (Statement s = c.createStatement();
          ResultSet r = s.executeQuery("SELECT 17014118346046923173168730371588::HUGEINT, 1.50::DECIMAL(6, 2), DATE '2026-11-20', [1, 2], TIMESTAMPTZ '2026-11-20 01:00:00+01'")) {
        check(r.next(), "no row");
        check(r.getBigDecimal(1).toPlainString().equals("17014118346046923173168730371588"), "HUGEINT " + r.getBigDecimal(1));
        check(r.getBigDecimal(2).toPlainString().equals("1.50"), "DECIMAL " + r.getBigDecimal(2));
        check(r.getDate(3).toString().equals("2026-11-20"), "DATE " + r.getDate(3));
        java.time.Instant instant = r.getObject(5, java.time.Instant.class);
        check(instant.toString().equals("2026-11-20T00:00:00Z"), "TIMESTAMPTZ " + instant);
      }
      DatabaseMetaData m = c.getMetaData();
      check(m.getDatabaseProductName().equals("fleetlake") && m.isReadOnly(), m.getDatabaseProductName());
      int tables = 0;
      try (ResultSet r = m.getTables(null, "main", "vessel%", new String[] {"TABLE", "VIEW"})) {
        for (; r.next(); tables++) {
          check(r.getString("TABLE_NAME").startsWith("vessel"), r.getString("TABLE_NAME"));
        }
      }
      check(tables > 0, "no tables");
      answersAll(m);
      int described = 0;
      try (ResultSet r = m.getColumns(null, "main", "vessels", "%")) {
        for (; r.next(); described++) {
          check(r.getString("TYPE_NAME") != null && r.getString("REMARKS") != null, r.getString("COLUMN_NAME"));
        }
      }
      check(described == columns, described + " columns described, " + columns + " sent");
      try (ResultSet r = m.getCatalogs(); ResultSet s = m.getSchemas(); ResultSet t = m.getTableTypes(); ResultSet k = m.getPrimaryKeys(null, "main", "runs"); ResultSet i = m.getTypeInfo()) {
        check(r.next() && s.next() && t.next() && k.next() && k.getString("COLUMN_NAME").equals("run_id") && !k.next(), "catalogs, schemas, types of tables, keys");
      }
      refused(c, "SELECT nme FROM vessels", "nme");
      refused(c, "DELETE FROM runs", "only one statement that reads is accepted");
      System.out.println("jdbc: " + vessels + " vessels of " + columns + " columns, parameters, types, metadata and refusals are as they should be");
    }
    try (Connection c = connect(args[0], "wrong")) {
      c.createStatement().executeQuery("SELECT 1").next();
    } catch (SQLException e) {
      check(String.valueOf(e).toLowerCase().contains("unauth") || String.valueOf(e).contains("valid token"), "a wrong token: " + e);
      return;
    }
    throw new IllegalStateException("a wrong token is admitted");
  }
}
