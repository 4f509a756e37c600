"""Writes logs with Python's logging, as text and with tracebacks, to standard error."""

import json
import logging
import socket

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("inventory")

log.info("started")
with socket.socket() as unused:
    unused.bind(("127.0.0.1", 0))  # nobody listens here
    try:
        socket.create_connection(unused.getsockname())
    except OSError:
        log.exception("stock database")
try:
    json.loads('{"sku": 17')
except ValueError:
    log.exception("supplier's answer")
log.warning("stock of 17 is low")
log.info("stopped")
