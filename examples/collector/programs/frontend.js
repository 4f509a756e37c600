// Writes logs in pino's JSON: levels are numbers, an error is an object.
const net = require("node:net");

const levels = { info: 30, error: 50 };
function log(level, msg, err) {
  const record = { level: levels[level], time: Date.now(), pid: process.pid, hostname: "frontend", msg };
  if (err) record.err = { type: err.constructor.name, message: err.message, stack: err.stack, code: err.code };
  console.log(JSON.stringify(record));
}

log("info", "started");
log("info", "basket " + "of 17 articles ".repeat(3000)); // a line of several entries in the container's log
try {
  undefined.basket;
} catch (err) {
  log("error", "rendering /basket", err);
}
const server = net.createServer().listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  server.close(() => {
    // Nobody listens here any more.
    net.connect(port, "127.0.0.1").on("error", (err) => {
      log("error", "session store", err);
      log("info", "stopped");
    });
  });
});
