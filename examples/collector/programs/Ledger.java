import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Writes logs with java.util.logging: text of two lines and stack traces, to standard error. */
class Ledger {
    private static final Logger log = Logger.getLogger("ledger");

    public static void main(String[] args) throws Exception {
        log.info("started");
        try {
            book(List.of());
        } catch (RuntimeException e) {
            log.log(Level.SEVERE, "booking failed", e);
        }
        int port;
        try (ServerSocket server = new ServerSocket(0)) {
            port = server.getLocalPort();
        }
        try (Socket bank = new Socket("127.0.0.1", port)) { // nobody listens here any more
            log.info("connected");
        } catch (java.io.IOException e) {
            log.log(Level.SEVERE, "bank is not available", new IllegalStateException("transfer 17", e));
        }
        log.info("stopped");
    }

    private static int book(List<Integer> entries) {
        return entries.get(0);
    }
}
